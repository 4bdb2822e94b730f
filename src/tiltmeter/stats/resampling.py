"""Many columns of values over the same origins, resampled and exchanged at once.

Values are summed by origin first: a resample only says how often each origin counts, and an exchange of two sides only
turns the sign of an origin. So 10,000 of either are one product of matrices, however many values an origin has. All
columns see the same draws: what they have in common they keep.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.stats.drawing import CHUNK, Array, drawn_sums, in_blocks
from tiltmeter.stats.estimates import LARGEST
from tiltmeter.stats.intervals import RESAMPLES

FLIPS = 9_999
"""Random exchanges, beside the data as they are, which count as one more."""
MOST_ENUMERATED = 16
"""Up to so many origins every one of the 2^k exchanges is looked at, and p is exact."""

_MOST_ORIGINS = 5_000
"""More origins than this are drawn in blocks of origins, as `drawing` has it."""
_BITS = 30
_ROUNDING = 1e-12

Over = Literal["origins", "values"]
"""What counts the same in a mean: every origin, or every value."""


@dataclass(frozen=True, slots=True, eq=False)
class OriginTable:
    """Sums and counts of the scored values of each column, by origin (rows, in the order of their names)."""

    origins: NDArray[Any]
    sums: Array
    counts: Array
    unscored: NDArray[np.intp]
    """How many values of each column are no numbers."""

    @classmethod
    def of(cls, values: ArrayLike, origins: Sequence[str] | NDArray[Any]) -> OriginTable:
        """From a column of values, or a table with a row for each item; None, NaN and the like are unscored.

        >>> table = OriginTable.of([[1.0, 4.0], [2.0, None], [5.0, 6.0]], ["y", "x", "y"])
        >>> table.origins.tolist(), table.sums.tolist(), table.counts.tolist()
        (['x', 'y'], [[2.0, 0.0], [6.0, 10.0]], [[1.0, 0.0], [2.0, 2.0]])
        """
        columns = np.array(values, dtype=np.float64)
        columns = columns[:, np.newaxis] if columns.ndim == 1 else columns
        if len(columns) != len(origins):
            raise ValueError("values and origins are not equally long")
        names, rows = np.unique(np.asarray(origins), return_inverse=True)
        scored = np.abs(columns) < LARGEST
        columns[~scored] = 0.0
        sums, counts = np.empty((2, len(names), columns.shape[1]))
        for place in range(columns.shape[1]):
            sums[:, place] = exact_sums(columns[:, place], rows, len(names))
            counts[:, place] = np.bincount(rows, scored[:, place], len(names))
        return cls(names, sums, counts, np.sum(~scored, axis=0))

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which origins have a scored value in each column."""
        return self.counts > 0

    @property
    def means(self) -> Array:
        """The mean of each origin in each column; 0 where it has no scored value."""
        return np.divide(self.sums, self.counts, out=np.zeros_like(self.sums), where=self.counts > 0)

    def minus(self, other: OriginTable) -> OriginTable:
        """The origin means of this minus those of another, over the origins that both have in a column.

        >>> one, other = OriginTable.of([1.0, 3.0, 5.0], list("xxy")), OriginTable.of([0.5, 4.0], list("xz"))
        >>> one.minus(other).sums.tolist()
        [[1.5]]
        """
        names = np.intersect1d(self.origins, other.origins)
        mine, its = (np.searchsorted(table.origins, names) for table in (self, other))
        both = self.present[mine] & other.present[its]
        difference: Array = np.where(both, self.means[mine] - other.means[its], 0.0)
        return OriginTable(names, difference, both.astype(np.float64), self.unscored + other.unscored)


def exact_sums(values: Array, codes: NDArray[np.intp], clusters: int) -> Array:
    """The sum of the values of each cluster, the same in whatever order they come.

    >>> exact_sums(np.array([0.1, 0.2, 0.3]), np.array([0, 1, 0]), 2).tolist()
    [0.4, 0.2]
    """
    # Whole numbers add up without rounding: each value is cut into two of 30 bits, of the largest value's size.
    _, exponent = math.frexp(float(np.max(np.abs(values), initial=0.0)))
    large = np.ldexp(values, _BITS - exponent)
    whole = np.rint(large)
    upper = np.bincount(codes, whole, clusters)
    lower = np.bincount(codes, np.rint(np.ldexp(large - whole, _BITS)), clusters)
    total: Array = np.ldexp(upper + np.ldexp(lower, -_BITS), exponent - _BITS)
    return total


def resampled_means(table: OriginTable, *, resamples: int = RESAMPLES, seed: int = 0, over: Over = "origins") -> Array:
    """The mean of each column (columns) in each resample of origins (rows); NaN where a resample has no value of it."""
    sums, counts = (table.means, table.present.astype(np.float64)) if over == "origins" else (table.sums, table.counts)
    if len(sums) > _MOST_ORIGINS:
        sums, counts, _ = in_blocks(sums, counts, [np.arange(len(sums))])
    generator = np.random.default_rng(seed)
    alike = counts.min(axis=0) == counts.max(axis=0)
    # Where all origins count the same, so do all resamples: nothing to add up.
    drawn = drawn_sums(generator, resamples, np.hstack([sums, counts[:, ~alike]]))
    divisors = np.broadcast_to(counts.sum(axis=0), (resamples, len(alike))).copy()
    divisors[:, ~alike] = drawn[:, len(alike) :]
    found = np.full((resamples, len(alike)), np.nan)
    np.divide(drawn[:, : len(alike)], divisors, out=found, where=divisors > 0)
    return found


@dataclass(frozen=True, slots=True)
class Flipped:
    """What a test by turning the signs of origins gave."""

    p: tuple[float, ...]
    """Two-sided, for each column."""
    flips: int
    """How many exchanges it rests on, the data as they are among them."""
    exact: bool
    """Whether these are all that there are."""


def flipped(contributions: Array, *, observed: ArrayLike | None = None, seed: int = 0, flips: int = FLIPS) -> Flipped:
    """Test sums of contributions (a row for each origin) against all exchanges of the two sides by whole origins.

    Under no difference each origin could as well have had the other sign. The same sums turned round are as far off,
    so p is two-sided. `observed` are the sums, where the contributions have lost their signs.

    >>> flipped(np.array([[1.0], [1.0], [2.0], [0.5], [-0.5]]))
    Flipped(p=(0.1875,), flips=32, exact=True)
    """
    table = np.asarray(contributions, dtype=np.float64)
    table = table[:, np.newaxis] if table.ndim == 1 else table
    sums = table.sum(axis=0) if observed is None else np.asarray(observed, dtype=np.float64)
    least = np.abs(sums) - _ROUNDING * np.abs(table).sum(axis=0)
    exact = len(table) <= MOST_ENUMERATED
    at_least: NDArray[np.intp] = np.zeros(table.shape[1], dtype=np.intp)
    for signs in _every_sign(len(table)) if exact else _some_signs(len(table), flips, seed):
        at_least += np.sum(np.abs(signs @ table) >= least, axis=0)
    if exact:
        # Only half of them were looked at; the other half are their mirror images.
        total = 2 ** len(table)
        shares = 2 * at_least / total if len(table) else np.ones(table.shape[1])
    else:
        total = flips + 1
        shares = (1 + at_least) / total
    return Flipped(tuple(np.minimum(1.0, shares).tolist()), total, exact)


def _every_sign(origins: int) -> Iterator[Array]:
    """All ways to turn origins, up to turning all of them."""
    if origins:
        numbers = np.arange(2 ** (origins - 1))[:, np.newaxis] >> np.arange(origins)
        yield (1 - 2 * (numbers & 1)).astype(np.float64)


def _some_signs(origins: int, flips: int, seed: int) -> Iterator[Array]:
    generator = np.random.default_rng(seed)
    at_once = max(1, CHUNK // origins)
    for start in range(0, flips, at_once):
        rows = min(at_once, flips - start)
        yield (1 - 2 * generator.integers(0, 2, size=(rows, origins), dtype=np.int8)).astype(np.float64)
