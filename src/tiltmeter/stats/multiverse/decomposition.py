"""How much of the spread between cells is due to each choice, to two choices together, to the rest, and to sampling.

An analysis of variance of the cells' effects with the choices as crossed factors. A sum of squares is larger than what
the choice does, since every effect was estimated from a sample of origins: how much larger is worked out from the
covariance of the cells, and taken off. Cells share origins, so most of their noise is common to them and does not
spread them; the covariance knows that, a mean of squared standard errors would not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Any

import numpy as np

from tiltmeter.stats.arrays import Array
from tiltmeter.stats.multiverse.cells import Cells

ORDERS = 120
"""Orders in which choices enter, where they are not balanced: all of them up to this number, else so many at random."""
NOT_THERE = "–"
"""The setting of a choice that a cell does not have: a scorer where texts are rated."""


@dataclass(frozen=True, slots=True)
class VarianceShare:
    """What one choice, or two together beyond what each does alone, adds to the spread."""

    choices: tuple[str, ...]
    squares: float
    """Its sum of squares."""
    noise: float
    """What sampling alone would make of that, on average."""
    share: float
    """Of the whole sum of squares, noise taken off; never below zero."""

    def as_json(self) -> dict[str, Any]:
        """The figures of the part."""
        return {"choices": list(self.choices), "squares": self.squares, "noise": self.noise, "share": self.share}


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The spread of the effects by where it comes from; the shares and `sampling` add up to 1."""

    cells: int
    total: float
    """The sum of squared deviations of the effects from their mean."""
    main: tuple[VarianceShare, ...]
    interactions: tuple[VarianceShare, ...]
    rest: VarianceShare | None
    """Three and more choices together."""
    sampling: float | None
    """The share that the sampling of origins explains; None where it is not known and nothing was taken off."""
    balanced: bool
    fixed: tuple[str, ...]
    """Choices that do not vary."""
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The figures of the decomposition."""
        return {
            "cells": self.cells,
            "total": self.total,
            "choices": [part.as_json() for part in self.main],
            "interactions": [part.as_json() for part in self.interactions],
            "rest": None if self.rest is None else self.rest.as_json(),
            "sampling": self.sampling,
            "balanced": self.balanced,
            "fixed": list(self.fixed),
            "notes": list(self.notes),
        }


def decompose(cells: Cells, seed: int = 0) -> Decomposition:
    """Decompose the spread of the effects of evaluated cells; those without an effect are left out."""
    valued = [place for place in cells.valued if cells.results[place].effect.value is not None]
    # In an order of their own, so that sums are the same to the last bit in whatever order cells come.
    placed = sorted(valued, key=lambda place: sorted(cells.results[place].choices.items()))
    left_out = len(cells.results) - len(placed)
    notes = [f"{left_out} of {len(cells.results)} cells have no effect and are left out"] if left_out else []
    settings = [cells.results[place].choices for place in placed]
    effects = np.array([cells.results[place].effect.value for place in placed], dtype=np.float64)
    noise = covariance(cells, placed)
    if noise is None:
        notes.append("sampling noise is not taken off: a cell rests on a single origin, which shows no spread")
    found = analysis_of_variance(settings, effects, noise, seed)
    kinds = {cells.data[place].sides is None for place in placed}
    if len(kinds) > 1:
        notes.append("signed items and two groups of texts are standardised by different spreads: part is due to that")
    return replace(found, notes=(*notes, *found.notes))


def covariance(cells: Cells, places: Sequence[int]) -> Array | None:
    """The sampling covariance of the effects of some cells, over origins; None where a cell shows no spread of them."""
    moved = []
    for place in places:
        influence, sd = cells.sums[place].influence(), cells.results[place].sd
        if influence is None or sd is None:
            return None
        moved.append((cells.sums[place].origins, influence / sd))
    names = np.unique(np.concatenate([origins for origins, _ in moved])) if moved else np.array([], dtype=np.str_)
    table = np.zeros((len(names), len(moved)))
    for column, (origins, influence) in enumerate(moved):
        np.add.at(table[:, column], np.searchsorted(names, origins), influence)
    return table.T @ table


def analysis_of_variance(
    settings: Sequence[Mapping[str, str]], effects: Array, noise: Array | None = None, seed: int = 0
) -> Decomposition:
    """Sums of squares of effects by choice and by two choices; `noise` is the covariance of the effects.

    Balanced cells (every combination equally often) have sums of squares that do not depend on the choices' order.
    Otherwise each is the average over orders in which the choices enter (Lindeman, Merenda and Gold; Shapley), all
    choices before any two together.

    >>> found = analysis_of_variance([{"a": x, "b": y} for x in "01" for y in "01"], np.array([0.0, 1.0, 2.0, 5.0]))
    >>> [(part.choices, round(part.squares, 9)) for part in (*found.main, *found.interactions)]
    [(('a',), 9.0), (('b',), 4.0), (('a', 'b'), 1.0)]
    """
    names = sorted({name for each in settings for name in each})
    levels = {name: [each.get(name, NOT_THERE) for each in settings] for name in names}
    varying = [name for name in names if len(set(levels[name])) > 1]
    fixed = tuple(name for name in names if name not in varying)
    total = float(np.sum((effects - effects.mean()) ** 2)) if len(effects) else 0.0
    size = float(np.max(np.abs(effects), initial=0.0))
    if not varying or total <= (1e-12 * size) ** 2 * len(effects):
        why = "no choice varies between cells" if not varying else "all cells have the same effect"
        return Decomposition(len(effects), total, (), (), None, None, True, fixed, (f"nothing to decompose: {why}",))
    balanced = _balanced([levels[name] for name in varying])
    space = _Space(effects, np.zeros((len(effects),) * 2) if noise is None else noise, balanced, seed)
    main = space.add({(name,): _indicators(levels[name]) for name in varying})
    pairs: dict[tuple[str, ...], Array] = {
        pair: _indicators([f"{one}\n{other}" for one, other in zip(*(levels[name] for name in pair), strict=True)])
        for pair in combinations(varying, 2)
    }
    together = space.add(pairs)
    everything = space.add({(): np.eye(len(effects))})
    *parts, rest = (_variance_share(choices, found, total) for choices, found in (main | together | everything).items())
    return Decomposition(
        len(effects),
        total,
        tuple(sorted(parts[: len(main)], key=lambda part: (-part.share, part.choices))),
        tuple(sorted(parts[len(main) :], key=lambda part: (-part.share, part.choices))),
        rest if len(varying) > 2 else None,
        None if noise is None else max(0.0, 1 - math.fsum(part.share for part in (*parts, rest))),
        balanced,
        fixed,
        tuple(_notes(varying, levels, balanced)),
    )


class _Space:
    """What the choices that have entered can explain, as an orthonormal basis, and what the next ones add."""

    def __init__(self, effects: Array, noise: Array, balanced: bool, seed: int) -> None:
        self._effects, self._noise, self._balanced, self._seed = effects, noise, balanced, seed
        self._basis: Array = np.full((len(effects), 1), 1 / math.sqrt(len(effects)))

    def add(self, parts: Mapping[tuple[str, ...], Array]) -> dict[tuple[str, ...], tuple[float, float]]:
        """The sum of squares and its noise for each part, averaged over the orders in which they can enter."""
        sums = {choices: [0.0, 0.0] for choices in parts}
        basis, count = self._basis, 0
        for order in self._orders(list(parts)):
            basis, count = self._basis, count + 1
            for choices in order:
                new = _beyond(basis, parts[choices])
                basis = np.hstack([basis, new])
                sums[choices][0] += float(np.sum((new.T @ self._effects) ** 2))
                sums[choices][1] += float(np.sum((self._noise @ new) * new))
        self._basis = basis
        return {choices: (squares / count, noise / count) for choices, (squares, noise) in sums.items()}

    def _orders(self, parts: list[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], ...]]:
        if self._balanced or len(parts) < 2:
            yield tuple(parts)
        elif math.factorial(len(parts)) <= ORDERS:
            yield from permutations(parts)
        else:
            generator = np.random.default_rng(self._seed)
            # Each order and its reverse, so that every part stands before every other as often as after it.
            for order in (generator.permutation(len(parts)).tolist() for _ in range(ORDERS // 2)):
                yield tuple(parts[place] for place in order)
                yield tuple(parts[place] for place in reversed(order))


def _beyond(basis: Array, columns: Array) -> Array:
    """An orthonormal basis of what the columns add."""
    left = columns - basis @ (basis.T @ columns)
    left -= basis @ (basis.T @ left)
    vectors, sizes, _ = np.linalg.svd(left, full_matrices=False)
    new: Array = vectors[:, sizes > 1e-9 * math.sqrt(len(columns))]
    return new


def _indicators(levels: Sequence[str]) -> Array:
    distinct = sorted(set(levels))
    return np.array([[float(level == each) for each in distinct] for level in levels])


def _balanced(levels: Sequence[Sequence[str]]) -> bool:
    """Whether every combination of settings is there, and equally often.

    >>> _balanced([["a", "a", "b", "b"], ["x", "y", "x", "y"]]), _balanced([["a", "a", "b"], ["x", "y", "x"]])
    (True, False)
    """
    combinations_seen = Counter(zip(*levels, strict=True))
    possible = math.prod(len(set(each)) for each in levels)
    return len(combinations_seen) == possible and len(set(combinations_seen.values())) == 1


def _variance_share(choices: tuple[str, ...], found: tuple[float, float], total: float) -> VarianceShare:
    squares, noise = found
    # What is left over by rounding is nothing.
    squares, noise = (0.0 if each <= 1e-12 * total else each for each in (squares, noise))
    return VarianceShare(choices, squares, noise, max(0.0, squares - noise) / total)


def _notes(varying: list[str], levels: Mapping[str, list[str]], balanced: bool) -> Iterator[str]:
    if len(varying) == 1:
        yield f"only {varying[0]} varies: what is not sampling noise is put down to it"
        return
    if not balanced:
        yield "not every combination of settings is there: each share is the average over orders of entry"
    for one, other in combinations(varying, 2):
        pairs = len(set(zip(levels[one], levels[other], strict=True)))
        if pairs == len(set(levels[one])) == len(set(levels[other])):
            yield f"{one} and {other} always change together: they cannot be told apart, and share alike"
    if len(varying) == 2:
        yield "with two choices, their interaction is all that neither they nor sampling explain"
