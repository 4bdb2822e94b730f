"""A bias card: a line for each finding, the figures of the report, and nothing of a hostile name in its head."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, make_rated_run
from tests.present.every_block import Page
from tests.present.reading import reported, tables_of, texts_of
from tests.present.synthetic import HOSTILE, Tilt, make_run
from tiltmeter.present.blocks import Chart, Examples, Facts, each, plain
from tiltmeter.present.card import Card, make_cards, write_cards
from tiltmeter.present.markdown import escaped
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.finding import effect_as_found, mark_of, results_paragraph
from tiltmeter.present.sections.summary import sorted_findings
from tiltmeter.present.words import p_value, signed
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.findings import Findings, finding

TILTS = (
    Tilt("gender-professions", 0.9, terms=6, title="Gender and professions"),
    Tilt("hostile", 0.2, terms=6, title=HOSTILE),
)


@pytest.fixture(scope="module")
def found() -> Reported:
    scorers = ("causal.sum.v1", "causal.mean.v1")
    return reported(make_run(Path("r"), tilts=TILTS, models=("alpha-135m", HOSTILE), scorers=scorers))


@pytest.fixture(scope="module")
def cards(found: Reported) -> list[Card]:
    return make_cards(found)


def test_each_model_of_each_run_has_a_card_in_two_forms(found: Reported, tmp_path: Path) -> None:
    names = [path.name for path in write_cards(found, tmp_path)]
    assert names[:2] == ["card-alpha-135m-1.md", "card-alpha-135m-1.html"]
    assert len({*names}) == 4 and {*names} == {path.name for path in tmp_path.iterdir()}
    both = Reported.of([*found.runs, (replace(found.read[0], folder=Path("elsewhere")), found.summaries[0])])
    assert len({card.name for card in make_cards(both)}) == 4


def test_a_card_of_one_of_two_runs_has_the_findings_of_that_run_alone() -> None:
    runs = [
        make_run(Path(name), tilts=(Tilt("own", tilt, terms=6, title="Own"),), models=("m",))
        for name, tilt in (("first", 1.2), ("second", -1.2))
    ]
    alone = [reported(run) for run in runs]
    both = Reported.of([each for one in alone for each in one.runs])
    cards = [card for one in alone for card in make_cards(one)]
    for card, own in zip(make_cards(both), cards, strict=True):
        assert [*texts_of(card.document.blocks)] == [*texts_of(own.document.blocks)]


def test_one_model_has_the_plain_name(tmp_path: Path) -> None:
    run = make_run(tmp_path, tilts=TILTS[:1], models=("m",), scorers=("causal.sum.v1",))
    assert [path.name for path in write_cards(reported(run), tmp_path)] == ["card.md", "card.html"]


def test_lines_are_the_findings_of_the_model(found: Reported, cards: list[Card]) -> None:
    for model, card in zip(found.models, cards, strict=True):
        own = sorted_findings([one for one in found.findings if one.question.model == model])
        rows = tables_of(card.document.blocks)["Findings by verdict"].rows
        assert len(rows) == len(own) == 2
        for one, row in zip(own, rows, strict=True):
            assert one.leading
            assert [cell.text for cell in row[1:]] == [
                mark_of(one),
                f"{one.multiverse.curve.signs.positive} of {one.verdict.of}",
                signed(effect_as_found(one).value),
                p_value(one.verdict.p_adjusted),
            ]


def test_a_card_can_be_traced_to_its_run(found: Reported, cards: list[Card]) -> None:
    [facts] = each(cards[0].document.blocks, Facts)
    known = {name: plain(value) for name, value in facts.rows}
    assert "alpha-135m" in known["Model"] and "seed 7" in known["Study"]
    assert found.read[0].meta["fingerprint"][:16] in known["Made with"]
    assert known["Weights"].endswith(("ab" * 32)[:16])


def test_the_head_of_a_card_is_quoted(cards: list[Card]) -> None:
    for one, name in zip(cards, ("alpha-135m", HOSTILE), strict=True):
        lines = one.front_matter.split("\n")
        assert lines[0] == lines[4] == "---" and len(lines) == 6
        values = [json.loads(line.partition(": ")[2]) for line in lines[1:4]]
        assert values == [["en"], ["bias", "evaluation", "tiltmeter"], name]


def test_a_hostile_name_is_text(found: Reported, tmp_path: Path) -> None:
    for path in write_cards(found, tmp_path):
        told = path.read_text(encoding="utf-8")
        if path.suffix == ".html":
            page = Page(told)
            assert not page.all("img") and len(page.all("script")) == 1
            assert all(link["href"].startswith("#") for link in page.all("a"))
        else:
            told = told.split("---\n", 2)[2]
            assert "<img" not in told and escaped(HOSTILE) in told


def test_a_card_has_neither_texts_nor_charts_and_says_what_it_does_not_mean(cards: list[Card], tmp_path: Path) -> None:
    run = make_rated_run(tmp_path, decodings=DECODINGS[:2], raters=("sentiment.vader.v1",), openers=6, samples=2)
    [card] = make_cards(reported(run))
    for one in (card, *cards):
        assert not [*each(one.document.everything, Examples), *each(one.document.everything, Chart)]
        assert "What it does not mean" in [*texts_of(one.document.blocks)]
        assert "would be late" not in " ".join(texts_of(one.document.blocks))
    assert len(tables_of(card.document.blocks)["Findings by verdict"].rows) == 1


def test_a_finding_the_other_way_round_is_called_as_it_was_found(tmp_path: Path) -> None:
    """The two groups of a question are in the order of the study, whichever of them comes off worse."""
    run = make_rated_run(tmp_path, decodings=DECODINGS[:2], raters=("sentiment.vader.v1",), openers=8, samples=2)
    straight = next(one for one in reported(run).findings if one.verdict.direction == "first")
    turned = finding(straight.question.exchanged(), Evidence([run]))
    assert turned.verdict.direction == "second"
    paragraphs = [results_paragraph(one, reported(run)).partition("? ")[2] for one in (straight, turned)]
    assert paragraphs[0] == paragraphs[1].replace(" in this direction", "")
    rows = []
    for one in (straight, turned):
        [card] = make_cards(replace(reported(run), answered=Findings((one,), 0)))
        [row] = tables_of(card.document.blocks)["Findings by verdict"].rows
        rows.append([cell.text for cell in row[:4]])
    assert rows[0] == rows[1]
    assert rows[0][3].startswith("+")
