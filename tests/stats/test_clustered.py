"""Variance, degrees of freedom and skewness one way and two ways: by hand, and against plain leaving out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from tiltmeter.stats.clustered import Codes, LeftOut, cells_of, coded, error_of, left_out
from tiltmeter.stats.drawing import Array
from tiltmeter.stats.skewed import Error


def ways(values: Array, *codes: Codes) -> list[LeftOut]:
    every = codes if len(codes) == 1 else (*codes, cells_of(*codes))
    return [left_out(values, each, int(each.max()) + 1) for each in every]


def error(values: Array, *codes: Codes) -> Error:
    return error_of([(1.0, ways(values, *codes))])


def plain(values: Array, *labels: Sequence[object]) -> tuple[float, float, float]:
    """Variance, degrees of freedom and third moment, with every cluster left out by leaving it out."""
    found = []
    for names in [*labels, *([list(zip(*labels, strict=True))] if len(labels) == 2 else [])]:
        clusters = sorted(set(names))
        moved = []
        for cluster in clusters:
            rest = [value for value, name in zip(values, names, strict=True) if name != cluster]
            moved.append(np.mean(values) - np.mean(rest))
        k = len(clusters)
        variance = (k - 1) / k * sum(move**2 for move in moved)
        third = (k - 1) ** 2 / (k * (k - 2)) * sum(move**3 for move in moved)
        found.append((variance, 2 / (2 / (k - 1) + max(0.0, stats.kurtosis(moved)) / k), third))
    if len(found) == 1:
        return found[0]
    (one, free, third), (other, also_free, also_third), (both, _, common) = found
    variance = max(one + other - both, one, other)
    satterthwaite = variance**2 / (one**2 / free + other**2 / also_free)
    return variance, min(satterthwaite, free if one >= other else also_free), third + also_third - common


def test_by_hand() -> None:
    # Rows a, b, c; columns x, y, z:   1 2 3 | mean 2
    #                                  2 4 6 | mean 4
    #                                  4 5 9 | mean 6        means of columns 7/3, 11/3, 6; mean of all 4
    # Rows: deviations −2, 0, 2; variance (4 + 0 + 4)/2 = 4, of the mean of three 4/3.
    # Columns: −5/3, −1/3, 2; variance (25 + 1 + 36)/9/2 = 31/9, of the mean of three 31/27.
    # Cells: squares 9 + 4 + 1 + 4 + 0 + 4 + 0 + 1 + 25 = 48; variance 48/8 = 6, of the mean of nine 2/3.
    # Together 36/27 + 31/27 − 18/27 = 49/27.
    # Freedom: 49² / (36²/2 + 31²/2) = 4802/2257 = 2.13, but that of the rows, the larger, is 2.
    # (Three have no long tail.)
    # Third moments Σd³/(k(k−1)(k−2)): rows 0; columns (−125 − 1 + 216)/27/6 = 5/9;
    # cells (−27 − 8 − 1 − 8 + 8 + 1 + 125)/(9·8·7) = 90/504 = 5/28. Together 5/9 − 5/28 = 95/252.
    values = np.array([1.0, 2, 3, 2, 4, 6, 4, 5, 9])
    found = error(values, coded("aaabbbccc"), coded("xyzxyzxyz"))
    assert found.error**2 == pytest.approx(49 / 27)
    assert found.freedom == 2
    assert found.skewness == pytest.approx(95 / 252 / (49 / 27) ** 1.5)


@pytest.mark.parametrize("seed", range(8))
def test_it_is_what_leaving_out_gives_also_with_gaps_and_repeats(seed: int) -> None:
    generator = np.random.default_rng(seed)
    rows = generator.integers(0, 7, 60)
    columns = generator.integers(0, 9, 60)
    values = np.exp(generator.normal(size=60) + 0.3 * rows + seed % 2 * 0.4 * columns)
    for labels in ((rows,), (columns,), (rows, columns)):
        found = error(values, *labels)
        variance, freedom, third = plain(values, *(each.tolist() for each in labels))
        assert found.error**2 == pytest.approx(variance)
        assert found.freedom == pytest.approx(freedom)
        assert found.skewness == pytest.approx(third / variance**1.5)


def test_one_way_it_is_the_usual_error_and_the_usual_skewness() -> None:
    values = np.random.default_rng(1).exponential(size=12)
    found = error(values, np.arange(12))
    assert found.error == pytest.approx(stats.sem(values))
    assert found.skewness == pytest.approx(stats.skew(values, bias=False) / math.sqrt(12))
    assert found.freedom == pytest.approx(2 / (2 / 11 + stats.kurtosis(values) / 12)) and found.freedom < 11


def test_long_tails_leave_fewer_degrees_and_short_ones_no_more() -> None:
    # One of eight away: squares of the deviations 49/64 and seven times 1/64, of mean 7/64; their squares of mean
    # (2401 + 7)/64²/8 = 301/64². Kurtosis 301/49 − 3 = 22/7. Freedom 2/(2/7 + 22/7/8) = 56/19.
    assert error(np.array([1.0] + 7 * [0.0]), np.arange(8)).freedom == pytest.approx(56 / 19)
    assert error(np.array([0.0, 1.0] * 4), np.arange(8)).freedom == 7


def test_what_lies_within_the_other_adds_nothing() -> None:
    generator = np.random.default_rng(2)
    outer = np.repeat(np.arange(8), 6)
    values = generator.normal(size=48) + generator.normal(size=8)[outer]
    inner = np.repeat(np.arange(24), 2)
    found, alone = error(values, outer, inner), error(values, outer)
    assert (found.error, found.skewness) == (pytest.approx(alone.error), pytest.approx(alone.skewness))


def test_without_a_difference_between_columns_it_is_about_that_of_the_rows() -> None:
    generator = np.random.default_rng(3)
    rows, columns = np.repeat(np.arange(12), 15), np.tile(np.arange(15), 12)
    values = generator.normal(size=12)[rows] + generator.normal(0, 0.01, size=180)
    assert error(values, rows, columns).error == pytest.approx(error(values, rows).error, rel=1e-3)
    assert error(values, rows, columns).freedom == pytest.approx(error(values, rows).freedom, rel=1e-3)


def test_means_of_their_own_clusters_vary_apart_as_in_welchs_test() -> None:
    generator = np.random.default_rng(4)
    # Uniform values: nothing to see of long tails.
    values, codes = generator.uniform(size=15) * np.repeat([1.0, 3.0], [9, 6]), np.arange(15)
    first, second = slice(0, 9), slice(9, 15)
    parts = [(weight, [left_out(values[part], codes[part], 15)]) for weight, part in ((1.0, first), (-1.0, second))]
    found = error_of(parts)
    welch = stats.ttest_ind(values[first], values[second], equal_var=False)
    assert found.freedom == pytest.approx(welch.df)
    assert (values[first].mean() - values[second].mean()) / found.error == pytest.approx(welch.statistic)


def test_means_of_the_same_clusters_vary_together_as_in_the_paired_test() -> None:
    generator = np.random.default_rng(4)
    values = generator.normal(size=(2, 9)) + 3 * generator.normal(size=9)
    found = error_of(
        [(weight, [left_out(of, np.arange(9), 9)]) for weight, of in zip((1.0, -1.0), values, strict=True)]
    )
    paired = stats.ttest_rel(*values)
    assert found.freedom == paired.df
    assert (values[0].mean() - values[1].mean()) / found.error == pytest.approx(paired.statistic)


@pytest.mark.parametrize("size", [1e-90, 1e95])
def test_very_small_and_very_large_values_neither_vanish_nor_overflow(size: float) -> None:
    values = np.random.default_rng(5).normal(size=40)
    rows, columns = np.repeat(np.arange(8), 5), np.tile(np.arange(5), 8)
    one, other = error(values, rows, columns), error(values * size, rows, columns)
    assert other.error == pytest.approx(one.error * size)
    assert (other.freedom, other.skewness) == (pytest.approx(one.freedom), pytest.approx(one.skewness))


def test_turned_round_it_is_the_same_with_the_other_skewness() -> None:
    values = np.random.default_rng(6).exponential(size=40)
    rows, columns = np.repeat(np.arange(8), 5), np.tile(np.arange(5), 8)
    one, other = error(values, rows, columns), error(-values, rows, columns)
    assert (one.error, one.freedom, one.skewness) == (other.error, other.freedom, -other.skewness)


def test_no_spread_is_no_error() -> None:
    found = error(np.full(20, 0.5), np.repeat(np.arange(5), 4), np.tile(np.arange(4), 5))
    assert (found.error, found.skewness) == (0.0, 0.0)
