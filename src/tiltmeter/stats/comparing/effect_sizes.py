"""How large a difference is, apart from how sure: standardised differences and dominance.

Each has an interval that knows of origins: its influence values, one for each row, are averaged like any other value,
and `estimate` says how far that may be off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array, Codes
from tiltmeter.stats.cluster_variance import NO_SPREAD
from tiltmeter.stats.estimate import estimate

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
    value = found.value or 0.0
    rows = [
        # How far each row moves the value, times the strata, whose mean is taken.
        len(strata) * (stratum.weight * gaps / spread - _bend(value, gaps / spread) * len(gaps) / origins)
        for stratum, gaps in zip(strata, centred, strict=True)
    ]
    of_strata = np.repeat(np.arange(len(strata)), [len(each) for each in rows])
    moved = estimate(np.concatenate(rows), np.arange(origins), balanced_over=of_strata.tolist(), level=counts.level)
    if moved.low is None or moved.high is None:
        return replace(found, note=moved.note)
    return replace(found, low=value + moved.low, high=value + moved.high, note=counts.note, method=moved.method)


def _bend(value: float, centred: Array) -> Array:
    """How far each row moves a standardised difference by moving the spread it is measured by."""
    squares = centred**2
    rows: Array = value / 2 * (squares - math.fsum(squares) / len(squares))
    return rows
