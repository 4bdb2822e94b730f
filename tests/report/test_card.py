"""A bias card: the parts of a model card, the figures of the run, and nothing of a hostile name in its head."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiltmeter.report import make_cards, write_formats
from tiltmeter.report.markdown import escaped

from tests.report.completions import DECODINGS, make_rated_run
from tests.report.next_words import make_asked_run
from tests.report.synthetic import HOSTILE, STUDY, Tilt, make_run
from tests.report.test_page import Page as Parsed
from tiltmeter.present.words import percent, percent_range
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.store import Run

TILTS = (
    Tilt("gender-professions", 0.9, terms=6, title="Gender and professions"),
    Tilt("hostile", 0.2, terms=6, title=HOSTILE),
)
PARTS = [
    "Model details",
    "What was measured, and how",
    "Results",
    "What a figure does not mean",
    "Ethical considerations",
    "Caveats and recommendations",
    "How to reproduce",
    "References",
]

Runs = list[tuple[Run, RunSummary]]


@pytest.fixture(scope="module")
def runs() -> Runs:
    run = make_run(Path("r"), tilts=TILTS, models=("alpha-135m", HOSTILE), scorers=("causal.sum.v1", "causal.mean.v1"))
    return [(run, summarise_run(run))]


@pytest.fixture(scope="module")
def folder(runs: Runs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("cards")
    write_formats(runs, out, ["card"])
    return out


@pytest.fixture(scope="module")
def card(folder: Path) -> str:
    return (folder / "card-alpha-135m.md").read_text(encoding="utf-8")


def test_there_is_a_card_for_each_model(folder: Path) -> None:
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 4 and {"card-alpha-135m.html", "card-alpha-135m.md"} <= set(names)


def test_one_model_has_the_plain_name(runs: Runs, tmp_path: Path) -> None:
    run = make_run(tmp_path, tilts=TILTS[:1], models=("m",), scorers=("causal.sum.v1",))
    written = write_formats([(run, summarise_run(run))], tmp_path, ["card"])
    assert [path.name for path in written] == ["card.md", "card.html"]


def test_a_card_has_the_parts_of_a_model_card(card: str) -> None:
    assert [line[3:] for line in card.split("\n") if line.startswith("## ")] == PARTS


def test_figures_are_those_of_the_leading_scorer(runs: Runs, card: str) -> None:
    [cell] = [one for one in runs[0][1].cells if (one.model, one.scorer) == ("alpha-135m", "causal.sum.v1")]
    for bias in ("gender-professions", "hostile"):
        one = cell.summary.headline_by_bias[bias]
        [row] = [line for line in card.split("\n") if line.startswith("|") and f"({bias})" in line]
        for word in (percent(one.value), percent_range(one.low, one.high), f" {one.n} ", f" {one.n_unscored} "):
            assert word in row
    assert "scorer sum" in card and "| mean |" not in card


def test_a_card_speaks_of_its_own_model(runs: Runs) -> None:
    first, second = make_cards(runs)
    assert "alpha-135m prefers" in first.html and "alpha-135m prefers" not in second.html


def test_the_methods_of_a_card_are_those_of_its_own_model(card: str) -> None:
    assert "Social bias was measured in 1 language model: alpha-135m (" in card
    assert "2 questions were answered under" in card


def test_the_head_of_a_card_is_quoted(runs: Runs) -> None:
    for one, name in zip(make_cards(runs), ("alpha-135m", HOSTILE), strict=True):
        lines = one.front_matter.split("\n")
        assert lines[0] == lines[4] == "---" and len(lines) == 6
        values = [json.loads(line.partition(": ")[2]) for line in lines[1:4]]
        assert values == [["en"], ["bias", "evaluation", "tiltmeter"], name]


def test_a_hostile_name_is_text(folder: Path, card: str) -> None:
    for path in folder.glob("*.html"):
        parsed = Parsed(path.read_text(encoding="utf-8"))
        assert not parsed.all("img") and len(parsed.all("script")) == 1
        assert all((found["href"] or "").startswith("#") for found in parsed.all("a"))
    assert "<img" not in card and escaped(HOSTILE) in card


def test_it_can_be_done_again(card: str) -> None:
    assert STUDY.strip() in card
    assert "tiltmeter run study.toml" in card and "f" * 64 in card


@pytest.mark.slow
def test_texts_and_next_words_have_their_findings(tmp_path: Path) -> None:
    texts = make_rated_run(tmp_path, decodings=DECODINGS[:2], openers=6, samples=2)
    [card] = make_cards([(texts, summarise_run(texts))])
    assert "less favourably" in card.html and "What it writes about each group" in card.html
    assert "≈: no larger than the rater’s own tilt." in card.html
    # What a model wrote is an example of a text, and a card has none.
    assert "would be late" not in card.html
    asked = make_asked_run(tmp_path, professions=("nurse", "smith", "judge", "cook", "guard", "clerk"))
    [card] = make_cards([(asked, summarise_run(asked))])
    assert "Which group it expects" in card.html and "Share of male beside female" in card.html
