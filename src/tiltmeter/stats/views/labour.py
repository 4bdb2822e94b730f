"""Whether what a model expects of occupations follows the world: correlation, slope, and how far above or below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.agreement.correlation import FEWEST, rank_correlation
from tiltmeter.stats.estimates import adjust, estimate
from tiltmeter.stats.scales import SIGNED, cut_off


@dataclass(frozen=True, slots=True)
class AgainstWorld:
    """The model's share of a group, by occupation, against the share of that group who work in it."""

    spearman: Estimate
    pearson: Estimate
    slope: Estimate
    """By how much the model's share grows where the world's grows by 1; p is against 0."""
    intercept: float | None
    above: Estimate
    """The mean of the model's share minus the world's: above 0, the model expects the group more often than it is."""

    @property
    def n_comparisons(self) -> int:
        """Over how many p-values they were adjusted together."""
        return sum(each.p is not None for each in (self.spearman, self.pearson, self.slope, self.above))

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The figures that have an interval, by name."""
        return {"spearman": self.spearman, "pearson": self.pearson, "slope": self.slope, "above": self.above}

    def as_json(self) -> dict[str, Any]:
        """The five figures, and over how many p-values they were adjusted."""
        figures = {name: found.as_json() for name, found in self.estimates.items()}
        return {**figures, "intercept": self.intercept, "n_comparisons": self.n_comparisons}


def against_world(model: Sequence[float | None], world: Sequence[float | None], *, level: float = 0.95) -> AgainstWorld:
    """Compare two shares over the same occupations; an occupation with one of them only is unscored.

    The p-values are adjusted together.

    >>> found = against_world([0.1, 0.3, 0.4, 0.6, 0.7, 0.9], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    >>> round(found.slope.value, 3), round(found.intercept, 3), found.spearman.value
    (0.771, 0.114, 1.0)
    """
    gaps = [None if one is None or other is None else one - other for one, other in zip(model, world, strict=True)]
    slope, intercept = _slope(model, world, level)
    found = adjust(
        {
            "spearman": rank_correlation(model, world, level=level),
            "pearson": _pearson(model, world, level),
            "slope": slope,
            "above": cut_off(estimate(gaps, neutral=0.0, level=level), SIGNED),
        }
    )
    return AgainstWorld(intercept=intercept, **found)


def _both(model: Sequence[float | None], world: Sequence[float | None], level: float) -> tuple[np.ndarray, Estimate]:
    pairs = [(one, other) for one, other in zip(model, world, strict=True) if one is not None and other is not None]
    n = len(pairs)
    return np.array(pairs, dtype=np.float64).reshape(n, 2), Estimate(
        None, level=level, n=n, n_unscored=len(model) - n, origins=n
    )


def _pearson(model: Sequence[float | None], world: Sequence[float | None], level: float) -> Estimate:
    """Pearson's correlation with Fisher's interval."""
    from scipy.special import ndtr, ndtri

    pairs, found = _both(model, world, level)
    if found.n < 3 or float(np.ptp(pairs, axis=0).min()) == 0:
        reason = "fewer than 3 common values" if found.n < 3 else "the values of one side are all the same"
        return replace(found, note=f"no correlation: {reason}")
    value = min(1.0, max(-1.0, float(np.corrcoef(pairs.T)[0, 1])))
    found = replace(found, value=value)
    if found.n < FEWEST or abs(value) == 1:
        return replace(found, note=f"no interval: fewer than {FEWEST} common values, or all on one line")
    z, error = math.atanh(value), 1 / math.sqrt(found.n - 3)
    half = float(ndtri((1 + level) / 2)) * error
    p = 2 * float(ndtr(-abs(z) / error))
    return replace(found, low=math.tanh(z - half), high=math.tanh(z + half), p=p, method="fisher-z")


def _slope(model: Sequence[float | None], world: Sequence[float | None], level: float) -> tuple[Estimate, float | None]:
    """Least squares of the model on the world, with the standard error HC3, which lets the spread differ."""
    from scipy.special import stdtr, stdtrit

    pairs, found = _both(model, world, level)
    if found.n < 3 or float(np.ptp(pairs[:, 1])) == 0:
        return replace(found, note="no slope: fewer than 3 common values, or no spread in the world's"), None
    y, x = pairs.T
    centred = x - x.mean()
    squares = float(centred @ centred)
    value = float(centred @ y) / squares
    intercept = float(y.mean() - value * x.mean())
    found = replace(found, value=value)
    if found.n < FEWEST:
        return replace(found, note=f"no interval: fewer than {FEWEST} common values"), intercept
    leverage = 1 / found.n + centred**2 / squares
    residuals = (y - intercept - value * x) / np.maximum(1 - leverage, 1e-9)
    error = math.sqrt(float((centred**2) @ (residuals**2))) / squares
    if error <= 1e-12:
        return replace(found, note="no interval: all values lie on one line"), intercept
    freedom = found.n - 2
    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    p = 2 * float(stdtr(freedom, -abs(value) / error))
    return replace(found, low=value - half, high=value + half, p=p, method="student"), intercept
