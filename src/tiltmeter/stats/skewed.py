"""Student's interval of a mean of skewed values.

Where a few values are far larger than the rest, a sample without them has both too low a mean and too small a spread,
and Student's interval lies wholly below the truth more often than it says. Hall's transformation of t (1992) takes the
skewness out first. It draws nothing, and without skewness it is Student's t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tiltmeter.stats.intervals import Uncertainty, student

_STRAIGHT = 1e-6
"""With less skewness than this the two intervals are the same but for rounding."""
_LARGEST_POWER = 700.0
_FLAT = -2.0
"""Of γT: below it the straightening of skewness says little, and is no longer increased. At −3 it is flat."""


@dataclass(frozen=True, slots=True)
class Error:
    """How far a figure may be off: its standard error, the degrees of freedom of that, and its own skewness.

    The skewness is that of the figure, not of the values: for a mean of k values theirs over √k.
    """

    error: float
    freedom: float
    skewness: float = 0.0


def skewed_student(value: float, off: Error, neutral: float | None, level: float) -> Uncertainty:
    """Student's interval and p of T + γT²/3 + γ²T³/27 + γ/6, where T is t and γ the skewness of the figure.

    That function never falls, so p < 1 − level exactly where the interval excludes `neutral`.

    >>> plain, found = (skewed_student(1.0, Error(0.5, 19, skewness), 0.0, 0.95) for skewness in (0.0, 0.3))
    >>> round(plain.low, 3), round(plain.high, 3), round(plain.p, 3)
    (-0.047, 2.047, 0.06)
    >>> round(found.low, 3), round(found.high, 3), round(found.p, 3)
    (0.136, 2.453, 0.023)
    """
    from scipy.special import stdtr, stdtrit

    skewness = off.skewness
    if abs(skewness) < _STRAIGHT:
        return student(value, off.error, off.freedom, neutral, level)
    quantile = float(stdtrit(off.freedom, (1 + level) / 2))
    low, high = (value - off.error * _back(bound, skewness) for bound in (quantile, -quantile))
    if neutral is None:
        return Uncertainty(low, high, None, "skewed-student")
    t = (value - neutral) / off.error
    straight = abs(straightened(t, skewness))
    if not low <= neutral <= high and skewness * t < _FLAT:
        # The function is flat there: however far away the value was, p would not be small.
        straight = max(straight, abs(straightened(t, _FLAT / t)))
    return Uncertainty(low, high, 2 * float(stdtr(off.freedom, -straight)), "skewed-student")


def of_logarithm(found: Uncertainty) -> Uncertainty:
    """The interval of what has this interval of its logarithm.

    >>> of_logarithm(Uncertainty(0.0, 1e6, None)).high < math.inf
    True
    """
    # A bound that no number can hold is a very large one.
    low, high = (math.exp(min(bound, _LARGEST_POWER)) for bound in (found.low, found.high))
    return Uncertainty(low, high, found.p, found.method)


def straightened(t: float, skewness: float) -> float:
    """Hall's transformation of t, whose distribution has no skewness left."""
    return t + skewness * t * t / 3 + skewness**2 * t**3 / 27 + skewness / 6


def _back(straight: float, skewness: float) -> float:
    """The t that is transformed to this.

    >>> round(_back(straightened(-1.7, 0.8), 0.8), 9)
    -1.7
    """
    return 3 / skewness * float(np.cbrt(1 + skewness * (straight - skewness / 6)) - 1)
