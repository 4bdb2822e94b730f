from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import adjust, estimate, is_number, scaled

CHOICES = some.sampled_from([0.0, 0.5, 1.0])
LABELLED = some.lists(
    some.tuples(some.one_of(some.none(), CHOICES), some.sampled_from("abcdefghijklmnopqrstuvwxyz")), max_size=120
)


def exactly(number: float) -> object:
    return pytest.approx(number, abs=1e-12, rel=0)


def test_origins_count_equally_whatever_their_size() -> None:
    found = estimate([1, 1, 0, 0.5, 0], ["a", "a", "a", "b", "c"])
    assert found.value == exactly((2 / 3 + 1 / 2 + 0) / 3)
    assert (found.n, found.n_unscored, found.origins) == (5, 0, 3)


def test_strata_count_equally_whatever_their_size() -> None:
    found = estimate([1, 0, 0, 1, 1], ["a", "b", "c", "a", "b"], strata=["x", "x", "x", "y", "y"])
    assert found.value == exactly((1 / 3 + 1) / 2)
    # A word that occurs in two strata is one cluster.
    assert found.origins == 3


def test_strata_within_strata_count_equally_within_their_parent() -> None:
    found = estimate([1, 0, 0], strata=[("x", "one"), ("x", "two"), ("y", "one")])
    assert found.value == exactly((0.5 + 0) / 2)


def test_unscored_is_counted_and_never_averaged() -> None:
    found = estimate([1, None, math.nan, math.inf, 0], ["a", "a", "b", "b", "c"])
    assert found.value == exactly(0.5)
    assert (found.n, found.n_unscored, found.origins) == (2, 3, 2)


def test_nothing_scored_has_no_value() -> None:
    assert estimate([None, None]) == Estimate(None, n_unscored=2, note="nothing was scored")
    assert estimate([]).value is None


def test_independent_choices_have_the_wilson_interval_and_its_p() -> None:
    """The interval is that of the score test, and so is p: 15 of 20 are 2.236 standard errors from one half."""
    found = estimate([1.0] * 15 + [0.0] * 5)
    interval = stats.binomtest(15, 20, 0.5).proportion_ci(method="wilson")
    assert (found.low, found.high) == (pytest.approx(interval.low, abs=1e-6), pytest.approx(interval.high, abs=1e-6))
    assert found.p == pytest.approx(2 * stats.norm.sf(0.25 / math.sqrt(0.25 / 20)), abs=1e-6)
    # Newcombe (1998), table I: 81 of 263.
    found = estimate([1.0] * 81 + [0.0] * 182)
    assert found.low == pytest.approx(0.2553, abs=5e-5)
    assert found.high == pytest.approx(0.3662, abs=5e-5)


def test_sums_say_what_rows_say() -> None:
    """Two templates for each of six words: 1 + 1, 1 + 0, … as twelve rows, and as six sums of one template each."""
    values, words = [1, 1, 1, 0, 0, 0.5, 1, 1, 0, 1, None, 1], [word for word in "abcdef" for _ in range(2)]
    sums = [2, 1, 0.5, 2, 1, 1]
    found = estimate(values, words)
    assert estimate(sums, list("abcdef"), rows=[2, 2, 2, 2, 2, 1], unscored=[0, 0, 0, 0, 0, 1]) == found


def test_what_else_was_sampled_makes_a_mean_less_sure() -> None:
    """Whether a pair is stereotyped hangs on its template alone: forty words say no more than the eight templates."""
    rows = [(f"word {word}", f"template {template}") for word in range(40) for template in range(8)]
    values = [float(int(template[-1]) % 4 != 0) for _, template in rows]
    words, templates = zip(*rows, strict=True)
    plain, both = estimate(values, words), estimate(values, words, further={"templates": templates})
    assert plain.value == both.value == 0.75
    assert plain.low is not None and both.low is not None and plain.high is not None and both.high is not None
    assert both.high - both.low > 1.5 * (plain.high - plain.low)
    assert plain.p is not None and plain.p < 0.01
    assert both.p is not None and both.p > 0.1


def test_one_choice_for_each_origin_is_as_good_as_no_origins() -> None:
    alone = estimate([1.0] * 15 + [0.0] * 5)
    assert estimate([1.0] * 15 + [0.0] * 5, [str(index) for index in range(20)]) == replace(alone, note=None)
    assert "no origin" in (alone.note or "")


def test_a_stratified_t_interval_is_that_of_welch() -> None:
    one, other = [0.2, 0.4, 0.5, 0.9], [-0.6, -0.7, -0.1]
    found = estimate(one + other, list("abcdefg"), strata=["x"] * 4 + ["y"] * 3, neutral=0.0)
    known = stats.ttest_ind(one, [-value for value in other], equal_var=False)
    interval = known.confidence_interval()
    # The mean of two strata is half the difference between one and the other turned round.
    assert found.p == exactly(known.pvalue)
    assert (found.low, found.high) == (exactly(interval.low / 2), exactly(interval.high / 2))


@pytest.mark.parametrize(
    ("values", "origins", "strata", "reason"),
    [
        ([1, 0, 1, 0], list("abcd"), None, "no interval: fewer than 5 origins"),
        ([1, 0, 1, 0], None, None, "no interval: fewer than 5 origins"),
        ([1, 0] * 10, ["a"] * 20, None, "no interval: fewer than 5 origins"),
        (
            [1, 0, 1, 0, 1, 0],
            list("abcdef"),
            ["x"] * 5 + ["y"],
            "no interval: a part of the mean has only one of the origins",
        ),
        ([3.0] * 6, list("abcdef"), None, "no interval: there is no spread at all between origins"),
    ],
)
def test_no_interval_where_nobody_could_give_one(values, origins, strata, reason) -> None:
    found = estimate(values, origins, strata=strata)
    assert (found.low, found.high, found.p) == (None, None, None)
    assert found.value is not None
    assert (found.note or "").startswith(reason)


@settings(deadline=None, max_examples=60)
@given(LABELLED, some.randoms(use_true_random=False), some.booleans())
def test_order_does_not_matter(items, random, stratified) -> None:
    def run(ordered):
        strata = ["first" if origin < "m" else "second" for _, origin in ordered] if stratified else None
        return estimate([value for value, _ in ordered], [origin for _, origin in ordered], strata=strata)

    shuffled = random.sample(items, len(items))
    assert run(items) == run(shuffled)


@settings(deadline=None, max_examples=60)
@given(LABELLED, some.booleans(), some.booleans())
def test_swapping_the_groups_mirrors_everything(items, clustered, stratified) -> None:
    origins = [origin for _, origin in items] if clustered else None
    strata = ["first" if origin < "m" else "second" for _, origin in items] if stratified else None
    found = estimate([value for value, _ in items], origins, strata=strata)
    mirrored = estimate([None if value is None else 1 - value for value, _ in items], origins, strata=strata)
    assert (found.n, found.n_unscored, found.origins, found.note) == (
        mirrored.n,
        mirrored.n_unscored,
        mirrored.origins,
        mirrored.note,
    )
    for one, other in [
        (found.value, None if mirrored.value is None else 1 - mirrored.value),
        (found.low, None if mirrored.high is None else 1 - mirrored.high),
        (found.high, None if mirrored.low is None else 1 - mirrored.low),
        (found.p, mirrored.p),
    ]:
        assert (one is None) == (other is None)
        assert one is None or one == pytest.approx(other, abs=1e-9)


@settings(deadline=None, max_examples=100)
@given(
    some.lists(
        some.tuples(some.floats(allow_nan=True, allow_infinity=True), some.integers(0, 40).map(str)), max_size=80
    )
)
def test_whatever_comes_in_only_finite_numbers_come_out(items) -> None:
    found = estimate([value for value, _ in items], [origin for _, origin in items], neutral=0.0)
    numbers = [number for number in (found.value, found.low, found.high, found.p) if number is not None]
    assert all(math.isfinite(number) for number in numbers)
    assert found.n + found.n_unscored == len(items)
    scored = [value for value, _ in items if is_number(value)]
    if scored:
        assert found.value is not None
        slack = 1e-12 * max(abs(value) for value in scored) + 1e-300
        assert min(scored) - slack <= found.value <= max(scored) + slack
    if found.low is not None and found.value is not None and found.high is not None:
        slack = 1e-9 * max(abs(found.low), abs(found.high))
        assert found.low - slack <= found.value <= found.high + slack


@settings(deadline=None, max_examples=60)
@given(some.lists(some.floats(-1, 1), min_size=5, max_size=60), some.floats(-0.4, 0.4), some.sampled_from([0.8, 0.95]))
def test_p_is_below_the_level_exactly_where_the_interval_excludes_neutral(means, neutral, level) -> None:
    found = estimate(means, [str(index) for index in range(len(means))], neutral=neutral, level=level)
    if found.p is not None and found.low is not None and found.high is not None and not found.note:
        assert (found.p < 1 - level) == (not found.low <= neutral <= found.high)


def test_adjusted_p_values_are_those_of_benjamini_and_hochberg() -> None:
    values = [0.001, 0.04, 0.03, 0.9, 0.04, 0.2]
    found = adjust({str(index): Estimate(0.6, p=p) for index, p in enumerate(values)} | {"none": Estimate(0.6)})
    assert [found[str(index)].p_adjusted for index in range(6)] == pytest.approx(
        list(stats.false_discovery_control(values)), abs=1e-12
    )
    assert found["none"].p_adjusted is None
    assert adjust({}) == {}


def test_a_mistaken_call_is_refused() -> None:
    with pytest.raises(ValueError, match="equally long"):
        estimate([1, 0], ["a"])
    with pytest.raises(ValueError, match="level"):
        estimate([1, 0], level=95)
    with pytest.raises(ValueError, match="benjamini"):
        adjust({}, method="holm")  # type: ignore[arg-type]


def test_another_scale_changes_neither_p_nor_counts() -> None:
    found = estimate([1.0] * 15 + [0.0] * 5)
    percent = scaled(found, 100)
    assert (percent.value, percent.p, percent.n) == (75.0, found.p, found.n)
    assert scaled(Estimate(None), 100).value is None


@pytest.mark.slow
@pytest.mark.parametrize("origins", [8, 20, 50])
def test_intervals_cover_the_truth_about_as_often_as_they_say(origins: int) -> None:
    generator = np.random.default_rng(origins)
    covered = alarms = 0
    rounds = 700
    for _ in range(rounds):
        # Origins differ in their leaning (intra-cluster correlation 0.25) and hold 1 to 8 items.
        leanings = generator.beta(1.5, 1.5, origins)
        sizes = generator.integers(1, 9, origins)
        labels = np.repeat(np.arange(origins), sizes)
        values = (generator.random(len(labels)) < leanings[labels]).astype(float)
        found = estimate(values.tolist(), [str(label) for label in labels])
        assert found.low is not None and found.high is not None and found.p is not None
        covered += found.low <= 0.5 <= found.high
        alarms += found.p < 0.05
    assert 0.92 <= covered / rounds <= 0.98
    assert 0.02 <= alarms / rounds <= 0.08


def test_values_between_0_and_1_are_no_shares_where_nothing_says_so() -> None:
    """A margin of 0.7 everywhere has no interval: Wilson's is for choices."""
    margins = estimate([0.7] * 12, [str(number) for number in range(12)], neutral=None)
    assert margins.low is None and margins.note == "no interval: there is no spread at all between origins"
    few = estimate([0.05, 0.9, 0.02, 0.95, 0.01, 0.03], list("abcdef"), neutral=None)
    assert few.low is not None and few.low < 0
    choices = estimate([1.0, 0.0, 1.0, 0.5, 1.0, 1.0], list("abcdef"), neutral=None)
    assert choices.low is not None and choices.high is not None and 0 < choices.low < choices.high < 1
