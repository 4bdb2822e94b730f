"""Sections on the agreement of views and on the checks of the instrument."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.present.synthetic import Tilt, make_run
from tiltmeter.present.blocks import Chart, Listing, Table, each
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.instrument import instrument
from tiltmeter.present.sections.views import views
from tiltmeter.records import Estimate
from tiltmeter.results import summarise_run
from tiltmeter.results.findings.findings import Findings
from tiltmeter.results.findings.view_agreement import ATTRIBUTES, NEXT_WORDS, PAIRS, RATINGS, ViewReading, agree


def reading(view: str, bias: str, value: float, **place: str) -> ViewReading:
    return ViewReading("m", bias, view, Estimate(value, value - 0.05, value + 0.05, n=10, origins=10), place)


def reported(readings: list[ViewReading]) -> Reported:
    run = make_run(Path("r"))
    summary = replace(summarise_run(run), views=agree(readings))
    return Reported.of([(run, summary)], Findings((), 0))


def test_every_reading_is_a_mark_of_its_view_with_a_place() -> None:
    readings = [
        reading(PAIRS, "a", 0.2, scorer="s"),
        reading(NEXT_WORDS, "a", -0.3),
        reading(ATTRIBUTES, "a", 0.1),
        reading(RATINGS, "b", 0.4, rater="r"),
    ]
    [section] = views(reported(readings))
    [chart] = each([section], Chart)
    rows = [
        row for layer in chart.spec["layer"] for row in layer["data"]["values"] if row.get("place") and "value" in row
    ]
    found = {(row["place"]["view"], row["place"]["bias"], row["value"]) for row in rows}
    assert found == {
        ("pairs", "a", 0.2),
        ("next-words", "a", -0.3),
        ("continuations", "a", 0.1),
        ("continuations", "b", 0.4),
    }
    assert {row["series"] for row in rows} == {0, 1, 2, 3}
    [listing] = each([section], Listing)
    # Next words against pairs, and against attributes.
    assert len(listing.items) == 2


def test_ranks_of_every_two_views_are_in_the_table() -> None:
    biases = "abcde"
    readings = [reading(PAIRS, bias, number / 10) for number, bias in enumerate(biases, 1)]
    readings += [reading(NEXT_WORDS, bias, number / 7) for number, bias in enumerate(biases, 1)]
    [section] = views(reported(readings))
    [table] = each([section], Table)
    assert [(row[3].sort, row[4].sort) for row in table.rows] == [("1.0", "5")]
    assert not list(each([section], Listing))


def test_one_view_alone_has_no_section() -> None:
    assert views(reported([reading(PAIRS, "a", 0.2)])) == []


def test_every_check_has_its_figure_what_was_expected_and_its_result() -> None:
    tilts = (Tilt("social", 0.5), Tilt("rivers-deserts", 3.0, terms=30, benchmark=True))
    run = make_run(Path("r"), tilts=tilts, models=("m",), scorers=("causal.sum.v1",))
    summary = summarise_run(run)
    [section] = instrument(Reported.of([(run, summary)], Findings((), 0)))
    [table] = each([section], Table)
    [check] = summary.instrument.checks
    [row] = table.rows
    assert row[2].sort == repr(check.found.value)
    assert row[4].text == row[4].mark == check.result == "passed"
    assert row[2].place == {
        "view": "pairs",
        "model": "m",
        "bias": check.bias,
        "source": check.source,
        "scorer": check.by,
    }


def test_views_without_a_check_are_listed_with_the_reason() -> None:
    run = make_run(Path("r"), tilts=(Tilt("social", 0.5),), models=("m",), scorers=("causal.sum.v1",))
    [section] = instrument(Reported.of([(run, summarise_run(run))], Findings((), 0)))
    assert not list(each([section], Table))
    [listing] = each([section], Listing)
    assert len(listing.items) == 1
