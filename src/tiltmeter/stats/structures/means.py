"""The means of every group under every sentence structure, as a table that can be split, drawn from and turned."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tiltmeter.stats.arrays import Array
from tiltmeter.stats.views.continuations import RatedItem

Pair = tuple[str, str]
"""Two groups, of which the difference is that of the first minus that of the second."""


@dataclass(frozen=True, slots=True, eq=False)
class StructureMeans:
    """Sums and numbers of rated texts, by structure (rows) and group (columns).

    Rows are ordered by what they hold and not by their names, so that what is drawn at random from them does not
    change where structures are called something else.
    """

    structures: tuple[str, ...]
    groups: tuple[str, ...]
    sums: Array
    counts: Array
    size: float
    """The largest value, against which rounding is small."""

    @property
    def means(self) -> Array:
        """The mean of each group under each structure; NaN where it has no rated text."""
        means = np.full(self.sums.shape, np.nan)
        np.divide(self.sums, self.counts, out=means, where=self.counts > 0)
        return means

    def complete(self) -> StructureMeans:
        """The structures under which every group has a rated text."""
        kept = np.flatnonzero((self.counts > 0).all(axis=1))
        names = tuple(self.structures[place] for place in kept)
        return StructureMeans(names, self.groups, self.sums[kept], self.counts[kept], self.size)

    def differences(self, a: str, b: str) -> Array:
        """The difference of two groups under each structure; NaN where one of them is missing."""
        means = self.means
        return means[:, self.groups.index(a)] - means[:, self.groups.index(b)]

    def signs(self, differences: Array) -> Array:
        """1, −1, or 0 where a difference is zero but for rounding; NaN stays NaN."""
        return np.where(np.abs(differences) <= 1e-12 * self.size, 0.0, np.sign(differences))


def structure_means(items: Iterable[RatedItem], groups: Sequence[str]) -> StructureMeans:
    """The table of the items that have a structure.

    >>> items = [RatedItem("a", 1.0, "x", structure="s"), RatedItem("a", 0.0, "y", structure="s")]
    >>> structure_means(items, ["a", "b"]).means.tolist()
    [[0.5, nan]]
    """
    held: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    for item in items:
        if item.structure is not None:
            texts = held[item.structure]
            if item.value is not None and item.rated:
                texts.append((item.group, item.origin, float(item.value)))
    for texts in held.values():
        texts.sort()
    names = sorted(held, key=lambda name: (held[name], natural(name)))
    places = {group: place for place, group in enumerate(groups)}
    sums, counts = np.zeros((2, len(names), len(places)))
    for row, name in enumerate(names):
        values: dict[str, list[float]] = defaultdict(list)
        for group, _, value in held[name]:
            values[group].append(value)
        for group, found in values.items():
            sums[row, places[group]], counts[row, places[group]] = math.fsum(found), len(found)
    size = max((abs(value) for texts in held.values() for *_, value in texts), default=0.0)
    return StructureMeans(tuple(names), tuple(groups), sums, counts, size)


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts names as people do: 2 before 10.

    >>> sorted(["s10", "s2", "10", "2"], key=natural)
    ['2', '10', 's2', 's10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return (*((0, int(part), part) if part.isdigit() else (1, 0, part) for part in parts), (2, 0, name))
