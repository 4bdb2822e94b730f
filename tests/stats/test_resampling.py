"""Many columns at once: the sums, the draws and the exchanges, against plain loops and against scipy."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from tiltmeter.stats.resampling import OriginTable, exact_sums, flipped, resampled_means


def test_sums_are_exact_and_do_not_depend_on_order() -> None:
    generator = np.random.default_rng(0)
    values, codes = (
        generator.normal(size=5000) * 10.0 ** generator.integers(-3, 6, 5000),
        generator.integers(0, 9, 5000),
    )
    found = exact_sums(values, codes, 9)
    assert found.tolist() == pytest.approx([math.fsum(values[codes == code]) for code in range(9)], rel=1e-14)
    for _ in range(5):
        order = generator.permutation(5000)
        assert exact_sums(values[order], codes[order], 9).tolist() == found.tolist()


@pytest.mark.parametrize("size", [0.0, 1e-90, 1e95])
def test_sums_of_very_small_and_very_large_values(size: float) -> None:
    found = exact_sums(np.array([1.0, 2.0, 4.0]) * size, np.array([0, 0, 1]), 3)
    assert found.tolist() == pytest.approx([3 * size, 4 * size, 0.0])


def test_unscored_values_are_counted_and_in_no_sum() -> None:
    table = OriginTable.of([[1.0, math.nan], [math.inf, 2.0], [None, 3.0]], ["x", "x", "y"])
    assert table.sums.tolist() == [[1.0, 2.0], [0.0, 3.0]]
    assert table.counts.tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert table.unscored.tolist() == [2, 1]


def test_resampled_means_are_spread_as_the_standard_error_says() -> None:
    generator = np.random.default_rng(1)
    origins = np.repeat(np.arange(40), generator.integers(1, 9, 40))
    values = generator.normal(size=(len(origins), 3)) + generator.normal(size=40)[origins][:, np.newaxis]
    values[origins < 10, 2] = np.nan
    table = OriginTable.of(values, origins)
    drawn = resampled_means(table)
    for column in range(3):
        means = table.means[table.present[:, column], column]
        assert drawn[:, column].mean() == pytest.approx(means.mean(), abs=0.02)
        assert drawn[:, column].std() == pytest.approx(means.std() / math.sqrt(len(means)), rel=0.05)
    # Every value the same weight: the mean over values.
    assert resampled_means(table, over="values")[:, 0].mean() == pytest.approx(values[:, 0].mean(), abs=0.02)


def test_more_origins_than_are_drawn_one_by_one_go_in_blocks() -> None:
    values = np.random.default_rng(2).normal(size=12_000)
    drawn = resampled_means(OriginTable.of(values, np.arange(12_000)), resamples=999)
    assert drawn.std() == pytest.approx(1 / math.sqrt(12_000), rel=0.15)


def test_few_origins_are_enumerated() -> None:
    values = np.array([[0.5, 1.0], [0.25, -3.0], [-0.125, 0.5], [2.0, 0.25]])
    sums = np.abs([np.array(signs) @ values for signs in product((1, -1), repeat=4)])
    known = np.mean(sums >= np.abs(values.sum(axis=0)) - 1e-12, axis=0)
    found = flipped(values)
    assert found.p == tuple(known) and found.flips == 16 and found.exact
    # All of one sign: only the data themselves and their mirror image are as far off.
    assert flipped(np.ones(5)).p == (2 / 32,)


def test_many_origins_are_drawn_and_agree_with_scipy() -> None:
    values = np.random.default_rng(3).normal(0.25, 1, size=30)
    found = flipped(values)
    assert not found.exact and found.flips == 10_000
    # Exchanging a value with zero turns the sign of the difference.
    known = stats.permutation_test(
        (values, np.zeros(30)),
        lambda a, b, axis: np.sum(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9_999,
        rng=np.random.default_rng(4),
    )
    assert found.p[0] == pytest.approx(known.pvalue, abs=0.03)


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="not equally long"):
        OriginTable.of([1.0, 2.0], ["x"])
