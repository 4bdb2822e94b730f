from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tiltmeter.stats.continuations import RatedItem, summarise
from tiltmeter.stats.two_way import two_way


def crossed(gaps: np.ndarray, texts: int = 1) -> list[RatedItem]:
    """Group a has the gap of its origin (row) and structure (column), group b nothing."""
    return [
        RatedItem(group, float(gap) if group == "a" else 0.0, f"o{row}", structure=f"s{column}")
        for (row, column), gap in np.ndenumerate(gaps)
        for group in "ab"
        for _ in range(texts)
    ]


def test_of_a_full_table_it_is_the_sum_of_both_variances_less_that_of_the_cells() -> None:
    gaps = np.random.default_rng(5).normal(0.3, 1, size=(7, 9)) + np.arange(9) * 0.2
    found = two_way(crossed(gaps), [("a", "b")])["a", "b"]
    over_origins = gaps.mean(axis=1).var(ddof=1) / 7
    over_structures = gaps.mean(axis=0).var(ddof=1) / 9
    cells = gaps.var(ddof=1) / 63
    variance = max(over_origins + over_structures - cells, over_origins, over_structures)
    freedom = min(variance**2 / (over_origins**2 / 6 + over_structures**2 / 8), 14)
    half = stats.t.ppf(0.975, freedom) * np.sqrt(variance)
    assert found.value == pytest.approx(gaps.mean())
    assert (found.low, found.high) == (pytest.approx(gaps.mean() - half), pytest.approx(gaps.mean() + half))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(gaps.mean()) / np.sqrt(variance), freedom))
    assert (found.n, found.origins, found.p_adjusted) == (126, 7, found.p)


def test_more_texts_of_the_same_cells_tell_nothing_new() -> None:
    gaps = np.random.default_rng(6).normal(0.3, 1, size=(6, 8))
    once, thrice = (two_way(crossed(gaps, texts), [("a", "b")])["a", "b"] for texts in (1, 3))
    assert (once.low, once.high) == (pytest.approx(thrice.low), pytest.approx(thrice.high))


def test_structures_that_differ_widen_the_interval_and_origins_that_differ_do_not() -> None:
    generator = np.random.default_rng(7)
    noise = generator.normal(0, 0.1, size=(8, 12))
    for effect, wider in ((np.linspace(-1, 1, 12), True), (np.linspace(-1, 1, 8)[:, np.newaxis], False)):
        items = crossed(noise + effect)
        one, both = summarise(items).pairs[0].difference, two_way(items, [("a", "b")])["a", "b"]
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
