"""How small a difference a study would still see, and how often it would see one of a given size.

Both rest on the standard error of a pilot and its degrees of freedom. They are for planning: the power of a study at
the difference it found says nothing that its p did not.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array

POWER = 0.8
ALPHA = 0.05
_FARTHEST = 1e4
"""Standard errors within which a difference is looked for."""
_NODES = 400


def minimum_detectable(error: float, freedom: float, *, power: float = POWER, alpha: float = ALPHA) -> float:
    """The smallest true difference that is found with this power.

    >>> round(minimum_detectable(0.2, 29), 4)
    0.5797
    """
    return error * _errors(freedom, power, alpha)


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


def pass_probability(
    error: float, freedom: float, tolerance: float, *, alpha: float = ALPHA, either: bool = False
) -> float:
    """The probability that a limit at 1 − alpha stays below a tolerance if there is no difference at all.

    With `either` limits on both sides do, each at 1 − alpha.

    >>> round(pass_probability(0.01, 39, 0.03), 3), round(pass_probability(0.01, 39, 0.03, either=True), 3)
    (0.904, 0.807)
    """
    from scipy.special import ndtr

    if not error:
        return 1.0
    rooms = tolerance / error - _borders(freedom, alpha)
    found = ndtr(rooms) if not either else np.where(rooms > 0, ndtr(rooms) - ndtr(-rooms), 0.0)
    _, weights = _quadrature()
    return float(np.sum(weights * found) / 2)


def _errors(freedom: float, power: float, alpha: float) -> float:
    """How many standard errors a difference has to be."""
    from scipy.optimize import brentq

    if not _checked(power, "power") > _checked(alpha, "alpha"):
        raise ValueError(f"a power of {power} is reached without any difference")
    if _power(_FARTHEST, freedom, alpha) <= power:
        raise ValueError(f"with {freedom:g} degrees of freedom no difference is found with a power of {power}")
    return float(brentq(lambda errors: _power(errors, freedom, alpha) - power, 0.0, _FARTHEST, xtol=1e-10))


def _power(errors: float, freedom: float, alpha: float) -> float:
    """The probability of t beyond its border either way, as the mean over what the standard error may have come out as.

    The functions for the noncentral t give NaN here and there; this does not.
    """
    from scipy.special import ndtr

    borders, (_, weights) = _borders(freedom, alpha / 2), _quadrature()
    return float(np.sum(weights * (ndtr(errors - borders) + ndtr(-errors - borders))) / 2)


def _borders(freedom: float, alpha: float) -> Array:
    """Student's quantile in true standard errors, for what the standard error may have come out as."""
    from scipy.special import chdtri, stdtrit

    nodes, _ = _quadrature()
    border = float(stdtrit(freedom, 1 - alpha))
    found: Array = border * np.sqrt(chdtri(freedom, (nodes + 1) / 2) / freedom)
    return found


@cache
def _quadrature() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


def _checked(share: float, name: str) -> float:
    if not 0 < share < 1:
        raise ValueError(f"{name} lies between 0 and 1, not {share}")
    return share
