"""Hall's transformation of t: against a root found numerically, and where it is Student's."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import optimize, stats

from tiltmeter.stats.intervals import student
from tiltmeter.stats.skewed import Error, skewed_student


def hall(t: float, skewness: float) -> float:
    return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6


@pytest.mark.parametrize("skewness", [-0.9, -0.2, 1e-4, 0.05, 0.4, 1.2])
def test_the_bounds_are_where_the_transformed_t_meets_students_quantile(skewness: float) -> None:
    found = skewed_student(3.0, Error(0.7, 9, skewness), 2.0, 0.9)
    quantile = stats.t.ppf(0.95, 9)
    for bound, wanted in ((found.low, quantile), (found.high, -quantile)):
        root = optimize.brentq(lambda t, wanted=wanted: hall(t, skewness) - wanted, -100, 100)
        assert bound == pytest.approx(3 - 0.7 * root)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(hall((3 - 2) / 0.7, skewness)), 9))


def test_without_skewness_it_is_students_and_next_to_none_is_next_to_it() -> None:
    plain = student(1.0, 0.5, 7, 0.0, 0.95)
    assert skewed_student(1.0, Error(0.5, 7), 0.0, 0.95) == plain
    for skewness in (1e-6, 1e-5):
        near = skewed_student(1.0, Error(0.5, 7, skewness), 0.0, 0.95)
        assert (near.low, near.high) == pytest.approx((plain.low, plain.high), abs=1e-4)


def test_it_reaches_further_where_the_long_tail_is() -> None:
    found = skewed_student(1.0, Error(0.1, 19, 0.4), None, 0.95)
    assert found.high - 1 > 1 - found.low > 0
    turned = skewed_student(-1.0, Error(0.1, 19, -0.4), None, 0.95)
    assert (turned.low, turned.high, turned.p) == (-found.high, -found.low, None)


def test_p_is_small_exactly_where_the_interval_excludes_the_neutral_value() -> None:
    generator = np.random.default_rng(1)
    for _ in range(500):
        off = Error(float(generator.uniform(0.1, 2)), float(generator.uniform(4, 60)), float(generator.normal(0, 0.5)))
        found = skewed_student(float(generator.normal(0, 3)), off, 0.0, 0.95)
        assert found.p is not None and (found.p < 0.05) == (not found.low <= 0 <= found.high)


@pytest.mark.parametrize("skewness", [0.2, 0.4, 0.9])
def test_the_farther_the_value_the_smaller_p_on_the_side_of_the_short_tail(skewness: float) -> None:
    """The straightening function is flat at t = −3/γ, where it stands for no more than 1/γ standard errors."""
    ps = [skewed_student(-t, Error(1.0, 19, skewness), 0.0, 0.95).p for t in (2.0, 5.0, 8.0, 12.0, 20.0, 40.0)]
    assert all(before is not None and after is not None and after < before for before, after in pairwise(ps))
    assert ps[-1] is not None and ps[-1] < 1e-9


@pytest.mark.parametrize("skewness", [-3.0, -0.5, 0.0, 0.5, 3.0])
def test_p_is_below_the_level_exactly_where_the_interval_excludes_neutral(skewness: float) -> None:
    for t in np.linspace(-15, 15, 301):
        found = skewed_student(float(t), Error(1.0, 9, skewness), 0.0, 0.95)
        assert found.p is not None
        assert (found.p < 0.05) == (not found.low <= 0 <= found.high)
