"""Means over all texts of a group, and how they compare: every text counts the same, and origins are what varies.

Groups that share origins (the same templates filled with each group) vary together, so that what an origin does to both
of them cancels out of their difference; groups with origins of their own vary apart. Texts in several sentence
structures vary over these too. The intervals are those of `estimate`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array, Codes
from tiltmeter.stats.estimate import FEWEST, LARGEST, Scale, estimate, noted_alone
from tiltmeter.stats.scales import Bounds, around, from_logarithm

Observation = tuple[str, float | None, str | None]
"""Group, value and origin of one text; a text without an origin ("") is its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Summed:
    """Of items that are sums of several texts: how many each has, and the lowest and highest value among them."""

    rows: Array
    lowest: Array
    highest: Array

    @classmethod
    def single(cls, values: Array) -> Summed:
        """Of items that are one text each."""
        return cls(np.ones(len(values)), values, values)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The texts of one group, summed by origin and structure."""

    sums: Array
    counts: Array
    origins: Codes
    structures: Codes | None
    unscored: int
    ends: Bounds | None
    """The lowest and the highest value; None: there is none."""
    alone: int = 0
    """How many scored texts have no origin."""

    @property
    def mean(self) -> float | None:
        return math.fsum(self.sums.tolist()) / math.fsum(self.counts.tolist()) if len(self.sums) else None


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
        structures: Sequence[str | None] | None = None,
        summed: Summed | None = None,
        level: float = 0.95,
        scale: Bounds | None = None,
        names: tuple[str, str] = ("origins", "structures"),
    ) -> None:
        """Sum texts; with two or more `structures` they vary over these as well (None: the text's is its own).

        With `summed` an item is the sum of several texts. `names` is what notes call origins and structures.
        """
        self._names = names
        listed = list(items)
        groups, given, origins = zip(*listed, strict=True) if listed else ((), (), ())
        ordered = sorted(set(groups))
        values, places = np.array(given, dtype=np.float64), _places(groups, ordered)
        with np.errstate(invalid="ignore"):
            scored = np.abs(values) < LARGEST
        used = zip(structures or (), scored.tolist(), strict=structures is not None)
        count = len({name for name, use in used if use and name})
        ways = [_clusters(origins, values, places)]
        # With fewer than 5 the estimates say that they are left out; texts without one do not make up the number.
        whole = not any(use and not name for name, use in zip(structures or (), scored.tolist(), strict=False))
        if structures is not None and count > 1 and (whole or count >= FEWEST):
            ways.append(_clusters(structures, values, places))
        # With fewer they are left out, and the estimates say so.
        self.over_structures = count >= FEWEST
        blank = np.array([not origin for origin in origins], dtype=np.bool_)
        texts = _Texts(values, summed or Summed.single(values), scored, blank, ways)
        self._set({group: texts.of(places == place) for place, group in enumerate(ordered)}, level, scale)

    def _set(self, cells: dict[str, _Cells], level: float, scale: Bounds | None) -> None:
        if not 0 < level < 1:
            raise ValueError(f"a level lies between 0 and 1, not {level}")
        seen = [each.ends for each in cells.values() if each.ends is not None]
        fits = scale is not None and all(scale[0] <= low and high <= scale[1] for low, high in seen)
        self._cells, self._level = cells, level
        # A scale that values lie beyond is not theirs.
        self._scale = scale if fits else None
        self._means: dict[str, Estimate] = {}

    def mean(self, group: str) -> Estimate:
        """The mean over the texts of a group. It has no p: no value is neutral for all raters."""
        if group not in self._means:
            self._means[group] = self._estimate({group: 1.0})
        return self._means[group]

    def against_zero(self, group: str) -> Estimate:
        """The mean over the texts of a group on a signed scale, with p against 0."""
        return self._estimate({group: 1.0}, neutral=0.0)

    def difference(self, a: str, b: str) -> Estimate:
        """The mean of group a minus that of group b; p is against no difference."""
        return self._estimate({a: 1.0, b: -1.0})

    def gap(self, a: str, b: str) -> Estimate:
        """The difference without an interval."""
        return replace(self._estimate({a: 1.0, b: -1.0}), low=None, high=None, p=None, method=None, note=None)

    def ratio(self, a: str, b: str) -> tuple[Estimate | None, str | None]:
        """The mean of a over the mean of b, or None and why it would mean nothing; its test is the difference's."""
        first, second = self.value(a), self.value(b)
        if first is None or second is None:
            return None, f"nothing was scored of {a if first is None else b}"
        if any(each.ends is not None and each.ends[0] < 0 for each in (self._cells[a], self._cells[b])):
            return None, "there are ratings below zero"
        if second == 0:
            return None, f"the mean of {b} is zero"
        below = self.mean(b).low
        if below is not None and below <= 0:
            return None, f"the interval of the mean of {b} reaches zero"
        if first == 0:
            return replace(self.gap(a, b), value=0.0, note=f"no interval: every rating of {a} is zero"), None
        found = from_logarithm(self._estimate({a: 1.0, b: -1.0}, log=True))
        return around(replace(found, p=None), first / second), None

    def value(self, group: str) -> float | None:
        """The mean over the texts of a group, alone."""
        return self._cells[group].mean if group in self._cells else None

    def _estimate(self, weights: Mapping[str, float], *, neutral: float | None = None, log: bool = False) -> Estimate:
        """A weighted sum of means, or of their logarithms."""
        own = [self._cells[group] for group in weights if group in self._cells]
        unscored = sum(each.unscored for each in own)
        lacking = next((group for group in weights if self.value(group) is None), None)
        if lacking is not None:
            nothing = "nothing was scored" + f" of {lacking}" * (len(weights) > 1)
            n, clusters = int(sum(each.counts.sum() for each in own)), {code for each in own for code in each.origins}
            return Estimate(None, level=self._level, n=n, n_unscored=unscored, origins=len(clusters), note=nothing)
        structures = [each.structures for each in own if each.structures is not None]
        low, high = self._scale or (None, None)
        found = estimate(
            np.concatenate([each.sums for each in own]),
            np.concatenate([each.origins for each in own]),
            rows=np.concatenate([each.counts for each in own]),
            second=np.concatenate(structures) if structures else None,
            groups=np.repeat(np.arange(len(own)), [len(each.sums) for each in own]),
            compare=dict(enumerate(weights.values())),
            scale=Scale(low, high, neutral),
            log=log,
            level=self._level,
            names=self._names,
        )
        return noted_alone(replace(found, n_unscored=unscored), sum(each.alone for each in own), "texts")


def _places(groups: Sequence[str], names: Sequence[str]) -> Codes:
    """The place of each text's group among all."""
    places = {name: place for place, name in enumerate(names)}
    return np.array([places[group] for group in groups], dtype=np.intp)


def _clusters(names: Sequence[str | None], values: Array, places: Codes) -> Codes:
    """The number of each text's origin or structure; a text without one has a number of its own.

    In an order that does not depend on that of the texts: by name, then the rest by value.

    >>> _clusters(["y", "", "x", "", "y"], np.array([0.0, 0.9, 0.0, 0.1, 0.0]), np.zeros(5, dtype=np.intp)).tolist()
    [1, 3, 0, 2, 1]
    """
    numbers = {name: number for number, name in enumerate(sorted({name for name in names if name}))}
    found = np.array([numbers.get(name or "", -1) for name in names], dtype=np.intp)
    alone = np.flatnonzero(found < 0)
    found[alone[np.lexsort((places[alone], values[alone]))]] = len(numbers) + np.arange(len(alone))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Texts:
    """All texts, or sums of them: which have a value, which have no origin, and what they vary over."""

    values: Array
    summed: Summed
    scored: NDArray[np.bool_]
    blank: NDArray[np.bool_]
    ways: Sequence[Codes]

    def of(self, mine: NDArray[np.bool_]) -> _Cells:
        """The texts of one group by cell."""
        used = mine & self.scored
        rows = self.summed.rows
        alone, unscored = int(rows[used & self.blank].sum()), int(rows[mine & ~self.scored].sum())
        own, rows, clusters = self.values[used], rows[used], [way[used] for way in self.ways]
        if not len(own):
            nothing = np.zeros(0)
            none = np.zeros(0, dtype=np.intp)
            return _Cells(nothing, nothing, none, none if len(clusters) > 1 else None, unscored, None)
        # Sorted first, so that the order of the texts cannot show in the last digit of a sum.
        order = np.lexsort((own, *reversed(clusters)))
        own, rows, clusters = own[order], rows[order], [way[order] for way in clusters]
        starts = np.flatnonzero(np.any([np.diff(way, prepend=-1) != 0 for way in clusters], axis=0))
        origins, *structures = (way[starts] for way in clusters)
        ends = float(self.summed.lowest[used].min()), float(self.summed.highest[used].max())
        sums, counts = np.add.reduceat(own, starts), np.add.reduceat(rows, starts)
        return _Cells(sums, counts, origins, structures[0] if structures else None, unscored, ends, alone)
