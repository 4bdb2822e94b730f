"""The items of a cell summed by origin: what stays of them while groups are exchanged origin by origin.

Exchanging the groups of an origin moves its sums from one side to the other and changes nothing else. So with a row of
+1 (as it was) and −1 (exchanged) for each permutation, everything a permutation gives is a product of matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.drawing import Array

_ROUNDING = 1e-12
_FLOOR = 1e-6
"""A standard error is taken as at least this share of the size of the values, so that nothing is infinite."""


@dataclass(frozen=True, slots=True, eq=False)
class TwoSidedSums:
    """Sums and counts by origin (rows) and side (columns) of values centred on their mean."""

    origins: NDArray[np.str_]
    sums: Array
    counts: Array
    squares: float
    size: float
    """The largest value, against which rounding is small."""

    @classmethod
    def of(cls, values: Array, origins: NDArray[np.str_], sides: NDArray[np.int8]) -> TwoSidedSums:
        """From sorted items."""
        names, rows = np.unique(origins, return_inverse=True)
        centred = values - (math.fsum(values) / len(values) if len(values) else 0.0)
        places = 2 * rows + sides
        sums: Array = np.bincount(places, centred, 2 * len(names)).astype(np.float64).reshape(-1, 2)
        counts = np.bincount(places, minlength=2 * len(names)).reshape(-1, 2).astype(np.float64)
        size = float(np.max(np.abs(values), initial=0.0))
        return cls(names, sums, counts, math.fsum(centred**2), size)

    @property
    def all_the_same(self) -> bool:
        """Whether no value differs from another by more than rounding."""
        return self.squares <= (_ROUNDING * self.size) ** 2 * max(1.0, float(self.counts.sum()))

    def sign(self, value: float) -> int:
        """The sign of a difference that is more than rounding."""
        return 0 if abs(value) <= _ROUNDING * self.size else int(math.copysign(1, value))

    @property
    def spread(self) -> float | None:
        """The standard deviation within the two sides, pooled; None where it is zero."""
        sums, counts = self.sums.sum(axis=0), self.counts.sum(axis=0)
        freedom = float(counts.sum()) - 2
        if freedom < 1 or not counts.all() or self.all_the_same:
            return None
        inner = self.squares - float(np.sum(sums**2 / counts))
        if inner <= _ROUNDING * self.squares:
            return None
        return math.sqrt(inner / freedom)

    @property
    def fewest(self) -> int:
        """The number of origins of the side that has fewer."""
        return int(np.min(np.sum(self.counts > 0, axis=0), initial=len(self.origins)))

    def influence(self) -> Array | None:
        """How far each origin moves the difference; the sum of squares is its variance. None: a side has one origin."""
        if self.fewest < 2:
            return None
        totals, origins = self.counts.sum(axis=0), np.sum(self.counts > 0, axis=0)
        means = self.sums.sum(axis=0) / totals
        parts = (self.sums - means * self.counts) / totals * np.sqrt(origins / (origins - 1))
        moved: Array = parts[:, 0] - parts[:, 1]
        return moved

    def exchanged(self, turns: Array) -> Array:
        """The difference over its standard error under each row of turns (+1 or −1 for each origin)."""
        (first, second), (n_first, n_second) = self.sums.T, self.counts.T
        pairs = [
            (first, second),
            (n_first, n_second),
            (first**2, second**2),
            (first * n_first, second * n_second),
            (n_first**2, n_second**2),
            (first * n_second, second * n_first),
            ((n_first > 0).astype(np.float64), (n_second > 0).astype(np.float64)),
        ]
        moved = turns @ np.column_stack([one - other for one, other in pairs])
        both = np.array([np.sum(one + other) for one, other in pairs])
        sums, counts, squares, products, count_squares, crossed, origins = (
            np.stack([both[place] + moved[:, place], both[place] - moved[:, place]], axis=1) / 2
            for place in range(len(pairs))
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            means = sums / counts
            difference = means[:, 0] - means[:, 1]
            # As in `influence`: few origins vary less about their own mean than about the truth.
            wider = origins / np.maximum(origins - 1, 0.5)
            parts = (squares - 2 * means * products + means**2 * count_squares) / counts**2
            variance = np.sum(parts * wider, axis=1)
            shared = (
                np.sum(first * second)
                - means[:, 1] * crossed[:, 0]
                - means[:, 0] * crossed[:, 1]
                + means[:, 0] * means[:, 1] * np.sum(n_first * n_second)
            )
            variance -= 2 * shared * np.sqrt(wider.prod(axis=1)) / counts.prod(axis=1)
        return _over_error(difference, variance, self.squares / self.counts.sum())


@dataclass(frozen=True, slots=True, eq=False)
class SignedSums:
    """Sums and counts by origin of values minus neutral, and the weight of each origin's mean in the whole.

    An origin that lies in several strata has a row in each.
    """

    origins: NDArray[np.str_]
    sums: Array
    counts: Array
    strata: NDArray[np.intp]
    squares: float
    scatter: float
    """The sum of squares around the mean of the items."""
    lowest: float
    highest: float

    @classmethod
    def of(cls, values: Array, origins: NDArray[np.str_], strata: NDArray[np.str_]) -> SignedSums:
        """From sorted items."""
        _, parts = np.unique(strata, return_inverse=True)
        names, places = np.unique(origins, return_inverse=True)
        keys, rows = np.unique(places * (parts.max(initial=0) + 1) + parts, return_inverse=True)
        sums: Array = np.bincount(rows, values, len(keys)).astype(np.float64)
        counts = np.bincount(rows, minlength=len(keys)).astype(np.float64)
        owners, parts_of = np.divmod(keys, parts.max(initial=0) + 1)
        lowest, highest = (float(end(values)) if len(values) else 0.0 for end in (np.min, np.max))
        mean = math.fsum(values) / max(1, len(values))
        squares, scatter = math.fsum(values**2), math.fsum((values - mean) ** 2)
        return cls(names[owners], sums, counts, parts_of, squares, scatter, lowest, highest)

    @property
    def _size(self) -> float:
        return max(abs(self.lowest), abs(self.highest))

    @property
    def all_the_same(self) -> bool:
        """Whether no value differs from another by more than rounding."""
        return self.highest - self.lowest <= _ROUNDING * self._size

    def sign(self, value: float) -> int:
        """The sign of a mean that is more than rounding."""
        return 0 if abs(value) <= _ROUNDING * max(1.0, self._size) else int(math.copysign(1, value))

    @property
    def spread(self) -> float | None:
        """The standard deviation of the items; None where it is zero."""
        n = self.counts.sum()
        if n < 2 or self.all_the_same:
            return None
        return math.sqrt(self.scatter / (n - 1))

    @property
    def fewest(self) -> int:
        """The number of origins."""
        return len(np.unique(self.origins))

    @property
    def _weights(self) -> Array:
        in_stratum = np.bincount(self.strata)
        weights: Array = 1 / (np.count_nonzero(in_stratum) * in_stratum[self.strata])
        return weights

    def influence(self) -> Array | None:
        """How far each origin moves the mean; the sum of squares is its variance. None: a stratum has one origin."""
        in_stratum = np.bincount(self.strata)
        if not len(self.sums) or in_stratum[in_stratum > 0].min() < 2:
            return None
        means = self.sums / self.counts
        centres = np.bincount(self.strata, means) / np.maximum(1, in_stratum)
        origins = in_stratum[self.strata]
        moved: Array = self._weights * (means - centres[self.strata]) * np.sqrt(origins / (origins - 1))
        return moved

    def exchanged(self, turns: Array) -> Array:
        """The mean over its standard error under each row of turns (+1 or −1 for each row)."""
        parts = self._weights * self.sums / self.counts
        value, origins = turns @ parts, len(parts)
        # Strata are left out here: their differences count as spread, which can only make z smaller.
        variance = (float(np.sum(parts**2)) - value**2 / origins) * origins / max(0.5, origins - 1)
        return _over_error(value, variance, self.squares / self.counts.sum())


OriginSums = TwoSidedSums | SignedSums


def _over_error(value: Array, variance: Array, mean_square: float) -> Array:
    """Values over their standard errors; 0 where a permutation leaves a side empty."""
    size = math.sqrt(mean_square)
    known = np.isfinite(value) & (np.abs(value) > _ROUNDING * size)
    found = np.zeros(len(value))
    found[known] = value[known] / np.maximum(np.sqrt(np.maximum(variance[known], 0.0)), _FLOOR * size)
    return found
