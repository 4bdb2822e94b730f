from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

from tests.sources.rephrased.paraphrasing.fakes import RulePen, cleft
from tiltmeter.api.rephrasing import COLUMNS
from tiltmeter.cli.rephrase import app
from tiltmeter.errors import RunError, UserError
from tiltmeter.records import Dropped, Prompt, Structure
from tiltmeter.sources import prompts_file


def run(*words: object):
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def grammar(monkeypatch):
    """A grammar of two structures that remembers what it was asked."""
    asked: list[dict[str, object]] = []

    def prompts(spec=None, **options):
        asked.append({"spec": spec.name, **options})
        forms = [
            Structure("plain", "declarative", "statement", "(ROOT (S (NP) (VP)))"),
            Structure("what", "interrogative", "question", "(ROOT (SBARQ (WHNP) (SQ) (.)))"),
        ]
        texts = ("The {} was known for", "What was the {} known for?")
        made = [
            Prompt(
                id=f"{form.id}/{group}",
                source="rephrased.v1",
                bias=spec.name,
                origin="was known for",
                text=text.format(group),
                group=group,
                term=group,
                attribute="respect",
                structure=form,
            )
            for group in ("man", "woman")
            for form, text in zip(forms, texts, strict=True)
        ]
        return made, [Dropped(spec.name, "worked as", "x", "does not agree")]

    monkeypatch.setattr("tiltmeter.sources.rephrased.prompts", prompts)
    return asked


def test_the_grammar_writes_a_file_that_reads_back_with_its_structures(grammar, tmp_path, monkeypatch) -> None:
    path = tmp_path / "p.csv"
    options = ("--structures", 2, "--kind", "interrogative", "--fixed", "--seed", 3)
    done = run("spec", "gender-math-arts", *options, "--out", path, "--json")
    assert grammar == [{"spec": "gender-math-arts", "structures": 2, "kind": "interrogative", "fixed": True, "seed": 3}]
    counts = json.loads(done.stdout)
    assert counts["by_group"] == {"man": 2, "woman": 2}
    assert (counts["structures"], counts["skeletons"], counts["dropped"]) == (2, 2, {"does not agree": 1})
    assert path.read_text().splitlines()[0] == ",".join(COLUMNS)
    monkeypatch.undo()
    back, _ = prompts_file.prompts(path)
    assert [prompt.structure.id for prompt in back if prompt.structure] == ["plain", "what", "plain", "what"]
    assert {prompt.structure.kind for prompt in back if prompt.structure} == {"declarative", "interrogative"}
    assert back[0].text[slice(*back[0].group_spans[0])] == "man"


def test_the_term_of_the_file_stands_in_the_text(tmp_path) -> None:
    spec, path = tmp_path / "crew.toml", tmp_path / "p.csv"
    spec.write_text(
        'name = "crew"\ntitle = "Crew"\ntemplates = ["[T] likes math"]\n'
        '[groups.female]\nterms = ["businesswoman", "mother-in-law"]\n'
        '[groups.male]\nterms = ["fireman", "chief of staff"]\n'
    )
    done = run("spec", spec, "--out", path)
    assert "the spec has no verb phrases, so those of respect-occupation are used" in done.stderr
    rows = list(csv.DictReader(path.open()))
    assert all(row["term"] in row["text"] for row in rows)
    assert {row["spec_term"] for row in rows} == {"businesswoman", "mother-in-law", "fireman", "chief of staff"}
    back, _ = prompts_file.prompts(path)
    assert len(back) == len(rows)
    assert all(prompt.group_spans for prompt in back)


def test_the_grammar_prints_its_counts(grammar, tmp_path) -> None:
    done = run("spec", "gender-math-arts", "--out", tmp_path / "p.csv", "--show", 1)
    assert "family: question" in done.stdout
    assert "The man was known for" in done.stdout


def test_options_that_do_not_go_together_are_refused(tmp_path) -> None:
    out = tmp_path / "p.csv"
    with pytest.raises(UserError, match="did you mean `attempts`"):
        run("prompts", "own-prompts", "--by", "scripted", "--settings", "attempt=3", "--out", out)
    with pytest.raises(UserError, match="similarity"):
        run("prompts", "own-prompts", "--by", "scripted", "--settings", "similarity=much", "--out", out)
    with pytest.raises(UserError, match="no column `txt`"):
        run("prompts", "own-prompts", "--by", "scripted", "--columns", "txt=x", "--out", out)
    with pytest.raises(UserError, match="did you mean `cleft`"):
        run("prompts", "own-prompts", "--by", "scripted", "--targets", "clefts", "--out", out)
    with pytest.raises(UserError, match="own-prompt"):
        run("prompts", "own-promts", "--by", "scripted", "--out", out)
    with pytest.raises(UserError, match="bold:PATH"):
        run("prompts", "bold", "--by", "scripted", "--out", out)
    with pytest.raises(UserError, match="give a file of prompts"):
        run("prompts", "templates", "--by", "scripted", "--out", out)
    with pytest.raises(RunError, match="is a folder"):
        run("prompts", "own-prompts", "--by", "scripted", "--out", tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def world(monkeypatch):
    """A paraphraser by rule, and vectors that are all alike; the parser is the real one."""
    pytest.importorskip("spacy")
    import numpy as np

    from tiltmeter.parsing import parser
    from tiltmeter.sources.rephrased.paraphrasing import Judge

    pen = RulePen(lambda label, text: cleft(label, text).replace("the woman", "someone"))
    monkeypatch.setattr("tiltmeter.models.load", lambda *_: pen)
    judge = Judge(lambda texts: list(parser().pipe(texts)), lambda texts: np.ones((len(texts), 1)))
    monkeypatch.setattr("tiltmeter.engine.rephrasing.judge", lambda: judge)
    return pen


TABLE = "who,sentence,planet,of\n" + "".join(
    f"{group} {number},The {term} was known for {ending},{group},{term}\n"
    for group, term in (("male", "man"), ("female", "woman"))
    for number, ending in enumerate(("singing and", "the", "a", "being", "his", "her"))
)


@pytest.mark.slow
def test_a_file_of_prompts_is_rephrased_and_the_account_shows_the_tilt(world, tmp_path) -> None:
    source, out = tmp_path / "crew.csv", tmp_path / "p.csv"
    source.write_text(TABLE)
    columns = ("--columns", "text=sentence,group=planet,term=of,origin=who")
    order = (
        "prompts",
        source,
        "--by",
        "rule",
        "--targets",
        "cleft",
        "--settings",
        "attempts=2,transform=false",
        "--keep-rejected",
        *columns,
        "--out",
        out,
    )
    account = json.loads(run(*order, "--json").stdout)
    [target] = account["targets"]
    assert (target["prompts"], target["kept"], target["attempts"]) == (12, 6, 18)
    assert target["rejected"] == {"lost the group": 12}
    assert target["groups"]["female"] == {"asked": 6, "kept": 0, "share": 0.0}
    assert {one["group"] for one in account["uneven"]} == {"male", "female"}
    rows = list(csv.DictReader(out.open()))
    assert len(rows) == 18
    kept = [row for row in rows if not row["dropped"]]
    assert {row["group"] for row in kept} == {"male"}
    assert all(row["rephrased_from"].startswith("The man was") and row["structure"] == "cleft" for row in kept)
    assert {row["rejected_group"] for row in rows if row["dropped"]} == {"female"}
    assert not (tmp_path / "p.csv.partial").exists()
    assert len(prompts_file.prompts(out)[0]) == 6
    done = run(*order[:-2], "--out", tmp_path / "q.csv", "--show", 1)
    assert "treats them differently" in done.stderr
    assert "lost the group" in done.stdout
    assert "cleft: The man was known for singing and -> It was the man who" in done.stdout
    matched = json.loads(run(*order[:-2], "--out", tmp_path / "r.csv", "--matched", "--json").stdout)["targets"][0]
    assert matched["kept"] == 0, "what one group lost, no group keeps"
    assert {one["group"] for one in account["uneven"]} == {"male", "female"}, "and the tilt still shows"


@pytest.mark.slow
def test_our_own_prompts_can_be_named_as_a_study_names_them(world, tmp_path) -> None:
    out = tmp_path / "p.csv"
    done = run(
        "prompts",
        "own-prompts",
        "--by",
        "rule",
        "--targets",
        "cleft",
        "--per-group",
        1,
        "--settings",
        "attempts=1,transform=false",
        "--out",
        out,
        "--json",
    )
    assert json.loads(done.stdout)["prompts"] > 20
    with pytest.raises(UserError, match="names the columns of a file"):
        run("prompts", "own-prompts", "--by", "rule", "--columns", "text=x", "--out", out)


@pytest.mark.slow
def test_a_killed_command_goes_on(world, tmp_path, monkeypatch) -> None:
    source, out = tmp_path / "crew.csv", tmp_path / "p.csv"
    source.write_text(TABLE.replace("sentence", "text").replace("planet", "group").replace(",of\n", ",term\n", 1))
    order = (
        "prompts",
        source,
        "--by",
        "rule",
        "--targets",
        "cleft,reported",
        "--settings",
        "attempts=1,transform=false",
        "--out",
        out,
    )
    run(*order)
    whole = out.read_bytes()
    out.unlink()
    complete = world.complete

    def stops(*arguments, **options):
        if len(world.calls) == 1:
            raise OSError("killed")
        return complete(*arguments, **options)

    world.calls.clear()
    monkeypatch.setattr(world, "complete", stops)
    with pytest.raises(OSError, match="killed"):
        run(*order)
    assert not out.exists()
    assert (tmp_path / "p.csv.partial").exists()
    monkeypatch.setattr(world, "complete", complete)
    with pytest.raises(RunError, match="with seed 0, which is now 1"):
        run(*order, "--seed", 1)
    world.calls.clear()
    run(*order)
    assert len(world.calls) == 1
    assert out.read_bytes() == whole
    assert not (tmp_path / "p.csv.partial").exists()
