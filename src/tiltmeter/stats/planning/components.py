"""Where the spread of a pilot comes from: origins, prompts within them, samples of a prompt, and sets of prompts.

How the levels are told apart is said in `component_levels`. A component is never negative, and one that is no more than
noise is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tiltmeter.stats.arrays import coded, renumbered
from tiltmeter.stats.planning.component_levels import (
    Chain,
    Component,
    Components,
    added,
    carried_up,
    has_several,
    level_of,
    of_sets,
    scaled_noise,
    tails_of,
)

__all__ = ["Component", "Components", "components", "difference_components"]

ONE_SAMPLE = "one sample of each prompt: what more samples would bring is not known, and counted as nothing"
ONE_PROMPT = "one prompt of each origin: what more prompts would bring is not known, and counted as nothing"
"""Notes on what a pilot cannot show."""
_FEW = 10
"""A component that rests on fewer degrees of freedom than this is hardly known, and a note says so."""


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

    >>> found = components([1.0, 3.0, 5.0, 7.0, 8.0, 8.0, 9.0, 11.0], list("aaaabbbb"), list("wwxxyyzz"))
    >>> found.samples.variance, found.prompts.variance, found.origins.variance
    (1.5, 4.25, 10.0)
    """
    chain = Chain.of(values, origins, prompts, sets, strata)
    top = level_of(chain.means, chain.noise, chain.strata)
    if top.freedom < 1:
        raise ValueError("variance components need two origins with a scored value")
    found = replace(chain.found, strata=int(chain.strata.max()) + 1, tails=tails_of(chain.means, chain.strata))
    return _with_origins(found, Component(top.variance, top.freedom), chain.below(top.coefficients))


def _with_origins(found: Components, between: Component, noise: Component | None) -> Components:
    own, factor = has_several(between, noise)
    return _finished(replace(scaled_noise(found, factor), origins=own, between=between, noise=noise))


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

    Where groups share origins it is the origins' differences that vary, and where they share sets as well, what these
    do to the differences; else the variances of both groups add up.

    >>> values = [1.0, 3.0, 0.0, 0.0, 2.0, 6.0, 1.0, 3.0]
    >>> found = difference_components(values, list("ppqqppqq"), list("xxxxyyyy"), between=("p", "q"))
    >>> round(found.prompts.variance, 3), found.origins.variance, found.groups
    (4.408, 0.0, 2)
    """
    chains = []
    for group in between:
        mine = [place for place, name in enumerate(groups) if name == group]
        of_prompts, of_each = (None if each is None else [each[place] for place in mine] for each in (prompts, sets))
        its = [values[place] for place in mine], [origins[place] for place in mine]
        chains.append(Chain.of(*its, of_prompts, of_each, None))
    one, other = chains
    first, second = one.found, other.found
    found = replace(
        first,
        prompts=added(first.prompts, second.prompts),
        samples=added(first.samples, second.samples),
        again=added(first.again, second.again),
        sets=added(first.sets, second.sets),
        groups=2,
    )
    if sets is not None and (crossed := _crossed(found, one, other)) is not None:
        return crossed
    shared, in_one, in_other = np.intersect1d(one.names, other.names, return_indices=True)
    if len(shared) >= max(2, min(len(one.names), len(other.names)) / 2):
        gaps = one.means[in_one] - other.means[in_other]
        top = level_of(gaps, np.hstack([one.noise[in_one], other.noise[in_other]]), np.zeros(len(gaps), dtype=np.intp))
        of_one, of_other = np.hsplit(top.coefficients, 2)
        pilot = {**one.found.pilot, "origins": float(len(shared))}
        noise = added(one.below(of_one), other.below(of_other))
        tails = tails_of(gaps, np.zeros(len(gaps), dtype=np.intp))
        return _with_origins(replace(found, pilot=pilot, tails=tails), Component(top.variance, top.freedom), noise)
    tops = [level_of(chain.means, chain.noise, chain.strata) for chain in chains]
    if min(top.freedom for top in tops) < 1:
        raise ValueError("variance components need two origins of each group with a scored value")
    pilot = {**one.found.pilot, "origins": float(min(len(one.names), len(other.names)))}
    larger = max(top.variance for top in tops)
    # Satterthwaite's, of as many origins in either group.
    sides = (
        sum(top.variance / larger for top in tops) ** 2 / sum((top.variance / larger) ** 2 for top in tops)
        if larger
        else 2.0
    )
    seen = added(*(Component(top.variance, top.freedom) for top in tops))
    noise = added(*(chain.below(top.coefficients) for top, chain in zip(tops, chains, strict=True)))
    assert seen is not None
    tails = max(tails_of(chain.means, chain.strata) for chain in chains)
    return _with_origins(replace(found, sides=sides, pilot=pilot, tails=tails), seen, noise)


def _crossed(found: Components, one: Chain, other: Chain) -> Components | None:
    """Of groups that share origins and sets: what both do to the difference; None where they share too little."""
    first, second = (
        np.array([f"{a}\0{b}" for a, b in zip(each.cells.origins, each.cells.sets, strict=True)])
        for each in (one, other)
    )
    shared, in_one, in_other = np.intersect1d(first, second, return_indices=True)
    origin, each_set = (renumbered(coded(part[in_one].tolist())) for part in (one.cells.origins, one.cells.sets))
    if len(shared) < max(4, min(len(first), len(second)) / 2) or min(int(origin.max()), int(each_set.max())) < 1:
        return None
    gaps = one.cells.means[in_one] - other.cells.means[in_other]
    inner = one.inside(in_one) + other.inside(in_other)
    none = np.zeros((len(gaps), 1))
    again, sets = of_sets(level_of(gaps, none, origin), gaps, inner, origin, each_set)
    if again is None or sets is None:
        return None
    means, counts = carried_up(gaps, none, origin, 0)
    top = level_of(
        means,
        np.column_stack([counts, carried_up(inner, none, origin, 0)[0] * counts[:, 0]]),
        np.zeros(len(means), dtype=np.intp),
    )
    inside = added(*(Component(1.0, part.freedom) for part in (found.samples, found.prompts) if part is not None))
    below = float(top.coefficients[1])
    noise = added(
        Component(again.variance * float(top.coefficients[0]), again.freedom),
        None if inside is None else Component(below, inside.freedom),
    )
    pilot = {**one.found.pilot, "origins": float(len(means)), "sets": len(gaps) / len(means)}
    made = replace(found, again=again, sets=sets, pilot=pilot)
    return _with_origins(made, Component(top.variance, top.freedom), noise)


def _finished(found: Components) -> Components:
    """With notes on what the pilot could not show."""
    notes = list(found.notes)
    if found.samples is None:
        notes.append(ONE_SAMPLE)
    if found.prompts is None:
        notes.append(ONE_PROMPT)
    for name in ("origins", "prompts", "samples", "sets"):
        part = getattr(found, name)
        if part is not None and part.freedom < _FEW:
            notes.append(f"{name}: known from {part.freedom:.0f} degrees of freedom, so hardly known")
    return replace(found, notes=tuple(notes))
