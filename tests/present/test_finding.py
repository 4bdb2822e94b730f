"""The page of a finding: its curve, why methods differ, which have no value, and where the texts behind a point are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, Lean, make_rated_run
from tests.present.reading import reported, tables_of, texts_of
from tests.present.synthetic import HOSTILE, Tilt, make_run
from tests.present.test_report import rows_of
from tests.results.test_multiverse import BEYOND_ONE, STEREOTYPED, stereotype_run
from tiltmeter.present import drawing
from tiltmeter.present.blocks import Chart, Listing, Notice, Prose, Section, Verbatim, each, plain
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.finding import (
    Places,
    curve_chart,
    finding_section,
    flip_sentences,
    proviso,
    settings_of,
)
from tiltmeter.present.verdicts import answer as said_of
from tiltmeter.present.verdicts import cautions
from tiltmeter.present.words import percent
from tiltmeter.records import Estimate
from tiltmeter.results.findings.evidence import Evidence, cells_of
from tiltmeter.results.findings.findings import Finding, Findings, finding, questions
from tiltmeter.stats.multiverse.cells import CellData
from tiltmeter.stats.multiverse.conclusion import multiverse
from tiltmeter.stats.multiverse.flips import Flips
from tiltmeter.store import Run

RATERS = ("sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5")


def rated(**choices: object) -> Run:
    lean = Lean({"sentiment.vader.v1": -0.6, "toxicity.linear.v1": 0.3}, noise=0.1)
    settings: dict[str, object] = {"decodings": DECODINGS[:3], "raters": RATERS, "lean": lean} | choices
    return make_rated_run(Path("nowhere"), **settings)


@pytest.fixture(scope="module")
def found() -> Reported:
    return reported(rated())


@pytest.fixture(scope="module")
def one(found: Reported) -> Finding:
    [made] = found.findings
    return made


@pytest.fixture(scope="module")
def page(one: Finding, found: Reported) -> Section:
    return finding_section(one, found)


def test_the_question_comes_first_and_then_the_verdict(page: Section, one: Finding) -> None:
    asked, answer, *_ = page.blocks
    assert isinstance(asked, Prose) and plain(asked.text).startswith(one.question.text)
    assert isinstance(answer, Prose) and (plain(answer.text), answer.kind) == (said_of(one), "answer")
    assert page.about["verdict"] == "holds" and not one.carried
    assert page.mark.startswith(one.verdict.words) and page.mark.endswith(proviso(one)) and proviso(one)
    assert page.about["view"] == "continuations" and page.about["bias"] == "gender"


def test_the_curve_has_a_point_for_each_method_from_the_lowest_effect_to_the_highest(
    page: Section, one: Finding
) -> None:
    [chart] = each(page.blocks, Chart)
    points = [row for row in rows_of(chart.spec) if "firm" in row]
    assert len(points) == one.verdict.of == 6
    effects = [row["value"] for row in sorted(points, key=lambda row: row["x"])]
    assert effects == sorted(effects) == [cell.effect.value for cell in one.multiverse.curve.cells]
    assert f"all {one.verdict.of} methods" in chart.title
    assert f"{one.verdict.of} methods" in chart.alternative
    assert len({row["tip"] for row in points}) == 6


def test_a_curve_can_be_drawn(page: Section) -> None:
    pytest.importorskip("vl_convert")
    [chart] = each(page.blocks, Chart)
    assert drawing.svg(chart.spec, 340).startswith("<svg")


def test_every_method_says_where_its_texts_are(one: Finding, found: Reported) -> None:
    places = Places(one, found)
    made = [places.of(cell) for cell in one.multiverse.curve.cells]
    assert {(place["rater"], place["decoding"]) for place in made} == {
        (rater, str(decoding)) for rater in RATERS[:2] for decoding in range(3)
    }
    for place in made:
        assert (place["view"], place["bias"], place["group"], place["other"]) == (
            *("continuations", "gender", "women", "men"),
        )


def test_shares_of_the_spread_are_those_of_the_decomposition(page: Section, one: Finding) -> None:
    parts = sorted(one.multiverse.decomposition.main, key=lambda part: -part.share)
    [said] = [
        words for words in texts_of(page.blocks) if f"{parts[0].choices[0]} {percent(parts[0].share, 0)}" in words
    ]
    assert all(f"{part.choices[0]} {percent(part.share, 0)}" in said for part in parts if part.share >= 0.05)


def test_one_method_has_no_curve() -> None:
    [section] = [
        finding_section(one, known)
        for known in [reported(rated(decodings=DECODINGS[:1], raters=("sentiment.vader.v1",)))]
        for one in known.findings
    ]
    assert section.about["verdict"] == "too little data"
    assert not list(each(section.blocks, Chart)) and not tables_of(section.blocks)


def test_methods_without_a_value_are_counted_with_the_reason(tmp_path: Path) -> None:
    known = reported(stereotype_run(tmp_path, BEYOND_ONE, inner="scripted"))
    plain_one, by_stereotype = (finding_section(one, known) for one in known.findings)
    assert plain_one.anchor != by_stereotype.anchor and plain_one.title != by_stereotype.title
    [line] = [words for words in texts_of(by_stereotype.blocks) if words.startswith("6 methods have no value")]
    assert "combine sum" in line


def test_a_question_with_one_method_says_what_became_of_the_others(tmp_path: Path) -> None:
    run = stereotype_run(tmp_path, STEREOTYPED)
    material = Evidence([run])
    [question] = [one for one in questions(material) if one.by_stereotype]
    data = cells_of(question, material)[0]
    blind = CellData.of({"rater": "blind"}, [None, None], ["a", "b"], [0, 1])
    alone = Finding(question, multiverse([replace(data, choices={"rater": "seeing"}), blind], groups=question.groups))
    section = finding_section(alone, Reported((run,), Findings((alone,), 0)))
    assert section.about["verdict"] == "too little data"
    assert alone.without, "one method has no value"
    assert any("rater blind" in words for words in texts_of(section.blocks))


def test_nothing_of_a_hostile_name_becomes_markup() -> None:
    pytest.importorskip("vl_convert")
    run = rated(biases=("religion",), openers=4)
    material = Evidence([run])
    hostile = next(one for one in questions(material) if HOSTILE in (one.first, one.second))
    answer = finding(hostile, material)
    known = Reported((run,), Findings((answer,), 0))
    assert "<img" not in drawing.svg(curve_chart(answer, known).spec, 340)
    assert HOSTILE in finding_section(answer, known).title


def test_very_many_methods_are_thinned_and_that_is_said(one: Finding, found: Reported) -> None:
    cell = one.multiverse.curve.cells[0]
    cells = tuple(replace(cell, choices={"seed": str(number)}) for number in range(500))
    curve = replace(one.multiverse.curve, cells=cells)
    chart = curve_chart(replace(one, multiverse=replace(one.multiverse, curve=curve)), found)
    assert len([row for row in rows_of(chart.spec) if "firm" in row]) == 240
    assert "240 of 500 methods" in plain(chart.caption)


def test_effects_without_bounds_are_at_the_edge_and_that_is_said(one: Finding, found: Reported) -> None:
    cell = one.multiverse.curve.cells[0]
    effects = (Estimate(-300.0, -400.0, -200.0), Estimate(0.2, -0.1, 50.0), Estimate(0.5, 0.1, 0.9))
    cells = tuple(
        replace(cell, choices={"seed": str(number)}, effect=effect, sign=1 if effect.value == 0.2 else -1)
        for number, effect in enumerate(effects)
    )
    chart = curve_chart(
        replace(one, multiverse=replace(one.multiverse, curve=replace(one.multiverse.curve, cells=cells))), found
    )
    points = [row for row in rows_of(chart.spec) if "firm" in row]
    # The median effect is 0.5: nothing is drawn beyond 3 SD.
    assert [(row["value"], row["beyond"]) for row in points] == [(None, -1.0), (0.2, 0.0), (0.5, 0.0)]
    assert "1 method is farther out than 3.0 SD" in plain(chart.caption)
    assert "−300.00 SD" in points[0]["tip"]


def test_choices_are_in_the_order_of_their_size(one: Finding) -> None:
    cell = one.multiverse.curve.cells[0]
    cells = [replace(cell, choices={"tokens": size, "fixed": "x"}) for size in ("10", "9", "100")]
    assert settings_of(cells) == [("tokens", ["9", "10", "100"])]


def test_flips_are_counted() -> None:
    nothing, still, turned = (
        flip_sentences(flips) for flips in ([], [Flips("rater", None, 4, 0, 0, 0)], [Flips("rater", None, 4, 3, 2, 1)])
    )
    assert len(nothing) == len(still) == len(turned) == 1 and len({*nothing, *still, *turned}) == 3
    assert "rater" in turned[0] and "3 of 4" in turned[0] and " 2" in turned[0]


def test_a_paragraph_to_copy_has_the_tests_and_cites_the_spec(tmp_path: Path) -> None:
    known = reported(make_run(tmp_path, tilts=[Tilt("firm", 1.2, title="Firm"), Tilt("weak", 0.1, title="Weak")]))
    for one in known.findings:
        [paragraph] = each(finding_section(one, known).blocks, Verbatim)
        assert one.multiverse.test.p is not None
        assert f"{one.multiverse.test.permutations:,}" in paragraph.text
        assert f"for {one.verdict.questions} questions" in paragraph.text
        assert known.names.bias(one.question.bias) in paragraph.text and "Caliskan" in paragraph.text


def test_what_it_does_not_mean_is_on_every_page_and_a_caution_where_there_is_one(
    page: Section, one: Finding, found: Reported
) -> None:
    [section] = [inner for inner in each(page.blocks, Section) if inner.title == "What it does not mean"]
    assert any(len(listing.items) > 1 for listing in each(section.blocks, Listing))
    warned = finding_section(replace(one, instrument="failed"), found)
    assert len(list(each(warned.blocks, Notice))) == 1
    assert bool(cautions(one)) == any(isinstance(block, Notice) for block in page.blocks)
