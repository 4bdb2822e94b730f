"""Texts that no rater reads: nothing could be written, or not in a language that the rater knows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.models.conftest import save_checkpoint
from tiltmeter.engine import carry_out
from tiltmeter.present.files import write_run
from tiltmeter.raters import language_problem, load
from tiltmeter.records import Decoding, Rating
from tiltmeter.results import summarise_run
from tiltmeter.store import Continuations, read_run
from tiltmeter.study import parse, plan

STUDY = """\
name = "unread"
models = ["{model}"]
[continuations]
sources = [{sources}]
decoding = {{ max_new_tokens = [4, 9] }}
samples = 3
raters = ["sentiment.vader", "toxicity.linear"]
"""
LEXICON = "id\tpos\tcategory\tstereotype\tlemma\tlevel\nIT1\tn\tcds\tno\tother\tconservative\n"


def written(path: Path, model: str, *sources: str) -> Continuations:
    text = STUDY.format(model=model, sources=", ".join(sources))
    carry_out(plan(parse(text, file=path / "s.toml")), path / "run")
    found = read_run(path / "run").continuations
    assert found
    return found


def prompts(path: Path, rows: list[tuple[str, str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "group", "origin"), *rows])


def ratings(found: Continuations, rater: str, tokens: int = 9) -> dict[str, list[Rating]]:
    """By group."""
    by_group: dict[str, list[Rating]] = {}
    decoding = Decoding(max_new_tokens=tokens)
    for one, rated in found.with_ratings(found.models[0], decoding):
        by_group.setdefault(one.prompt.group or "", []).append(rated[rater])
    return by_group


@pytest.mark.slow
def test_a_prompt_longer_than_the_context_leaves_its_texts_unscored_with_the_reason(tmp_path: Path) -> None:
    save_checkpoint("gpt2", tmp_path / "tiny")
    long = "a" + " a" * 70
    rows = [("The nurse", "women", "o1"), ("The clerk", "men", "o1"), (long, "women", "o2")]
    prompts(tmp_path / "p.csv", [*rows, ("a" + " a" * 58, "men", "o2")])
    found = written(tmp_path, "hf:tiny", '"prompts-file:p.csv"')
    reason = "nothing was written: the prompt fills the model's context of 64 tokens"
    for rater in ("sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5"):
        rated = ratings(found, rater)
        assert [one.unrated for one in rated["women"]].count(reason) == 3
        assert all(one.value is None and one.label is None for one in rated["women"] if one.unrated == reason)
        assert reason not in [one.unrated for one in rated["men"]]
    texts = list(found.texts(found.models[0], Decoding(max_new_tokens=9)))
    assert {one.ended for one in texts if one.prompt.text == long} == {"unwritten"}
    near = [one for one in texts if one.prompt.text.count("a") == 59]
    assert {(one.tokens, one.ended) for one in near} <= {(4, "context"), (4, "end"), (3, "end"), (2, "end"), (1, "end")}
    short = found.texts(found.models[0], Decoding(max_new_tokens=4))
    assert "context" not in {one.ended for one in short}, "four tokens were asked for and written"
    run = read_run(tmp_path / "run")
    write_run(run, summarise_run(run))
    with (tmp_path / "run" / "tables" / "completions.csv").open(encoding="utf-8", newline="") as file:
        exported = [row for row in csv.DictReader(file) if row["prompt"] == long]
    assert {(row["completion"], row["unwritten"], row["sentiment.vader.v1.unrated"]) for row in exported} == {
        ("", reason.partition(": ")[2], reason)
    }
    summary = summarise_run(read_run(tmp_path / "run")).continuations
    assert summary
    groups = next(cell for cell in summary.cells if cell.decoding.max_new_tokens == 9).summary.groups
    assert groups["women"].unrated[reason] == 3
    [refusals] = summary.refusals
    assert refusals.groups["women"].asked == 6, "of texts cut to several lengths the longest"
    assert refusals.groups["women"].missing[reason] == 3, "not written is not empty"


def test_raters_leave_texts_in_other_languages_unrated_with_the_reason(tmp_path: Path) -> None:
    prompts(tmp_path / "en.csv", [("The woman is", "women", "o1"), ("The man is", "men", "o1")])
    prompts(tmp_path / "it.csv", [("La donna è", "donne", "o1"), ("L'uomo è", "uomini", "o1")])
    found = written(tmp_path, "scripted", '"prompts-file:en.csv"', '{ "prompts-file:it.csv" = { language = "it" } }')
    for rater in ("sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5"):
        rated = ratings(found, rater)
        assert {one.unrated for one in rated["donne"]} == {"the text is Italian and the rater reads English"}
        assert all(one.value is not None for one in rated["women"])
    run = read_run(tmp_path / "run")
    assert write_run(run, summarise_run(run)).is_file()
    summary = summarise_run(run).continuations
    assert summary
    italian = next(cell for cell in summary.cells if cell.bias == "it" and cell.rater == "sentiment.vader.v1")
    assert (italian.summary.groups["uomini"].mean.n, italian.summary.groups["uomini"].mean.n_unscored) == (0, 3)


def test_each_rater_says_what_it_reads(tmp_path: Path) -> None:
    assert language_problem(load("sentiment.vader"), "en") is None
    assert language_problem(load("refusal"), "xx") == "the text is xx and the rater reads English"
    (tmp_path / "hurtlex_IT.tsv").write_text(LEXICON, encoding="utf-8")
    (tmp_path / "mine.tsv").write_text(LEXICON, encoding="utf-8")
    italian, any_language = (load(f"lexicon.hurtlex:{tmp_path / name}") for name in ("hurtlex_IT.tsv", "mine.tsv"))
    assert language_problem(italian, "it") is None
    assert language_problem(italian, "en") == "the text is English and the rater reads Italian"
    assert language_problem(any_language, "ro") is None

    class Plugged:
        name, wants_mask = "plugged.v1", False

    assert language_problem(Plugged(), "it") == "the text is Italian and the rater reads English", "it lacks"  # type: ignore[arg-type]
