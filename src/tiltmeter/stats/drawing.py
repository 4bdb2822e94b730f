"""Which origins are drawn together, and sums that do not depend on their order."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
