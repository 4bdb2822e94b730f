"""How far a plan may be off because its pilot was small.

What the pilot saw are mean squares, each with so many degrees of freedom; the true ones may be larger or smaller
(scaled by df/χ²), and the component of origins is what the noise leaves of theirs, never below zero. Drawn many times,
that gives the components that would explain the pilot as well as those it was given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tiltmeter.stats.arrays import Array
from tiltmeter.stats.planning.component_levels import Component, Components
from tiltmeter.stats.planning.designs import Design, predicted_width

_DRAWS = 4_000
_MIDDLE, _MIDDLE_OF_TWO = (0.1, 0.9), (0.18, 0.82)
"""Four times out of five the component of origins lies between these; or the sum of two that are as large."""
NEAR = 1.2
"""A width that may be more than this off, either way, is not told by the pilot."""


@dataclass(frozen=True, slots=True)
class PilotUncertainty:
    """What else the pilot could mean: the components where origins matter less, and where they matter more."""

    less: Components
    more: Components

    def widths(self, design: Design, *, across_sets: bool = False) -> tuple[float, float]:
        """The widths of a design if origins matter less, and if they matter more."""
        low, high = (predicted_width(each, design, across_sets=across_sets) for each in (self.less, self.more))
        return low, high

    def is_large(self, found: Components, design: Design, *, across_sets: bool = False) -> bool:
        """Whether the width of a design is hardly known: it may well be a fifth more, or less."""
        low, high = self.widths(design, across_sets=across_sets)
        expected = predicted_width(found, design, across_sets=across_sets)
        return high > NEAR * expected or low < expected / NEAR


def pilot_uncertainty(found: Components) -> PilotUncertainty:
    """The components of which a pilot like this one would be no surprise.

    >>> pilot = Components(Component(0.0, 15), None, Component(1.0, 48), between=Component(0.26, 15),
    ...                    noise=Component(0.25, 48))
    >>> found = pilot_uncertainty(pilot)
    >>> found.less.origins.variance, round(found.more.origins.variance, 1)
    (0.0, 0.2)
    """
    origins, _, sets = _sampled_components(found)
    parts = []
    for part in _MIDDLE if found.sets is None else _MIDDLE_OF_TWO:
        of_sets = found.sets and replace(found.sets, variance=float(np.quantile(sets, part)))
        own = replace(found.origins, variance=float(np.quantile(origins, part)))
        parts.append(replace(found, origins=own, sets=of_sets))
    return PilotUncertainty(*parts)


def likely_widths(found: Components, design: Design, *, across_sets: bool = False) -> tuple[float, float]:
    """Between which widths that of a study of this design lies 19 times out of 20, its own chance included."""
    origins, noise, sets = _sampled_components(found)
    lower = sum(
        part.variance / number
        for part, number in (
            (found.again, design.sets),
            (found.prompts, design.sets * design.prompts),
            (found.samples, design.sets * design.prompts * design.samples),
        )
        if part is not None
    )
    freedom = _with_tails(max(1.0, found.sides * (design.origins - found.strata)), found.tails)
    generator = np.random.default_rng(1)
    # What the study itself sees of the spread of its origins.
    seen = generator.chisquare(freedom, _DRAWS) / freedom
    variance = (origins + lower * noise) * seen / design.origins
    if across_sets:
        freedom = max(1, design.sets - 1)
        variance = variance + sets * generator.chisquare(freedom, _DRAWS) / freedom / design.sets
    expected = found.origins.variance + lower
    common = found.sets.variance / design.sets if across_sets and found.sets is not None else 0.0
    known = expected / design.origins + common
    width = predicted_width(found, design, across_sets=across_sets)
    if not known:
        return width, width
    low, high = np.sqrt(np.quantile(variance, (0.025, 0.975)) / known).tolist()
    return width * low, width * high


def _sampled_components(found: Components) -> tuple[Array, Array, Array]:
    """The component of origins, the factor of the noise below it, and the component of sets, drawn many times."""
    generator = np.random.default_rng(0)
    between = found.between or Component(found.origins.variance, found.origins.freedom)
    noise = found.noise or Component(0.0, 0.0)
    seen = between.variance * _factor(generator, _with_tails(between.freedom, found.tails))
    factor = _factor(generator, noise.freedom) if noise.variance > 0 else np.ones(_DRAWS)
    sets = np.zeros(_DRAWS)
    if found.sets is not None:
        sets = found.sets.variance * _factor(generator, found.sets.freedom)
    return np.maximum(0.0, seen - noise.variance * factor), factor, sets


def _with_tails(freedom: float, tails: float) -> float:
    """As many degrees of freedom as a variance has whose values have long tails.

    >>> _with_tails(20.0, 0.0), round(_with_tails(20.0, 3.0), 1)
    (20.0, 8.0)
    """
    return freedom / (1 + tails / 2)


def _factor(generator: np.random.Generator, freedom: float) -> Array:
    freedom = max(1.0, freedom)
    drawn: Array = freedom / generator.chisquare(freedom, _DRAWS)
    return drawn
