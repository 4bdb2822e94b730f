"""Many columns at once: the sums and the exchanges, against plain loops and against scipy."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from tiltmeter.stats.resampling import exact_sums, flipped


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
