"""Whether the whole curve could be chance: groups exchanged at random, in all cells at once.

An origin that has both groups (or one signed value for each item) is turned round or left, as a coin falls; origins
that belong to one group each, as the articles of BOLD, exchange their groups among themselves. Cells share texts, so an
origin is turned in every cell or in none: however cells hang together, they do so in every permutation as well.

Turned round means: round the mean of all items of the cell. That is to exchange the groups where an origin has as many
texts of either; where it has not, it keeps each origin's weight, which exchanging the groups would change
(`origin_sums`). Every cell enters as a value over its standard error, with the degrees of freedom of Welch and
Satterthwaite, so that groups that only vary unlike hardly look different (studentised permutation: Janssen 1997, Chung
and Romano 2013).

Origins that are crossed with templates are turned as wholes, which says nothing of other templates, or of other words
for the groups. So in the real curve no cell counts for more than its own p is worth. What chance would give is
drawn twice, turning origins and turning templates, and the larger p counts: where one of the two hardly varies, as
good as all that it gives is the same number turned round, and p comes in steps.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.arrays import CHUNK, Array, pools_of
from tiltmeter.stats.multiverse.cells import ALPHA, CellData, Cells
from tiltmeter.stats.multiverse.origin_sums import OriginSums, SignedSums

PERMUTATIONS = 1_999
"""Beside the data as they are, which count as one more."""
FEWEST_ARRANGEMENTS = 40
"""With fewer ways to exchange the groups there is no test: most have a mirror image, so p could hardly reach 0.05."""

_SMALLEST = 1e-300
"""A p below this is as good as this."""
_BORDER = NormalDist().inv_cdf(1 - ALPHA / 2)
"""A normal deviate beyond this is significant on its own."""

STATISTICS = ("median", "sign_share", "significant_share")


@dataclass(frozen=True, slots=True)
class Statistic:
    """One summary of the curve and its p-value against no effect in any cell."""

    value: float
    p: float


@dataclass(frozen=True, slots=True)
class CurveTest:
    """The test of the whole curve; without figures where there is too little to exchange, and `note` says so."""

    median: Statistic | None
    """The median of the cells' effects, each over its standard error, as normal deviates; in size, to six places."""
    sign_share: Statistic | None
    """The share of cells with the dominant sign."""
    significant_share: Statistic | None
    """The share of cells that lean that way with a deviate beyond 1.96, not corrected."""
    p: float | None
    """Of all three together: the smallest of their p-values, against the smallest in each permutation."""
    permutations: int
    cells: int
    turned: int
    """Origins that are turned round on their own: crossed with the groups, or signed."""
    exchanged: int
    """Origins that belong to one group and exchange it with others."""
    note: str | None = None
    over_templates: bool = False
    """Whether templates stand for origins: professions are too few, or p is smaller with them."""

    def as_json(self) -> dict[str, Any]:
        """The figures of the test."""
        found = {name: getattr(self, name) for name in STATISTICS}
        return {
            **{name: None if each is None else {"value": each.value, "p": each.p} for name, each in found.items()},
            "p": self.p,
            "permutations": self.permutations,
            "cells": self.cells,
            "origins_turned": self.turned,
            "origins_exchanged": self.exchanged,
            "over_templates": self.over_templates,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Which origins can be turned round on their own, and which exchange their groups with which others."""

    origins: NDArray[np.str_]
    alone: NDArray[np.intp]
    pools: tuple[tuple[NDArray[np.intp], Array], ...]
    """Origins of one pool, and the side of each: 1 for the first group, −1 for the second."""

    @property
    def arrangements(self) -> float:
        """In how many ways the groups could be exchanged."""
        ways = 2.0 ** min(len(self.alone), 1000)
        for members, sides in self.pools:
            ways *= min(float(10**9), math.comb(len(members), int(np.sum(sides > 0))))
            ways = min(ways, 1e300)
        return ways

    def turns(self, permutations: int, seed: int) -> Iterator[Array]:
        """+1 (as it is) or −1 (turned) for each origin (columns) and permutation (rows), some rows at a time."""
        generator = np.random.default_rng(seed)
        at_once = max(1, CHUNK // max(1, len(self.origins)))
        for start in range(0, permutations, at_once):
            rows = min(at_once, permutations - start)
            turns = np.ones((rows, len(self.origins)))
            turns[:, self.alone] = 2.0 * generator.integers(0, 2, size=(rows, len(self.alone))) - 1
            for members, sides in self.pools:
                turns[:, members] = sides * generator.permuted(np.tile(sides, (rows, 1)), axis=1)
            yield turns


def design_of(cells: Sequence[CellData]) -> Design:
    """How origins are exchanged is read from the items of all cells, scored or not: it must not depend on the values.

    An origin of which nothing at all was scored is not exchanged: it would count as one more, and change nothing.

    >>> crossed = CellData.of({"a": "1"}, [1, 2, 3], ["x", "x", "y"], [0, 1, 0])
    >>> nested = CellData.of({"a": "2"}, [1, 2], ["y", "z"], [0, 1])
    >>> found = design_of([crossed, nested])
    >>> found.origins[found.alone].tolist(), [found.origins[members].tolist() for members, _ in found.pools]
    (['x'], [['y', 'z']])
    """
    names = np.unique(np.concatenate([cell.origins for cell in cells])) if cells else np.array([], dtype=np.str_)
    has = np.zeros((len(names), 2), dtype=bool)
    present = np.zeros((len(names), len(cells)), dtype=bool)
    strata: dict[int, str] = {}
    for place, cell in enumerate(cells):
        rows = np.searchsorted(names, cell.origins)
        if cell.sides is None:
            continue
        present[rows, place] = True
        has[rows, cell.sides] = True
        if cell.strata is not None:
            for row, stratum in set(zip(rows.tolist(), cell.strata.tolist(), strict=True)):
                strata[row] = min(stratum, strata.get(row, stratum))
    counts = np.zeros(len(names), dtype=bool)
    for cell in cells:
        counts[np.searchsorted(names, cell.origins[cell.scored])] = True
    nested = np.flatnonzero((has[:, 0] != has[:, 1]) & counts)
    alone = np.flatnonzero((has[:, 0] == has[:, 1]) & counts)
    if not len(nested):
        return Design(names, alone, ())
    # Origins exchange groups where they meet in a cell, directly or through others: those of two sources never do.
    kinds, kind_of = np.unique(present[nested], axis=0, return_inverse=True)
    together = {
        int(kind): pool
        for pool, kinds_in in enumerate(pools_of([np.flatnonzero(kind).tolist() for kind in kinds]))
        for kind in kinds_in
    }
    keys = [(together[kind], strata.get(row, "")) for row, kind in zip(nested.tolist(), kind_of.tolist(), strict=True)]
    members_of: dict[tuple[int, str], list[int]] = defaultdict(list)
    for key, row in zip(keys, nested.tolist(), strict=True):
        members_of[key].append(row)
    pools = []
    # By their first origin, so that the order of the cells cannot show in the draws.
    for members in map(np.array, sorted(members_of.values())):
        sides = np.where(has[members, 0], 1.0, -1.0)
        if np.abs(sides.sum()) < len(sides):
            pools.append((members, sides))
    return Design(names, alone, tuple(pools))


def untestable(cells: Sequence[CellData]) -> str | None:
    """Why there can be no test of these cells, whatever their values; None where there can be one."""
    why = _why_untested(design_of(cells))
    if why is None or all(cell.templates is None for cell in cells):
        return why
    return why if _why_untested(design_of([cell.over_templates() for cell in cells])) else None


def needed_origins(*, nested: bool = False) -> int:
    """How many origins a test needs; where each belongs to one group, how many of either.

    >>> needed_origins(), needed_origins(nested=True)
    (6, 4)
    """
    numbers = (number for number in range(1, 1000))
    ways = (lambda number: math.comb(2 * number, number)) if nested else (lambda number: 2**number)
    return next(number for number in numbers if ways(number) >= FEWEST_ARRANGEMENTS)


def _why_untested(design: Design) -> str | None:
    if design.arrangements >= FEWEST_ARRANGEMENTS:
        return None
    origins = len(design.alone) + sum(len(members) for members, _ in design.pools)
    noun = "origin" if origins == 1 else "origins"
    return f"the groups of {origins} {noun} can be exchanged in too few ways"


def curve_test(cells: Cells, *, permutations: int = PERMUTATIONS, seed: int = 0) -> CurveTest:
    """Test the curve of evaluated cells against no effect in any of them."""
    found = _curve_test(cells, permutations, seed, over_templates=False)
    if all(cells.data[place].templates is None for place in cells.valued):
        return found
    over = _curve_test(cells, permutations, seed, over_templates=True)
    return over if over.p is not None and (found.p is None or over.p > found.p) else found


def _curve_test(cells: Cells, permutations: int, seed: int, *, over_templates: bool) -> CurveTest:
    valued = cells.valued
    data = [cells.data[place].over_templates() if over_templates else cells.data[place] for place in valued]
    design = design_of(data)
    exchanged = sum(len(members) for members, _ in design.pools)
    counts = (len(valued), len(design.alone), exchanged)
    why = _why_untested(design) if valued else "no cell has a value"
    if why is not None:
        return CurveTest(None, None, None, None, 0, *counts, note=f"no test of the whole curve: {why}")
    sums = [cell.sums() for cell in data] if over_templates else [cells.sums[place] for place in valued]
    columns = [np.searchsorted(design.origins, part.origins) for part in sums]
    alone = np.zeros(len(design.origins), dtype=bool)
    alone[design.alone] = True
    found: list[Array] = []
    for turns in _after_the_data(design, permutations, seed):
        zs = np.empty((len(turns), len(sums)))
        for place, (part, where) in enumerate(zip(sums, columns, strict=True)):
            every = np.array_equal(where, np.arange(turns.shape[1]))
            given = turns if every else turns[:, where]
            if isinstance(part, SignedSums):
                zs[:, place] = part.exchanged(given)
            else:
                zs[:, place] = part.exchanged(given, alone[where])
        if not found:
            for at, place in enumerate(valued):
                if cells.results[place].both_ways or (cells.data[place].behind or cells.data[place]).terms is not None:
                    zs[0, at] = _as_sure(cells.results[place].raw.p, zs[0, at])
                zs[0, at] = _without_skewness(sums[at], zs[0, at])
        found.append(_statistics(zs))
    drawn = np.vstack(found)
    p_values = _ranked(drawn)
    smallest = p_values.min(axis=1)
    overall = float(np.mean(smallest <= smallest[0]))
    median, sign, significant = (
        Statistic(float(value), float(p)) for value, p in zip(drawn[0], p_values[0], strict=True)
    )
    return CurveTest(median, sign, significant, overall, permutations, *counts, over_templates=over_templates)


def _as_sure(p: float | None, z: float) -> float:
    """The deviate of a cell, and never more than its own p is worth, which counts whatever else was sampled."""
    return z if p is None else math.copysign(min(abs(z), -NormalDist().inv_cdf(max(p, _SMALLEST) / 2)), z)


def _without_skewness(sums: OriginSums, z: float) -> float:
    """The deviate with the skewness of the origins taken out, where that makes it smaller.

    Values with a long tail on one side are, in a small sample without an effect, often all on the other, and vary
    little there. Turned origins have both tails alike, so that no curve of chance looks like that.
    """
    moved = sums.influence()
    error = 0.0 if moved is None else float(np.sqrt(np.sum(moved**2)))
    if moved is None or error <= 0:
        return z
    straight = straightened(z, float(np.sum((moved / error) ** 3)))
    return math.copysign(min(abs(z), abs(straight)), z) if straight * z > 0 else 0.0


def _after_the_data(design: Design, permutations: int, seed: int) -> Iterator[Array]:
    first = np.ones((1, len(design.origins)))
    for turns in design.turns(permutations, seed):
        yield np.vstack([first, turns])
        first = first[:0]
    if len(first):
        yield first


def _statistics(zs: Array) -> Array:
    """The three statistics (columns) of each permutation (rows); all are the same for a curve and its mirror image."""
    positive, negative = (np.sum(zs > 0, axis=1), np.sum(zs < 0, axis=1))
    up, down = (np.sum(zs > _BORDER, axis=1), np.sum(zs < -_BORDER, axis=1))
    leaning = np.where(positive > negative, up, np.where(positive < negative, down, np.maximum(up, down)))
    cells = zs.shape[1]
    median = np.abs(np.median(zs, axis=1))
    # Two permutations that come to the same differ in the last digits, and must tie nevertheless.
    return np.column_stack([np.round(median, 6), np.maximum(positive, negative) / cells, leaning / cells])


def _ranked(drawn: Array) -> Array:
    """For each value the share of values in its column that are as large or larger.

    >>> _ranked(np.array([[3.0], [1.0], [3.0], [2.0]])).ravel().tolist()
    [0.5, 1.0, 0.5, 0.75]
    """
    shares = np.empty_like(drawn)
    for column in range(drawn.shape[1]):
        ordered = np.sort(drawn[:, column])
        below = np.searchsorted(ordered, drawn[:, column], side="left")
        shares[:, column] = (len(drawn) - below) / len(drawn)
    return shares


def straightened(t: float, skewness: float) -> float:
    """Hall's transformation of t (1992), whose distribution has no skewness left.

    >>> round(straightened(2.0, 0.3), 4)
    2.4767
    """
    return t + skewness * t * t / 3 + skewness**2 * t**3 / 27 + skewness / 6
