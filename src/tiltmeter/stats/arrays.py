"""Arrays of values and of cluster numbers, and sums that do not depend on their order."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.intp]
"""The number of the cluster that each row belongs to."""


def coded(names: Iterable[Hashable]) -> Codes:
    """A number for each distinct name, in the order in which they come.

    >>> coded(["x", "y", "x"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)


def sorted_codes(names: Sequence[str | None]) -> Codes:
    """A number for each distinct name, in their order; None stands for a name of its own each time.

    >>> sorted_codes(["y", "x", None, "y"]).tolist()
    [1, 0, 2, 1]
    """
    numbers = {name: number for number, name in enumerate(sorted({name for name in names if name is not None}))}
    codes = np.array([-1 if name is None else numbers[name] for name in names], dtype=np.intp)
    unnamed = np.flatnonzero(codes < 0)
    codes[unnamed] = len(numbers) + np.arange(len(unnamed))
    return codes


def or_origins(labels: Sequence[str | None], origins: Sequence[str]) -> list[str]:
    """Labels of another kind of clusters: what has no template, say, is as good as its origin.

    >>> or_origins(["x", None, None], ["a", "a", "b"])
    ['x', '\\x00a', '\\x00b']
    """
    return [f"\0{origin}" if label is None else label for label, origin in zip(labels, origins, strict=True)]


def renumbered(codes: Codes) -> Codes:
    """The same clusters with the numbers from 0 on.

    >>> renumbered(np.array([7, 2, 7])).tolist()
    [1, 0, 1]
    """
    numbers: Codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return numbers


def cells_of(first: Codes, second: Codes) -> Codes:
    """The number of the cell of both that each row belongs to.

    >>> cells_of(coded("aabb"), coded("xyyy")).tolist()
    [0, 1, 2, 2]
    """
    if not len(first):
        return first
    return renumbered(first * (int(second.max()) + 1) + second)


Array = NDArray[np.float64]

CHUNK = 4_000_000
"""Numbers drawn at a time: a bound on memory, and so a part of the result (chunks share one stream)."""


def exact_sum(values: Array) -> float:
    """The sum without rounding on the way, so that the order of the values cannot show in its last digit.

    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    # A list of numbers is added up three times as fast as an array.
    return math.fsum(values.tolist())


def pools_of(rows: Sequence[Sequence[int]]) -> list[NDArray[np.intp]]:
    """The rows that are drawn together: those of groups that share an origin, directly or through others.

    >>> [pool.tolist() for pool in pools_of([[0], [1, 2], [2], [0]])]
    [[0, 3], [1, 2]]
    """
    together: dict[int, set[int]] = {}
    for linked in dict.fromkeys(map(tuple, rows)):
        joined = set(linked).union(*(together.get(group, set()) for group in linked))
        together |= dict.fromkeys(joined, joined)
    pools: dict[int, list[int]] = defaultdict(list)
    for index, groups in enumerate(rows):
        pools[min(together[groups[0]])].append(index)
    return [np.array(pool) for pool in pools.values()]
