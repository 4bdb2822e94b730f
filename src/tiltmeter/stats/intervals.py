"""Intervals of what `estimate` does not make: Wilson, Student, expanded percentiles of resamples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import IntervalMethod

RESAMPLES = 9_999


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """An interval, and a two-sided p-value against the neutral value where there is one."""

    low: float
    high: float
    p: float | None
    method: IntervalMethod = "student"


def wilson(share: float, trials: float, level: float) -> tuple[float, float]:
    """Wilson's interval for a share: never empty, never outside 0–1, also where the share is 0 or 1.

    >>> [round(bound, 4) for bound in wilson(0.5, 10, 0.95)]
    [0.2366, 0.7634]
    """
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # The exact bounds at a share of 0 and 1 are 0 and 1; rounding would put them a hair inside or outside.
    return (0.0 if share == 0 else max(0.0, centre - half)), (1.0 if share == 1 else min(1.0, centre + half))


def student(value: float, error: float, freedom: float, neutral: float | None, level: float) -> Uncertainty:
    """Student's interval of a value with a standard error.

    >>> found = student(1.0, 0.5, 4, 0.0, 0.95)
    >>> round(found.low, 3), round(found.high, 3), round(found.p, 3)
    (-0.388, 2.388, 0.116)
    """
    from scipy.special import stdtr, stdtrit

    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    p = None if neutral is None else 2 * float(stdtr(freedom, -abs(value - neutral) / error))
    return Uncertainty(value - half, value + half, p)


def expanded_tail(expansion: float, freedom: float, level: float) -> float:
    """The share of resamples to cut off at each end of an expanded percentile interval (Hesterberg 2015).

    Plain percentiles are too narrow for few origins, twice over: a resample varies less than the sample by
    (k − 1)/k, and the normal quantile stands where Student's belongs. This mends both.

    >>> round(expanded_tail(math.sqrt(20 / 19), 19, 0.95), 4)
    0.0159
    """
    from scipy.special import ndtr, stdtrit

    return float(ndtr(-expansion * stdtrit(freedom, (1 + level) / 2)))


def expanded_percentiles(
    resampled: NDArray[np.float64],
    neutral: float | None,
    level: float,
    *,
    scale: float,
    expansion: float,
    freedom: float,
) -> Uncertainty:
    """The interval and p of resampled values; `scale` is the size of the values, against which rounding is small.

    The bounds are order statistics, so that p < 1 − level exactly where the interval excludes `neutral`.
    """
    from scipy.special import ndtri, stdtr

    resampled = np.sort(resampled)
    if neutral is not None:
        # A value that is neutral but for rounding is neutral.
        resampled[np.abs(resampled - neutral) <= 1e-12 * max(abs(neutral), scale)] = neutral
        resampled.sort()
    rank = math.floor(expanded_tail(expansion, freedom, level) * (len(resampled) + 1))
    low, high = float(resampled[rank - 1]), float(resampled[-rank])
    if neutral is None:
        return Uncertainty(low, high, None, "bootstrap")
    below, above = int(np.sum(resampled <= neutral)), int(np.sum(resampled >= neutral))
    tail = min(0.5, (1 + min(below, above)) / (len(resampled) + 1))
    return Uncertainty(low, high, 2 * float(stdtr(freedom, float(ndtri(tail)) / expansion)), "bootstrap")
