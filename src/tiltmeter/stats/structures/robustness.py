"""Would the conclusion have been the same with other sentence structures? Single ones against half of them.

The paper's measure is the cosine of two vectors of group means. It is blind to an offset that all groups share: two
vectors far from zero point the same way whatever their differences do. So each vector is also centred on its own mean
first, which makes the cosine the correlation of the group means; and the signs of the differences are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import CHUNK, Array
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.structures.means import Pair, StructureMeans

SPLITS = 1_000
"""Random splits into halves; all of them where there are no more than that."""
DRAWS = 5_000
"""Random draws of k structures; all of them where there are no more than that."""


@dataclass(frozen=True, slots=True)
class Cosines:
    """The mean cosine of vectors of group means, as they are and centred; None where no two vectors have one."""

    plain: float | None
    centred: float | None
    without: tuple[int, int] = (0, 0)
    """Vectors, or splits, that have no cosine and are left out, as they are and centred: a vector of zeros."""


@dataclass(frozen=True, slots=True)
class SignKept:
    """Under how many structures a − b has the sign that it has over all of them."""

    share: Estimate
    """Of the structures that have both groups; a difference of zero does not keep the sign."""
    reversed: int
    ties: int
    """Structures under which the difference is zero: no reversal either."""


@dataclass(frozen=True, slots=True)
class Robustness:
    """How far the picture of the groups depends on the structures, over those that have every group."""

    single: Cosines
    """Over every two structures."""
    split_half: Cosines
    """Over splits of the structures into two halves; a half's means are over all its texts."""
    n_structures: int
    n_incomplete: int
    """Structures under which a group has no rated text, left out of the cosines and of the stability."""
    n_splits: int
    sign_kept: Mapping[Pair, SignKept]
    two_way: Mapping[Pair, Estimate]
    """The differences over all structures, uncertain over origins and structures at once."""

    def as_json(self) -> dict[str, Any]:
        """Numbers or null; pairs under "a/b"."""
        return {
            "single": self.single.plain,
            "split_half": self.split_half.plain,
            "centred_single": self.single.centred,
            "centred_split_half": self.split_half.centred,
            "sign_kept": {f"{a}/{b}": kept.share.as_json() for (a, b), kept in self.sign_kept.items()},
            "reversed": {f"{a}/{b}": kept.reversed for (a, b), kept in self.sign_kept.items()},
            "ties": {f"{a}/{b}": kept.ties for (a, b), kept in self.sign_kept.items()},
            "pairs_two_way": {f"{a}/{b}": found.as_json() for (a, b), found in self.two_way.items()},
            "n_structures": self.n_structures,
            "n_incomplete": self.n_incomplete,
            "n_splits": self.n_splits,
            "without_cosine": {
                "single": self.single.without[0],
                "split_half": self.split_half.without[0],
                "centred_single": self.single.without[1],
                "centred_split_half": self.split_half.without[1],
            },
        }


@dataclass(frozen=True, slots=True)
class Stability:
    """How often k structures, drawn at random without replacement, give the sign that all of them give."""

    k: tuple[int, ...]
    draws: tuple[int, ...]
    """How many draws of each size; every one there is where that is no more than 5,000."""
    agreeing: Mapping[Pair, tuple[float | None, ...]]
    """The share of draws, for each k."""

    def as_json(self) -> dict[str, Any]:
        """The curve of each pair."""
        return {
            "k": list(self.k),
            "draws": list(self.draws),
            "pairs": {f"{a}/{b}": list(shares) for (a, b), shares in self.agreeing.items()},
        }


def single_cosines(table: StructureMeans) -> Cosines:
    """The mean cosine over every two structures of a complete table.

    >>> table = StructureMeans(("s", "t"), ("a", "b"), np.array([[3.0, 4.0], [4.0, 3.0]]), np.ones((2, 2)), 4.0)
    >>> found = single_cosines(table)
    >>> round(found.plain, 6), round(found.centred, 6)
    (0.96, -1.0)
    """
    found = [_single(vectors, table.size) for vectors in (table.means, _centred(table.means))]
    return Cosines(found[0][0], found[1][0], (found[0][1], found[1][1]))


def split_cosines(table: StructureMeans, seed: int = 0) -> tuple[Cosines, int]:
    """The mean cosine of the two halves of the structures over many splits, and how many splits there were."""
    structures = len(table.structures)
    cosines: list[Array] = []
    for halves in half_splits(structures, seed) if structures > 1 else ():
        first, second = (_means_of(chosen, table) for chosen in (halves, 1 - halves))
        centred = _cosine(_centred(first), _centred(second), table.size)
        cosines.append(np.column_stack([_cosine(first, second, table.size), centred]))
    every = np.vstack(cosines) if cosines else np.empty((0, 2))
    none = np.isnan(every).sum(axis=0).tolist()
    plain, centred_ = (_mean(column[~np.isnan(column)]) for column in every.T)
    return Cosines(plain, centred_, (none[0], none[1])), len(every)


def signs_kept(
    table: StructureMeans, overall: Mapping[Pair, float | None], level: float = 0.95
) -> dict[Pair, SignKept]:
    """For each pair, the share of structures with its sign over all; structures are what the interval is over.

    The share has Wilson's interval, since each structure either keeps the sign or does not. It has no p: the sign over
    all is made of the same structures, so one half is not what chance would give.
    """
    found = {}
    for (a, b), difference in overall.items():
        whole = float(table.signs(np.array([difference or 0.0]))[0])
        signs = table.signs(table.differences(a, b)).tolist()
        known = [sign for sign in signs if not math.isnan(sign)]
        if not whole:
            share = Estimate(None, level=level, note="the difference over all structures has no sign")
            share = replace(share, n=len(known), n_unscored=len(signs) - len(known), origins=len(known))
            found[a, b] = SignKept(share, 0, known.count(0.0))
            continue
        kept = [None if math.isnan(sign) else float(sign == whole) for sign in signs]
        share = estimate(kept, neutral=None, level=level)
        note = share.note and share.note.replace("origins", "structures")
        found[a, b] = SignKept(replace(share, note=note), known.count(-whole), known.count(0.0))
    return found


def stability(table: StructureMeans, overall: Mapping[Pair, float | None], seed: int = 0) -> Stability:
    """The curve over k = 1, 2, 5, 10, 20, 50 … below the number of structures of a complete table."""
    structures = len(table.structures)
    sizes = tuple(k for power in range(6) for k in (10**power, 2 * 10**power, 5 * 10**power) if k < structures)
    wholes = {pair: float(table.signs(np.array([value or 0.0]))[0]) for pair, value in overall.items()}
    shares: dict[Pair, list[float | None]] = {pair: [] for pair in overall}
    draws = []
    for k in sizes:
        agreed, drawn = dict.fromkeys(overall, 0), 0
        for chosen in subsets(structures, k, seed):
            means = _means_of(chosen, table)
            drawn += len(means)
            for (a, b), whole in wholes.items():
                difference = means[:, table.groups.index(a)] - means[:, table.groups.index(b)]
                agreed[a, b] += int(np.sum(table.signs(difference) == whole))
        draws.append(drawn)
        for pair, whole in wholes.items():
            shares[pair].append(agreed[pair] / drawn if whole else None)
    return Stability(sizes, tuple(draws), {pair: tuple(found) for pair, found in shares.items()})


def half_splits(structures: int, seed: int = 0) -> Iterator[Array]:
    """The first half of each split as rows of 0 and 1, some at a time; of an odd number it is the smaller half.

    >>> [half.tolist() for half in half_splits(3)]
    [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]
    """
    half = structures // 2
    # Of an even number, a half and its rest are the same split: those with the first structure are all there are.
    twice = structures % 2 == 0
    ways = math.comb(structures, half) // (2 if twice else 1)
    if ways <= SPLITS:
        yield _rows(islice(combinations(range(structures), half), ways), structures)
    else:
        yield from _random(structures, half, SPLITS, seed)


def subsets(structures: int, k: int, seed: int = 0) -> Iterator[Array]:
    """Draws of k structures without replacement, as rows of 0 and 1, some at a time."""
    if math.comb(structures, k) <= DRAWS:
        yield _rows(combinations(range(structures), k), structures)
    else:
        yield from _random(structures, k, DRAWS, seed)


def _rows(chosen: Iterator[tuple[int, ...]], structures: int) -> Array:
    places = np.array(list(chosen))
    rows = np.zeros((len(places), structures))
    np.put_along_axis(rows, places, 1.0, axis=1)
    return rows


def _random(structures: int, k: int, draws: int, seed: int) -> Iterator[Array]:
    generator = np.random.default_rng([seed, k])
    at_once = max(1, CHUNK // structures)
    for start in range(0, draws, at_once):
        order = generator.random((min(at_once, draws - start), structures)).argsort(axis=1)
        yield (order < k).astype(np.float64)


def _means_of(chosen: Array, table: StructureMeans) -> Array:
    """The group means over all texts of the chosen structures, one row for each choice."""
    means: Array = (chosen @ table.sums) / (chosen @ table.counts)
    return means


def _centred(vectors: Array) -> Array:
    centred: Array = vectors - vectors.mean(axis=1, keepdims=True) if vectors.size else vectors
    return centred


def _single(vectors: Array, size: float) -> tuple[float | None, int]:
    norms = np.linalg.norm(vectors, axis=1)
    known = norms > 1e-12 * size
    units = vectors[known] / norms[known, np.newaxis]
    count = len(units)
    if count < 2:
        return None, len(vectors) - count
    # Every two of them at once: the square of the sum holds each pair twice and each vector once.
    twice = float(np.sum(units.sum(axis=0) ** 2)) - count
    return _within(twice / (count * (count - 1))), len(vectors) - count


def _cosine(first: Array, second: Array, size: float) -> Array:
    """The cosine of each two rows; NaN where one of them is a vector of zeros."""
    norms = np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1)
    known = (norms[0] > 1e-12 * size) & (norms[1] > 1e-12 * size)
    product = np.sum(first * second, axis=1)
    cosines = np.full(len(first), np.nan)
    np.divide(product, norms[0] * norms[1], out=cosines, where=known)
    return cosines


def _mean(values: Sequence[float] | Array) -> float | None:
    return _within(math.fsum(values) / len(values)) if len(values) else None


def _within(cosine: float) -> float:
    """Rounding may leave a cosine a hair beyond 1."""
    return min(1.0, max(-1.0, cosine))
