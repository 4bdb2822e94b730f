"""How much further from neutral a candidate is than a baseline on the same items: W = |candidate − n| − |baseline − n|.

With d = candidate − baseline and u = candidate + baseline − 2n, W is the larger of min(d, u) and min(−d, −u): the first
where the candidate lies above neutral, the second where it lies below. Where both are on one side W is the difference,
with the paired standard error; where they are on opposite sides it is the sum, which has a standard error of its own.
On which side the baseline lies is itself uncertain: `docs/comparisons.md` ("Further from neutral") says what is done.
"""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Moved:
    """How many origins differ at all between two sides; where these are few, their spread says little."""

    origins: int = 0
    differing: int = 0
    largest: float = 0.0
    """The most that one origin adds to the difference; where none does, the most that one item could."""
    constant: bool = False
    """Whether the difference is the same on every item, so that it has no spread."""

    @classmethod
    def of(cls, contributions: Array, gaps: Sequence[float], ends: Bounds) -> Moved:
        """From what each origin adds to the difference, the differences of the items and the ends of their scale."""
        sizes = np.abs(contributions)
        differing = int(np.count_nonzero(sizes))
        largest = float(sizes.max()) if differing else (ends[1] - ends[0]) / max(1, len(gaps))
        return cls(len(sizes), differing, largest, bool(gaps) and max(gaps) - min(gaps) <= NO_SPREAD)

    def unseen(self, alpha: float = ALPHA) -> float:
        """How much a difference may be where few origins differ, if others like the largest were not drawn by chance.

        >>> round(Moved(40, 0, 1 / 40).unseen(), 4), Moved(40, 6, 1 / 40).unseen()
        (0.0722, 0.0)
        """
        from scipy.special import betaincinv

        if self.differing >= min(FEWEST_DIFFERING, self.origins) or not self.origins:
            return 0.0
        share = float(betaincinv(self.differing + 1, self.origins - self.differing, 1 - alpha))
        return share * self.origins * self.largest


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
    def same(self) -> bool:
        """Whether no item differs."""
        return not self.difference.value and not self.moved.differing

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
    found = replace(difference, low=None, high=None, p=None, p_adjusted=None, level=1 - 2 * alpha, method=None)
    if difference.value is None or baseline is None:
        return replace(found, value=None)
    found = replace(found, value=abs(baseline + difference.value) - abs(baseline))
    if difference.origins < FEWEST:
        return replace(found, note=f"no interval: fewer than {FEWEST} origins")
    side = sides.side
    # Where the side is not known, either may be the one: each gets half of alpha.
    level = 1 - 2 * alpha if side else 1 - alpha
    change, total = (_at(one, level, sides.moved.constant) for one in (difference, sides.total))
    if change is None:
        return replace(found, note=difference.note)
    if total is None:
        side, change = 0, _at(difference, 1 - alpha, sides.moved.constant) or change
    highs = {1: change[1], -1: -change[0]}
    if side and total is not None:
        highs[-side] = total[1] if side < 0 else -total[0]
    lows = [min(change[0], total[0]), min(-change[1], -total[1])] if total is not None else [-max(highs.values())]
    floor = sides.moved.unseen(alpha)
    return replace(found, low=max(lows), high=max(*highs.values(), floor), note=None)


def departure(sides: Sides, *, alpha: float = ALPHA) -> Estimate:
    """How far the candidate is from the baseline either way, |d|, with two one-sided limits.

    >>> found = departure(Sides(Estimate(0.1), Estimate(-0.03, -0.05, -0.01, origins=40), Estimate(0.2), Moved(40, 40)))
    >>> round(found.value, 3), round(found.low, 4), round(found.high, 4)
    (0.03, 0.0133, 0.0467)
    """
    difference = sides.difference
    found = replace(difference, low=None, high=None, p=None, p_adjusted=None, level=1 - 2 * alpha, method=None)
    change = _at(difference, 1 - 2 * alpha, sides.moved.constant) if difference.origins >= FEWEST else None
    if difference.value is None or change is None:
        return found
    low, high = max(change[0], -change[1], 0.0), max(change[1], -change[0], sides.moved.unseen(alpha))
    return replace(found, value=abs(difference.value), low=low, high=high, note=None)


def _at(found: Estimate, level: float, constant: bool) -> tuple[float, float] | None:
    """The interval at another level, by Student's quantiles with one degree of freedom less than there are origins.

    That is never too narrow for a lower level, since an estimate has at most as many.
    """
    from scipy.special import stdtrit

    if found.value is None:
        return None
    if found.low is None or found.high is None:
        # What is the same on every item has no spread.
        return (found.value, found.value) if constant else None
    freedom = max(1, found.origins - 1)
    ratio = float(stdtrit(freedom, (1 + level) / 2) / stdtrit(freedom, (1 + found.level) / 2))
    return found.value + ratio * (found.low - found.value), found.value + ratio * (found.high - found.value)


def negated(found: Estimate) -> Estimate:
    """The same estimate the other way round."""
    turned = scaled(found, -1.0)
    return replace(turned, low=turned.high, high=turned.low)
