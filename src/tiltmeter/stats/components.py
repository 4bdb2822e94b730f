"""Where the spread of a pilot comes from: origins, prompts within them, samples of a prompt, and sets of prompts.

Means of units are compared with one another level by level, from samples upwards, and what the levels below put into
their variance is taken off (the method of moments with unweighted means). Numbers may differ from unit to unit: each
level below enters with the mean of 1/n. A component is never negative. A level of which every unit has one member
cannot be told from the level above and is part of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.clustered import cells_of, coded, renumbered
from tiltmeter.stats.drawing import Array
from tiltmeter.stats.estimates import LARGEST

Codes = NDArray[np.intp]

_FEW = 10
"""A component that rests on fewer degrees of freedom than this is hardly known, and a note says so."""


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
    pilot: dict[str, float] = field(default_factory=dict)
    """How large the pilot was: origins, and means of prompts per origin and set, samples per prompt, and sets."""
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Variances, null where a level was not seen."""
        parts = {name: getattr(self, name) for name in ("origins", "prompts", "samples", "again", "sets")}
        return {
            "variances": {name: None if part is None else part.variance for name, part in parts.items()},
            "freedoms": {name: None if part is None else part.freedom for name, part in parts.items()},
            "pilot": dict(self.pilot),
            "notes": list(self.notes),
        }


def components(
    values: Sequence[float | None],
    origins: Sequence[str],
    prompts: Sequence[str] | None = None,
    *,
    sets: Sequence[str] | None = None,
    strata: Sequence[str] | None = None,
) -> Components:
    """The components of the mean of one value per sample; without prompts every value is a prompt of its own.

    Unscored values are left out. A prompt is known by its name within its origin and set.

    >>> found = components([1.0, 3.0, 5.0, 7.0, 2.0, 2.0, 4.0, 4.0], list("aaaabbbb"), list("wwxxyyzz"))
    >>> found.samples.variance, found.prompts.variance, found.origins.variance
    (1.0, 4.5, 0.0)
    """
    chain = _Chain.of(values, origins, prompts, sets, strata)
    top = _level(chain.means, chain.noise, chain.strata)
    if top.freedom < 1:
        raise ValueError("variance components need two origins with a scored value")
    between = Component(max(0.0, top.variance - chain.below(top.coefficients)), top.freedom)
    return _finished(replace(chain.found, origins=between, strata=int(chain.strata.max()) + 1))


def difference_components(
    values: Sequence[float | None],
    groups: Sequence[str],
    origins: Sequence[str],
    prompts: Sequence[str] | None = None,
    *,
    between: tuple[str, str],
    sets: Sequence[str] | None = None,
) -> Components:
    """The components of the difference of two groups, for designs with as much in either group.

    Where groups share origins it is the origins' differences that vary; else the variances of both groups add up.

    >>> values = [1.0, 3.0, 0.0, 0.0, 2.0, 6.0, 1.0, 3.0]
    >>> found = difference_components(values, list("ppqqppqq"), list("xxxxyyyy"), between=("p", "q"))
    >>> found.prompts.variance, found.origins.variance, found.groups
    (6.0, 0.0, 2)
    """
    chains = []
    for group in between:
        mine = [place for place, name in enumerate(groups) if name == group]
        of_prompts, of_sets = (None if each is None else [each[place] for place in mine] for each in (prompts, sets))
        its = [values[place] for place in mine], [origins[place] for place in mine]
        chains.append(_Chain.of(*its, of_prompts, of_sets, None))
    one, other = chains
    first, second = one.found, other.found
    found = replace(
        first,
        prompts=_added(first.prompts, second.prompts),
        samples=_added(first.samples, second.samples),
        again=_added(first.again, second.again),
        sets=_added(first.sets, second.sets),
        groups=2,
    )
    shared, in_one, in_other = np.intersect1d(one.names, other.names, return_indices=True)
    if len(shared) >= max(2, min(len(one.names), len(other.names)) / 2):
        gaps = one.means[in_one] - other.means[in_other]
        top = _level(gaps, np.hstack([one.noise[in_one], other.noise[in_other]]), np.zeros(len(gaps), dtype=np.intp))
        of_one, of_other = np.hsplit(top.coefficients, 2)
        rest = max(0.0, top.variance - one.below(of_one) - other.below(of_other))
        pilot = {**one.found.pilot, "origins": float(len(shared))}
        return _finished(replace(found, origins=Component(rest, top.freedom), pilot=pilot))
    tops = [_level(chain.means, chain.noise, chain.strata) for chain in chains]
    if min(top.freedom for top in tops) < 1:
        raise ValueError("variance components need two origins of each group with a scored value")
    rests = [
        Component(max(0.0, top.variance - chain.below(top.coefficients)), top.freedom)
        for top, chain in zip(tops, chains, strict=True)
    ]
    pilot = {**one.found.pilot, "origins": float(min(len(one.names), len(other.names)))}
    larger = max(top.variance for top in tops)
    # Satterthwaite's, of as many origins in either group.
    sides = (
        sum(top.variance / larger for top in tops) ** 2 / sum((top.variance / larger) ** 2 for top in tops)
        if larger
        else 2.0
    )
    return _finished(replace(found, origins=_added(*rests) or rests[0], sides=sides, pilot=pilot))


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """Of units within their parents: the mean square, and what each level below puts into it."""

    variance: float
    freedom: int
    coefficients: Array


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    """Values carried up to origins."""

    names: NDArray[np.str_]
    means: Array
    noise: Array
    """For each origin, what of the components of samples, prompts and repeated sets its mean has."""
    strata: Codes
    found: Components

    @classmethod
    def of(
        cls,
        values: Sequence[float | None],
        origins: Sequence[str],
        prompts: Sequence[str] | None,
        sets: Sequence[str] | None,
        strata: Sequence[str] | None,
    ) -> _Chain:
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
        item = cells_of(cell, prompt)
        return cls._climbed(numbers[order], item, cell, origin, in_set, in_stratum, labels[1][order])

    @classmethod
    def _climbed(
        cls,
        values: Array,
        item: Codes,
        cell: Codes,
        origin: Codes,
        in_set: Codes,
        stratum: Codes,
        names: NDArray[np.str_],
    ) -> _Chain:
        samples = _level(values, np.zeros((len(values), 3)), item)
        sigma_samples = Component(samples.variance, samples.freedom) if samples.freedom else None
        item_means, item_noise = _up(values, np.zeros((len(values), 3)), item, 0)
        cell_of_item = _first(cell, item)
        prompts = _level(item_means, item_noise, cell_of_item)
        known = np.array([sigma_samples.variance if sigma_samples else 0.0, 0.0, 0.0])
        sigma_prompts = _rest(prompts, known)
        known[1] = sigma_prompts.variance if sigma_prompts else 0.0
        cell_means, cell_noise = _up(item_means, item_noise, cell_of_item, 1)
        origin_of_cell, set_of_cell = _first(origin, cell), _first(in_set, cell)
        repeated = _level(cell_means, cell_noise, origin_of_cell)
        again, sets = _of_sets(repeated, cell_means, cell_noise @ known, origin_of_cell, set_of_cell)
        origin_means, origin_noise = _up(cell_means, cell_noise, origin_of_cell, 2)
        sizes = {
            "origins": float(len(origin_means)),
            "prompts": len(item_means) / len(cell_means),
            "samples": len(values) / len(item_means),
            "sets": len(cell_means) / len(origin_means),
        }
        found = Components(Component(0.0, 0), sigma_prompts, sigma_samples, again, sets, pilot=sizes)
        return cls(names[_places(origin)], origin_means, origin_noise, _first(stratum, origin), found)

    def below(self, coefficients: Array) -> float:
        """What the levels below origins put into a variance."""
        parts = (self.found.samples, self.found.prompts, self.found.again)
        return math.fsum(
            part.variance * coefficient
            for part, coefficient in zip(parts, coefficients.tolist(), strict=True)
            if part is not None
        )


def _level(means: Array, noise: Array, parents: Codes) -> _Level:
    sizes = np.bincount(parents)
    freedom = len(means) - int(np.count_nonzero(sizes))
    if not freedom:
        return _Level(0.0, 0, np.zeros(noise.shape[1]))
    centres = np.bincount(parents, means) / np.maximum(1, sizes)
    weights = 1 - 1 / sizes[parents]
    squares = math.fsum((means - centres[parents]) ** 2)
    return _Level(squares / freedom, freedom, weights @ noise / freedom)


def _up(means: Array, noise: Array, parents: Codes, place: int) -> tuple[Array, Array]:
    """The means of the parents, and what of each component below they have; their own children are at `place`."""
    sizes = np.bincount(parents)
    columns = [np.bincount(parents, noise[:, column]) / sizes**2 for column in range(noise.shape[1])]
    columns[place] = 1 / sizes
    return np.bincount(parents, means) / sizes, np.column_stack(columns)


def _rest(level: _Level, known: Array) -> Component | None:
    """What is left of a level's variance; None where no unit has two members."""
    if not level.freedom:
        return None
    return Component(max(0.0, level.variance - float(level.coefficients @ known)), level.freedom)


def _of_sets(
    repeated: _Level, means: Array, noise: Array, origins: Codes, sets: Codes
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


def _added(one: Component | None, other: Component | None) -> Component | None:
    """The sum of two independent components (Satterthwaite); a part that was not seen is not."""
    if one is None or other is None:
        return one or other
    variance = one.variance + other.variance
    below = math.fsum(part.variance**2 / max(1.0, part.freedom) for part in (one, other))
    return Component(variance, variance**2 / below if below else one.freedom + other.freedom)


def _finished(found: Components) -> Components:
    """With notes on what the pilot could not show."""
    notes = list(found.notes)
    if found.samples is None:
        notes.append("one sample of each prompt: what more samples would bring is not known, and counted as nothing")
    if found.prompts is None:
        notes.append("one prompt of each origin: what more prompts would bring is not known, and counted as nothing")
    for name in ("origins", "prompts", "samples", "sets"):
        part = getattr(found, name)
        if part is not None and part.freedom < _FEW:
            notes.append(f"{name}: known from {part.freedom:.0f} degrees of freedom, so hardly known")
    return replace(found, notes=tuple(notes))
