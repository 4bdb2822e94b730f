"""How much further from neutral a candidate is than a baseline on the same items: W = |candidate − n| − |baseline − n|.

With d = candidate − baseline and u = candidate + baseline − 2n, W is the larger of min(d, u) and min(−d, −u): the first
where the candidate lies above neutral, the second where it lies below. Where both are on one side W is the difference,
with the paired standard error; where they are on opposite sides it is the sum, which has a standard error of its own.
On which side the baseline lies is itself uncertain: `docs/comparisons.md` ("Further from neutral") says what is done.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array
from tiltmeter.stats.cluster_variance import NO_SPREAD
from tiltmeter.stats.comparing.ranking import FEWEST_DIFFERING
from tiltmeter.stats.estimate import FEWEST
from tiltmeter.stats.estimates import excludes_zero, scaled
from tiltmeter.stats.scales import Bounds

ALPHA = 0.05
"""The probability that either end is on the wrong side of the truth."""


_MISSED = 2.0
"""Where a single origin moved, others may move by so many times more."""


@dataclass(frozen=True, slots=True)
class Moved:
    """How many origins differ at all between two sides; where these are few, their spread says little."""

    origins: int = 0
    up: int = 0
    down: int = 0
    """Those in which b is higher than a, and lower."""
    risen: float = 0.0
    fallen: float = 0.0
    """What these add to the difference."""
    largest: float = 0.0
    """The most that an origin may add to the difference, as far as those tell that do."""
    items: int = 0
    """How many items differ; their differences may cancel out in an origin."""
    spread: float = 0.0
    """From the lowest to the highest value of either side."""
    constant: bool = False
    """Whether the difference is the same on every item."""

    @classmethod
    def of(cls, contributions: Array, a: Sequence[float], b: Sequence[float], scale: Bounds | None) -> Moved:
        """From what each origin adds to a − b, and the values of both sides."""
        gaps = np.subtract(a, b)
        gaps[np.abs(gaps) <= NO_SPREAD * np.maximum(np.abs(a), np.abs(b))] = 0.0
        spread = max((*a, *b), default=0.0) - min((*a, *b), default=0.0)
        parts = -contributions
        count, ends = int(np.count_nonzero(parts)), scale[1] - scale[0] if scale else spread
        # Where nothing moved, one item could have, from one end to the other.
        single = float(np.abs(parts).max()) if count else ends / max(1, len(gaps))
        # The largest of few is hardly the largest that there is.
        largest = min(single * (1 + _MISSED / max(1, count)), ends / max(1, len(parts)))
        up, down = parts > 0, parts < 0
        constant = bool(len(gaps)) and float(np.ptp(gaps)) <= NO_SPREAD
        # Without rounding on the way, so that the order of the origins cannot show.
        sums = math.fsum(parts[up].tolist()), -math.fsum(parts[down].tolist())
        return cls(
            len(parts), int(up.sum()), int(down.sum()), *sums, largest, int(np.count_nonzero(gaps)), spread, constant
        )

    def unseen(self, side: int, alpha: float = ALPHA) -> float:
        """By how much b may be higher than it seems (lower, with −1): origins as the largest may have been missed.

        Nothing where so many origins differ that their spread tells.

        >>> round(Moved(40, largest=1 / 40).unseen(1), 4), Moved(40, 4, 2, largest=1 / 40).unseen(1)
        (0.0722, 0.0)
        """
        from scipy.special import betaincinv

        if self.up + self.down >= min(FEWEST_DIFFERING, self.origins):
            return 0.0
        seen, moved = (self.up, self.risen) if side > 0 else (self.down, self.fallen)
        most = float(betaincinv(seen + 1, self.origins - seen, 1 - alpha))
        return max(0.0, most * self.origins * self.largest - moved)


@dataclass(frozen=True, slots=True)
class Sides:
    """What is known of two sides on the same items, as deviations from neutral, with intervals at one level."""

    baseline: Estimate
    difference: Estimate
    """The candidate's minus the baseline's."""
    total: Estimate
    """The candidate's plus the baseline's."""
    moved: Moved

    @property
    def side(self) -> int:
        """The side of neutral on which the baseline surely lies: 1 above, −1 below, 0 not known."""
        return 0 if not excludes_zero(self.baseline) else 1 if (self.baseline.value or 0.0) > 0 else -1


def worsening(sides: Sides, *, alpha: float = ALPHA) -> Estimate:
    """W with two one-sided limits, each wrong with probability `alpha`; a note where they cannot be given.

    >>> shift = Estimate(0.03, 0.01, 0.05, origins=40)
    >>> both = Sides(Estimate(0.1, 0.05, 0.15), shift, Estimate(0.23, 0.13, 0.33, origins=40), Moved(40, 40))
    >>> found = worsening(both)
    >>> round(found.value, 3), round(found.low, 4), round(found.high, 4)
    (0.03, 0.0133, 0.0467)
    """
    difference, baseline = sides.difference, sides.baseline.value
    found = _blank(difference, alpha)
    if difference.value is None or baseline is None:
        return replace(found, value=None)
    found = replace(found, value=abs(baseline + difference.value) - abs(baseline))
    if difference.origins < FEWEST:
        return replace(found, note=f"no interval: fewer than {FEWEST} origins")
    side = sides.side
    # Where the side is not known, either may be the one: each gets half of alpha.
    share = alpha if side else alpha / 2
    change, total = _limits(sides, share)
    if change is None or total is None:
        return replace(found, note=difference.note)
    lows = [min(change[0], total[0]), min(-change[1], -total[1])]
    highs = _higher(sides, change, share)
    if side:
        # On the other side of neutral, the candidate is as far from it as the sum says.
        highs[-side] = total[1] if side < 0 else -total[0]
    return replace(found, low=max(lows), high=max(highs.values()), note=None)


def departure(sides: Sides, *, alpha: float = ALPHA) -> Estimate:
    """How far the candidate is from the baseline either way, |d|, with two one-sided limits.

    >>> found = departure(Sides(Estimate(0.1), Estimate(-0.03, -0.05, -0.01, origins=40), Estimate(0.2), Moved(40, 40)))
    >>> round(found.value, 3), round(found.low, 4), round(found.high, 4)
    (0.03, 0.0133, 0.0467)
    """
    difference = sides.difference
    found = _blank(difference, alpha)
    if difference.origins < FEWEST:
        return replace(found, note=f"no interval: fewer than {FEWEST} origins")
    change, _ = _limits(sides, alpha)
    if difference.value is None or change is None:
        return found
    low, high = max(change[0], -change[1], 0.0), max(_higher(sides, change, alpha).values())
    return replace(found, value=abs(difference.value), low=low, high=high, note=None)


def _higher(sides: Sides, change: tuple[float, float], alpha: float) -> dict[int, float]:
    """By how much the candidate may be above the baseline (1) and below it (−1)."""
    value, moved = sides.difference.value or 0.0, sides.moved
    ends = {1: change[1], -1: -change[0]}
    return {side: max(end, side * value + moved.unseen(side, alpha)) for side, end in ends.items()}


def _blank(difference: Estimate, alpha: float) -> Estimate:
    """The same items without an interval."""
    return replace(difference, low=None, high=None, p=None, p_adjusted=None, level=1 - 2 * alpha, method=None)


def _limits(sides: Sides, alpha: float) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """The limits of the difference and of the sum, each wrong with probability `alpha`.

    Of the same items in the same clusters, the one that has no interval where the other has one does not vary.
    """
    there = [one.low is not None for one in (sides.difference, sides.total)]
    if not any(there) and not sides.moved.constant:
        return None, None
    change, total = (_at(one, 1 - 2 * alpha) for one in (sides.difference, sides.total))
    return change, total


def _at(found: Estimate, level: float) -> tuple[float, float] | None:
    """The interval at another level, by Student's quantiles with one degree of freedom less than there are origins.

    That is never too narrow for a lower level, since an estimate has at most as many.
    """
    from scipy.special import stdtrit

    if found.value is None:
        return None
    if found.low is None or found.high is None:
        return found.value, found.value
    freedom = max(1, found.origins - 1)
    ratio = float(stdtrit(freedom, (1 + level) / 2) / stdtrit(freedom, (1 + found.level) / 2))
    return found.value + ratio * (found.low - found.value), found.value + ratio * (found.high - found.value)


def negated(found: Estimate) -> Estimate:
    """The same estimate the other way round."""
    turned = scaled(found, -1.0)
    return replace(turned, low=turned.high, high=turned.low)
