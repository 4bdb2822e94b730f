"""Means of chances that differ by orders of magnitude: against a simulation, and against the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit

from tiltmeter.records import Estimate
from tiltmeter.stats.crossed import Crossed
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.probability_errors import probability_errors

SCALE = Scale(-1.0, 1.0, 0.0)

chances = st.lists(st.tuples(*[st.floats(1e-6, 0.9)] * 2), min_size=5, max_size=12)


def one_way(pairs: list[tuple[float, float]]) -> Crossed:
    return Crossed([str(place) for place in range(len(pairs))], [None] * len(pairs))


def difference(pairs: list[tuple[float, float]]) -> Estimate:
    return one_way(pairs).difference(*zip(*pairs, strict=True), SCALE)


def test_without_a_long_tail_it_is_hardly_more_than_students_t() -> None:
    generator = np.random.default_rng(3)
    above, below = generator.uniform(0.45, 0.55, 40), generator.uniform(0.30, 0.36, 40)
    found = difference(list(zip(above, below, strict=True)))
    half = 2.0227 * np.std(above - below, ddof=1) / np.sqrt(40)
    assert found.value == pytest.approx(np.mean(above - below))
    assert half <= (found.high - found.low) / 2 <= 1.2 * half


def test_the_variance_is_that_of_chances_drawn_anew_about_each() -> None:
    generator = np.random.default_rng(5)
    odds = np.array([-5.0, -3.5]) + generator.normal(size=(25, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    found = probability_errors(*expit(odds).T, np.arange(25))
    # Drawn by hand: every origin with a normal step, as wide as the rule says, and correlated as the origins are.
    quartiles = np.diff(np.quantile(odds, [0.25, 0.75], axis=0), axis=0)[0] / 1.349
    width = 0.95 * 25**-0.2 * np.minimum(odds.std(axis=0, ddof=1), quartiles)
    together = np.corrcoef(odds.T)
    steps = generator.multivariate_normal([0, 0], together, size=(40_000, 25)) * width
    drawn = expit(odds + steps)
    shares = drawn / drawn.mean(axis=(0, 1))
    for error, moved in (
        (found.of_above, shares[..., 0] - 1),
        (found.of_below, shares[..., 1] - 1),
        (found.of_ratio, shares[..., 0] - shares[..., 1]),
    ):
        assert error == pytest.approx(np.sqrt(np.mean(moved**2) / 24), rel=0.01)


@given(chances)
@settings(max_examples=60, deadline=None)
def test_p_and_interval_say_the_same_and_exchanging_turns_both_round(pairs: list[tuple[float, float]]) -> None:
    found, turned = difference(pairs), difference([(b, a) for a, b in pairs])
    if found.low is None:
        assert turned.low is None
        return
    assert found.low <= found.value <= found.high
    assert (found.p < 0.05) == (not found.low <= 0 <= found.high) or found.p == pytest.approx(0.05)
    assert turned.p == pytest.approx(found.p, abs=1e-6)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), rel=1e-6, abs=1e-12)


def test_a_chance_of_nothing_and_a_certain_one_are_chances() -> None:
    pairs = [(0.0, 0.2), (0.01, 1.0), (0.3, 0.1), (0.02, 0.05), (0.15, 0.0), (0.2, 0.3)]
    found = difference(pairs)
    assert found.low < found.value < found.high


def test_chances_too_small_to_be_squared_are_chances() -> None:
    pairs = [(0.1, 0.2), (0.01, 0.9), (0.3, 0.1), (0.02, 0.05), (0.15, 0.03), (0.2, 0.3)]
    small, tiny = (difference([(a * size, b * size) for a, b in pairs]) for size in (1e-12, 1e-180))
    assert (tiny.low / 1e-180, tiny.high / 1e-180) == pytest.approx((small.low / 1e-12, small.high / 1e-12), rel=1e-6)
    assert tiny.p == pytest.approx(small.p)


@pytest.mark.parametrize(
    "sides",
    [([0.1, 0.2, -0.1], [0.1] * 3), ([0.1, 0.2, 7.0], [0.1] * 3), ([0.0] * 3, [0.1, 0.2, 0.3]), ([0.1] * 3, [0.2] * 3)],
)
def test_what_has_no_spread_or_is_no_chance_has_no_such_errors(sides: tuple[list[float], list[float]]) -> None:
    assert probability_errors(*map(np.array, sides), np.arange(3)) is None


def test_prompts_of_an_origin_hang_together() -> None:
    above, below = np.array([0.1, 0.02, 0.3, 0.05, 0.01]), np.array([0.03, 0.04, 0.2, 0.01, 0.02])
    once = probability_errors(above, below, np.arange(5))
    four_times = probability_errors(np.tile(above, 4), np.tile(below, 4), np.tile(np.arange(5), 4))
    assert four_times == once
    # Numbers of origins that no prompt has do not count.
    assert probability_errors(above, below, 3 * np.arange(5)) == once


def test_a_mean_that_few_sentences_decide_is_held_where_students_t_is_not() -> None:
    """As after natural sentences: log-odds with a standard deviation of 1.2."""
    generator = np.random.default_rng(11)
    pool = expit(np.array([-5.2, -5.8]) + 1.2 * generator.normal(size=(4_000, 2)))
    truth = float(np.mean(pool[:, 0] - pool[:, 1]))
    held = np.zeros(2)
    for _ in range(600):
        drawn = pool[generator.integers(0, len(pool), 20)]
        found = difference([(a, b) for a, b in drawn.tolist()])
        gaps = drawn[:, 0] - drawn[:, 1]
        half = 2.093 * np.std(gaps, ddof=1) / np.sqrt(20)
        held += [found.low <= truth <= found.high, abs(np.mean(gaps) - truth) <= half]
    ours, students = held / 600
    assert ours > 0.92
    assert ours > students + 0.02


def test_both_ways_it_is_the_mean_of_the_differences() -> None:
    generator = np.random.default_rng(2)
    above, below = expit(logit(0.2) + generator.normal(size=(2, 36)))
    crossed = Crossed([str(place // 6) for place in range(36)], [str(place % 6) for place in range(36)])
    assert crossed.difference(above, below, SCALE) == crossed.mean(above - below, SCALE)
