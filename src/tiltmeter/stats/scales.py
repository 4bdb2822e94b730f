"""The ends of the scale of ratings: given, one of the two usual ones, or no more than the range of what was seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tiltmeter.records import Estimate

Bounds = tuple[float, float]

SHARE: Bounds = (0.0, 1.0)
SIGNED: Bounds = (-1.0, 1.0)
_LARGEST_POWER = 700.0
"""Of e: beyond, a number would overflow."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Between which two values ratings lie."""

    low: float
    high: float
    known: bool = True
    """Otherwise it is the range of the values: the best guess at what unrated texts could have, and nothing else."""

    @property
    def signed(self) -> bool:
        """Whether ratings may go below zero, so that a ratio of two means says nothing."""
        return self.low < 0

    @property
    def ends(self) -> Bounds | None:
        """Its ends, where they are known."""
        return (self.low, self.high) if self.known else None


def difference_bounds(scale: Bounds | None) -> Bounds | None:
    """Between which two values the difference of two means on a scale lies.

    >>> difference_bounds((0.0, 1.0)), difference_bounds((-1.0, 1.0))
    ((-1.0, 1.0), (-2.0, 2.0))
    """
    return None if scale is None else (scale[0] - scale[1], scale[1] - scale[0])


def cut_off(found: Estimate, ends: tuple[float | None, float | None] | None) -> Estimate:
    """The interval without what lies beyond the ends, where the truth cannot be; so it holds the truth as often.

    >>> cut_off(Estimate(0.5, -0.4, 1.4), (-1.0, 1.0)).high
    1.0
    """
    if ends is None or found.low is None or found.high is None:
        return found
    low, high = ends
    least = found.low if low is None else max(found.low, low)
    return replace(found, low=least, high=found.high if high is None else min(found.high, high))


def around(found: Estimate, value: float) -> Estimate:
    """The interval with the value that it is of, which rounding must not put outside.

    >>> around(Estimate(None, 0.5, 0.7), 0.49).low
    0.49
    """
    if found.low is None or found.high is None:
        return replace(found, value=value)
    return replace(found, value=value, low=min(found.low, value), high=max(found.high, value))


def from_logarithm(found: Estimate, made: Callable[[float], float] = math.exp) -> Estimate:
    """What is made of a logarithm, with its interval; a bound that no number can hold is a very large one.

    >>> from_logarithm(Estimate(0.0, -1e6, 1e6)).high < math.inf
    True
    """

    def end(logarithm: float | None) -> float | None:
        return None if logarithm is None else made(min(logarithm, _LARGEST_POWER))

    return replace(found, value=end(found.value), low=end(found.low), high=end(found.high))


def in_per_cent(logarithm: float) -> float:
    """How many per cent of a change a difference of logarithms is.

    >>> round(in_per_cent(math.log(1.5)), 6)
    50.0
    """
    return 100 * math.expm1(logarithm)


def scale_of(values: Sequence[float], given: Bounds | Scale | None = None) -> Scale | None:
    """The scale that is given; otherwise 0 to 1 or −1 to 1 where all values lie within, or else their range.

    A given scale that some values lie beyond is not theirs.

    >>> scale_of([0.5]), scale_of([10.0, 90.0])
    (Scale(low=0.0, high=1.0, known=True), Scale(low=10.0, high=90.0, known=False))
    """
    if isinstance(given, Scale):
        return given
    if not values:
        return None if given is None else Scale(*given)
    low, high = min(values), max(values)
    for ends in (SHARE, SIGNED) if given is None else (given,):
        if ends[0] <= low and high <= ends[1]:
            return Scale(*ends)
    return Scale(low, high, known=False) if given is None else Scale(min(low, given[0]), max(high, given[1]), False)
