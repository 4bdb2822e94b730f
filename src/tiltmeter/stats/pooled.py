"""Means over all texts of a group, and how they compare: every text counts the same, whole origins are resampled.

Groups that share origins (the same templates filled with each group) are resampled together, so that what an origin
does to both of them cancels out of their difference; groups with origins of their own are resampled apart.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.drawing import Array, drawn_sums, in_blocks, pools_of
from tiltmeter.stats.estimates import BOOTSTRAP_ORIGINS, FEWEST_ORIGINS
from tiltmeter.stats.intervals import RESAMPLES, Uncertainty, expanded_percentiles, expanded_tail, wilson

Observation = tuple[str, float | None, str]
"""Group, value and origin of one text; a text without an origin ("") is its own."""

LARGEST = 1e100
"""A number beyond this is an accident, and its square would overflow: it is unscored, like NaN."""


def is_number(value: float | None) -> bool:
    """Whether a value can be averaged."""
    return value is not None and math.isfinite(value) and abs(value) < LARGEST


class Pooled:
    """Texts by group and origin; its estimates are of means over texts.

    >>> texts = Pooled([("a", 1.0, "x"), ("a", 0.0, "x"), ("a", 0.0, "y"), ("b", 0.25, "x"), ("b", None, "y")])
    >>> round(texts.mean("a").value, 4), round(texts.difference("a", "b").value, 4), texts.difference("a", "b").n
    (0.3333, 0.0833, 4)
    """

    def __init__(
        self,
        items: Iterable[Observation],
        *,
        level: float = 0.95,
        seed: int = 0,
        scale: tuple[float, float] | None = None,
    ) -> None:
        if not 0 < level < 1:
            raise ValueError(f"a level lies between 0 and 1, not {level}")
        self._level, self._seed, self._scale = level, seed, scale
        self._unscored: Counter[str] = Counter()
        cells: dict[tuple[object, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._values: dict[str, list[float]] = defaultdict(list)
        for index, (group, value, origin) in enumerate(items):
            self._values[group]
            if value is None or not is_number(value):
                self._unscored[group] += 1
                continue
            self._values[group].append(float(value))
            key = (0, origin, 0.0, "", 0) if origin else (1, "", value, group, index)
            cells[key][group].append(float(value))
        self._places = {group: place for place, group in enumerate(self._values)}
        rows = [cells[key] for key in sorted(cells)]
        # fsum is exact, so that the order of the texts cannot show in the last digit.
        sums = np.array([[math.fsum(row.get(group, ())) for group in self._places] for row in rows])
        counts = np.array([[float(len(row.get(group, ()))) for group in self._places] for row in rows])
        self._present = counts > 0
        self._sums, self._counts, self._pools = in_blocks(
            sums, counts, pools_of([[self._places[group] for group in row] for row in rows])
        )

    def mean(self, group: str) -> Estimate:
        """The mean over the texts of a group. It has no p: no value is neutral for all raters."""
        found = self._counted(group)
        value = self.value(group)
        if value is None:
            return replace(found, note="nothing was scored")
        found = self._with_interval(replace(found, value=value), self._influence(group), (group,), None)
        if self._scale is not None and found.low is None and self._origins(group) >= FEWEST_ORIGINS:
            return self._constant(found, value, self._scale)
        return self._within_scale(found)

    def difference(self, a: str, b: str) -> Estimate:
        """The mean of group a minus that of group b; p is against no difference."""
        found = self._counted(a, b)
        first, second = self.value(a), self.value(b)
        if first is None or second is None:
            return replace(found, note=f"nothing was scored of {a if first is None else b}")
        found = replace(found, value=first - second)
        return self._with_interval(found, self._influence(a) - self._influence(b), (a, b), 0.0)

    def ratio(self, a: str, b: str) -> tuple[Estimate | None, str | None]:
        """The mean of a over the mean of b, or None and why it would mean nothing; its test is the difference's."""
        first, second = self.value(a), self.value(b)
        if first is None or second is None:
            return None, f"nothing was scored of {a if first is None else b}"
        if min(self._values[a]) < 0 or min(self._values[b]) < 0:
            return None, "there are ratings below zero"
        few = [group for group in (a, b) if self._origins(group) < FEWEST_ORIGINS]
        if few:
            return None, f"{few[0]} has fewer than {FEWEST_ORIGINS} origins"
        below = self.mean(b).low
        if second == 0 or (below is not None and below <= 0):
            return None, f"the mean of {b} may be zero: its interval contains it"
        return self._ratio(replace(self._counted(a, b), value=first / second), first, second, (a, b)), None

    def _ratio(self, found: Estimate, first: float, second: float, groups: tuple[str, str]) -> Estimate:
        a, b = groups
        value = first / second
        influence = (self._influence(a) - value * self._influence(b)) / second
        if self._can_resample(influence, groups):
            return self._with_interval(found, influence, groups, None, ratio=True)
        if value == 0:
            return replace(found, note=f"no interval: every rating of {a} is zero")
        # On the scale of logarithms, since a ratio is skewed and never negative.
        logarithm = self._with_interval(replace(found, value=math.log(value)), influence / value, groups, None)
        if logarithm.low is None or logarithm.high is None:
            return replace(found, note=logarithm.note)
        return replace(found, low=math.exp(logarithm.low), high=math.exp(logarithm.high))

    def _counted(self, *groups: str) -> Estimate:
        return Estimate(
            None,
            level=self._level,
            n=sum(len(self._values[group]) for group in groups),
            n_unscored=sum(self._unscored[group] for group in groups),
            origins=self._origins(*groups),
        )

    def _columns(self, groups: Sequence[str]) -> list[int]:
        return [self._places[group] for group in groups]

    def _origins(self, *groups: str) -> int:
        """How many origins any of the groups has."""
        return int(np.sum(self._present[:, self._columns(groups)].any(axis=1))) if len(self._present) else 0

    def value(self, group: str) -> float | None:
        """The mean over the texts of a group, alone."""
        values = self._values[group]
        return math.fsum(values) / len(values) if values else None

    def _influence(self, group: str) -> Array:
        """How far each origin moves the mean of a group: in a resample, and (second row) where it is left out.

        The first is its sum of deviations over the number of texts; the second weighs large origins more, as the
        jackknife does, since they draw the mean to themselves and so hide how far off they are.
        """
        place, mean, texts = self._places[group], self.value(group) or 0.0, len(self._values[group])
        plain = (self._sums[:, place] - mean * self._counts[:, place]) / texts
        rest = 1 - self._counts[:, place] / texts
        return np.vstack([plain, np.divide(plain, rest, out=plain.copy(), where=rest > 0)])

    def _error(self, influence: Array, groups: Sequence[str]) -> tuple[float, float, float]:
        """The standard error, its degrees of freedom (Satterthwaite), and by how much resampling falls short of it."""
        present = self._counts[:, self._columns(groups)] > 0
        scale = float(np.max(np.abs(influence))) or 1.0
        parts, resampled = [], 0.0
        for pool in self._pools:
            origins = int(np.sum(present[pool].any(axis=1)))
            if origins > 1:
                plain, left_out = np.sum((influence[:, pool] / scale) ** 2, axis=1).tolist()
                fewest = min(count for count in present[pool].sum(axis=0).tolist() if count)
                parts.append((left_out * (origins - 1) / origins, fewest - 1))
                resampled += plain
        variance = math.fsum(part for part, _ in parts)
        if not variance:
            return 0.0, 1.0, 1.0
        freedom = 1 / math.fsum((part / variance) ** 2 / max(1, free) for part, free in parts)
        return scale * math.sqrt(variance), freedom, math.sqrt(variance / resampled)

    def _can_resample(self, influence: Array, groups: Sequence[str]) -> bool:
        _, freedom, expansion = self._error(influence, groups)
        tail = expanded_tail(expansion, freedom, self._level)
        fewest = min(self._origins(group) for group in groups)
        return fewest >= BOOTSTRAP_ORIGINS and tail * (RESAMPLES + 1) >= 1

    def _with_interval(
        self, found: Estimate, influence: Array, groups: Sequence[str], neutral: float | None, *, ratio: bool = False
    ) -> Estimate:
        few = [group for group in groups if self._origins(group) < FEWEST_ORIGINS]
        if few:
            whose = f" of {few[0]}" if len(groups) > 1 else ""
            return replace(found, note=f"no interval: fewer than {FEWEST_ORIGINS} origins{whose}")
        error, freedom, expansion = self._error(influence, groups)
        size = max(abs(value) for group in groups for value in self._values[group])
        if error <= 1e-12 * size:
            return replace(found, note="no interval: there is no spread at all between origins")
        if not self._can_resample(influence, groups):
            result = _student(found.value or 0.0, error, freedom, neutral, self._level)
        else:
            means = self._resampled[:, self._columns(groups)]
            drawn = means[:, 0] if len(groups) == 1 else _ratios(means) if ratio else means[:, 0] - means[:, 1]
            drawn = drawn[~np.isnan(drawn)]
            result = expanded_percentiles(drawn, neutral, self._level, scale=size, expansion=expansion, freedom=freedom)
        return replace(found, low=result.low, high=result.high, p=result.p)

    @cached_property
    def _resampled(self) -> Array:
        """The mean of each group (columns) in each resample (rows); NaN where a resample has no text of a group."""
        generator = np.random.default_rng(self._seed)
        means = np.full((RESAMPLES, len(self._places)), np.nan)
        for pool in self._pools:
            columns = np.flatnonzero(self._counts[pool].any(axis=0))
            cells = np.hstack([self._sums[np.ix_(pool, columns)], self._counts[np.ix_(pool, columns)]])
            sums, counts = np.hsplit(drawn_sums(generator, RESAMPLES, cells), 2)
            with np.errstate(invalid="ignore"):
                means[:, columns] = sums / counts
        return means

    def _constant(self, found: Estimate, value: float, scale: tuple[float, float]) -> Estimate:
        """The same value everywhere, at an end of the scale: a share of 0 or 1, which has Wilson's interval."""
        low, high = scale
        if value not in scale or low == high:
            return found
        bounds = wilson((value - low) / (high - low), found.origins, self._level)
        lower, upper = (low + (high - low) * bound for bound in bounds)
        return replace(found, low=lower, high=upper, note="no spread at all: Wilson interval over origins")

    def _within_scale(self, found: Estimate) -> Estimate:
        if self._scale is None or found.low is None or found.high is None:
            return found
        return replace(found, low=max(self._scale[0], found.low), high=min(self._scale[1], found.high))


def _ratios(means: Array) -> Array:
    ratios = np.full(len(means), np.inf)
    np.divide(means[:, 0], means[:, 1], out=ratios, where=means[:, 1] > 0)
    ratios[np.isnan(means).any(axis=1)] = np.nan
    return ratios


def _student(value: float, error: float, freedom: float, neutral: float | None, level: float) -> Uncertainty:
    from scipy.special import stdtr, stdtrit

    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    p = None if neutral is None else 2 * float(stdtr(freedom, -abs(value - neutral) / error))
    return Uncertainty(value - half, value + half, p)
