"""How far a mean may be off whose values hang together in one way (by origin) or in two (by origin and by structure).

Whole clusters are left out in turn (the jackknife). Both ways, the variance is that over the first kind of clusters,
plus that over the second, minus that over single cells, which the two have in common (Cameron, Gelbach and Miller
2011), and never less than the larger of the two; the third moment is put together alike. It holds for crossed labels
and for nested ones: where every cell is a cluster of its own of the second kind, what is left is the first.
A figure that is no mean has influence values, one for each row, whose mean it is but for what is small: they serve.
`docs/statistics.md` says how often such intervals hold the truth.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.drawing import Array, exact_sum
from tiltmeter.stats.skewed import Error

Codes = NDArray[np.intp]
"""The number of the cluster that each row belongs to."""

NO_SPREAD = 1e-12
"""A standard error that is a smaller part of the values than this is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """What leaving out each cluster in turn does to a mean."""

    influence: Array
    """How far the mean falls; 0 of a cluster that has no row."""
    present: NDArray[np.bool_]
    """Which clusters have a row."""
    effective: float
    """The number of clusters of one size that weigh as much."""

    @property
    def clusters(self) -> int:
        """How many clusters have a row."""
        return int(np.count_nonzero(self.present))


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


def left_out(values: Array, codes: Codes, clusters: int) -> LeftOut:
    """What leaving out each of so many clusters does to the mean of the values.

    >>> left_out(np.array([1.0, 2.0, 6.0, 7.0]), coded("xxyy"), 2).influence.tolist()
    [-2.5, 2.5]
    """
    rows = np.bincount(codes, minlength=clusters)
    mean = exact_sum(values) / len(values)
    deviations = np.bincount(codes, values - mean, minlength=clusters) / len(values)
    rest = 1 - rows / len(values)
    influence = np.divide(deviations, rest, out=deviations, where=rest > 0)
    return LeftOut(influence, rows > 0, len(values) ** 2 / float(np.sum(rows.astype(np.float64) ** 2)))


def error_of(parts: Sequence[tuple[float, Sequence[LeftOut]]]) -> Error:
    """How far a weighted sum of means may be off; each mean has its weight and one way, or two ways and their cells.

    Means that share clusters vary together, means that share none vary apart. The degrees of freedom of a way are fewer
    than k − 1 where its tails are long; those of both are Satterthwaite's, at most those of the way that varies more:
    where that happens to vary little, there would be too many of them.

    >>> first, second = coded("aaabbbccc"), coded("xyzxyzxyz")
    >>> values = np.array([1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 4.0, 5.0, 9.0])
    >>> ways = [left_out(values, codes, int(codes.max()) + 1) for codes in (first, second, cells_of(first, second))]
    >>> found = error_of([(1.0, ways)])
    >>> round(found.error**2, 6), round(found.freedom, 6), round(found.skewness, 6)
    (1.814815, 2.0, 0.154197)
    """
    # Scaled first, so that powers of very small or very large values neither vanish nor overflow.
    size = max(abs(weight) * float(np.max(np.abs(way.influence))) for weight, ways in parts for way in ways) or 1.0
    weights = [weight / size for weight, _ in parts]
    first, *rest = [_moments(weights, sides) for sides in zip(*(ways for _, ways in parts), strict=True)]
    found = first
    if rest:
        second, cells = rest
        variance = max(first.variance + second.variance - cells.variance, first.variance, second.variance)
        freedom = min(
            _satterthwaite([first, second], variance), max(first, second, key=lambda each: each.variance).freedom
        )
        found = _Moments(variance, freedom, first.third + second.third - cells.third)
    if found.variance <= 0:
        return Error(0.0, found.freedom)
    return Error(size * math.sqrt(found.variance), found.freedom, found.third / found.variance**1.5)


@dataclass(frozen=True, slots=True)
class _Moments:
    """The variance of a figure, its degrees of freedom, and the third moment."""

    variance: float
    freedom: float
    third: float


def _moments(weights: Sequence[float], sides: Sequence[LeftOut]) -> _Moments:
    """Those of a weighted sum of means over one kind of clusters."""
    if len(sides) > 1 and not np.all([side.present for side in sides], axis=0).any():
        apart = [_moments([weight], [side]) for weight, side in zip(weights, sides, strict=True)]
        variance = math.fsum(each.variance for each in apart)
        return _Moments(variance, _satterthwaite(apart, variance), math.fsum(each.third for each in apart))
    present = np.any([side.present for side in sides], axis=0)
    influence = np.sum([weight * side.influence for weight, side in zip(weights, sides, strict=True)], axis=0)[present]
    clusters = len(influence)
    freedom = max(1, min(side.clusters for side in sides) - 1)
    return _Moments(
        exact_sum(influence**2) * (clusters - 1) / clusters,
        # A variance of values with long tails is less sure than one of normal values: it varies by 2/(k − 1) + κ/k.
        2 / (2 / freedom + max(0.0, _kurtosis(influence)) / clusters),
        exact_sum(influence**3) * (clusters - 1) ** 2 / (clusters * max(1, clusters - 2)),
    )


def _kurtosis(values: Array) -> float:
    """How much longer the tails are than a normal distribution's, as seen: few values cannot show much of it.

    >>> round(_kurtosis(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])), 3)
    3.143
    """
    squares = (values - exact_sum(values) / len(values)) ** 2
    spread = exact_sum(squares) / len(values)
    # Smaller, and its square would vanish.
    return exact_sum(squares**2) / len(values) / spread**2 - 3 if spread > 1e-100 else 0.0


def _satterthwaite(parts: Sequence[_Moments], variance: float) -> float:
    """The degrees of freedom of a variance that is made of these."""
    if variance <= 0:
        return min(part.freedom for part in parts)
    return 1 / math.fsum((part.variance / variance) ** 2 / part.freedom for part in parts)
