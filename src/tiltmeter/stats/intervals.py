"""Intervals of what `estimate` does not make: Wilson, Student, expanded percentiles of resamples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 9_999


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """An interval, and a two-sided p-value against the neutral value where there is one."""

    low: float
    high: float
    p: float | None


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
    resampled: NDArray[np.float64], level: float, *, expansion: float, freedom: float
) -> tuple[float, float]:
    """The interval of resampled values."""
    ordered = np.sort(resampled)
    rank = math.floor(expanded_tail(expansion, freedom, level) * (len(ordered) + 1))
    return float(ordered[rank - 1]), float(ordered[-rank])
