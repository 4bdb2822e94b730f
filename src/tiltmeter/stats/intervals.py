"""Intervals and p-values from the means of independent origins: Wilson, cluster t, cluster bootstrap.

`docs/statistics.md` says in words what each does and how often each covers the truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import IntervalMethod
from tiltmeter.stats.drawing import CHUNK, kept_draws

RESAMPLES = 9_999
_PAIRS = (RESAMPLES - 1) // 2
_KEPT_ORIGINS = 512
"""Draws of so many origins are kept for the next mean over as many: the same seed draws the same."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """The means of the origins of one stratum, sorted, and the weight of the stratum in the whole."""

    means: tuple[float, ...]
    weight: float

    @property
    def mean(self) -> float:
        """The mean over origins."""
        return math.fsum(self.means) / len(self.means)


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """An interval, and a two-sided p-value against the neutral value where there is one."""

    low: float
    high: float
    p: float | None
    method: IntervalMethod = "student"


def weighted_mean(strata: Sequence[Stratum]) -> float:
    """The weighted mean of the strata's means.

    >>> weighted_mean([Stratum((0.0, 1.0), 0.5), Stratum((1.0, 1.0), 0.5)])
    0.75
    """
    return math.fsum(stratum.weight * stratum.mean for stratum in strata)


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


def exact_binomial(share: float, trials: int, neutral: float) -> float:
    """Two-sided exact p of a share against a neutral share: twice the smaller tail.

    Ties are half a success each. Where that leaves a fraction of a success, it counts on the neutral side,
    which can only make p larger.

    >>> exact_binomial(0.0, 5, 0.5)
    0.0625
    """
    from scipy.special import bdtr

    successes, expected = share * trials, neutral * trials
    # A product that should be whole may be off by rounding; a real fraction is never this close.
    whole = round(successes)
    if abs(successes - whole) > 1e-9 * max(1, trials):
        whole = math.ceil(successes) if successes < expected else math.floor(successes)
    lower = float(bdtr(whole, trials, neutral))
    upper = float(bdtr(trials - whole, trials, 1 - neutral))
    return min(1.0, 2 * min(lower, upper))


def standard_error(strata: Sequence[Stratum]) -> tuple[float, float]:
    """Standard error of the weighted mean, and its degrees of freedom (Satterthwaite; k − 1 for one stratum).

    >>> standard_error([Stratum((0.0, 0.5, 1.0, 0.5, 0.5), 1.0)])
    (0.15811388300841897, 4.0)
    """
    # Scaled first, so that squares of very small or very large values neither vanish nor overflow.
    scale = max(abs(mean) for stratum in strata for mean in stratum.means) or 1.0
    parts = [
        (stratum.weight**2 * float(np.var(np.array(stratum.means) / scale, ddof=1)) / len(stratum.means), stratum)
        for stratum in strata
    ]
    variance = math.fsum(part for part, _ in parts)
    if variance == 0:
        return 0.0, float(sum(len(stratum.means) - 1 for stratum in strata))
    below = math.fsum((part / variance) ** 2 / (len(stratum.means) - 1) for part, stratum in parts)
    return scale * math.sqrt(variance), 1 / below


def cluster_t(strata: Sequence[Stratum], neutral: float | None, level: float) -> Uncertainty:
    """Student's t on the origin means."""
    error, freedom = standard_error(strata)
    return student(weighted_mean(strata), error, freedom, neutral, level)


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


def can_resample(strata: Sequence[Stratum], level: float) -> bool:
    """Whether at least one resample would be cut off at each end."""
    _, freedom = standard_error(strata)
    return expanded_tail(_expansion(strata), freedom, level) * (RESAMPLES + 1) >= 1


def cluster_bootstrap(strata: Sequence[Stratum], neutral: float | None, level: float, seed: int) -> Uncertainty:
    """Expanded percentile interval over resampled origins, and the p-value that inverts it.

    Needs `can_resample`.
    """
    resampled = resample(strata, seed)
    scale = max(abs(mean) for stratum in strata for mean in stratum.means)
    _, freedom = standard_error(strata)
    return expanded_percentiles(resampled, neutral, level, scale=scale, expansion=_expansion(strata), freedom=freedom)


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


def resample(strata: Sequence[Stratum], seed: int) -> NDArray[np.float64]:
    """The weighted mean of each resample: origins drawn with replacement within their stratum.

    Draws come in mirrored pairs (the i-th smallest origin for the i-th largest), so that turning all values round
    turns the interval round and changes nothing else; the sample itself makes the number odd.
    """
    sizes = tuple(len(stratum.means) for stratum in strata)
    if sum(sizes) <= _KEPT_ORIGINS:
        means = np.zeros((2, _PAIRS))
        for stratum, counts in zip(strata, kept_draws(seed, _PAIRS, sizes), strict=True):
            for side, ordered in enumerate(np.array([stratum.means, stratum.means[::-1]])):
                means[side] += stratum.weight / len(ordered) * (counts @ ordered)
    else:
        means = _drawn_at_once(strata, seed)
    return np.append(means.ravel(), weighted_mean(strata))


def _drawn_at_once(strata: Sequence[Stratum], seed: int) -> NDArray[np.float64]:
    """The same where there are too many origins for the draws to be kept."""
    generator = np.random.default_rng(seed)
    means = np.zeros((2, _PAIRS))
    for stratum in strata:
        values = np.array(stratum.means)
        rows = max(1, CHUNK // len(values))
        for start in range(0, _PAIRS, rows):
            drawn = generator.integers(0, len(values), size=(min(rows, _PAIRS - start), len(values)))
            for side, ordered in enumerate((values, values[::-1])):
                means[side, start : start + rows] += stratum.weight * ordered[drawn].mean(axis=1)
    return means


def _expansion(strata: Sequence[Stratum]) -> float:
    """How much wider the sampling distribution is than that of resamples: √(k/(k−1)) for one stratum."""
    unbiased, _ = standard_error(strata)
    shrunk = math.fsum(
        stratum.weight**2 * float(np.var(np.array(stratum.means) / unbiased)) / len(stratum.means) for stratum in strata
    )
    return 1 / math.sqrt(shrunk)
