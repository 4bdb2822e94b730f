"""The levels of a pilot: from values of samples up to origins, with what each level below puts into a mean.

Means of units are compared with one another level by level, from samples upwards, and what the levels below put into
their variance is taken off (the method of moments with unweighted means). Numbers may differ from unit to unit: each
level below enters with the mean of 1/n. A level of which every unit has one member cannot be told from the level above
and is part of it.

A level whose units differ by no more than the noise below them makes them differ has no part of its own: it is zero,
and both tell of the same noise, so that they are pooled (Bancroft 1964; the border is his 25 %). Without that, chance
would be taken for a level, and a plan would ask for more than is needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.arrays import Array, cells_of, coded, renumbered
from tiltmeter.stats.estimates import LARGEST

Codes = NDArray[np.intp]

CHANCE = 0.25
"""Units that would differ as much by noise alone more often than this have no part of their own."""


@dataclass(frozen=True, slots=True)
class Component:
    """The variance that one level adds, and the degrees of freedom it was seen with."""

    variance: float
    freedom: float


@dataclass(frozen=True, slots=True)
class Components:
    """The components of a mean over origins, or of the difference of two groups. None: not seen in the pilot."""

    origins: Component
    prompts: Component | None = None
    samples: Component | None = None
    again: Component | None = None
    """What the same origin does in another set."""
    sets: Component | None = None
    """What a set does to all origins alike: no interval over origins shows it."""
    strata: int = 1
    groups: int = 1
    """2 for a difference of groups: a design is then for each of the two."""
    sides: float = 1.0
    """Nested groups: how many times k − 1 the degrees of freedom are, 1 to 2."""
    between: Component | None = None
    """How much the means of origins differ in the pilot, noise and all."""
    noise: Component | None = None
    """What of that the levels below origins put into it."""
    tails: float = 0.0
    """The kurtosis of the means of origins beyond the normal's, where it is above 0: their spread is less sure."""
    stretch: float = 0.0
    """How much wider than Student's an interval is, as a part of it and times the origins: it fades as 1/k."""
    pilot: dict[str, float] = field(default_factory=dict)
    """How large the pilot was: origins, and means of prompts per origin and set, samples per prompt, and sets."""
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Variances, null where a level was not seen."""
        parts = {name: getattr(self, name) for name in ("origins", "prompts", "samples", "again", "sets")}
        return {
            "variances": {name: None if part is None else part.variance for name, part in parts.items()},
            "freedoms": {name: None if part is None else part.freedom for name, part in parts.items()},
            "stretch": self.stretch,
            "pilot": dict(self.pilot),
            "notes": list(self.notes),
        }


class _Units(NamedTuple):
    """For each value the unit of every level that it belongs to; a cell is an origin in a set."""

    item: Codes
    cell: Codes
    origin: Codes
    set: Codes
    stratum: Codes


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Of units within their parents: the mean square, and what each level below puts into it."""

    variance: float
    freedom: int
    coefficients: Array


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Origins in sets: their names, their means, and what of the components of samples and prompts these have."""

    origins: NDArray[np.str_]
    sets: NDArray[np.str_]
    means: Array
    noise: Array


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Values carried up to origins."""

    names: NDArray[np.str_]
    means: Array
    noise: Array
    """For each origin, what of the components of samples, prompts and repeated sets its mean has."""
    strata: Codes
    found: Components
    cells: Cells

    @classmethod
    def of(
        cls,
        values: Sequence[float | None],
        origins: Sequence[str],
        prompts: Sequence[str] | None,
        sets: Sequence[str] | None,
        strata: Sequence[str] | None,
    ) -> Chain:
        """Carry values up; those without a number are left out."""
        if any(each is not None and len(each) != len(values) for each in (origins, prompts, sets, strata)):
            raise ValueError("values, origins, prompts, sets and strata are not equally long")
        numbers = np.array(values, dtype=np.float64)
        own = np.arange(len(numbers)).astype(np.str_)
        labels = [
            np.array(each if each is not None else fill, dtype=np.str_)
            for each, fill in (
                (strata, [""] * len(numbers)),
                (origins, []),
                (sets, [""] * len(numbers)),
                (prompts, own.tolist()),
            )
        ]
        scored = np.abs(numbers) < LARGEST
        # In one order whatever the order of the rows, so that it cannot show in the last digit of a sum.
        keys = labels if prompts is not None else labels[:3]
        order = np.flatnonzero(scored)[np.lexsort([numbers[scored], *(each[scored] for each in reversed(keys))])]
        if not len(order):
            raise ValueError("variance components need scored values, and there are none")
        in_stratum, in_origin, in_set, prompt = (renumbered(coded(each[order].tolist())) for each in labels)
        origin = cells_of(in_stratum, in_origin)
        cell = cells_of(origin, in_set)
        units = _Units(cells_of(cell, prompt), cell, origin, in_set, in_stratum)
        return cls._climbed(numbers[order], units, labels[1][order], labels[2][order])

    @classmethod
    def _climbed(cls, values: Array, units: _Units, names: NDArray[np.str_], set_names: NDArray[np.str_]) -> Chain:
        item, cell, origin, in_set, stratum = units
        samples = level_of(values, np.zeros((len(values), 3)), item)
        sigma_samples = Component(samples.variance, samples.freedom) if samples.freedom else None
        item_means, item_noise = carried_up(values, np.zeros((len(values), 3)), item, 0)
        cell_of_item = _first(cell, item)
        prompts = level_of(item_means, item_noise, cell_of_item)
        known = np.array([sigma_samples.variance if sigma_samples else 0.0, 0.0, 0.0])
        sigma_prompts = _rest(prompts, known)
        if sigma_prompts is not None and sigma_samples is not None:
            seen = Component(prompts.variance, prompts.freedom)
            below = Component(float(prompts.coefficients @ known), sigma_samples.freedom)
            sigma_prompts, more = has_several(seen, below)
            sigma_samples = replace(sigma_samples, variance=more * sigma_samples.variance)
            known[0] = sigma_samples.variance
        known[1] = sigma_prompts.variance if sigma_prompts else 0.0
        cell_means, cell_noise = carried_up(item_means, item_noise, cell_of_item, 1)
        origin_of_cell, set_of_cell = _first(origin, cell), _first(in_set, cell)
        repeated = level_of(cell_means, cell_noise, origin_of_cell)
        again, sets = of_sets(repeated, cell_means, cell_noise @ known, origin_of_cell, set_of_cell)
        origin_means, origin_noise = carried_up(cell_means, cell_noise, origin_of_cell, 2)
        sizes = {
            "origins": float(len(origin_means)),
            "prompts": len(item_means) / len(cell_means),
            "samples": len(values) / len(item_means),
            "sets": len(cell_means) / len(origin_means),
        }
        found = Components(Component(0.0, 0), sigma_prompts, sigma_samples, again, sets, pilot=sizes)
        places = Cells(names[_places(cell)], set_names[_places(cell)], cell_means, cell_noise)
        return cls(names[_places(origin)], origin_means, origin_noise, _first(stratum, origin), found, places)

    def below(self, coefficients: Array) -> Component | None:
        """What the levels below origins put into a variance; None where there are none."""
        parts = (self.found.samples, self.found.prompts, self.found.again)
        return added(
            *(
                Component(part.variance * coefficient, part.freedom)
                for part, coefficient in zip(parts, coefficients.tolist(), strict=True)
                if part is not None
            )
        )

    def inside(self, places: Codes) -> Array:
        """What samples and prompts put into the means of some cells."""
        found = self.found
        known = [0.0 if part is None else part.variance for part in (found.samples, found.prompts)]
        noise: Array = self.cells.noise[places][:, :2] @ np.array(known)
        return noise


def level_of(means: Array, noise: Array, parents: Codes) -> Level:
    """How much units differ within their parents, and what of that each level below puts into it."""
    sizes = np.bincount(parents)
    freedom = len(means) - int(np.count_nonzero(sizes))
    if not freedom:
        return Level(0.0, 0, np.zeros(noise.shape[1]))
    centres = np.bincount(parents, means) / np.maximum(1, sizes)
    weights = 1 - 1 / sizes[parents]
    squares = math.fsum((means - centres[parents]) ** 2)
    return Level(squares / freedom, freedom, weights @ noise / freedom)


def carried_up(means: Array, noise: Array, parents: Codes, place: int) -> tuple[Array, Array]:
    """The means of the parents, and what of each component below they have; their own children are at `place`."""
    sizes = np.bincount(parents)
    columns = [np.bincount(parents, noise[:, column]) / sizes**2 for column in range(noise.shape[1])]
    columns[place] = 1 / sizes
    return np.bincount(parents, means) / sizes, np.column_stack(columns)


def _rest(level: Level, known: Array) -> Component | None:
    """What is left of a level's variance; None where no unit has two members."""
    if not level.freedom:
        return None
    return Component(max(0.0, level.variance - float(level.coefficients @ known)), level.freedom)


def of_sets(
    repeated: Level, means: Array, noise: Array, origins: Codes, sets: Codes
) -> tuple[Component | None, Component | None]:
    """What an origin does in another set, and what a set does to all origins that every set has."""
    count = int(sets.max()) + 1
    if not repeated.freedom or count < 2:
        return None, None
    cells = np.full((int(origins.max()) + 1, count), np.nan)
    its_noise = cells.copy()
    cells[origins, sets], its_noise[origins, sets] = means, noise
    whole = ~np.isnan(cells).any(axis=1)
    shared = int(whole.sum())
    if shared < 2:
        # Within origins, sets differ by both; which of the two it is cannot be seen.
        return _rest(replace(repeated, coefficients=np.array([float(np.mean(noise))])), np.ones(1)), None
    cells, inner = cells[whole], float(np.mean(its_noise[whole]))
    within = float(np.mean(np.var(cells, axis=1, ddof=1)))
    of_means = float(np.var(cells.mean(axis=0), ddof=1))
    common = max(0.0, (of_means - within / shared) / (1 - 1 / shared))
    again = max(0.0, within - inner - common)
    return Component(again, (shared - 1) * (count - 1)), Component(common, count - 1)


def _first(outer: Codes, inner: Codes) -> Codes:
    """The outer unit of each inner one."""
    return outer[_places(inner)]


def _places(codes: Codes) -> Codes:
    """Where each unit is seen first."""
    return np.unique(codes, return_index=True)[1]


def tails_of(means: Array, parents: Codes) -> float:
    """The kurtosis of units within their parents beyond the normal's, never below 0.

    >>> tails_of(np.array([0.0] * 9 + [1.0]), np.zeros(10, dtype=np.intp)) > 4
    True
    """
    sizes = np.bincount(parents)
    apart = means - (np.bincount(parents, means) / np.maximum(1, sizes))[parents]
    second = float(np.mean(apart**2))
    return max(0.0, float(np.mean(apart**4)) / second**2 - 3) if second > 0 else 0.0


def has_several(between: Component, noise: Component | None) -> tuple[Component, float]:
    """What a level adds to the noise below it, and by what factor the noise is to be corrected.

    Units that differ as noise makes them differ add nothing, and say as much about the noise as it says itself.

    >>> has_several(Component(5.0, 9), Component(1.0, 40))
    (Component(variance=4.0, freedom=9), 1.0)
    >>> has_several(Component(0.8, 10), Component(1.0, 40))
    (Component(variance=0.0, freedom=10), 0.96)
    """
    from scipy.special import fdtrc

    if noise is None or not noise.variance > 0 or noise.freedom <= 0:
        return between, 1.0
    ratio = between.variance / noise.variance
    if ratio > 1 and float(fdtrc(between.freedom, noise.freedom, ratio)) <= CHANCE:
        return Component(between.variance - noise.variance, between.freedom), 1.0
    pooled = (between.freedom * ratio + noise.freedom) / (between.freedom + noise.freedom)
    return Component(0.0, between.freedom), pooled


def scaled_noise(found: Components, factor: float) -> Components:
    """With the levels below origins corrected by a factor."""

    def corrected(part: Component | None) -> Component | None:
        return None if part is None else replace(part, variance=factor * part.variance)

    return replace(
        found,
        samples=corrected(found.samples),
        prompts=corrected(found.prompts),
        again=corrected(found.again),
    )


def added(*parts: Component | None) -> Component | None:
    """The sum of independent components (Satterthwaite); a part that was not seen is not."""
    seen = [part for part in parts if part is not None]
    if len(seen) < 2:
        return seen[0] if seen else None
    variance = math.fsum(part.variance for part in seen)
    below = math.fsum(part.variance**2 / max(1.0, part.freedom) for part in seen)
    return Component(variance, variance**2 / below if below else math.fsum(part.freedom for part in seen))
