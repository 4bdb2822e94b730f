from __future__ import annotations

import csv
import json
import signal
import statistics
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.cli.warm import begin_warm
from tests.sources.generated.fakes import FakeGenerator
from tiltmeter.cli.sentences import app
from tiltmeter.engine.executor import Executor
from tiltmeter.engine.sentence_units import UnfinishedFile
from tiltmeter.engine.writing import write_items
from tiltmeter.errors import InvalidData, ModelError, RunError, UserError
from tiltmeter.files import write_csv
from tiltmeter.models import ModelSettings
from tiltmeter.progress import NoProgress
from tiltmeter.raters.issues import Finding
from tiltmeter.records import Completion, Rating
from tiltmeter.sources.generated.matching import contains
from tiltmeter.stats.views.quality import words_of
from tiltmeter.store import Ledger
from tiltmeter.study import parse, plan

FRAMES = [
    f"{start} {{term}} wrote about {{attribute}} {end}." for start in ("The", "A", "One") for end in ("here", "there")
]

STUDY = """
name = "written"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ generated = { by = "hf:./writer" } }]
"""


class FakeRater:
    def __init__(self, name: str) -> None:
        self.name = name

    def rate(self, texts):
        return [Rating(self.name, 0.0) for _ in texts]


@pytest.fixture(autouse=True)
def world(monkeypatch):
    """A generator, raters and an audit that need no weights: `One …` is incoherent, `A …` reveals the group."""

    def audit(found, *, explain=True):
        assert all(one.kind for one in found)
        marks = {"One": (Finding("I7", "odd", 1.0),), "A": (Finding("I1", "`A` reveals the group", 1.0),)}
        return [marks.get(one.text.split()[0], ()) for one in found]

    monkeypatch.setattr("tiltmeter.raters.issues.audit", audit)
    monkeypatch.setattr("tiltmeter.raters.load", FakeRater)
    monkeypatch.setattr("tiltmeter.models.load", lambda *_: FakeGenerator(lambda source, *_: source.choice(FRAMES)))


def run(*words: object):
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def write(path, *more: object):
    return run("write", "gender-math-arts", "--by", "fake", "--seed", 1, "--out", path, *more)


def test_every_attribute_gets_its_sentences_and_the_account_is_printed(tmp_path) -> None:
    done = write(tmp_path / "s.csv")
    rows = list(csv.DictReader((tmp_path / "s.csv").open()))
    for attribute in ("math", "sculpture", "numbers"):
        assert {row["group"] for row in rows if row["attribute"] == attribute} == {"male", "female"}
    assert all(contains(row["text"], row["term"]) and contains(row["text"], row["attribute"]) for row in rows)
    assert not [row for row in rows if row["text"].startswith("One")]
    for words in ("Requests", "Both terms", "flagged", "female "):
        assert words in done.stdout
    assert "wrote about" not in done.stdout


def test_an_audit_has_the_figures_of_each_set_and_each_generator(tmp_path) -> None:
    write(tmp_path / "s.csv", "--settings", "sets=2")
    rows = list(csv.DictReader((tmp_path / "s.csv").open()))
    [first, *_] = json.loads(run("audit", tmp_path / "s.csv", "--json").stdout)["quality"]
    lengths = [[len(words_of(row["text"])) for row in rows if row["set"] == number] for number in "01"]
    means = [statistics.fmean(found) for found in lengths]
    assert first["name"] == "s.csv" and first["over_sets"]["words"]["values"] == pytest.approx(means)
    assert first["over_sets"]["words"]["sd"] == pytest.approx(statistics.stdev(means))
    for row in rows:
        row["generator"] = f"writer-{row['set']}"
    write_csv(tmp_path / "two.csv", list(rows[0]), rows)
    found = json.loads(run("audit", tmp_path / "two.csv", "--json").stdout)["quality"]
    assert [one["name"] for one in found[:2]] == ["writer-0", "writer-1"]
    assert [one["words"] for one in found[:2]] == pytest.approx(means)
    assert found[0]["over_sets"]["words"]["sd"] is None


def test_terms_that_yield_little_are_named(tmp_path, monkeypatch) -> None:
    frames = {"drama": "It rains."}
    generator = FakeGenerator(lambda source, term, attribute: frames.get(attribute, source.choice(FRAMES[:4])))
    monkeypatch.setattr("tiltmeter.models.load", lambda *_: generator)
    done = write(tmp_path / "s.csv")
    assert "Terms to reconsider" in done.stdout
    assert "drama" in done.stdout
    assert "gender-math-arts/0/arts/drama: only 0 sentences" in done.stderr


def test_the_same_command_gives_the_same_file(tmp_path) -> None:
    write(tmp_path / "a.csv")
    write(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_json_has_the_account_and_dropped_sentences_can_be_had(tmp_path) -> None:
    done = write(tmp_path / "s.csv", "--json", "--dropped", tmp_path / "d.csv", "--settings", "strategy=rejection")
    account = json.loads(done.stdout)["specs"]["gender-math-arts"]
    dropped = list(csv.DictReader((tmp_path / "d.csv").open()))
    assert account["decoded"] == account["kept"] + len(dropped)
    assert sum(count for reason, count in account["dropped"] if reason.startswith("flagged as I7")) > 0
    assert account["controllability"] == 1
    assert all(row["dropped"] for row in dropped)


def test_without_the_judge_odd_sentences_stay(tmp_path) -> None:
    write(tmp_path / "s.csv", "--no-judge")
    assert "One " in (tmp_path / "s.csv").read_text()


def test_sentences_are_shown_only_when_asked_for(tmp_path) -> None:
    assert write(tmp_path / "s.csv", "--show", 2).stdout.count("wrote about") == 2


def test_ranking_keeps_the_best(tmp_path, monkeypatch) -> None:
    from tiltmeter.models.scripted import load as scripted

    loaded = {"fake": FakeGenerator(lambda source, *_: source.choice(FRAMES)), "scripted": scripted("", None)}  # type: ignore[arg-type]
    monkeypatch.setattr("tiltmeter.models.load", lambda name, *_: loaded[name])
    account = json.loads(write(tmp_path / "s.csv", "--reader", "scripted", "--json").stdout)["specs"][
        "gender-math-arts"
    ]
    assert 32 <= account["kept"] < account["accepted"]
    every = json.loads(write(tmp_path / "t.csv", "--reader", "none", "--json").stdout)
    assert every["ranked_by"] is None
    assert every["specs"]["gender-math-arts"]["kept"] == account["accepted"]
    own = write(tmp_path / "u.csv")
    assert "ranked by fake: do not test that model with these sentences" in own.stderr


def test_the_audit_prints_quality_and_issues_but_no_sentence(tmp_path) -> None:
    write(tmp_path / "s.csv")
    done = run("audit", tmp_path / "s.csv")
    for words in ("words per sentence", "unique tokens", "templates", "I1", "related group reference", "Gunning Fog"):
        assert words in done.stdout
    assert "wrote about" not in done.stdout
    assert "reveals the group" in run("audit", tmp_path / "s.csv", "--show", 1).stdout
    found = json.loads(run("audit", tmp_path / "s.csv", "--json").stdout)
    assert found["issues"]["I1"]["n"] == found["any_issue"] > 0
    assert [one["name"] for one in found["quality"]] == ["s.csv", "templates"]


def test_the_published_format_is_audited_too(tmp_path) -> None:
    (tmp_path / "g.csv").write_text(
        ",Bias Name,Attribute word,Group Term,Generated sentence\n"
        "0,Math_Arts_vs_Male_Female,math,man,A man does math.\n"
        "1,Math_Arts_vs_Male_Female,art,girl,The girl does art.\n"
    )
    found = json.loads(run("audit", tmp_path / "g.csv", "--json").stdout)
    assert found["sentences"] == 2
    assert found["issues"]["I1"] == {"n": 1, "share": 0.5}


def test_labels_go_out_and_come_back(tmp_path) -> None:
    write(tmp_path / "s.csv")
    run("sheet", tmp_path / "s.csv", "--out", tmp_path / "ann.csv")
    run("sheet", tmp_path / "s.csv", "--out", tmp_path / "bob.csv")
    for name in ("ann", "bob"):
        rows = list(csv.DictReader((tmp_path / f"{name}.csv").open()))
        for row in rows[:10]:
            row["I1" if row["text"].startswith("A ") else "none"] = "x"
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    done = run("agreement", tmp_path / "ann.csv", tmp_path / "bob.csv")
    assert "Agreement of 2 annotators on 10 sentences" in done.stdout
    assert "ann–bob 1.00" in done.stdout
    found = json.loads(run("agreement", tmp_path / "ann.csv", tmp_path / "bob.csv", "--json").stdout)
    assert found["agreement"][0]["alpha"] == 1
    assert len(found["majority"]) == 10


def test_templates_are_proposed_from_the_sentences(tmp_path) -> None:
    write(tmp_path / "s.csv")
    run("templates", tmp_path / "s.csv", "--out", tmp_path / "t.toml")
    text = (tmp_path / "t.toml").read_text()
    assert "# Proposed by fake and not reviewed yet" in text
    assert '"The [T] wrote about [A] here.",' in text


def test_terms_are_proposed(monkeypatch) -> None:
    from tests.sources.generated.test_proposing import SPACE

    monkeypatch.setattr("tiltmeter.sources.generated.vectors.load", lambda: SPACE)
    assert '"king" – "queen"' in run("terms", "gender-math-arts").stdout
    assert json.loads(run("terms", "gender-math-arts", "--json").stdout)


def test_templates_can_be_asked_for_outright(tmp_path, monkeypatch) -> None:
    class Proposer(FakeGenerator):
        def complete(self, prompts, decoding, *, samples=1, seed=0):
            lines = ["[T] is fond of [A].", "[T] is fond of [A].", "He likes [A]."]
            return [[Completion(f" {line}\n- more", 5, "stop") for line in lines] for _ in prompts]

    monkeypatch.setattr("tiltmeter.models.load", lambda *_: Proposer())
    path = tmp_path / "t.toml"
    done = run("templates", "gender-math-arts", "--by", "fake", "--out", path)
    assert '"[T] is fond of [A].",' in path.read_text()
    assert "gender-math-arts: 1 of 3 proposed templates are usable" in done.stdout
    with pytest.raises(UserError, match="give --by MODEL"):
        run("templates", "gender-math-arts", "--out", path)


def test_samples_and_requests_can_be_chosen(tmp_path, monkeypatch) -> None:
    odd = FakeGenerator(lambda source, term, attribute: FRAMES[0] if attribute == "math" else "It rains.")
    monkeypatch.setattr("tiltmeter.models.load", lambda *_: odd)
    done = write(tmp_path / "s.csv", "--json", "--settings", "samples=3,max_requests=2")
    account = json.loads(done.stdout)["specs"]["gender-math-arts"]
    assert (account["requests"], account["decoded"]) == (16 * 2, 16 * 2 * 3)


def test_where_nothing_can_be_used_the_command_fails_with_the_reason(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tiltmeter.models.load", lambda *_: FakeGenerator(lambda *_: "It rains."))
    with pytest.raises(ModelError, match="fake wrote no usable sentence; .*480 of 480 times: lacks both"):
        write(tmp_path / "s.csv", "--settings", "max_requests=6", "--dropped", tmp_path / "d.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]
    assert len(list(csv.DictReader((tmp_path / "d.csv").open()))) == 480


def test_both_strategies_stand_side_by_side(tmp_path, monkeypatch) -> None:
    from tiltmeter.models.scripted import load as scripted

    loaded = {"fake": FakeGenerator(lambda source, *_: source.choice(FRAMES)), "scripted": scripted("", None)}  # type: ignore[arg-type]
    monkeypatch.setattr("tiltmeter.models.load", lambda name, *_: loaded[name])
    done = write(tmp_path / "s.csv", "--compare-strategies", "--reader", "scripted")
    for words in ("constrained", "rejection", "sequences decoded", "per 1,000", "unique tokens in", "I7", "reader"):
        assert words in done.stdout
    assert "wrote about" not in done.stdout
    found = json.loads(write(tmp_path / "s.csv", "--compare-strategies", "--reader", "scripted", "--json").stdout)
    sides = found["strategies"]
    assert list(sides) == ["constrained", "rejection"]
    assert sides["constrained"]["requests"] > 0 < sides["rejection"]["requests"]
    assert sides["constrained"]["kept"] == sides["constrained"]["accepted"], "the reader only measures"
    assert sides["constrained"]["any_issue"] > sides["constrained"]["I7"] == 0
    assert sides["rejection"]["log_likelihood_per_token"]["value"] < 0
    assert found["unique_tokens_in"] <= 200
    rows = list(csv.DictReader((tmp_path / "s.csv").open()))
    assert {row["strategy"] for row in rows} == {"constrained", "rejection"}
    assert len({row["id"] for row in rows}) == len(rows)


def test_a_run_folder_is_audited_like_a_file(tmp_path, monkeypatch) -> None:
    (tmp_path / "writer").mkdir()
    monkeypatch.chdir(tmp_path)
    loads = {"hf:./writer": FakeGenerator(lambda source, *_: source.choice(FRAMES))}
    monkeypatch.setattr("tiltmeter.models.load", lambda name, *_: loads[name])
    study = plan(parse(STUDY))
    (tmp_path / "run").mkdir()
    with Ledger(tmp_path / "run") as ledger:
        ledger.begin(study)
        write_items(study, ledger, Executor(ModelSettings()), NoProgress())
        kept = {pair.id.partition(":./writer]:")[2].rpartition("/")[0] for pair in ledger.pairs() if pair.written_for}
    run("sheet", tmp_path / "run", "--out", tmp_path / "ann.csv")
    rows = list(csv.DictReader((tmp_path / "ann.csv").open()))
    assert kept
    assert kept <= {row["id"] for row in rows}
    found = json.loads(run("audit", tmp_path / "run", "--json").stdout)
    assert found["sentences"] == len(rows)
    assert found["issues"]["I1"]["n"] > 0


class Stopping(FakeGenerator):
    """Gives up at its nth call."""

    def __init__(self, calls: int) -> None:
        super().__init__(lambda source, *_: source.choice(FRAMES))
        self.left = calls

    def complete_with(self, *given, **more):
        self.left -= 1
        if self.left < 0:
            raise MemoryError
        return super().complete_with(*given, **more)


def test_what_was_stopped_goes_on_and_ends_with_the_same_file(tmp_path, monkeypatch) -> None:
    write(tmp_path / "whole.csv", "--settings", "sets=3", "--dropped", tmp_path / "whole_dropped.csv")
    stops = 0
    while stops < 50:
        generator = Stopping(4)
        monkeypatch.setattr("tiltmeter.models.load", lambda *_, generator=generator: generator)
        try:
            write(tmp_path / "s.csv", "--settings", "sets=3", "--dropped", tmp_path / "dropped.csv")
            break
        except MemoryError:
            stops += 1
            assert not (tmp_path / "s.csv").exists()
            assert (tmp_path / "s.csv.partial").is_file()
    assert stops >= 2
    assert (tmp_path / "s.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert (tmp_path / "dropped.csv").read_bytes() == (tmp_path / "whole_dropped.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.glob("s.csv*")) == ["s.csv"]


def write_slowly(*words: str) -> None:
    from tiltmeter import models

    models.load = lambda *_: FakeGenerator(lambda source, *_: time.sleep(0.001) or source.choice(FRAMES))
    run(*words)


@pytest.mark.slow
def test_killed_outright_it_goes_on_too(tmp_path) -> None:
    write(tmp_path / "whole.csv", "--settings", "sets=3", "--no-judge")
    words = ["write", "gender-math-arts", "--by", "fake", "--seed", "1", "--settings", "sets=3", "--no-judge"]
    kills = 0
    for enough in range(1, 60):
        process = begin_warm(write_slowly, *words, "--out", str(tmp_path / "s.csv"))
        while process.is_alive() and _size(tmp_path / "s.csv.partial") < 4 * enough * 4096:
            time.sleep(0.005)
        # One that has written its file is done, however long a busy machine takes to end it.
        if not (tmp_path / "s.csv").exists():
            process.kill()
        process.join()
        if process.exitcode == 0:
            break
        kills += 1
        assert process.exitcode == -signal.SIGKILL
        assert not (tmp_path / "s.csv").exists()
    assert kills > 2
    assert (tmp_path / "s.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.glob("s.csv*")) == ["s.csv"]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def test_a_stopped_order_is_not_continued_with_another(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tiltmeter.models.load", lambda *_: Stopping(2))
    with pytest.raises(MemoryError):
        write(tmp_path / "s.csv", "--settings", "sets=3")
    with pytest.raises(RunError, match=r"s\.csv\.partial: was started with sets 3, which is now 2; repeat"):
        write(tmp_path / "s.csv", "--settings", "sets=2")
    with pytest.raises(RunError, match="with temperature 0.8, which is now 0.5"):
        write(tmp_path / "s.csv", "--settings", "sets=3,temperature=0.5")


def test_an_order_of_which_nothing_is_finished_gives_way_and_leaves_no_file(tmp_path, monkeypatch) -> None:
    with monkeypatch.context() as changed:
        changed.setattr("tiltmeter.models.load", lambda *_: Stopping(0))
        with pytest.raises(MemoryError):
            write(tmp_path / "s.csv", "--settings", "sets=3")
    assert not list(tmp_path.iterdir())
    UnfinishedFile(tmp_path / "s.csv.partial", {"by": "killed"})._let_go()
    write(tmp_path / "s.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["s.csv"]


def test_a_file_of_an_order_is_held_and_must_be_one(tmp_path) -> None:
    partial = UnfinishedFile(tmp_path / "t.csv.partial", {"by": "x"})
    with pytest.raises(RunError, match="another process is writing these sentences"):
        UnfinishedFile(tmp_path / "t.csv.partial", {"by": "x"})
    partial.remove()
    (tmp_path / "t.csv.partial").write_text("something else " * 100)
    with pytest.raises(RunError, match="cannot be used to resume"):
        write(tmp_path / "t.csv")


def test_bad_input_is_refused(tmp_path) -> None:
    with pytest.raises(UserError, match="did you mean `samples`"):
        write(tmp_path / "s.csv", "--settings", "sample=3")
    with pytest.raises(UserError, match="twice"):
        write(tmp_path / "s.csv", "--settings", "sets=3", "--settings", "sets=2")
    with pytest.raises(UserError, match="`strategy`: must be"):
        write(tmp_path / "s.csv", "--settings", "strategy=beam")
    (tmp_path / "empty.csv").write_text("bias,term,attribute,text\n")
    with pytest.raises(InvalidData, match="no sentences"):
        run("audit", tmp_path / "empty.csv")
    assert not (tmp_path / "s.csv").exists()
