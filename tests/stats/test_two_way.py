from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tiltmeter.records import Estimate
from tiltmeter.stats.continuation_notes import BOTH_WAYS
from tiltmeter.stats.continuations import RatedItem, summarise
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.skewed import Error, skewed_student
from tiltmeter.stats.two_way import two_way


def crossed(gaps: np.ndarray, texts: int = 1) -> list[RatedItem]:
    """Group a has the gap of its origin (row) and structure (column), group b nothing."""
    return [
        RatedItem(group, float(gap) if group == "a" else 0.0, f"o{row}", structure=f"s{column}")
        for (row, column), gap in np.ndenumerate(gaps)
        for group in "ab"
        for _ in range(texts)
    ]


def over_origins(items: list[RatedItem]) -> Estimate:
    return Pooled([(item.group, item.value, item.origin) for item in items]).difference("a", "b")


def third_of_mean(means: np.ndarray) -> float:
    """The third moment of the mean of independent values."""
    return float(stats.kstat(means.ravel(), 3)) / means.size**2


def freedom_of(means: np.ndarray) -> float:
    return 2 / (2 / (means.size - 1) + max(0.0, stats.kurtosis(means)) / means.size)


def test_of_a_full_table_it_is_the_sum_of_both_variances_less_that_of_the_cells() -> None:
    gaps = np.random.default_rng(5).normal(0.3, 1, size=(7, 9)) + np.arange(9) * 0.2
    found = two_way(crossed(gaps), [("a", "b")])["a", "b"]
    over_origins = gaps.mean(axis=1).var(ddof=1) / 7
    over_structures = gaps.mean(axis=0).var(ddof=1) / 9
    cells = gaps.var(ddof=1) / 63
    variance = max(over_origins + over_structures - cells, over_origins, over_structures)
    free = [freedom_of(gaps.mean(axis=axis)) for axis in (1, 0)]
    freedom = min(
        variance**2 / (over_origins**2 / free[0] + over_structures**2 / free[1]),
        free[0 if over_origins >= over_structures else 1],
    )
    third = third_of_mean(gaps.mean(axis=1)) + third_of_mean(gaps.mean(axis=0)) - third_of_mean(gaps)
    expected = skewed_student(gaps.mean(), Error(variance**0.5, freedom, third / variance**1.5), 0.0, 0.95)
    assert found.value == pytest.approx(gaps.mean())
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert found.p == pytest.approx(expected.p)
    assert (found.n, found.origins, found.p_adjusted) == (126, 7, found.p)


def test_a_table_that_is_the_same_from_both_ends_has_students_interval() -> None:
    effects = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    gaps = 0.5 + effects[:, np.newaxis] + effects / 2
    found = two_way(crossed(gaps), [("a", "b")])["a", "b"]
    # Rows: 10/4/5 = 1/2; columns a quarter of it, 1/8; cells 5·12.5/24/25 = 5/48. Together 25/48.
    # Freedom: (25/48)² / ((1/2)²/4 + (1/8)²/4) = 4.08, but that of the rows is 4.
    half = stats.t.ppf(0.975, 4) * np.sqrt(25 / 48)
    assert (found.low, found.high) == (pytest.approx(0.5 - half), pytest.approx(0.5 + half))


def test_more_texts_of_the_same_cells_tell_nothing_new() -> None:
    gaps = np.random.default_rng(6).normal(0.3, 1, size=(6, 8))
    once, thrice = (two_way(crossed(gaps, texts), [("a", "b")])["a", "b"] for texts in (1, 3))
    assert (once.low, once.high) == (pytest.approx(thrice.low), pytest.approx(thrice.high))


def test_structures_that_differ_widen_the_interval_and_origins_that_differ_do_not() -> None:
    generator = np.random.default_rng(7)
    noise = generator.normal(0, 0.1, size=(8, 12))
    for effect, wider in ((np.linspace(-1, 1, 12), True), (np.linspace(-1, 1, 8)[:, np.newaxis], False)):
        items = crossed(noise + effect)
        one, both = over_origins(items), two_way(items, [("a", "b")])["a", "b"]
        assert one.low is not None and both.low is not None and one.high is not None and both.high is not None
        ratio = (both.high - both.low) / (one.high - one.low)
        assert ratio > 5 if wider else ratio == pytest.approx(1, abs=0.05)


def test_swapping_the_groups_turns_it_round() -> None:
    items = crossed(np.random.default_rng(8).normal(size=(6, 6)))
    found = two_way(items, [("a", "b"), ("b", "a")])
    assert found["a", "b"].low == -(found["b", "a"].high or 0)


@pytest.mark.parametrize(
    ("shape", "note"),
    [((4, 9), "fewer than 5 origins"), ((9, 4), "fewer than 5 structures")],
)
def test_few_of_either_have_no_interval(shape: tuple[int, int], note: str) -> None:
    found = two_way(crossed(np.random.default_rng(9).normal(size=shape)), [("a", "b")])["a", "b"]
    assert (found.low, found.p, found.note) == (None, None, f"no interval: {note}")
    assert found.value is not None


def test_no_spread_and_no_texts_are_said() -> None:
    same = two_way(crossed(np.full((6, 6), 0.5)), [("a", "b")])["a", "b"]
    assert (same.value, same.low) == (0.5, None) and "no spread" in (same.note or "")
    none = two_way([RatedItem("a", 1.0, "o", structure="s"), RatedItem("b", None, "o", structure="s")], [("a", "b")])
    assert (none["a", "b"].value, none["a", "b"].n_unscored) == (None, 1)


def test_texts_without_an_origin_are_their_own() -> None:
    generator = np.random.default_rng(10)
    items = [
        RatedItem(group, float(generator.normal()), "", structure=f"s{place % 8}")
        for group in "ab"
        for place in range(48)
    ]
    found = two_way(items, [("a", "b")])["a", "b"]
    assert found.origins == 96 and found.low is not None


def test_a_summary_of_several_structures_is_uncertain_both_ways() -> None:
    generator = np.random.default_rng(11)
    gaps = 0.3 + generator.normal(0, 0.05, size=(8, 12)) + np.linspace(-0.2, 0.2, 12)
    items = [replace(item, value=0.3 + (item.value or 0.0) / 2) for item in crossed(gaps)]
    found = summarise(items)
    both = two_way(items, [("a", "b")])["a", "b"]
    [pair] = found.pairs
    assert pair.difference == both
    assert pair.difference.origins == 8
    one = over_origins(items)
    assert (one.high or 0) - (one.low or 0) < ((both.high or 0) - (both.low or 0)) / 2
    assert BOTH_WAYS in found.notes
    alone = Pooled([(item.group, item.value, item.origin) for item in items], scale=(0, 1))
    mean, narrow = found.groups["a"].mean, alone.mean("a")
    assert mean.value == narrow.value and mean.origins == 8
    assert (mean.high or 0) - (mean.low or 0) > 2 * ((narrow.high or 0) - (narrow.low or 0))
    ratio, narrow_ratio = pair.ratio, alone.ratio("a", "b")[0]
    assert ratio is not None and narrow_ratio is not None and ratio.value == narrow_ratio.value
    assert (ratio.high or 0) - (ratio.low or 0) > 2 * ((narrow_ratio.high or 0) - (narrow_ratio.low or 0))


def test_the_ratio_both_ways_is_that_of_its_logarithm() -> None:
    generator = np.random.default_rng(13)
    gaps = generator.uniform(0.5, 0.9, size=(6, 8)) + np.linspace(-0.3, 0.3, 8)
    items = [replace(item, value=5.0 if item.group == "b" else 5 * (item.value or 0.0)) for item in crossed(gaps)]
    ratio = summarise(items).pairs[0].ratio
    assert ratio is not None
    influence = two_way(
        [replace(item, value=(item.value or 0.0) / 5 / gaps.mean() if item.group == "a" else 0.0) for item in items],
        [("a", "b")],
    )["a", "b"]
    assert ratio.value == pytest.approx(gaps.mean())
    # The influence has the mean 1 where the logarithm of the ratio has its own.
    assert (ratio.low, ratio.high) == (
        pytest.approx(gaps.mean() * np.exp((influence.low or 0) - 1)),
        pytest.approx(gaps.mean() * np.exp((influence.high or 0) - 1)),
    )


def test_with_few_structures_the_interval_is_over_origins_and_says_so() -> None:
    items = crossed(np.random.default_rng(12).normal(0.5, 0.1, size=(9, 4)))
    found = summarise(items)
    difference, one = found.pairs[0].difference, over_origins(items)
    assert (difference.low, difference.high, difference.p) == (one.low, one.high, one.p)
    assert difference.note == "the interval is over origins alone: fewer than 5 structures"
    assert any("a − b: the interval is over origins alone" in note for note in found.notes)
    few = summarise(crossed(np.random.default_rng(12).normal(0.5, 0.1, size=(4, 9)))).pairs[0].difference
    assert (few.low, few.note) == (None, "no interval: fewer than 5 origins of a")


def test_one_structure_is_no_second_way() -> None:
    items = crossed(np.random.default_rng(12).normal(0.5, 0.1, size=(9, 1)))
    found = summarise(items)
    assert found.pairs[0].difference.low == over_origins(items).low
    assert BOTH_WAYS not in found.notes


def test_the_same_difference_everywhere_is_as_sure_as_its_origins() -> None:
    found = summarise(crossed(np.ones((6, 8)))).pairs[0].difference
    assert found.value == 1.0 and found.p == 2**-5
    assert found.low is not None and 0 < found.low < 1


def test_texts_without_a_structure_count_and_are_their_own() -> None:
    items = crossed(np.random.default_rng(14).normal(0.5, 0.1, size=(6, 6)))
    more = [RatedItem(group, 0.2, f"o{place % 6}") for group in "ab" for place in range(12)]
    found = summarise([*items, *more])
    assert found.pairs[0].difference.n == len(items) + 24
    assert found.pairs[0].difference.value == pytest.approx(over_origins([*items, *more]).value)
    assert found.pairs[0].difference.low is not None


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_texts_changes_no_digit(seed: int) -> None:
    generator = np.random.default_rng(seed)
    items = [
        RatedItem(
            str(generator.choice(["a", "b"])),
            float(generator.beta(0.5, 2)) if generator.random() > 0.1 else None,
            str(generator.choice([f"o{n}" for n in range(9)])),
            structure=str(generator.choice([f"s{n}" for n in range(7)])),
        )
        for _ in range(200)
    ]
    shuffled = [items[place] for place in generator.permutation(len(items))]
    assert two_way(items, [("a", "b")]) == two_way(shuffled, [("a", "b")])


def test_a_mean_does_not_reach_beyond_a_known_scale() -> None:
    # Skewed values: the interval reaches further up than down.
    values = np.random.default_rng(3).beta(0.2, 0.4, size=(6, 6))
    items = [RatedItem("a", float(v), f"o{row}", structure=f"s{column}") for (row, column), v in np.ndenumerate(values)]
    mean = summarise(items, scale=(0, 1)).groups["a"].mean
    assert mean.low is not None and mean.high is not None
    assert 0 <= mean.low < values.mean() < mean.high <= 1
