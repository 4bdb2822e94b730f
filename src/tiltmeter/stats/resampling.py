"""Many columns of values over the same origins, exchanged at once.

Values are summed by origin first: an exchange of two sides only turns the sign of an origin. So 10,000 of them are one
product of matrices, however many values an origin has. All columns see the same exchanges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.stats.arrays import CHUNK, Array

FLIPS = 9_999
"""Random exchanges, beside the data as they are, which count as one more."""
MOST_ENUMERATED = 16
"""Up to so many origins every one of the 2^k exchanges is looked at, and p is exact."""

_BITS = 30
_ROUNDING = 1e-12


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
