"""Which origins are drawn together, and drawing them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_MOST_BLOCKS = 500
"""More origins than this are drawn in so many blocks, each of every 500th origin, which costs no accuracy there."""
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


def in_blocks(
    sums: Array, counts: Array, pools: Sequence[NDArray[np.intp]]
) -> tuple[Array, Array, list[NDArray[np.intp]]]:
    """Sums, counts and pools where no pool has more rows than blocks are drawn of."""
    if pools and max(map(len, pools)) <= _MOST_BLOCKS:
        order = np.concatenate(pools)
        return (
            sums[order],
            counts[order],
            np.split(np.arange(len(order)), np.cumsum([len(pool) for pool in pools])[:-1]),
        )
    made: list[tuple[Array, Array]] = []
    for pool in pools:
        blocks = [pool[start::_MOST_BLOCKS] for start in range(min(len(pool), _MOST_BLOCKS))]
        made += [(sums[block].sum(axis=0), counts[block].sum(axis=0)) for block in blocks]
    if not made:
        return sums, counts, []
    ends = np.cumsum([min(len(pool), _MOST_BLOCKS) for pool in pools]).tolist()
    return (
        np.array([each for each, _ in made]),
        np.array([each for _, each in made]),
        [np.arange(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)],
    )


def drawn_sums(generator: np.random.Generator, resamples: int, cells: Array) -> Array:
    """The column sums of each resample: rows drawn with replacement, as many as there are."""
    totals = np.empty((resamples, cells.shape[1]))
    rows = max(1, CHUNK // len(cells))
    for start in range(0, resamples, rows):
        totals[start : start + rows] = added_up(times_drawn(generator, min(rows, resamples - start), len(cells)), cells)
    return totals


def added_up(times: Array, cells: Array) -> Array:
    """The column sums of each resample, where rows are drawn so many times.

    >>> added_up(np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 7.0], [3.0, 7.0]])).tolist()
    [[2.0, 14.0], [4.0, 14.0]]
    """
    totals = np.empty((cells.shape[1], len(times)))
    # A column alone is faster than all of them at once; and numbers of texts are mostly the same in every row.
    for total, column in zip(totals, np.ascontiguousarray(cells.T), strict=True):
        total[:] = len(column) * column[0] if (column == column[0]).all() else times @ column
    return totals.T


def times_drawn(generator: np.random.Generator, resamples: int, origins: int) -> Array:
    """How often each origin (columns) is drawn in each resample (rows)."""
    drawn = generator.integers(0, origins, size=(resamples, origins))
    drawn += np.arange(resamples)[:, np.newaxis] * origins
    return np.bincount(drawn.ravel(), minlength=resamples * origins).reshape(resamples, origins).astype(np.float64)
