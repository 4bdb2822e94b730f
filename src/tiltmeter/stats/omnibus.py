"""Whether all groups could be alike: groups exchanged at random, and how far apart their means are then.

An origin that has several groups exchanges them among themselves, whole cells at a time; origins of one group each
exchange theirs with one another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.drawing import CHUNK, Array
from tiltmeter.stats.effect_sizes import Side
from tiltmeter.stats.estimates import FEWEST_ORIGINS, is_number
from tiltmeter.stats.pooled import Observation
from tiltmeter.stats.resampling import FLIPS, exact_sums
from tiltmeter.stats.whole_curve import FEWEST_ARRANGEMENTS

DesignKind = Literal["crossed", "nested", "mixed"]
"""Whether every origin has several groups, every origin one, or some the one and some the other."""

_ROUNDING = 1e-9
_FLOOR = 1e-12
"""The variance of a mean is taken as at least this part of the texts' mean square, so that nothing is infinite."""


@dataclass(frozen=True, slots=True)
class Omnibus:
    """Whether all groups could have the same mean; no p where there is too little to exchange."""

    p: float | None
    share: float | None
    """The share of the texts' squared deviations that lies between groups (η²); by chance it is above zero."""
    permutations: int
    design: DesignKind
    groups: int
    origins: int
    note: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ScoredTexts:
    """The scored texts in one order, whatever order they came in."""

    groups: NDArray[np.str_]
    values: Array
    origins: NDArray[np.str_]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, items: Iterable[Observation]) -> ScoredTexts:
        """From texts; one without an origin is its own."""
        scored = sorted(
            (origin or "", value, group) for group, value, origin in items if value is not None and is_number(value)
        )
        # No name begins with this sign.
        origins = np.array([origin or f"\x01{place}" for place, (origin, *_) in enumerate(scored)], dtype=np.str_)
        _, codes = np.unique(origins, return_inverse=True)
        values = np.array([value for _, value, _ in scored], dtype=np.float64)
        return cls(np.array([group for *_, group in scored], dtype=np.str_), values, origins, codes)

    def side(self, group: str) -> Side:
        """The texts of one group."""
        mine = self.groups == group
        return Side(self.values[mine], self.codes[mine])


def omnibus_of(items: Sequence[Observation], *, permutations: int = FLIPS, seed: int = 0) -> Omnibus:
    """Test whether all groups have the same mean, by the sum of squares between groups.

    Where every origin has several groups, what an origin does to all of them is taken out first. With 5 origins or more
    of each group, a group is as heavy as its mean is sure (Welch's weights); else as its texts are many.

    >>> texts = [(group, value + gap, origin) for group, gap in (("x", 0.0), ("y", 0.0), ("z", 9.0))
    ...          for origin, value in zip("abcdef", (0.1, 0.5, 0.2, 0.9, 0.4, 0.3))]
    >>> found = omnibus_of(texts)
    >>> found.design, found.p < 0.01, round(found.share, 3)
    ('crossed', True, 0.996)
    """
    table = ScoredTexts.of(items)
    names, columns = np.unique(table.groups, return_inverse=True)
    origins = int(table.codes.max(initial=-1)) + 1
    centred = table.values - (math.fsum(table.values) / len(table.values) if len(table.values) else 0.0)
    places = table.codes * len(names) + columns
    sums = exact_sums(centred, places, origins * len(names)).reshape(origins, len(names))
    counts = np.bincount(places, minlength=origins * len(names)).reshape(origins, len(names)).astype(np.float64)
    several = np.sum(counts > 0, axis=1) > 1
    design: DesignKind = "crossed" if several.all() else "mixed" if several.any() else "nested"
    nothing = Omnibus(None, None, 0, design, len(names), origins)
    if len(names) < 2:
        return replace(nothing, note="no test: there are not two groups with a scored text")
    total = math.fsum(centred**2)
    if total <= (1e-12 * float(np.max(np.abs(table.values)))) ** 2 * len(centred):
        return replace(nothing, note="no test: every value is the same")
    share = float(np.sum(sums.sum(axis=0) ** 2 / counts.sum(axis=0))) / total
    ways = _arrangements(counts, several)
    if ways < FEWEST_ARRANGEMENTS:
        note = f"no test of all groups: those of {origins} origins can be exchanged in too few ways"
        return replace(nothing, share=share, note=note)
    if design == "crossed":
        sums = sums - counts * (sums.sum(axis=1) / counts.sum(axis=1))[:, np.newaxis]
    # Which groups an origin has stays as it is, so all permutations are measured alike.
    weighted = int(np.sum(counts > 0, axis=0).min()) >= FEWEST_ORIGINS
    between = partial(_weighted, floor=_FLOOR * total / len(centred)) if weighted else _plain
    parts = np.stack([sums, counts, sums**2, sums * counts, counts**2, counts > 0], axis=-1)
    least = float(between(parts.sum(axis=0))) * (1 - _ROUNDING)
    at_least = sum(int(np.sum(between(drawn) >= least)) for drawn in _permuted(parts, several, permutations, seed))
    return Omnibus((1 + at_least) / (permutations + 1), share, permutations, design, len(names), origins)


def _plain(totals: Array) -> Array:
    """The sum of squares between groups, each as heavy as its texts are many."""
    return _between(totals[..., 0] / totals[..., 1], totals[..., 1])


def _weighted(totals: Array, floor: float) -> Array:
    """The same with each group as heavy as its mean is sure, so that one that only varies more does not look unlike."""
    sums, counts, squares, products, count_squares, origins = np.moveaxis(totals, -1, 0)
    means = sums / counts
    variances = (squares - 2 * means * products + means**2 * count_squares) / counts**2 * origins / (origins - 1)
    return _between(means, 1 / np.maximum(variances, floor))


def _between(means: Array, weights: Array) -> Array:
    centre = np.sum(weights * means, axis=-1) / np.sum(weights, axis=-1)
    found: Array = np.sum(weights * (means - centre[..., np.newaxis]) ** 2, axis=-1)
    return found


def _arrangements(counts: Array, several: NDArray[np.bool_]) -> float:
    """In how many ways groups could be exchanged; no more than 10^9 are counted."""
    ways = 1.0
    for present in np.sum(counts[several] > 0, axis=1).tolist():
        ways = min(1e9, ways * math.factorial(min(present, 12)))
    of_each = np.sum(counts[~several] > 0, axis=0).tolist()
    left = sum(of_each)
    for count in of_each:
        ways = min(1e9, ways * min(10**9, math.comb(left, count)))
        left -= count
    return ways


def _permuted(parts: Array, several: NDArray[np.bool_], permutations: int, seed: int) -> Iterator[Array]:
    """The parts of origins and groups summed over origins in each permutation (rows), some rows at a time."""
    generator = np.random.default_rng(seed)
    _, groups, figures = parts.shape
    present = parts[..., -1] > 0
    kinds, kind_of = np.unique(present[several], axis=0, return_inverse=True)
    crossed = np.flatnonzero(several)
    nested = np.flatnonzero(~several)
    label = np.argmax(present[nested], axis=1)
    at_once = max(1, CHUNK // (parts.size or 1))
    for start in range(0, permutations, at_once):
        rows = min(at_once, permutations - start)
        totals = np.zeros((rows, groups, figures))
        for number, kind in enumerate(kinds):
            members, its = crossed[kind_of.reshape(-1) == number], np.flatnonzero(kind)
            orders = np.argsort(generator.random((rows, len(members), len(its))), axis=-1)
            cells = parts[np.ix_(members, its)]
            totals[:, its] += cells[np.arange(len(members))[:, np.newaxis], orders].sum(axis=1)
        if len(nested):
            mine = parts[nested, label]
            labels = generator.permuted(np.tile(label, (rows, 1)), axis=1)
            for group in range(groups):
                totals[:, group] += (labels == group).astype(np.float64) @ mine
        yield totals
