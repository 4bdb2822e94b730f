"""The width of the interval that a design gives, by the components of a pilot.

The width is that of the interval as it is printed: Student's quantile with k − 1 degrees of freedom times the standard
error that the components predict, and a part that skewed values and shares near an end add and that fades with more
origins.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array
from tiltmeter.stats.planning.component_levels import Component, Components

Level = Literal["origins", "sets", "prompts", "samples"]
LEVELS: tuple[Level, ...] = get_args(Level)

_NARROWEST, _WIDEST = 0.5, 2.5
"""How much narrower or wider than Student's an interval is believed to be for the shape of its values."""
_ERRORS = 3.92
"""Standard errors from one end of a 95 % interval to the other."""


@dataclass(frozen=True, slots=True)
class Design:
    """How much is asked: origins, prompts for each origin (in each set), samples of each prompt, sets of prompts.

    Of a difference of groups, for each of the two.
    """

    origins: int
    prompts: int = 1
    samples: int = 1
    sets: int = 1

    def __post_init__(self) -> None:
        if min(self.origins, self.prompts, self.samples, self.sets) < 1:
            raise ValueError("a design has at least one origin, prompt, sample and set")

    @property
    def texts(self) -> int:
        """How often the model is asked, for each group."""
        return self.origins * self.sets * self.prompts * self.samples


def predicted_width(found: Components, design: Design, *, level: float = 0.95, across_sets: bool = False) -> float:
    """The width of the interval that a design gives.

    With `across_sets` it is that of a mean over sets and origins both drawn anew, which takes two sets or more.

    >>> from tiltmeter.stats.planning.components import Component
    >>> found = Components(Component(0.04, 29), Component(0.09, 100), Component(0.16, 400))
    >>> round(predicted_width(found, Design(25, 3, 4)), 4)
    0.2383
    """
    numbers = {name: np.array([float(getattr(design, name))]) for name in LEVELS}
    return float(widths_of(found, numbers, level, across_sets)[0])


def stretched(found: Components, pilot: Estimate, *, across_sets: bool = False, shares: bool = False) -> Components:
    """With what the shape of the pilot's values makes of its own interval.

    Student's interval for the same spread between origins is the measure. The spread of shares hangs on the share
    itself, so that near an end it is no better known than that.

    >>> found = Components(Component(0.04, 29), between=Component(0.04, 29), pilot={"origins": 30})
    >>> round(stretched(found, Estimate(0.2, 0.11, 0.29, origins=30)).stretch, 2)
    6.15
    """
    if pilot.low is None or pilot.high is None:
        return found
    sizes = {name: max(1, round(size)) for name, size in found.pilot.items()}
    own = found
    if not across_sets and found.between is not None:
        # The spread as it was seen, and not what is left of it once noise is told apart.
        own = Components(found.between, strata=found.strata, sides=found.sides)
    width = predicted_width(replace(own, stretch=0.0), Design(**sizes), across_sets=across_sets)
    if not width > 0:
        return found
    ratio = min(_WIDEST, max(_NARROWEST, (pilot.high - pilot.low) / width))
    made = replace(found, stretch=(ratio - 1) * sizes["origins"])
    return _no_surer(made, pilot) if shares else made


def _no_surer(found: Components, pilot: Estimate) -> Components:
    """With no more degrees of freedom than p(1 − p) has, whose p is known as far as its interval says."""
    share, low, high = pilot.value, pilot.low, pilot.high
    if share is None or low is None or high is None or not 0 < share < 1:
        return found
    error = (high - low) / _ERRORS * abs(1 - 2 * share) / (share * (1 - share))
    most = 2 / error**2 if error else math.inf
    between, noise = (
        None if part is None else replace(part, freedom=min(part.freedom, max(1.0, most)))
        for part in (found.between, found.noise)
    )
    return replace(found, between=between, noise=noise)


def widths_of(found: Components, numbers: Mapping[Level, Array], level: float, across_sets: bool) -> Array:
    """Of many designs at once. Any number but that of origins may be infinite."""
    from scipy.special import stdtrit

    origins, sets, prompts, samples = (numbers[name] for name in LEVELS)
    parts = (
        found.origins.variance
        + _variance(found.again) / sets
        + _variance(found.prompts) / (sets * prompts)
        + _variance(found.samples) / (sets * prompts * samples)
    )
    freedom: Array = np.maximum(1.0, found.sides * (origins - found.strata))
    variance: Array = parts / origins
    if across_sets:
        common = _variance(found.sets) / sets
        total: Array = variance + common
        with np.errstate(divide="ignore", invalid="ignore"):
            below = (variance / total) ** 2 / freedom + (common / total) ** 2 / np.maximum(sets - 1, 1e-9)
        np.divide(1.0, below, out=freedom, where=below > 0)
        variance = total
    quantiles = np.asarray(stdtrit(freedom, (1 + level) / 2), dtype=np.float64)
    # Skewed values and shares near an end make an interval wider, or narrower, than Student's; that fades.
    widths: Array = 2 * quantiles * np.sqrt(variance) * np.maximum(_NARROWEST, 1 + found.stretch / origins)
    return widths


def _variance(part: Component | None) -> float:
    return 0.0 if part is None else part.variance
