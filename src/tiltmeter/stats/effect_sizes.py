"""How large a difference is, apart from how sure: standardised differences and dominance.

Each has an interval that knows of origins: its influence values, one for each row, are averaged like any other value,
and whole origins are left out in turn (`clustered`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.clustered import NO_SPREAD, Codes, error_of, left_out
from tiltmeter.stats.drawing import Array
from tiltmeter.stats.estimates import FEWEST_ORIGINS
from tiltmeter.stats.intervals import student

ALL_THE_SAME = "no value: there is no spread to measure it by"


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The scored values of one of two sides, and the number of the origin of each; both sides number them alike."""

    values: Array
    codes: Codes

    @property
    def mean(self) -> float:
        """The mean over values."""
        return math.fsum(self.values) / len(self.values)

    @property
    def variance(self) -> float:
        """The mean square about the mean."""
        return math.fsum((self.values - self.mean) ** 2) / len(self.values)

    @property
    def origins(self) -> int:
        """How many origins it has."""
        return len(np.unique(self.codes))


@dataclass(frozen=True, slots=True, eq=False)
class OriginMeans:
    """The means of origins of one stratum under a and under b, in the same order, and the weight of the stratum."""

    a: Array
    b: Array
    weight: float = 1.0

    @property
    def gaps(self) -> Array:
        """The differences of the origins."""
        return self.a - self.b


def paired_standardised(strata: Sequence[OriginMeans], counts: Estimate) -> Estimate:
    """The mean difference in standard deviations of the origins' differences (d_z), pooled within strata.

    `counts` is the difference itself, whose numbers it keeps; where that has no interval, neither has this.

    >>> means = OriginMeans(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.zeros(5))
    >>> round(paired_standardised([means], Estimate(3.0, 1.0, 5.0)).value, 4)
    1.8974
    """
    found = replace(counts, value=None, low=None, high=None, p=None, p_adjusted=None)
    origins = sum(len(stratum.gaps) for stratum in strata)
    freedom = origins - len(strata)
    centred = [stratum.gaps - math.fsum(stratum.gaps) / len(stratum.gaps) for stratum in strata]
    squares = math.fsum(square for gaps in centred for square in gaps**2)
    size = max((float(np.max(np.abs(stratum.gaps))) for stratum in strata), default=0.0)
    if freedom < 1 or counts.value is None or squares <= (NO_SPREAD * size) ** 2 * origins:
        return replace(found, note=ALL_THE_SAME)
    spread = math.sqrt(squares / freedom)
    found = replace(found, value=counts.value / spread)
    if counts.low is None:
        return replace(found, note=counts.note)
    parts, start = [], 0
    for stratum, gaps in zip(strata, centred, strict=True):
        # Less its own mean, for only how the rows differ counts.
        rows = stratum.weight * gaps / spread - _bend(found.value or 0.0, gaps / spread) * len(gaps) / origins
        parts.append((1.0, [left_out(rows, np.arange(start, start + len(gaps)), origins)]))
        start += len(gaps)
    off = error_of(parts)
    result = student(found.value or 0.0, off.error, off.freedom, None, counts.level)
    return replace(found, low=result.low, high=result.high, note=None, method=result.method)


def hedges_g(a: Side, b: Side, *, level: float = 0.95) -> Estimate:
    """The difference of means in pooled standard deviations of the values, corrected for small samples.

    >>> one, other = (Side(np.array(values), np.arange(5)) for values in ([2.0, 4, 5, 6, 8], [1.0, 3, 4, 5, 7]))
    >>> round(hedges_g(one, other).value, 4)
    0.4039
    """
    found = _counted(a, b, level)
    n = len(a.values) + len(b.values)
    if not len(a.values) or not len(b.values):
        return replace(found, note="nothing was scored of one side")
    squares = len(a.values) * a.variance + len(b.values) * b.variance
    size = float(max(np.max(np.abs(a.values)), np.max(np.abs(b.values))))
    if n < 3 or squares <= (NO_SPREAD * size) ** 2 * n:
        return replace(found, note=ALL_THE_SAME)
    spread = math.sqrt(squares / (n - 2))
    correction = 1 - 3 / (4 * (n - 2) - 1)
    plain = (a.mean - b.mean) / spread
    rows = [
        sign * (side.values - side.mean) / spread
        - _bend(plain, (side.values - side.mean) / spread) * len(side.values) / n
        for side, sign in ((a, 1.0), (b, -1.0))
    ]
    return _with_interval(replace(found, value=correction * plain), [correction * each for each in rows], a, b)


def cliffs_delta(a: Side, b: Side, *, level: float = 0.95) -> Estimate:
    """How much more often a value of a is above one of b than below it: −1 to 1, 0 where neither side is higher.

    >>> cliffs_delta(Side(np.array([1.0, 2.0, 3.0]), np.arange(3)), Side(np.array([0.0, 2.0]), np.arange(2))).value
    0.5
    """
    found = _counted(a, b, level)
    if not len(a.values) or not len(b.values):
        return replace(found, note="nothing was scored of one side")
    rows = [_dominance(a.values, b.values), -_dominance(b.values, a.values)]
    value = math.fsum(rows[0]) / len(rows[0])
    found = _with_interval(replace(found, value=value), rows, a, b)
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(-1.0, found.low), high=min(1.0, found.high))


def _bend(value: float, centred: Array) -> Array:
    """How far each row moves a standardised difference by moving the spread it is measured by."""
    squares = centred**2
    rows: Array = value / 2 * (squares - math.fsum(squares) / len(squares))
    return rows


def _dominance(values: Array, others: Array) -> Array:
    """For each value the share of others below it minus the share above."""
    ordered = np.sort(others)
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    shares: Array = (below - (len(others) - up_to)) / len(others)
    return shares


def _counted(a: Side, b: Side, level: float) -> Estimate:
    origins = len(np.union1d(a.codes, b.codes))
    return Estimate(None, level=level, n=len(a.values) + len(b.values), origins=origins)


def _with_interval(found: Estimate, rows: Sequence[Array], a: Side, b: Side) -> Estimate:
    """Student's interval of a figure that moves with the means of these rows."""
    if min(a.origins, b.origins) < FEWEST_ORIGINS:
        return replace(found, note=f"no interval: fewer than {FEWEST_ORIGINS} origins of one side")
    clusters = int(max(a.codes.max(), b.codes.max())) + 1
    off = error_of([(1.0, [left_out(each, side.codes, clusters)]) for each, side in zip(rows, (a, b), strict=True)])
    if off.error <= NO_SPREAD:
        return replace(found, note="no interval: there is no spread at all between origins")
    result = student(found.value or 0.0, off.error, off.freedom, None, found.level)
    return replace(found, low=result.low, high=result.high, method=result.method)
