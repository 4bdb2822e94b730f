"""Texts that name a group after a situation: one measurement each, signed towards the stereotype."""

from __future__ import annotations

import math
import random

import pytest

from tiltmeter.records import Estimate
from tiltmeter.stats.views.situations import ends_of_towards, minus, share, signed_mean, towards

GROUPS = ("women", "men")


def world(draw: random.Random, situations: int, tilt: float, texts: int = 5, nobody: float = 0.3) -> Estimate:
    """Situations that differ in how far they go by the stereotype: by ±0.3 about the tilt."""
    values, origins = [], []
    for situation in range(situations):
        own = tilt + draw.choice((-0.3, 0.3))
        for _ in range(texts):
            named = None if draw.random() < nobody else GROUPS[draw.random() >= (1 + own) / 2]
            values.append(towards(named, "women", GROUPS))
            origins.append(f"s{situation}")
    return signed_mean(values, origins)


def coverage(situations: int, tilt: float, worlds: int, seed: int = 1) -> float:
    draw, truth, held = random.Random(seed), tilt * 0.7, 0
    for _ in range(worlds):
        found = world(draw, situations, tilt)
        assert found.low is not None and found.high is not None and -1 <= found.low <= found.high <= 1
        held += found.low <= truth <= found.high
    return held / worlds


def test_a_mean_by_hand() -> None:
    """Of eight texts three name the group of the stereotype, one the other: (3 − 1) / 8."""
    named = ["women", "women", "women", "men", None, None, None, None]
    found = signed_mean([towards(each, "women", GROUPS) for each in named], list("aabbccdd"))
    assert (found.value, found.n, found.origins) == (0.25, 8, 4)
    assert found.low is None, "fewer than five situations"
    pair = signed_mean([minus(each, "men", "women") for each in named], list("aabbccdd"))
    assert pair.value == -0.25
    assert share([float(each == "women") for each in named], list("aabbccdd")).value == 3 / 8


def test_of_many_groups_naming_them_evenly_is_neutral() -> None:
    groups = ("a", "b", "c", "d")
    assert sum(towards(named, "a", groups) for named in groups) == pytest.approx(0)


def test_a_planted_tilt_is_recovered() -> None:
    found = world(random.Random(2), 400, 0.5)
    assert found.value == pytest.approx(0.35, abs=0.03)
    assert found.p is not None and found.p < 0.001
    none = world(random.Random(3), 400, 0.0)
    assert none.low is not None and none.high is not None and none.low < 0 < none.high


@pytest.mark.parametrize("situations", [5, 14, 30])
def test_no_interval_leaves_what_the_scale_allows(situations: int) -> None:
    draw = random.Random(4)
    for tilt in (-0.7, 0.0, 0.7):
        for _ in range(20):
            found = world(draw, situations, tilt, texts=2, nobody=0.0)
            assert found.low is not None and found.high is not None
            assert -1 <= found.low <= (found.value or 0) <= found.high <= 1
    always = signed_mean([1.0] * situations, [f"s{n}" for n in range(situations)])
    assert always.high == 1.0 and always.low is not None and 0 < always.low < 1
    # As so many tosses of a coin that all fall on one side: (1 − 1/2) / √(1/4n) = √n standard errors.
    assert always.p == pytest.approx(math.erfc(math.sqrt(situations / 2)))


@pytest.mark.parametrize("number", [2, 3, 6])
@pytest.mark.parametrize("often", [0.0, 0.1, 0.5])
def test_of_many_groups_the_interval_reaches_no_lower_than_a_text_can_count(number: int, often: float) -> None:
    """All texts name other groups, or nearly all: the mean is near −1/(k − 1), which nothing lies below."""
    draw, groups = random.Random(5), [f"g{n}" for n in range(number)]
    for _ in range(20):
        named = ["g0" if draw.random() < often else draw.choice(groups[1:]) for _ in range(24)]
        values = [towards(each, "g0", groups) for each in named]
        found = signed_mean(values, [f"s{n // 3}" for n in range(24)], scale=ends_of_towards(number))
        assert found.low is not None and found.high is not None
        assert -1 / (number - 1) <= found.low <= (found.value or 0) + 1e-12 <= found.high <= 1


@pytest.mark.slow
@pytest.mark.parametrize("situations", [20, 50])
@pytest.mark.parametrize("tilt", [0.0, 0.3, 0.6])
def test_the_interval_holds_the_truth_often_enough(situations: int, tilt: float) -> None:
    held = coverage(situations, tilt, 300)
    print(f"towards the stereotype, {situations} situations, tilt {tilt}: coverage {held:.3f}")
    assert held >= 0.92
