from __future__ import annotations

import pytest
from tiltmeter.report.words import decimals_for, headline, instrument_words, opposite, sides

from tiltmeter.records import Estimate
from tiltmeter.results import Cell
from tiltmeter.results.findings.instrument import Instrument, InstrumentCheck
from tiltmeter.stats.pairs import PairSummary

NOTHING = Estimate(None)


def cell(overall: Estimate, **biases: Estimate) -> Cell:
    found = PairSummary(overall, biases, overall, NOTHING, NOTHING, biases, {}, {}, {}, [])
    return Cell("m", "templates", "causal.sum.v1", found, {}, {})


def test_an_interval_around_neutral_is_not_called_a_tilt_nor_its_absence():
    found = headline(
        "m", cell(Estimate(0.55, 0.48, 0.62), a=Estimate(0.55, 0.48, 0.62, p=0.2, p_adjusted=0.2)), [], set()
    )
    assert found.sentence.replace("\xa0", " ") == (
        "m prefers the stereotyped sentence in 55 % of pairs (95 % interval 48–62 %), on one bias."
    )
    assert "no overall tilt is shown, and none is ruled out. 0 of 1 bias differs" in found.reading


def test_biases_that_cancel_out_are_not_hidden_by_the_mean():
    up = Estimate(0.8, 0.7, 0.9, p=0.001, p_adjusted=0.002)
    down = Estimate(0.2, 0.1, 0.3, p=0.001, p_adjusted=0.002)
    found = headline("m", cell(Estimate(0.5, 0.45, 0.55), a=up, b=down), [], set())
    assert "Even so, 2 of 2 biases differ from neutral" in found.reading
    assert "1 toward the stereotype, 1 against it" in found.reading


def test_benchmarks_do_not_count_among_the_biases():
    sure = Estimate(0.9, 0.8, 1.0, p=0.001, p_adjusted=0.002)
    found = headline("m", cell(Estimate(0.6, 0.55, 0.65), gender=sure, flowers=sure), [], {"flowers"})
    assert "1 of 1 bias differs from neutral after correction for 2 comparisons" in found.reading


@pytest.mark.parametrize(("low", "value", "high", "result"), [(-0.07, 0.04, 0.09, "failed"), (0.3, 0.4, 0.5, "passed")])
def test_every_instrument_check_is_said_with_its_figures(low: float, value: float, high: float, result: str):
    check = InstrumentCheck("m", "pairs", "rivers", "templates", Estimate(value, low, high))
    results = {("m", "pairs"): result, ("m", "continuations"): "not made"}
    first, second = instrument_words(Instrument((check,), results))
    assert result in first and f"{50 + 100 * value:.1f}" in first and "60" in first
    assert "continuations" in second and "pairs" not in second


def test_a_value_without_interval_says_why():
    note = "no interval: fewer than 5 origins"
    found = headline("m", cell(Estimate(0.6, note=note), a=Estimate(0.6, note=note)), [], set())
    assert "interval" not in found.sentence
    assert "cannot be said (no interval: fewer than 5 origins)" in found.reading
    assert "1 bias has too little data for an interval" in found.reading


@pytest.mark.parametrize("low", [None, 0.5])
def test_origins_are_counted_and_not_said_to_be_resampled(low: float | None):
    found = Estimate(0.6, low, low and 0.7, n=30, n_unscored=9, origins=3)
    assert "9 unscored, 3 origins; source" in headline("m", cell(found, a=found), [], set()).basis


def test_scorers_that_disagree_are_part_of_the_headline():
    one, other = (cell(Estimate(value), a=Estimate(value)) for value in (0.6, 0.4))
    found = headline("m", one, [other], set()).caution.replace("\xa0", " ")
    assert "it lies between 40.0 % and 60.0 %" in found
    assert "opposite sides of 50 % in 1 of 1 bias" in found


@pytest.mark.parametrize(("low", "decimals"), [(0.54, 0), (0.5, 0), (0.504, 1), (0.4999, 1), (0.578, 1)], ids=str)
def test_rounding_never_makes_a_bound_look_neutral_or_an_interval_empty(low: float, decimals: int):
    assert decimals_for(Estimate(0.58, low, 0.62)) == decimals


def test_one_half_is_on_neither_side():
    assert not opposite([Estimate(0.5), Estimate(0.7), None, NOTHING])
    assert sides([Estimate(0.5), Estimate(0.7)]) == "same side"
    up, down = Estimate(0.8, p_adjusted=0.01), Estimate(0.2, p_adjusted=0.01)
    assert sides([up, down]) == "opposite sides, each beyond chance"
    assert sides([up, None]) == "fewer than two values"
