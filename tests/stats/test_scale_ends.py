"""No interval leaves what its scale allows, whichever estimator made it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tiltmeter.records import Estimate
from tiltmeter.stats.agreement.raters import tilt_summary
from tiltmeter.stats.comparing.before_after import Prompted, gap_change
from tiltmeter.stats.comparing.paired import paired
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.scales import SHARE, cut_off, difference_bounds
from tiltmeter.stats.views.continuations import RatedItem, summarise
from tiltmeter.stats.views.labour import against_world

WIDE = Estimate(0.5, -3.0, 3.0)


def items(draw: random.Random, origins: int, shared: bool) -> list[RatedItem]:
    """Few origins at opposite ends of the scale: Student's t goes far beyond it."""
    return [
        RatedItem(
            group, float(draw.random() < share), f"{'' if shared else group}{origin}", None, f"p{origin}", structure
        )
        for origin in range(origins)
        for structure in "stuvw"
        for group, share in (("a", draw.choice((0.0, 1.0))), ("b", draw.choice((0.0, 0.2))))
    ]


def differences(draw: random.Random, origins: int, shared: bool) -> Iterator[tuple[Estimate, float]]:
    """Every difference of shares, and how far from 0 it may go."""
    made = items(draw, origins, shared)
    rows = [(item.group, item.value, item.origin) for item in made]
    yield Pooled(rows, scale=SHARE).difference("a", "b"), 1
    summary = summarise(made, scale=SHARE, threshold=0.5, most_k=(1,))
    yield summary.pairs[0].difference, 1
    for pairs in summary.extreme_pairs.values():
        yield pairs[0].difference, 1
    yield from ((found, 1) for found in tilt_summary(rows, scale=SHARE).difference.values())
    first, second = ([item.value for item in made if item.group == group] for group in "ab")
    names = [item.origin[-1] for item in made if item.group == "a"]
    yield paired(first, second, names, scale=SHARE).difference, 1
    prompted = [Prompted(item.group, item.value or 0.0, 1 - (item.value or 0.0), item.origin) for item in made]
    change = gap_change(prompted, ("a", "b"), scale=SHARE)
    yield from ((change.a, 1), (change.b, 1), (change.difference, 2))
    yield against_world([draw.choice((0.0, 1.0)) for _ in range(5)], [0.1, 0.2, 0.3, 0.4, 0.5]).above, 1


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("origins", [5, 6, 9])
def test_differences_of_shares_stay_where_shares_can_be(origins: int, shared: bool) -> None:
    draw, seen = random.Random(origins), 0
    for _ in range(25):
        for found, most in differences(draw, origins, shared):
            if found.low is not None and found.high is not None and found.value is not None:
                seen += found.low == -most or found.high == most
                assert -most <= found.low <= found.value + 1e-12 and found.value - 1e-12 <= found.high <= most
    assert seen, "some would go beyond"


def test_what_is_cut_off_by_hand() -> None:
    assert cut_off(WIDE, difference_bounds(SHARE)) == Estimate(0.5, -1.0, 1.0)
    assert cut_off(WIDE, difference_bounds(difference_bounds(SHARE))) == Estimate(0.5, -2.0, 2.0)
    assert cut_off(WIDE, None) == WIDE
    assert cut_off(Estimate(0.5), SHARE) == Estimate(0.5)
    assert Scale(-1.0, 1.0, 0.0).change == Scale(-2.0, 2.0, 0.0)
    assert Scale(neutral=0.0).change == Scale(neutral=0.0)


@pytest.mark.parametrize("end", [-0.2, 0.1, 0.3, 1 / 3, 0.7])
@pytest.mark.parametrize("texts", [24, 49, 1000])
def test_texts_that_all_lie_at_an_end_have_an_interval_whatever_rounding_does(end: float, texts: int) -> None:
    """The mean of equal values may differ from them in the last digit: there is still no spread, and no end crossed."""
    for scale in ((end, 2.0), (-2.0, end)):
        found = Pooled([("a", end, f"o{n % 8}") for n in range(texts)], scale=scale).mean("a")
        assert found.value == pytest.approx(end)
        assert found.low is not None and found.high is not None
        assert scale[0] <= found.low <= end + 1e-12 and end - 1e-12 <= found.high <= scale[1]
