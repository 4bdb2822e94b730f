"""How far means of chances may be off that differ from prompt to prompt by orders of magnitude.

After natural sentences most chances of a pronoun are a hundredth and a few are a tenth, and those few decide the mean.
Prompts that happen to have none of them show neither how large the mean is nor how far it may be off, and no interval
that looks at their values alone can know. On the scale of log-odds such chances are spread evenly. So every prompt is
taken for what it and its like would have had: its log-odds with a normal spread about them, as wide as the rule of
thumb for densities says (Silverman 1986, section 3.4.2). The variance is that of these, and never less than that seen.

A mean of chances has its interval on the scale of logarithms, since it is skewed and never negative. That of a
difference is put together from those of the two means and their correlation (Zou and Donner 2008), so that its longer
side is that of the larger mean. `docs/calibration.md` says how often they hold the truth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from tiltmeter.stats.arrays import Array, Codes
from tiltmeter.stats.cluster_variance import NO_SPREAD
from tiltmeter.stats.intervals import Uncertainty

_BANDWIDTH = 0.95
"""Times the spread over the fifth root of the number of origins; the rule has 0.9 or 1.06."""
_NODES = 5
_QUARTILES = 1.349
"""The distance of the quartiles of a normal distribution, in standard deviations."""
_FARTHEST = 1e6
"""Standard errors; whatever is farther off than that has a p of zero."""
_LARGEST_POWER = 100.0
"""No chance is that many powers of e above another: beyond, squares would overflow."""


@dataclass(frozen=True, slots=True)
class ProbabilityErrors:
    """Two means of chances, and the standard errors of their logarithms and of the logarithm of their ratio."""

    above: float
    below: float
    of_above: float
    of_below: float
    of_ratio: float
    freedom: float

    def difference(self, level: float) -> Uncertainty:
        """The interval of the one mean minus the other; p < 1 − level exactly where it excludes 0."""
        from scipy.special import stdtr, stdtrit

        low, high = self._bounds(float(stdtrit(self.freedom, (1 + level) / 2)))
        return Uncertainty(low, high, 2 * float(stdtr(self.freedom, -self._reach())))

    def _bounds(self, errors: float) -> tuple[float, float]:
        """So many standard errors below and above the difference."""
        sides = ((self.above, self.of_above), (self.below, self.of_below))
        (down_a, up_a), (down_b, up_b) = (
            (-mean * math.expm1(-errors * off), mean * math.expm1(min(errors * off, _LARGEST_POWER)))
            for mean, off in sides
        )
        value = self.above - self.below
        return value - self._joined(down_a, up_b), value + self._joined(up_a, down_b)

    def _joined(self, one: float, other: float) -> float:
        """The length of the two together, which vary together."""
        size = max(one, other) or 1.0
        one, other = one / size, other / size  # squares of the smallest chances would be zero
        return size * math.sqrt(max(0.0, one**2 + other**2 - 2 * self._correlation * one * other))

    @property
    def _correlation(self) -> float:
        variances = self.of_above**2, self.of_below**2
        product = 2 * self.of_above * self.of_below
        found = (math.fsum(variances) - self.of_ratio**2) / product if product else 0.0
        return min(1.0, max(-1.0, found))

    def _reach(self) -> float:
        """How many standard errors away from the difference zero lies."""
        from scipy.optimize import brentq

        if self.above == self.below:
            return 0.0

        def short(errors: float) -> float:
            """What the bound on the side of zero still lacks to it."""
            low, high = self._bounds(errors)
            return low if self.above > self.below else -high

        return float(brentq(short, 0.0, _FARTHEST)) if short(_FARTHEST) < 0 else _FARTHEST


def probability_errors(above: Array, below: Array, origins: Codes) -> ProbabilityErrors | None:
    """The errors of the means of two chances of each prompt; prompts of the same origin hang together.

    None of values that are no chances, where a mean is zero, and where there is no spread.

    >>> found = probability_errors(np.array([0.01, 0.02, 0.16]), np.array([0.02, 0.01, 0.03]), np.arange(3))
    >>> round(found.above, 6), round(found.of_above, 3), round(found.of_ratio, 3), found.freedom
    (0.063333, 0.986, 0.771, 2.0)
    """
    sides = np.array([above, below])
    if sides.min() < 0 or sides.max() > 1 or not sides.mean(axis=1).all():
        return None
    prompts = np.bincount(origins)
    means = np.array([np.bincount(origins, side) for side in sides])[:, prompts > 0] / prompts[prompts > 0]
    weights = prompts[prompts > 0] / len(origins)
    seen = _variances(means[..., np.newaxis], np.ones(1), weights)
    if min(seen[:2]) <= NO_SPREAD**2 or seen[2] <= NO_SPREAD**2:
        return None
    variances = np.maximum(seen, _variances(*_spread_out(means), weights))
    one, other = (means @ weights).tolist()
    of_one, of_other, of_ratio = np.sqrt(variances).tolist()
    return ProbabilityErrors(one, other, of_one, of_other, of_ratio, len(weights) - 1.0)


def _variances(chances: Array, nodes: Array, weights: Array) -> Array:
    """Of the logarithms of the two means, and of that of their ratio, as the jackknife over origins has them.

    The axes of the chances: side, origin, and what the chance of an origin may be, with the weights of these.
    """
    one, other = chances / ((chances @ nodes) @ weights)[:, np.newaxis, np.newaxis]
    moved = np.array([one - 1, other - 1, one - other])
    falls = (weights / (1 - weights)) ** 2
    found: Array = ((moved**2 @ nodes) @ falls) * (len(weights) - 1) / len(weights)
    return found


def _spread_out(means: Array) -> tuple[Array, Array]:
    """What the chances of each origin may be, its log-odds with a normal spread, and how likely each of these is."""
    from scipy.special import expit, logit

    odds = logit(np.array([_inside(side) for side in means]))
    widths = np.array([_BANDWIDTH * len(side) ** -0.2 * _width(side) for side in odds])[:, np.newaxis]
    with np.errstate(invalid="ignore"):
        together = float(np.clip(np.nan_to_num(np.corrcoef(odds)[0, 1]), -1.0, 1.0))
    (first, second), weights = _normal()
    # The same on both sides, so that exchanging them changes nothing else.
    same, turned = math.sqrt(1 + together) / 2, math.sqrt(1 - together) / 2
    own, its = same + turned, same - turned
    steps = np.array([own * first + its * second, its * first + own * second])
    spread: Array = expit(odds[..., np.newaxis] + widths[..., np.newaxis] * steps[:, np.newaxis])
    return spread, weights


def _inside(chances: Array) -> Array:
    """The same with finite log-odds: none at all is the smallest that there is, certain the largest."""
    open_ = chances[(chances > 0) & (chances < 1)]
    return np.clip(chances, open_.min(), open_.max()) if len(open_) else np.full_like(chances, 0.5)


def _width(odds: Array) -> float:
    """The standard deviation, or that of a normal distribution with these quartiles where it is smaller."""
    low, high = np.quantile(odds, [0.25, 0.75])
    deviation = float(np.std(odds, ddof=1))
    return min(deviation, float(high - low) / _QUARTILES) or deviation


@cache
def _normal() -> tuple[Array, Array]:
    """Places and weights that stand for two independent normal values (Gauss and Hermite)."""
    places, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    first, second = np.meshgrid(places, places, indexing="ij")
    share = np.outer(weights, weights).ravel()
    return np.array([first.ravel(), second.ravel()]), share / share.sum()
