"""Means over all texts of a group, and how they compare: every text counts the same, whole origins are resampled.

Groups that share origins (the same templates filled with each group) are resampled together, so that what an origin
does to both of them cancels out of their difference; groups with origins of their own are resampled apart.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.drawing import CHUNK, Array, added_up, drawn_sums, in_blocks, kept_draws, pools_of
from tiltmeter.stats.estimates import BOOTSTRAP_ORIGINS, FEWEST_ORIGINS, LARGEST
from tiltmeter.stats.intervals import RESAMPLES, expanded_percentiles, expanded_tail, student
from tiltmeter.stats.scales import Bounds, apart, cut_off
from tiltmeter.stats.shares import apart_p, near_end, newcombe, same_sign_p

Observation = tuple[str, float | None, str | None]
"""Group, value and origin of one text; a text without an origin ("") is its own."""

_KEPT_ORIGINS = CHUNK // (RESAMPLES + 1)
"""Draws of so many origins are kept for the next texts of as many: the same seed draws the same."""

NO_SPREAD = "there is no spread at all between origins"
NEAR_END = "near an end of the scale: Wilson interval of the effective number of texts"


def may_be_zero(group: str) -> str:
    """Why a ratio is withheld whose denominator is the mean of a group."""
    return f"the mean of {group} may be zero: its interval contains it"


@dataclass(frozen=True, slots=True)
class _Error:
    """A standard error, its degrees of freedom (Satterthwaite), and by how much resampling falls short of it."""

    value: float
    freedom: float
    expansion: float


class Pooled:
    """Texts by group and origin; its estimates are of means over texts. `scale` is known, not seen from the values.

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
        scale: Bounds | None = None,
    ) -> None:
        if not 0 < level < 1:
            raise ValueError(f"a level lies between 0 and 1, not {level}")
        self._level, self._seed, self._scale = level, seed, scale
        self._means: dict[str, Estimate] = {}
        self._numbers: dict[tuple[str, ...], int] = {}
        groups, numbers, origins = _columns(items)
        self._places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
        places = np.array([self._places[group] for group in groups], dtype=np.intp)
        values = np.array(numbers, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            scored = np.abs(values) < LARGEST
        mine = {group: places == place for group, place in self._places.items()}
        self._values: dict[str, list[float]] = {group: values[scored & of].tolist() for group, of in mine.items()}
        self._unscored = Counter({group: int(np.sum(of & ~scored)) for group, of in mine.items()})
        rows = _rows(origins, values, places)[scored]
        sums, counts = _by_row(rows, places[scored], values[scored], len(self._places))
        self._texts = counts
        self._sums, self._counts, self._pools = in_blocks(
            sums, counts, pools_of([[place for place, texts in enumerate(row) if texts] for row in counts.tolist()])
        )

    def mean(self, group: str) -> Estimate:
        """The mean over the texts of a group. It has no p: no value is neutral for all raters."""
        if group not in self._means:
            value = self.value(group)
            if value is None:
                return self.counted(group)
            self._means[group] = self._on_scale(self._plain_mean(group), group)
        return self._means[group]

    def against_zero(self, group: str) -> Estimate:
        """The mean over the texts of a group on a signed scale, with p against 0."""
        found = self.mean(group)
        if found.value is None or found.low is None:
            return found
        plain = self._with_interval(self.counted(group), self._influence(group), (group,), 0.0)
        if found.note is None:
            return replace(found, p=plain.p)
        # Near an end, or without any spread, the interval is not that of the resamples: the signs of origins decide.
        sums = self._sums[:, self._places[group]]
        signs = {np.sign(each) for each in sums[self._counts[:, self._places[group]] > 0].tolist()}
        p = same_sign_p(self._origins(group)) if len(signs) == 1 and 0 not in signs else plain.p
        return replace(found, p=1.0 if p is None else p)

    def counted(self, group: str) -> Estimate:
        """The mean without an interval."""
        value = self.value(group)
        return replace(self._counted(group), value=value, note="nothing was scored" if value is None else None)

    def gap(self, a: str, b: str) -> Estimate:
        """The difference without an interval."""
        first, second = self.value(a), self.value(b)
        if first is None or second is None:
            return replace(self._counted(a, b), note=f"nothing was scored of {a if first is None else b}")
        return replace(self._counted(a, b), value=first - second)

    def difference(self, a: str, b: str) -> Estimate:
        """The mean of group a minus that of group b; p is against no difference."""
        found = self.gap(a, b)
        if found.value is None:
            return found
        found = self._with_interval(found, self._influence(a) - self._influence(b), (a, b), 0.0)
        if found.low is None and not self._few(a, b):
            found = self._same_everywhere(found, a, b)
        return cut_off(found, apart(self._scale))

    def ratio(self, a: str, b: str) -> tuple[Estimate | None, str | None]:
        """The mean of a over the mean of b, or None and why it would mean nothing; its test is the difference's."""
        first, second = self.value(a), self.value(b)
        if first is None or second is None:
            return None, f"nothing was scored of {a if first is None else b}"
        if min(self._values[a]) < 0 or min(self._values[b]) < 0:
            return None, "there are ratings below zero"
        few = self._few(a, b)
        if few:
            return None, f"{few} has fewer than {FEWEST_ORIGINS} origins"
        # Cut off at the end of a scale that begins above zero, an interval could never contain it.
        bounds = [self._plain_mean(b).low, self.mean(b).low]
        if second == 0 or any(bound is not None and bound <= 0 for bound in bounds):
            return None, may_be_zero(b)
        return self._ratio(replace(self._counted(a, b), value=first / second), first, second, (a, b)), None

    def _ratio(self, found: Estimate, first: float, second: float, groups: tuple[str, str]) -> Estimate:
        a, b = groups
        value = first / second
        influence = (self._influence(a) - value * self._influence(b)) / second
        if self._can_resample(self._error(influence, groups), groups):
            return self._with_interval(found, influence, groups, None, ratio=True)
        if value == 0:
            return replace(found, note=f"no interval: every rating of {a} is zero")
        # On the scale of logarithms, since a ratio is skewed and never negative.
        logarithm = self._with_interval(replace(found, value=math.log(value)), influence / value, groups, None)
        if logarithm.low is None or logarithm.high is None:
            return replace(found, note=logarithm.note)
        return replace(found, low=math.exp(logarithm.low), high=math.exp(logarithm.high), method=logarithm.method)

    def _plain_mean(self, group: str) -> Estimate:
        """The mean with an interval that knows of no scale."""
        return self._with_interval(self.counted(group), self._influence(group), (group,), None)

    def _counted(self, *groups: str) -> Estimate:
        return Estimate(
            None,
            level=self._level,
            n=sum(len(self._values.get(group, [])) for group in groups),
            n_unscored=sum(self._unscored[group] for group in groups),
            origins=self._origins(*groups),
        )

    def _columns(self, groups: Sequence[str]) -> list[int]:
        return [self._places[group] for group in groups if group in self._places]

    def _origins(self, *groups: str) -> int:
        """How many origins any of the groups has."""
        if groups not in self._numbers:
            self._numbers[groups] = int(np.sum(self._texts[:, self._columns(groups)].any(axis=1)))
        return self._numbers[groups]

    def _few(self, *groups: str) -> str | None:
        """The first of the groups that has too few origins."""
        return next((group for group in groups if self._origins(group) < FEWEST_ORIGINS), None)

    def value(self, group: str) -> float | None:
        """The mean over the texts of a group, alone."""
        values = self._values.get(group, [])
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

    def _error(self, influence: Array, groups: Sequence[str]) -> _Error:
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
            return _Error(0.0, 1.0, 1.0)
        freedom = 1 / math.fsum((part / variance) ** 2 / max(1, free) for part, free in parts)
        return _Error(scale * math.sqrt(variance), freedom, math.sqrt(variance / resampled))

    def _can_resample(self, error: _Error, groups: Sequence[str]) -> bool:
        tail = expanded_tail(error.expansion, error.freedom, self._level)
        fewest = min(self._origins(group) for group in groups)
        return fewest >= BOOTSTRAP_ORIGINS and tail * (RESAMPLES + 1) >= 1

    def _with_interval(
        self, found: Estimate, influence: Array, groups: Sequence[str], neutral: float | None, *, ratio: bool = False
    ) -> Estimate:
        few = self._few(*groups)
        if few is not None:
            whose = f" of {few}" if len(groups) > 1 else ""
            return replace(found, note=f"no interval: fewer than {FEWEST_ORIGINS} origins{whose}")
        off = self._error(influence, groups)
        size = max(abs(value) for group in groups for value in self._values[group])
        if off.value <= 1e-12 * size:
            return replace(found, note=f"no interval: {NO_SPREAD}")
        if not self._can_resample(off, groups):
            result = student(found.value or 0.0, off.value, off.freedom, neutral, self._level)
        else:
            means = self._resampled[:, self._columns(groups)]
            drawn = means[:, 0] if len(groups) == 1 else _ratios(means) if ratio else means[:, 0] - means[:, 1]
            drawn = drawn[~np.isnan(drawn)]
            result = expanded_percentiles(
                drawn, neutral, self._level, scale=size, expansion=off.expansion, freedom=off.freedom
            )
        return replace(found, low=result.low, high=result.high, p=result.p, method=result.method)

    @cached_property
    def _resampled(self) -> Array:
        """The mean of each group (columns) in each resample (rows); NaN where a resample has no text of a group."""
        means = np.full((RESAMPLES, len(self._places)), np.nan)
        generator = np.random.default_rng(self._seed)
        sizes = tuple(map(len, self._pools))
        kept = kept_draws(self._seed, RESAMPLES, sizes) if sum(sizes) <= _KEPT_ORIGINS else None
        for place, pool in enumerate(self._pools):
            columns = np.flatnonzero(self._counts[pool].any(axis=0))
            cells = np.hstack([self._sums[np.ix_(pool, columns)], self._counts[np.ix_(pool, columns)]])
            drawn = drawn_sums(generator, RESAMPLES, cells) if kept is None else added_up(kept[place], cells)
            sums, counts = np.hsplit(drawn, 2)
            with np.errstate(invalid="ignore"):
                means[:, columns] = sums / counts
        return means

    def _on_scale(self, found: Estimate, group: str) -> Estimate:
        """The same on a known scale: Student's t is for means far from its ends, and for origins that differ."""
        if self._scale is None or self._few(group) is not None:
            return found
        off = self._error(self._influence(group), (group,))
        variance = 0.0 if found.low is None else off.value**2
        freedom = off.freedom if variance else self._origins(group) - 1.0
        texts = self._texts[:, self._places[group]]
        origins = float(texts.sum() ** 2 / np.sum(texts**2))
        bounds = self._near_end(group, variance, freedom, origins, self._scale)
        if bounds is None:
            return found
        note = NEAR_END if variance else f"{NO_SPREAD}: Wilson interval of the effective number of texts"
        return replace(found, low=bounds[0], high=bounds[1], note=note, method="wilson")

    def _near_end(self, group: str, variance: float, freedom: float, origins: float, scale: Bounds) -> Bounds | None:
        return near_end(self._values[group], variance, freedom, origins, scale, self._level)

    def _same_everywhere(self, found: Estimate, a: str, b: str) -> Estimate:
        """A difference that is the same in every origin, which no resampling could make uncertain."""
        means = self.mean(a), self.mean(b)
        first, second = (mean.value or 0.0 for mean in means)
        present = self._texts[:, self._columns((a, b))] > 0
        shared = int(np.sum(present.all(axis=1)))
        if abs(first - second) <= 1e-12 * max(abs(first), abs(second)):
            p, how = 1.0, "there is no difference"
        elif shared:
            p, how = same_sign_p(shared), f"exact sign test of {shared} origins"
        else:
            p, how = apart_p(*present.sum(axis=0).tolist()), "exact permutation test over origins"
        ends = [(mean.low, mean.high) for mean in means if mean.low is not None and mean.high is not None]
        if len(ends) < 2:
            return replace(found, p=p, note=f"no interval: {NO_SPREAD}; p: {how}")
        low, high = newcombe(first, ends[0], second, ends[1])
        note = f"{NO_SPREAD}: Newcombe's interval; p: {how}"
        return replace(found, low=low, high=high, p=p, note=note, method="newcombe")


def _columns(items: Iterable[Observation]) -> tuple[Sequence[str], Sequence[float | None], Sequence[str]]:
    """Groups, values and origins, each on their own."""
    listed = list(items)
    groups, values, origins = zip(*listed, strict=True) if listed else ((), (), ())
    return groups, values, tuple(origin or "" for origin in origins)


def _rows(origins: Sequence[str], values: Array, places: NDArray[np.intp]) -> NDArray[np.intp]:
    """The row of each text: that of its origin; a text without one has a row of its own.

    In an order that does not depend on that of the texts: origins by name, then the rest by value.

    >>> _rows(["y", "", "x", "", "y"], np.array([0.0, 0.9, 0.0, 0.1, 0.0]), np.zeros(5, dtype=np.intp)).tolist()
    [1, 3, 0, 2, 1]
    """
    numbers = {origin: number for number, origin in enumerate(sorted({*origins} - {""}))}
    rows = np.array([numbers.get(origin, -1) for origin in origins], dtype=np.intp)
    alone = np.flatnonzero(rows < 0)
    rows[alone[np.lexsort((places[alone], values[alone]))]] = len(numbers) + np.arange(len(alone))
    return rows


def _by_row(rows: NDArray[np.intp], places: NDArray[np.intp], values: Array, groups: int) -> tuple[Array, Array]:
    """The sums and numbers of texts by row and group, rows without a text left out."""
    if not len(rows):
        return np.zeros((0, groups)), np.zeros((0, groups))
    cells = rows * groups + places
    # Sorted first, so that the order of the texts cannot show in the last digit of a sum.
    order = np.lexsort((values, cells))
    starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
    sums, counts = np.zeros((2, int(rows.max()) + 1, groups))
    at = np.divmod(cells[order][starts], groups)
    sums[at] = np.add.reduceat(values[order], starts)
    counts[at] = np.diff(starts, append=len(order))
    there = counts.any(axis=1)
    return sums[there], counts[there]


def _ratios(means: Array) -> Array:
    ratios = np.full(len(means), np.inf)
    np.divide(means[:, 0], means[:, 1], out=ratios, where=means[:, 1] > 0)
    ratios[np.isnan(means).any(axis=1)] = np.nan
    return ratios
