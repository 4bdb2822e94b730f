"""Means that are uncertain in two ways at once: other origins, and other structures.

Resampling origins alone asks: other verb phrases, the same hundred structures. Where every structure meets every
origin, both are a sample of what could have been asked. `clustered` has the arithmetic. Drawing both with replacement
(the pigeonhole bootstrap) would count the noise of the cells three times: see docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.clustered import NO_SPREAD, LeftOut, cells_of, error_of, left_out, sorted_codes
from tiltmeter.stats.drawing import Array
from tiltmeter.stats.estimates import FEWEST_ORIGINS, adjust
from tiltmeter.stats.intervals import Uncertainty
from tiltmeter.stats.pooled import NEAR_END, Pooled, may_be_zero
from tiltmeter.stats.scales import Bounds, apart, cut_off
from tiltmeter.stats.shares import near_end
from tiltmeter.stats.skewed import Error, of_logarithm, skewed_student

if TYPE_CHECKING:
    from tiltmeter.stats.continuations import RatedItem

FEW_STRUCTURES = f"fewer than {FEWEST_ORIGINS} structures"


def two_way(
    items: Sequence[RatedItem],
    pairs: Sequence[tuple[str, str]],
    level: float = 0.95,
    scale: Bounds | None = None,
) -> dict[tuple[str, str], Estimate]:
    """The difference of each two groups with an interval both ways, and none where that cannot be had.

    p-values are adjusted together.
    """
    pooled = Pooled([(item.group, item.value, item.origin) for item in items], level=level, scale=scale)
    both = BothWays(items, pooled, level, scale)
    found = {(a, b): both.strictly(a, b) for a, b in pairs}
    adjusted = adjust({str(place): each for place, each in enumerate(found.values())})
    return dict(zip(found, adjusted.values(), strict=True))


class BothWays:
    """The estimates of `over_origins` with an interval both ways, wherever there are enough structures.

    A text without an origin, or without a structure, is its own. `scale` is known, not seen from the values.
    """

    def __init__(
        self, items: Sequence[RatedItem], over_origins: Pooled, level: float = 0.95, scale: Bounds | None = None
    ) -> None:
        self._one, self._level, self._scale = over_origins, level, scale
        texts = [item for item in items if item.value is not None and item.rated]
        groups = np.array([item.group for item in texts])
        values = np.array([item.value for item in texts], dtype=np.float64)
        origins = sorted_codes([item.origin or None for item in texts])
        structures = sorted_codes([item.structure for item in texts])
        # In an order that is not that of the file; structures last, so that their names show in no sum's last digit.
        order = np.lexsort((structures, values, origins, groups))
        groups, values, origins, structures = groups[order], values[order], origins[order], structures[order]
        self._values: dict[str, Array] = {}
        self._ways: dict[str, list[LeftOut]] = {}
        ways = (origins, structures, cells_of(origins, structures))
        for group in dict.fromkeys(groups.tolist()):
            mine = groups == group
            self._values[group] = values[mine]
            self._ways[group] = [left_out(values[mine], codes[mine], int(codes.max()) + 1) for codes in ways]

    def mean(self, group: str) -> Estimate:
        """The mean over the texts of a group."""
        made = self._uncertain({group: 1.0}, self._one.value(group), None)
        if isinstance(made, str):
            return self._alone(self._one.mean(group), made)
        found, (interval, off) = self._one.counted(group), made
        if self._scale is None:
            return replace(found, low=interval.low, high=interval.high, method=interval.method)
        clusters = 1 / math.fsum(1 / way.effective for way in self._ways[group][:2])
        bounds = near_end(self._values[group].tolist(), off.error**2, off.freedom, clusters, self._scale, self._level)
        if bounds is not None:
            return replace(found, low=bounds[0], high=bounds[1], note=NEAR_END, method="wilson")
        low, high = max(interval.low, self._scale[0]), min(interval.high, self._scale[1])
        return replace(found, low=low, high=high, method=interval.method)

    def difference(self, a: str, b: str) -> Estimate:
        """The mean of group a minus that of group b; p is against no difference."""
        found = self.strictly(a, b)
        return found if found.low is not None else self._alone(self._one.difference(a, b), found.note or "")

    def strictly(self, a: str, b: str) -> Estimate:
        """The same, without an interval where it cannot be had both ways."""
        found = self._one.gap(a, b)
        made = self._uncertain({a: 1.0, b: -1.0}, found.value, 0.0)
        if isinstance(made, str):
            return replace(found, note=found.note or f"no interval: {made}")
        interval, _ = made
        made_of = replace(found, low=interval.low, high=interval.high, p=interval.p, method=interval.method)
        return cut_off(made_of, apart(self._scale))

    def ratio(self, a: str, b: str) -> tuple[Estimate | None, str | None]:
        """The mean of a over the mean of b, on the scale of logarithms; or None and why it would mean nothing."""
        found, withheld = self._one.ratio(a, b)
        first, second = self._one.value(a), self._one.value(b)
        if found is None or not first or not second:
            return found, withheld
        below = self._uncertain({b: 1.0}, second, None)
        if not isinstance(below, str) and below[0].low <= 0:
            return None, may_be_zero(b)
        made = self._uncertain({a: 1 / first, b: -1 / second}, math.log(first / second), None)
        if isinstance(made, str):
            return self._alone(found, made), None
        interval = of_logarithm(made[0])
        return replace(found, low=interval.low, high=interval.high, note=None, method=interval.method), None

    def _uncertain(
        self, weights: Mapping[str, float], value: float | None, neutral: float | None
    ) -> tuple[Uncertainty, Error] | str:
        """The interval and the error of a weighted sum of means, or why there is none."""
        if value is None or any(group not in self._ways for group in weights):
            return "nothing was scored of one of the groups"
        for noun, place in (("origins", 0), ("structures", 1)):
            if min(self._ways[group][place].clusters for group in weights) < FEWEST_ORIGINS:
                return f"fewer than {FEWEST_ORIGINS} {noun}"
        off = error_of([(weight, self._ways[group]) for group, weight in weights.items()])
        size = max(abs(weight) * float(np.max(np.abs(self._values[group]))) for group, weight in weights.items())
        if off.error <= NO_SPREAD * size:
            return "there is no spread at all between origins or structures"
        return skewed_student(value, off, neutral, self._level), off

    def _alone(self, found: Estimate, why: str) -> Estimate:
        """The estimate over origins, and that structures do not count where there are too few of them."""
        if found.low is None or not why.endswith(FEW_STRUCTURES):
            return found
        note = f"the interval is over origins alone: {FEW_STRUCTURES}"
        return replace(found, note=note if found.note is None else f"{found.note}; {note}")
