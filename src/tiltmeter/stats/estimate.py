"""The one estimator: a contrast of weighted group means with its interval and p, from rows or from sums of rows.

`docs/statistics.md` ("One estimator") has the formulae, `docs/calibration.md` how often its intervals hold the truth.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.records import Estimate, IntervalMethod
from tiltmeter.stats.arrays import Array, Codes, cells_of
from tiltmeter.stats.cluster_variance import NO_SPREAD, ContrastData, Limits, Way, clustered

FEWEST = 5
"""With fewer clusters there is no interval: nobody can say how much such a mean would change."""
LARGEST = 1e70
"""A number beyond this is an accident, and its square would overflow: it is unscored, like NaN."""
DOMINATES = 0.5
"""A share of the variance: where one cluster has more, values are skewed and the interval may be too narrow."""
_BEYOND = 1e-6
"""Of the scale: so far rounding may put a value beyond an end."""
EQUAL_CLUSTERS = "equal clusters"
WAYS = ("clusters", "second clusters", "third clusters")

Labels = Sequence[Any] | NDArray[Any]
Compared = tuple[Hashable, Hashable] | Mapping[Hashable, float]


class HasEnds(Protocol):
    """A scale: its ends, where it has them, and its neutral value, where it has one."""

    @property
    def low(self) -> float | None: ...  # noqa: D102

    @property
    def high(self) -> float | None: ...  # noqa: D102

    @property
    def neutral(self) -> float | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Scale:
    """Between which ends values lie, and what is neutral; None: not known."""

    low: float | None = None
    high: float | None = None
    neutral: float | None = None

    def holds(self, value: float) -> bool:
        """Whether a value lies between its ends."""
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    @property
    def change(self) -> Scale:
        """The scale of the difference of two values of it."""
        if self.low is None or self.high is None:
            return Scale(neutral=0.0)
        return Scale(self.low - self.high, self.high - self.low, 0.0)


SHARE = Scale(0.0, 1.0, 0.5)
"""Of stereotyped choices among all."""


def estimate(
    values: ArrayLike | Sequence[float | None],
    clusters: Labels,
    *,
    rows: ArrayLike | None = None,
    unscored: ArrayLike | None = None,
    groups: Labels | None = None,
    compare: Compared | None = None,
    second: Labels | None = None,
    third: Labels | None = None,
    weights: ArrayLike | str | None = None,
    balanced_over: Labels | None = None,
    scale: HasEnds | None = None,
    log: bool = False,
    level: float = 0.95,
    names: Sequence[str] = WAYS,
) -> Estimate:
    """Estimate a mean, or a contrast of group means, with its interval and p. None and NaN are unscored.

    `rows`: values are sums of so many scored rows (a GROUP BY of all the labels), `unscored` counts the others there.
    `compare`: (a, b) for a minus b, or a coefficient for each group; rows of other groups do not count.
    `second`, `third`: further ways in which rows are clustered, e.g. templates and group terms.
    `weights`: of each row (with `rows`: their sum, and values are sums of weight times value), or "equal clusters".
    `balanced_over`: parts that weigh the same, such as attribute sets; tuples are parts within parts.
    `log`: the contrast of the logarithms of the means. `names`: what the ways are called in notes.

    >>> found = estimate([1, 0, 1, 1, 0, 1, None], list("aabcdef"), scale=SHARE)
    >>> round(found.value, 3), found.n, found.n_unscored, found.origins
    (0.667, 6, 1, 5)
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not {level}")
    sums, weighed, counts, missing = _sums(values, rows, unscored, weights)
    ways = [each for each in (clusters, second, third) if each is not None]
    if any(each is not None and len(each) != len(sums) for each in (*ways, groups, balanced_over)):
        raise ValueError("values and labels are not equally long")
    coefficients = _coefficients(groups, compare)
    members = np.zeros(len(sums), dtype=np.intp) if groups is None else _members(groups, list(coefficients))
    used = (members >= 0) & (counts > 0) & (weighed > 0)
    unscored_rows = int(missing[members >= 0].sum())
    found = Estimate(None, level=level, n=int(counts[used].sum()), n_unscored=unscored_rows, note="nothing was scored")
    if not used.any():
        return found
    codes = [_codes(_taken(each, used)) for each in ways]
    found = replace(found, origins=int(codes[0].max()) + 1)
    if len(np.unique(members[used])) < len(coefficients):
        return replace(found, note="nothing was scored of one of the groups")
    strata = None if balanced_over is None else _taken(balanced_over, used)
    parts = _Means.of(members[used], strata, np.array(list(coefficients.values())))
    sums, weighed = sums[used], weighed[used]
    if isinstance(weights, str):
        cells = cells_of(parts.codes, codes[0])
        share = 1 / np.bincount(cells, weighed)[cells]
        sums, weighed = sums * share, weighed * share
    data = _Data(parts, sums, weighed, counts[used], isinstance(weights, str), scale or Scale(), log)
    return data.estimate(found, codes, names)


def noted_alone(found: Estimate, alone: int, what: str = "rows") -> Estimate:
    """The estimate with a note where so many of its rows say not what they belong to, and count as clusters."""
    if not alone or found.low is None:
        return found
    which = f"all {what}" if alone >= found.n else f"{alone:,} of {found.n:,} {what}"
    note = f"{which} have no origin and count as independent: where they are not, the interval is too narrow"
    return replace(found, note=note if found.note is None else f"{found.note}; {note}")


@dataclass(frozen=True, slots=True, eq=False)
class _Means:
    """The means that a contrast is made of: groups, or strata of groups."""

    codes: Codes
    groups: Codes
    """The group of each part."""
    shares: Array
    """Of each part in its group's mean."""
    coefficients: Array
    """Of each group."""
    alike: bool = True
    """Whether all groups have the same strata."""

    @classmethod
    def of(cls, groups: Codes, strata: Labels | None, coefficients: Array) -> _Means:
        if strata is None:
            count = len(coefficients)
            return cls(groups, np.arange(count), np.ones(count), coefficients)
        paths = [each if isinstance(each, tuple) else (each,) for each in strata]
        numbers: dict[tuple[Any, ...], int] = {}
        keys = [(group, *path) for group, path in zip(groups.tolist(), paths, strict=True)]
        codes = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)
        of_groups = [{key[1:] for key in numbers if key[0] == group} for group in range(len(coefficients))]
        alike = all(each == of_groups[0] for each in of_groups)
        owners = np.array([key[0] for key in numbers], dtype=np.intp)
        return cls(codes, owners, np.array(equal_shares(list(numbers))), coefficients, alike)


@dataclass(frozen=True, slots=True, eq=False)
class _Data:
    """The rows of one contrast."""

    parts: _Means
    sums: Array
    weights: Array
    counts: Array
    equal_clusters: bool
    scale: HasEnds
    log: bool

    def estimate(self, found: Estimate, codes: Sequence[Codes], names: Sequence[str]) -> Estimate:
        """The value, and the interval where there can be one."""
        parts = self.parts
        means = np.array([self._mean(part) for part in range(len(parts.shares))])
        of_groups = np.bincount(parts.groups, parts.shares * means)
        zero, unit = self._unit()
        coefficients = parts.coefficients
        if self.log:
            if (self.scale.low is not None and self.scale.low < 0) or (self.sums < 0).any():
                return replace(found, note="no ratio: values may be negative")
            if (of_groups <= 0).any():
                return replace(found, note="no ratio: a mean is zero")
            value, coefficients = math.fsum(coefficients * np.log(of_groups)), coefficients * unit / of_groups
        else:
            value = math.fsum(coefficients[parts.groups] * parts.shares * means)
        found = replace(found, value=value, note=None)
        ways, names, notes = _ways(codes, names, parts.groups[parts.codes])
        rows = ContrastData(
            parts.codes,
            (self.sums - zero * self.weights) / unit,
            self.weights,
            self.counts,
            coefficients[parts.groups] * parts.shares,
            (means - zero) / unit,
            self.equal_clusters,
            self._places_of_ends(zero, unit),
        )
        tables = [Way.of(rows, way) for way in ways]
        few = self._too_few(tables, names)
        if few:
            return replace(found, note=f"no interval: {few}")
        return self._with_interval(found, rows, tables, ways, names, notes)

    def _with_interval(
        self,
        found: Estimate,
        rows: ContrastData,
        tables: Sequence[Way],
        ways: Sequence[Codes],
        names: Sequence[str],
        notes: list[str],
    ) -> Estimate:
        value, parts = found.value or 0.0, self.parts
        unit = 1.0 if self.log else self._unit()[1]
        spread = clustered(rows, tables, ways)
        flat = spread.variance <= NO_SPREAD**2
        score = self._ended and not self.log
        sides = self._sides(rows)
        # A group's mean has as many clusters as would give it this concentration.
        sizes = np.bincount(parts.groups, parts.shares**2 * spread.of_parts).astype(np.float64)
        limits = []
        if not flat and score and sides.prod(axis=0).any():
            limits = [Limits.on_scale(spread.variance, spread.freedom, sides, parts.coefficients, sizes)]
        elif not flat:
            limits = [Limits(spread.variance, spread.freedom)]
        if score:
            limits.append(Limits.widest(spread.concentration, sides, parts.coefficients, sizes))
        if not limits:
            return replace(found, note=f"no interval: there is no spread at all between {names[0]}")
        below, above = (min(side) for side in zip(*(each.bounds(found.level) for each in limits), strict=True))
        lowest, highest = self._ends()
        low, high = max(lowest, value - unit * below), min(highest, value + unit * above)
        neutral, p = self._neutral(), None
        if neutral is not None:
            p = min(each.p((value - neutral) / unit) for each in limits)
            # Where rounding would part them, the interval decides.
            border = 1 - found.level
            p = max(p, border) if low <= neutral <= high else min(p, math.nextafter(border, 0.0))
        if flat:
            notes.append(f"no spread at all between {names[0]}: as if the rows of each were one")
        elif spread.largest > DOMINATES:
            notes.append(f"one of the {names[0]} has most of the variance: the interval may be too narrow")
        least, most = self._of_clusters(tables)
        if low < least - NO_SPREAD * unit or high > most + NO_SPREAD * unit:
            notes.append(f"the interval reaches beyond the means of all {' and '.join(names)}")
        if not parts.alike:
            notes.append("the groups do not have the same parts")
        method: IntervalMethod = "cluster-score.v2" if score else "cluster-t.v2"
        return replace(found, low=low, high=high, p=p, note="; ".join(notes) or None, method=method)

    def _mean(self, part: int) -> float:
        mine = self.parts.codes == part
        # Without rounding on the way, so that the order of the rows cannot show in the last digit.
        return math.fsum(self.sums[mine].tolist()) / math.fsum(self.weights[mine].tolist())

    @property
    def _ended(self) -> bool:
        low, high = self.scale.low, self.scale.high
        return low is not None and high is not None and 0 < high - low < math.inf

    def _unit(self) -> tuple[float, float]:
        """The zero and the unit of all sums: those of the scale, or the largest value, so that no power overflows."""
        low, high = self.scale.low, self.scale.high
        values = self.sums / self.weights
        if low is None or high is None or not self._ended:
            return 0.0, float(np.max(np.abs(values))) or 1.0
        if (values < low - _BEYOND * (high - low)).any() or (values > high + _BEYOND * (high - low)).any():
            raise ValueError(f"a value lies outside the scale, {low:g} to {high:g}")
        if self.log:
            return 0.0, float(np.max(values)) or 1.0
        # From 0 where the scale has it: small values keep their digits, and values turned round are turned exactly.
        return (0.0 if low <= 0 <= high else low), high - low

    def _places_of_ends(self, zero: float, unit: float) -> tuple[float, float] | None:
        low, high = self.scale.low, self.scale.high
        return None if low is None or high is None or not self._ended else ((low - zero) / unit, (high - zero) / unit)

    def _sides(self, rows: ContrastData) -> Array:
        """How far each group's mean lies above the low end of the scale, and below the high one, in scales."""
        low, high = rows.ends or (0.0, 1.0)
        both = [self.parts.shares * each for each in (rows.means - low, high - rows.means)]
        return np.clip(np.array([np.bincount(self.parts.groups, each) for each in both], dtype=np.float64), 0.0, 1.0)

    def _too_few(self, tables: Sequence[Way], names: Sequence[str]) -> str | None:
        """Why there can be no interval."""
        for way, name in zip(tables, names, strict=True):
            there = np.zeros((len(self.parts.coefficients), way.shares.shape[1]), dtype=bool)
            np.logical_or.at(there, self.parts.groups, way.shares > 0)
            if there.sum(axis=1).min() < FEWEST:
                return f"fewer than {FEWEST} {name}" + (" in one of the groups" if len(there) > 1 else "")
            if (way.shares > 0).sum(axis=1).min() < 2:
                return f"a part of the mean has only one of the {name}, which shows no spread"
        return None

    def _neutral(self) -> float | None:
        """What p is against: no difference; of a mean, the scale's neutral value, unless that is one of its ends."""
        total = math.fsum(self.parts.coefficients)
        if abs(total) <= NO_SPREAD:
            return 0.0
        neutral, (low, high) = self.scale.neutral, self._ends()
        if self.log or neutral is None or abs(total - 1) > NO_SPREAD or not low < neutral < high:
            return None
        return neutral

    def _ends(self) -> tuple[float, float]:
        """Between which values the contrast lies, whatever the truth."""
        if self.log:
            return -math.inf, math.inf
        low = -math.inf if self.scale.low is None else self.scale.low
        high = math.inf if self.scale.high is None else self.scale.high
        ends = [sorted((each * low, each * high)) for each in self.parts.coefficients.tolist() if each]
        return sum(each[0] for each in ends), sum(each[1] for each in ends)

    def _of_clusters(self, tables: Sequence[Way]) -> tuple[float, float]:
        """The lowest and the highest contrast of the means of single clusters of any kind."""
        (zero, unit), parts = self._unit(), self.parts
        coefficients = (parts.coefficients[parts.groups] * parts.shares)[:, None]
        lowest, highest = math.inf, -math.inf
        for way in tables:
            means = zero + unit * way.means()
            with np.errstate(divide="ignore"):
                each = coefficients * (np.log(np.maximum(means, 0.0)) if self.log else means)
            if np.isfinite(each).all():
                low, high = each.sum(axis=0).min(), each.sum(axis=0).max()
            else:
                low, high = np.nanmin(each, axis=1).sum(), np.nanmax(each, axis=1).sum()
            lowest, highest = min(lowest, float(low)), max(highest, float(high))
        return lowest, highest


def _sums(
    values: ArrayLike | Sequence[float | None],
    rows: ArrayLike | None,
    unscored: ArrayLike | None,
    weights: ArrayLike | str | None,
) -> tuple[Array, Array, Array, Array]:
    """Sums, weights, and the numbers of scored and of unscored rows, of each row or cell."""
    if isinstance(values, np.ma.MaskedArray):
        # What a database returns where values are missing: under the mask lies anything.
        values = np.ma.filled(values.astype(np.float64), np.nan)
    numbers = np.asarray(values, dtype=np.float64).reshape(-1)
    scored = np.abs(numbers) < LARGEST
    counts = np.ones(len(numbers)) if rows is None else np.asarray(rows, dtype=np.float64)
    missing = np.where(scored, 0.0, counts) + (0.0 if unscored is None else np.asarray(unscored, dtype=np.float64))
    if isinstance(weights, str) and weights != EQUAL_CLUSTERS:
        raise ValueError(f"weights are numbers or {EQUAL_CLUSTERS!r}, not {weights!r}")
    given = counts if weights is None or isinstance(weights, str) else np.asarray(weights, dtype=np.float64)
    if not len(numbers) == len(counts) == len(given) == len(missing):
        raise ValueError("values, rows and weights are not equally long")
    if not ((given >= 0) & (given < LARGEST)).all() or not (counts >= 0).all():
        raise ValueError("a weight, or a number of rows, is negative or no number")
    sums = np.where(scored, numbers, 0.0) * (given if rows is None else 1.0)
    return sums, given, np.where(scored, counts, 0.0), missing


def _coefficients(groups: Labels | None, compare: Compared | None) -> dict[Hashable, float]:
    if (groups is None) != (compare is None):
        raise ValueError("`groups` says which group a row is of and `compare` which are compared: both, or neither")
    if compare is None:
        return {"": 1.0}
    found = dict(compare) if isinstance(compare, Mapping) else dict(zip(compare, (1.0, -1.0), strict=True))
    if len(found) < len(compare) or not all(math.isfinite(each) and each for each in found.values()):
        raise ValueError(f"groups that are compared are different and have coefficients other than 0: {compare!r}")
    return found


def _members(groups: Labels, names: Sequence[Hashable]) -> Codes:
    """The place of each row's group among those that are compared; −1: it is not."""
    labels = np.asarray(groups)
    if labels.dtype.kind in "iufUb" and labels.ndim == 1:
        found = np.full(len(labels), -1, dtype=np.intp)
        for place, name in enumerate(names):
            found[labels == name] = place
        return found
    places = {name: place for place, name in enumerate(names)}
    return np.array([places.get(each, -1) for each in groups], dtype=np.intp)


def _taken(labels: Labels, used: NDArray[np.bool_]) -> Labels:
    if isinstance(labels, np.ndarray):
        return labels[used]
    return [each for each, use in zip(labels, used.tolist(), strict=True) if use]


def _codes(labels: Labels) -> Codes:
    """A number for each distinct label.

    >>> _codes(["y", "x", "y"]).tolist(), _codes([("a", 1), ("b", 1)]).tolist()
    ([1, 0, 1], [0, 1])
    """
    if isinstance(labels, np.ma.MaskedArray) and np.ma.is_masked(labels):
        raise ValueError("a row has no cluster")
    if not isinstance(labels, np.ndarray) and all(isinstance(each, str) for each in labels):
        # Arrays of text are as wide as the longest.
        places = {label: place for place, label in enumerate(sorted(set(labels)))}
        return np.array([places[label] for label in labels], dtype=np.intp)
    array = np.asarray(labels) if isinstance(labels, np.ndarray) or not isinstance(labels[0], tuple) else None
    if array is not None and array.dtype.kind in "iufUb":
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise ValueError("a row has no cluster")
        return np.unique(array, return_inverse=True)[1].reshape(-1)
    numbers: dict[Any, int] = {}
    found = np.array([numbers.setdefault(each, len(numbers)) for each in labels], dtype=np.intp)
    if None in numbers:
        raise ValueError("a row has no cluster")
    return found


def _ways(given: Sequence[Codes], names: Sequence[str], groups: Codes) -> tuple[list[Codes], list[str], list[str]]:
    """The ways that count, their names, and notes: not those with few levels, nor one that lies within another."""
    kept: list[tuple[Codes, str, int]] = []
    few: list[str] = []
    for codes, name in zip(given, names, strict=False):
        levels = int(codes.max()) + 1
        fewest = min(len(np.unique(codes[groups == group])) for group in range(int(groups.max()) + 1)) if kept else 0
        if kept and fewest < FEWEST:
            few += [f"{fewest} {name}"] if levels > 1 else []
            continue
        cells = [int(cells_of(codes, other).max()) + 1 for other, _, _ in kept]
        if levels in cells:
            continue
        # A way whose every cluster lies within one of the new, coarser way says nothing of its own.
        kept = [each for each, count in zip(kept, cells, strict=True) if count != each[2]]
        kept.append((codes, name, levels))
    left = " and ".join(each[1] for each in kept)
    notes = [f"over {left} alone: {' and '.join(few)} are too few to show how much they matter"] if few else []
    return [each[0] for each in kept], [each[1] for each in kept], notes


def equal_shares(paths: Sequence[tuple[Any, ...]]) -> list[float]:
    """The share of each path where all branches of a node weigh the same; the first step is the group.

    >>> equal_shares([(0, "a", "x"), (0, "a", "y"), (0, "b", "x"), (1, "a", "x")])
    [0.25, 0.25, 0.5, 1.0]
    """
    branches: dict[tuple[Any, ...], set[Any]] = {}
    for path in paths:
        for depth in range(1, len(path)):
            branches.setdefault(path[:depth], set()).add(path[depth])
    return [math.prod(1 / len(branches[path[:depth]]) for depth in range(1, len(path))) for path in paths]
