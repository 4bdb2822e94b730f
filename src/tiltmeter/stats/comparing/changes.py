"""Before and after in per cent: how much of a mean, or of the ratio of two groups, an intervention took away.

A change is relative to what was there before, so it is withheld where that may be nothing. The other way round it is
the reciprocal: (1 + c/100) · (1 + d/100) = 1, value and bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array, exact_sum
from tiltmeter.stats.cluster_variance import NO_SPREAD
from tiltmeter.stats.comparing.effect_sizes import OriginMeans, Side
from tiltmeter.stats.crossed import Crossed, Influence
from tiltmeter.stats.estimate import estimate
from tiltmeter.stats.estimates import FEWEST_ORIGINS
from tiltmeter.stats.scales import from_logarithm, in_per_cent
from tiltmeter.stats.views.next_words import Place

_SAME = "no interval: the change is the same in every origin"


def per_cent_change(
    strata: Sequence[OriginMeans], mean: Estimate, names: tuple[str, str]
) -> tuple[Estimate | None, str | None]:
    """How many per cent the mean changes from a to b, 100 · (b − a) / a; or None and why it would mean nothing.

    `mean` is that of a: where its interval holds zero, or it has none, nobody can say what the change is a part of. The
    interval is Fieller's. Of a mean below zero, less is nearer to zero. There is no p: the test is the difference's.

    >>> means = OriginMeans(np.array([4.0, 5.0, 6.0, 5.0, 5.0]), np.array([2.0, 3.0, 3.0, 2.0, 2.5]))
    >>> change, _ = per_cent_change([means], Estimate(5.0, 4.1, 5.9, origins=5), ("before", "after"))
    >>> round(change.value, 1), round(change.low, 1), round(change.high, 1)
    (-50.0, -58.9, -41.1)
    """
    before, _ = names
    zero = f"the mean of {before} may be zero: its interval contains it"
    if mean.value is None or mean.low is None or mean.high is None:
        return None, f"the mean of {before} has no interval: nobody can say that it is not zero"
    if mean.low <= 0 <= mean.high:
        return None, zero
    if any(len(stratum.a) < 2 for stratum in strata):
        return None, "a stratum has a single origin, which shows no spread"
    first = math.fsum(stratum.weight * math.fsum(stratum.a) / len(stratum.a) for stratum in strata)
    second = math.fsum(stratum.weight * math.fsum(stratum.b) / len(stratum.b) for stratum in strata)
    ratio = second / first
    found = replace(mean, value=100 * (ratio - 1), low=None, high=None, p=None, p_adjusted=None, note=None)
    rest = [(stratum.weight, stratum.b - ratio * stratum.a) for stratum in strata]
    parts = [weight**2 * float(np.var(values, ddof=1)) / len(values) for weight, values in rest]
    size = max(float(np.max(np.abs(np.append(stratum.a, stratum.b)))) for stratum in strata)
    if math.sqrt(math.fsum(parts)) <= NO_SPREAD * size:
        return replace(found, note=_SAME), None
    below = math.fsum(part**2 / (len(values) - 1) for part, (_, values) in zip(parts, rest, strict=True))
    bounds = _fieller(strata, first, second, math.fsum(parts) ** 2 / below, mean.level)
    if bounds is None:
        return None, zero
    note = f"the mean of {before} is below zero: a change of less than 0 % is towards zero" if first < 0 else None
    return replace(found, low=100 * (bounds[0] - 1), high=100 * (bounds[1] - 1), note=note, method="fieller"), None


def ratio_change(
    before: tuple[Side, Side], after: tuple[Side, Side], *, level: float = 0.95
) -> tuple[Estimate | None, str | None]:
    """How many per cent the ratio of the means of two groups changes; or None and why it would mean nothing.

    Sides are the two groups, and all four number their origins alike: what is the same before and after, or in both
    groups, cancels out. The interval is Student's on the scale of logarithms.

    >>> codes = np.arange(6)
    >>> sides = [Side(np.array(values), codes) for values in (
    ...     [4.0, 5.0, 6.0, 5.0, 4.0, 6.0], [2.0, 3.0, 2.0, 3.0, 2.0, 3.0],
    ...     [3.0, 4.0, 4.0, 4.0, 3.0, 4.5], [2.5, 2.5, 2.0, 3.0, 2.0, 3.0])]
    >>> found, _ = ratio_change((sides[0], sides[1]), (sides[2], sides[3]))
    >>> round(found.value, 2), found.low < found.value < found.high
    (-25.0, True)
    """
    sides = (*before, *after)
    reason = _no_ratio(sides)
    if reason is not None:
        return None, reason
    ratio = (after[0].mean / after[1].mean) / (before[0].mean / before[1].mean)
    n, origins = sum(len(side.values) for side in sides), len(np.unique(np.concatenate([side.codes for side in sides])))
    found = Estimate(100 * (ratio - 1), level=level, n=n, origins=origins)
    logarithm = estimate(
        np.concatenate([side.values for side in sides]),
        np.concatenate([side.codes for side in sides]),
        groups=np.repeat(np.arange(len(sides)), [len(side.values) for side in sides]),
        compare={0: -1.0, 1: 1.0, 2: 1.0, 3: -1.0},
        log=True,
        level=level,
        names=("origins",),
    )
    if logarithm.low is None or logarithm.high is None:
        return replace(found, note=logarithm.note), None
    ends = from_logarithm(logarithm, in_per_cent)
    return replace(found, low=ends.low, high=ends.high, note=ends.note, method=ends.method), None


def _no_ratio(sides: Sequence[Side]) -> str | None:
    """Why the ratio of these means, before or after, says nothing."""
    if any(not len(side.values) for side in sides):
        return "nothing was scored of one of the groups"
    if min(float(side.values.min()) for side in sides) < 0:
        return "there are values below zero"
    if min(side.origins for side in sides) < FEWEST_ORIGINS:
        return f"one of the groups has fewer than {FEWEST_ORIGINS} origins"
    if any(side.mean == 0 for side in sides):
        return "the mean of one of the groups is zero"
    return None


def _fieller(
    strata: Sequence[OriginMeans], first: float, second: float, freedom: float, level: float
) -> tuple[float, float] | None:
    """All ratios r for which b − r·a has an interval that holds zero; None where they have no end."""
    from scipy.special import stdtrit

    square = float(stdtrit(freedom, (1 + level) / 2)) ** 2
    together = sum(stratum.weight**2 * np.cov(stratum.a, stratum.b, ddof=1) / len(stratum.a) for stratum in strata)
    (of_a, both), (_, of_b) = np.asarray(together, dtype=np.float64).tolist()
    # r² (a² − t²V(a)) − 2r (ab − t²C) + (b² − t²V(b)) ≤ 0
    lead, middle, last = first**2 - square * of_a, first * second - square * both, second**2 - square * of_b
    if lead <= 0:
        return None
    root = math.sqrt(max(0.0, middle**2 - lead * last))
    return (middle - root) / lead, (middle + root) / lead


def crossed_change(
    places: Sequence[Place],
    before: Sequence[float | None],
    after: Sequence[float | None],
    mean: Estimate,
    names: tuple[str, str],
) -> tuple[Estimate | None, str | None]:
    """How many per cent the mean over prompts changes from a to b; or None and why it would mean nothing.

    `mean` is that of a, over the prompts that both have scored: where its interval holds zero, or it has none, nobody
    can say what the change is a part of. The interval is that of the ratio, on the scale of logarithms.

    >>> places = [Place(one, other) for one in "abcdef" for other in "uvwxyz"]
    >>> values = [0.4 + 0.01 * number for number in range(36)]
    >>> halves = [value / 2 + 0.01 * (number % 3) for number, value in enumerate(values)]
    >>> found, _ = crossed_change(places, values, halves, Estimate(0.575, 0.5, 0.65), ("before", "after"))
    >>> round(found.value, 1), found.low < found.value < found.high
    (-48.3, True)
    """
    first, _ = names
    if mean.value is None or mean.low is None or mean.high is None:
        return None, f"the mean of {first} has no interval: nobody can say that it is not zero"
    if mean.low <= 0 <= mean.high:
        return None, f"the mean of {first} may be zero: its interval contains it"
    crossed = Crossed([place.profession for place in places], [place.template for place in places], level=mean.level)
    found = crossed.figure((before, after), _log_ratio)
    if found.value is None:
        return None, "the mean changes its sign, or becomes zero"
    return replace(from_logarithm(found, in_per_cent), p=None), None


def _log_ratio(before: Array, after: Array) -> Influence | None:
    one, other = (exact_sum(values) / len(values) for values in (before, after))
    if one * other <= 0:
        return None
    value = math.log(other / one)
    return Influence(value, value + after / other - before / one)
