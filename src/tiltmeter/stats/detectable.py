"""How small a difference a study would still see, and how often it would see one of a given size.

Both rest on the standard error of a pilot and its degrees of freedom. They are for planning: the power of a study at
the difference it found says nothing that its p did not.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.drawing import Array

POWER = 0.8
ALPHA = 0.05
_FARTHEST = 1e4
"""Standard errors within which a difference is looked for."""
_NODES = 400


def power_of(effect: float, error: float, freedom: float, *, alpha: float = ALPHA) -> float:
    """The chance that the two-sided t-test has p < alpha where the true difference is `effect`.

    >>> round(power_of(0.5, 0.2, 29), 3), round(power_of(0.0, 0.2, 29), 3)
    (0.676, 0.05)
    """
    if not error > 0 or not freedom > 0:
        raise ValueError("a standard error and its degrees of freedom are more than 0")
    return _power(min(_FARTHEST, abs(effect) / error), freedom, _checked(alpha, "alpha"))


def minimum_detectable(error: float, freedom: float, *, power: float = POWER, alpha: float = ALPHA) -> float:
    """The smallest true difference that is found with this power.

    >>> round(minimum_detectable(0.2, 29), 4)
    0.5797
    """
    return error * _errors(freedom, power, alpha)


def error_for(effect: float, freedom: float, *, power: float = POWER, alpha: float = ALPHA) -> float:
    """The standard error that is needed to find this difference with this power.

    >>> round(error_for(0.5797, 29), 3)
    0.2
    """
    return abs(effect) / _errors(freedom, power, alpha)


def minimum_detectable_of(found: Estimate, *, power: float = POWER, alpha: float = ALPHA) -> float | None:
    """The smallest true difference that a study like this one finds; None where it has no interval.

    Half the width of its interval over Student's quantile is taken as its standard error.
    """
    error = standard_error_of(found)
    return None if error is None else minimum_detectable(error, found.origins - 1, power=power, alpha=alpha)


def standard_error_of(found: Estimate) -> float | None:
    """The standard error that an interval implies, with one degree of freedom less than there are origins.

    >>> round(standard_error_of(Estimate(0.3, -0.109, 0.709, origins=30)), 3)
    0.2
    """
    from scipy.special import stdtrit

    if found.low is None or found.high is None or found.origins < 2:
        return None
    return (found.high - found.low) / 2 / float(stdtrit(found.origins - 1, (1 + found.level) / 2))


def origins_to_detect(
    effect: float, found: Estimate, *, power: float = POWER, alpha: float = ALPHA, most: int = 100_000
) -> int | None:
    """How many origins a study like this one needs to find this difference; None where no number up to `most` does.

    >>> origins_to_detect(0.5, Estimate(0.3, -0.109, 0.709, origins=30))
    40
    """
    error = standard_error_of(found)
    if error is None or not effect:
        return None
    each = error * math.sqrt(found.origins)

    def enough(origins: int) -> bool:
        return power_of(effect, each / math.sqrt(origins), origins - 1, alpha=alpha) >= _checked(power, "power")

    low, high = 2, most
    if not enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def _errors(freedom: float, power: float, alpha: float) -> float:
    """How many standard errors a difference has to be."""
    from scipy.optimize import brentq

    if not _checked(power, "power") > _checked(alpha, "alpha"):
        raise ValueError(f"a power of {power} is reached without any difference")
    if _power(_FARTHEST, freedom, alpha) <= power:
        raise ValueError(f"with {freedom:g} degrees of freedom no difference is found with a power of {power}")
    return float(brentq(lambda errors: _power(errors, freedom, alpha) - power, 0.0, _FARTHEST, xtol=1e-10))


def _power(errors: float, freedom: float, alpha: float) -> float:
    """The chance of t beyond its border either way, as the mean over what the standard error may have come out as.

    The functions for the noncentral t give NaN here and there; this does not.
    """
    from scipy.special import chdtri, ndtr, stdtrit

    border = float(stdtrit(freedom, 1 - alpha / 2))
    nodes, weights = _quadrature()
    borders = border * np.sqrt(chdtri(freedom, (nodes + 1) / 2) / freedom)
    return float(np.sum(weights * (ndtr(errors - borders) + ndtr(-errors - borders))) / 2)


@cache
def _quadrature() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


def _checked(share: float, name: str) -> float:
    if not 0 < share < 1:
        raise ValueError(f"{name} lies between 0 and 1, not {share}")
    return share
