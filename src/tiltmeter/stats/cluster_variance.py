"""Variance and degrees of freedom of a contrast of weighted means whose rows are clustered in one way or several.

A *part* is one of the means that the contrast is made of (a group, or one stratum of a group). For each kind of
clusters the residuals are summed by cluster and enlarged for the cluster's leverage (CR2, Bell and McCaffrey 2002).
Several kinds are put together by inclusion and exclusion (Cameron, Gelbach and Miller 2011).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import numpy as np

from tiltmeter.stats.arrays import Array, Codes, cells_of

WORKING_CORRELATION = 0.25
"""Of two rows of one cluster; it only says how the degrees of freedom fall with unequal cluster sizes."""
NO_SPREAD = 1e-12
"""A standard error that is a smaller part of the values than this is rounding."""
HIDDEN = 0.1
"""Where all events came from one cluster, the variance is taken to be so much nearer to the largest that it can be."""
_WHOLE = 1 - 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ContrastData:
    """Rows, or sums of rows, of a contrast Σ c·m of the means m of its parts."""

    parts: Codes
    sums: Array
    weights: Array
    counts: Array
    coefficients: Array
    """Of each part; of a contrast of logarithms, divided by the group's mean."""
    means: Array
    equal_clusters: bool = False
    ends: tuple[float, float] | None = None
    """Of the scale: near them, events are few."""


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """The variance of a contrast, its degrees of freedom, and what else the clusters say."""

    variance: float
    freedom: float
    concentration: float
    """The variance of the contrast if all rows of a cluster were alike and had a variance of 1."""
    of_parts: Array
    """The same of each part's mean: one over the number of clusters, or more where they differ in size."""
    largest: float = 0.0
    """The largest cluster's share of the variance."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """The rows summed by one kind of clusters: a line for each part, a column for each cluster."""

    shares: Array
    """Each cluster's share of the part's weight."""
    sums: Array
    """Σ of weight times value, over the part's weight."""
    counts: Array

    @classmethod
    def of(cls, rows: ContrastData, codes: Codes) -> Way:
        """Sum the rows by cluster."""
        parts, clusters = len(rows.coefficients), int(codes.max()) + 1
        places, shape = rows.parts * clusters + codes, (parts, clusters)
        weights, sums, counts = (
            np.bincount(places, each, parts * clusters).reshape(shape).astype(np.float64)
            for each in (rows.weights, rows.sums, rows.counts)
        )
        whole = weights.sum(axis=1, keepdims=True)
        return cls(weights / whole, sums / whole, counts)

    def moments(self, rows: ContrastData, *, freedom: bool = True) -> Clustered:
        """The variance over these clusters alone."""
        coefficients, shares = rows.coefficients, self.shares
        scaled = (self.sums - rows.means[:, None] * shares) / np.sqrt(1 - np.minimum(shares, _WHOLE))
        # Not by matrices: what they round depends on the order of the parts.
        moved = (coefficients[:, None] * scaled).sum(axis=0)
        squares = moved**2
        variance = float(squares.sum())
        with np.errstate(over="ignore"):
            concentration = float(((np.abs(coefficients)[:, None] * shares).sum(axis=0) ** 2).sum())
        of_parts = (shares**2).sum(axis=1)
        if not freedom or variance <= NO_SPREAD**2:
            return Clustered(variance, max(1.0, len(moved) - 1.0), concentration, of_parts)
        varying = (scaled**2).sum(axis=1)
        few = self._few_events(rows, of_parts)
        # Clusters that happen to have no event hide how much clusters differ.
        low, high = rows.ends or (0.0, 0.0)
        hidden = np.maximum(0.0, of_parts * (rows.means - low) * (high - rows.means) - varying)
        variance += HIDDEN * math.fsum(coefficients**2 * few * hidden)
        weight = coefficients**2 * varying
        tail = max(_excess_kurtosis(moved) / len(moved), math.fsum((weight / math.fsum(weight)) ** 2 * few))
        degrees = self._degrees(rows, varying)
        if len(varying) > 1:
            # A part with few clusters that happen to agree would leave too many degrees to the others.
            degrees = min(degrees, self._degrees(rows, None))
        # The variance of a variance: 2/f of normal values, and more where tails are long or events are few.
        found = max(1.0, 2 / (2 / degrees + tail))
        return Clustered(variance, found, concentration, of_parts, float(squares.max()) / variance)

    def _degrees(self, rows: ContrastData, varying: Array | None) -> float:
        """Satterthwaite's degrees of freedom of the sum of squared residuals, with these variances of the parts.

        None: all clusters vary alike. The covariance of the residuals is T + F K Fᵀ with T diagonal, since a mean is
        estimated for each part.
        """
        shares, coefficients = self.shares, rows.coefficients
        alike = 1.0 if rows.equal_clusters else WORKING_CORRELATION
        work = np.where(shares > 0, alike + (1 - alike) / np.maximum(self.counts, 1.0), 0.0)
        own = shares**2 * work
        if varying is not None:
            work *= np.divide(varying, own.sum(axis=1), out=np.zeros_like(varying), where=varying > 0)[:, None]
            own = shares**2 * work
        leverage = own.sum(axis=0) / np.maximum((shares * work).sum(axis=0), 1e-300)
        scale = 1 / np.sqrt(1 - np.minimum(leverage, _WHOLE))
        diagonal = (coefficients[:, None] ** 2 * own).sum(axis=0) * scale**2
        # F has a column of shares (u) and one of variances (w) for each part; K is [[v, −1], [−1, 0]] for each.
        u, w = (coefficients[:, None] * each * scale for each in (shares, own))
        v = own.sum(axis=1)[:, None]
        low_rank = (u * (v * u - 2 * w)).sum(axis=0)
        uu, uw, ww = (np.einsum("pc,qc->pq", one, other) for one, other in ((u, u), (u, w), (w, w)))
        first, second = v * uu - uw.T, v * uw - ww
        trace = float((diagonal + low_rank).sum())
        of_both = math.fsum((first * first.T - 2 * second * uu + uw * uw.T).ravel())
        squared = float((diagonal**2 + 2 * diagonal * low_rank).sum()) + of_both
        return max(1.0, trace**2 / squared) if squared > 0 else 1.0

    def _few_events(self, rows: ContrastData, of_parts: Array) -> Array:
        """How much less sure each part is because events, counted from the nearer end, are few or come together."""
        if rows.ends is None:
            return np.zeros_like(of_parts)
        low, high = rows.ends
        lean = ((rows.means - low) - (high - rows.means)) / (high - low)
        distance = np.where(lean[:, None] <= 0, self.sums - low * self.shares, high * self.shares - self.sums)
        total = distance.sum(axis=1, keepdims=True)
        part = np.divide(distance, total, out=np.zeros_like(distance), where=total > 0)
        effective = np.where(total[:, 0] > 0, (part**2).sum(axis=1), 1.0)
        # In the middle of the scale neither side's events are few: the tails of a share are short there.
        found: Array = np.abs(lean) * np.maximum(0.0, effective - of_parts)
        return found

    def means(self) -> Array:
        """Of each part in each cluster; NaN where a part has no rows there."""
        return np.divide(self.sums, self.shares, out=np.full_like(self.sums, np.nan), where=self.shares > 0)


def clustered(rows: ContrastData, ways: Sequence[Way], codes: Sequence[Codes]) -> Clustered:
    """The variance over all ways at once, at least that over the way that varies most.

    The degrees of freedom are Satterthwaite's of the ways, at most those of the way that varies most.
    """
    single = [way.moments(rows) for way in ways]
    if len(single) == 1:
        return single[0]
    variance = math.fsum(each.variance for each in single)
    # What rows vary by is one thing or the other: no mixture of the ways varies more than the way with the fewest.
    concentration = max(each.concentration for each in single)
    of_parts = np.sum([each.of_parts for each in single], axis=0)
    for size in range(2, len(ways) + 1):
        for chosen in combinations(codes, size):
            both = Way.of(rows, reduce(cells_of, chosen)).moments(rows, freedom=False)
            variance += (-1) ** (size + 1) * both.variance
            of_parts = of_parts + (-1) ** (size + 1) * both.of_parts
    widest = max(single, key=lambda each: each.variance)
    variance = max(variance, widest.variance)
    unsure = math.fsum(each.variance**2 / each.freedom for each in single)
    freedom = max(1.0, min(variance**2 / unsure, widest.freedom)) if unsure > 0 else widest.freedom
    largest = widest.largest * widest.variance / (variance or 1.0)
    return Clustered(variance, freedom, concentration, of_parts, largest)


def _excess_kurtosis(values: Array) -> float:
    """How much longer the tails are than a normal distribution's; few values cannot show much of it."""
    squares = (values - values.mean()) ** 2
    spread = float(squares.mean())
    return max(0.0, float((squares**2).mean()) / spread**2 - 3) if spread > 1e-100 else 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Which true values are compatible with an estimate: those at a distance t with t² ≤ q² (a − b t − c t²).

    In brackets is the variance if that value were true, q is Student's quantile. The distance is estimate minus truth.
    """

    a: float
    freedom: float
    b: float = 0.0
    c: float = 0.0

    @classmethod
    def on_scale(cls, variance: float, freedom: float, sides: Array, coefficients: Array, sizes: Array) -> Limits:
        """Of a contrast of means that lie so far from both ends of their scale: each varies as a share does, x (1 − x).

        If the truth is off by t, each mean is off in proportion to its coefficient and `sizes`, one over its clusters.
        """
        weights = coefficients**2 * sizes
        moved = coefficients * sizes / math.fsum(weights)
        below, above = sides
        ratio = variance / math.fsum(weights * (below * above))
        b, c = math.fsum(weights * moved * (above - below)), math.fsum(weights * moved**2)
        return cls(variance, freedom, ratio * b, ratio * c)

    @classmethod
    def widest(cls, concentration: float, sides: Array, coefficients: Array, sizes: Array) -> Limits:
        """The same if all rows of a cluster were alike: no variance can be larger."""
        weights = coefficients**2 * sizes
        whole = math.fsum(weights)
        squares, moved = weights / whole, coefficients * sizes / whole
        below, above = sides
        a, b, c = (
            concentration * math.fsum(squares * each) for each in (below * above, moved * (above - below), moved**2)
        )
        return cls(a, math.inf, b, c)

    def bounds(self, level: float) -> tuple[float, float]:
        """The largest distance below the estimate and the largest above it, both positive.

        >>> [round(each, 3) for each in Limits(0.25 / 50, math.inf, 0.0, 1 / 50).bounds(0.95)]
        [0.134, 0.134]
        """
        square = _quantile(self.freedom, level) ** 2
        a, b, c = square * self.a, square * self.b, 1 + square * self.c
        root = math.sqrt(b * b + 4 * a * c)
        return (root - b) / (2 * c), (root + b) / (2 * c)

    def p(self, distance: float) -> float:
        """Two-sided, of a true value at this distance."""
        from scipy.special import ndtr, stdtr

        if not distance:
            return 1.0
        # Where the variance does not depend on the truth, the distance may be too large to be squared.
        variance = self.a - distance * (self.b + self.c * distance) if self.b or self.c else self.a
        if variance <= 0:
            return 0.0
        t = -abs(distance) / math.sqrt(variance)
        return 2 * float(ndtr(t) if math.isinf(self.freedom) else stdtr(self.freedom, t))


def _quantile(freedom: float, level: float) -> float:
    from scipy.special import ndtri, stdtrit

    return float(ndtri((1 + level) / 2) if math.isinf(freedom) else stdtrit(freedom, (1 + level) / 2))
