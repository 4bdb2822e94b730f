"""The items of a cell summed by origin: what stays of them while origins are turned or change groups.

An origin of one group that changes it takes its sums to the other side. One with both groups is turned round the mean
of all items: its values change their sign, its counts stay where they are. With as many texts of either group that is
the same as exchanging the groups. With unlike numbers (six texts of one group for two of the other, say) exchanging
them would change the weights as well, and let in the level of the origin, which all cells share and which cancels in
the data as they are: exchanged curves would vary too much, and little would be found.

With a row of +1 (as it was) and −1 (turned) for each permutation, everything that a permutation gives is a product of
matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.arrays import Array

_ROUNDING = 1e-12
_FLOOR = 1e-6
"""A standard error is taken as at least this share of the size of the values, so that nothing is infinite."""
_FEWEST_DEGREES = 0.1
"""Of freedom, where a side has a single origin: hardly anything is far from zero then."""


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
        return math.sqrt(inner / freedom) or None

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

    def exchanged(self, turns: Array, alone: NDArray[np.bool_] | None = None) -> Array:
        """The difference over its standard error, as a normal deviate, under each row of turns (+1 or −1 each).

        Origins that are turned `alone`, those with both sides unless it is said, are turned round the mean of all
        items; the others have one side and change it.
        """
        around = np.all(self.counts > 0, axis=1) if alone is None else alone
        own = _SideSums.flipped(_chosen(turns, around), self.sums[around], self.counts[around])
        others = _SideSums.moved(_chosen(turns, ~around), self.sums[~around], self.counts[~around])
        counts, origins = own.counts + others.counts, own.origins + others.origins
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (own.sums + others.sums) / counts
            # As in `influence`: few origins vary less about their own mean than about the truth.
            wider = origins / np.maximum(origins - 1, 0.5)
            within = own.scatter(means) * wider / counts**2
            shared = own.shared(means) * np.sqrt(wider.prod(axis=1)) / counts.prod(axis=1)
            of_own, of_others = np.sum(within, axis=1) - 2 * shared, others.scatter(means) * wider / counts**2
            variance = of_own + np.sum(of_others, axis=1)
            # Welch and Satterthwaite: a side that varies more and has few origins says less than all would together.
            alone_free, free = float(np.sum(around)) - 1, others.origins - 1
            unsure = np.sum(of_others**2 / np.maximum(free, _FEWEST_DEGREES), axis=1)
            degrees = variance**2 / (of_own**2 / max(alone_free, _FEWEST_DEGREES) + unsure)
            # Where nothing varies within the sides they are not known, and are those of all.
            degrees = np.fmin(degrees, max(alone_free, 0.0) + np.sum(np.maximum(free, 0), axis=1))
        z = _over_error(means[:, 0] - means[:, 1], variance, self.squares / self.counts.sum())
        return deviate(z, np.where(origins.min(axis=1) < 2, 0.0, degrees))


@dataclass(frozen=True, slots=True, eq=False)
class _SideSums:
    """Origins of one kind summed over either side (columns) under each row of turns; one row where no turn matters."""

    sums: Array
    counts: Array
    squares: Array
    products: Array
    count_squares: Array
    origins: Array
    crossed: Array
    """Sums times the counts of the other side."""
    both: tuple[float, float]
    """Products of the two sums, and of the two counts, which no turn changes."""

    @classmethod
    def flipped(cls, turns: Array, sums: Array, counts: Array) -> _SideSums:
        """Values change their sign, and so do sums of odd powers of them; counts stay."""
        if not len(sums):
            return cls.none()
        odd = turns @ np.hstack([sums, sums * counts, sums * counts[:, ::-1]])
        squares, count_squares, totals, origins = (
            each.sum(axis=0, keepdims=True) for each in (sums**2, counts**2, counts, (counts > 0).astype(np.float64))
        )
        both = float(np.sum(sums.prod(axis=1))), float(np.sum(counts.prod(axis=1)))
        return cls(odd[:, :2], totals, squares, odd[:, 2:4], count_squares, origins, odd[:, 4:], both)

    @classmethod
    def moved(cls, turns: Array, sums: Array, counts: Array) -> _SideSums:
        """Origins of one side go over to the other with all they have."""
        if not len(sums):
            return cls.none()
        given = [counts, sums**2, sums * counts, counts**2, (counts > 0).astype(np.float64), sums]
        moved = turns @ np.column_stack([each[:, 0] - each[:, 1] for each in given])
        totals, squares, products, count_squares, origins, of_values = (
            np.column_stack([each.sum() + moved[:, place], each.sum() - moved[:, place]]) / 2
            for place, each in enumerate(given)
        )
        return cls(of_values, totals, squares, products, count_squares, origins, np.zeros((1, 2)), (0.0, 0.0))

    @classmethod
    def none(cls) -> _SideSums:
        """No origins."""
        nothing = np.zeros((1, 2))
        return cls(nothing, nothing, nothing, nothing, nothing, nothing, nothing, (0.0, 0.0))

    def scatter(self, means: Array) -> Array:
        """The squares of what each origin has beyond these means, summed over either side."""
        found: Array = self.squares - 2 * means * self.products + means**2 * self.count_squares
        return found

    def shared(self, means: Array) -> Array:
        """The same as products of the two sides of an origin."""
        crossed = np.sum(means[:, ::-1] * self.crossed, axis=1)
        found: Array = self.both[0] - crossed + means.prod(axis=1) * self.both[1]
        return found


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
    rounded_at: float = 1.0
    """The size of what the values are differences of: log-probabilities that are equal differ in their last digits."""

    @classmethod
    def of(
        cls, values: Array, origins: NDArray[np.str_], strata: NDArray[np.str_], rounded_at: float = 1.0
    ) -> SignedSums:
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
        return cls(names[owners], sums, counts, parts_of, squares, scatter, lowest, highest, rounded_at)

    @property
    def _size(self) -> float:
        return max(abs(self.lowest), abs(self.highest))

    @property
    def all_the_same(self) -> bool:
        """Whether no value differs from another by more than rounding."""
        return self.highest - self.lowest <= _ROUNDING * self._size

    def sign(self, value: float) -> int:
        """The sign of a mean that is more than rounding."""
        return 0 if abs(value) <= _ROUNDING * max(self.rounded_at, self._size) else int(math.copysign(1, value))

    @property
    def spread(self) -> float | None:
        """The standard deviation of the items; None where it is zero."""
        n = self.counts.sum()
        if n < 2 or self.all_the_same:
            return None
        return math.sqrt(self.scatter / (n - 1)) or None

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
        """The mean over its standard error, as a normal deviate, under each row of turns (+1 or −1 for each row)."""
        parts = self._weights * self.sums / self.counts
        value, origins = turns @ parts, len(parts)
        # Strata are left out here: their differences count as spread, which can only make z smaller.
        variance = (float(np.sum(parts**2)) - value**2 / origins) * origins / max(0.5, origins - 1)
        z = _over_error(value, variance, self.squares / self.counts.sum())
        return deviate(z, np.full(len(z), self.fewest - 1.0))


OriginSums = TwoSidedSums | SignedSums


def _chosen(turns: Array, origins: NDArray[np.bool_]) -> Array:
    """The columns of some origins, without a copy where it is all of them."""
    return turns if origins.all() else turns[:, origins]


def _over_error(value: Array, variance: Array, mean_square: float) -> Array:
    """Values over their standard errors; 0 where a permutation leaves a side empty."""
    size = math.sqrt(mean_square)
    known = np.isfinite(value) & (np.abs(value) > _ROUNDING * size)
    found = np.zeros(len(value))
    found[known] = value[known] / np.maximum(np.sqrt(np.maximum(variance[known], 0.0)), _FLOOR * size or 1.0)
    return found


def deviate(z: Array, degrees: Array) -> Array:
    """Student's deviates as the normal ones that are about as rare, so that cells of few origins and of many compare.

    Wallace 1959: within 0.02 from four degrees of freedom on, up to the 1 % points.

    >>> deviate(np.array([2.776, -4.604, 2.0]), np.array([4.0, 4.0, 60.0])).round(2).tolist()
    [1.95, -2.56, 1.96]
    """
    free = np.maximum(degrees, _FEWEST_DEGREES)
    found: Array = np.sign(z) * (8 * free + 1) / (8 * free + 3) * np.sqrt(free * np.log1p(z**2 / free))
    return found
