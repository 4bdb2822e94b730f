"""How much is enough: the width of the interval that a design gives, and the cheapest design that gives a width.

The width is that of the interval over origins, as it is printed: Student's quantile with k − 1 degrees of freedom times
the standard error that the components of a pilot predict. More samples wear down what samples add and nothing else; so
every level has a floor, below which only the level above gets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.components import Component, Components
from tiltmeter.stats.drawing import Array
from tiltmeter.stats.estimates import FEWEST_ORIGINS

Level = Literal["origins", "sets", "prompts", "samples"]
LEVELS: tuple[Level, ...] = get_args(Level)

_EVERY = 20
"""All numbers up to this are tried, and from there on steps of an eighth; what lies between is tried at the end."""
_LADDER = (5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1_000, 2_000, 5_000, 10_000)
_COMMON = 1e-12


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


LIMITS = Design(10_000, 200, 100, 1)
"""As much as is looked for where nobody names other limits."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What one of each costs; as it stands, the cost is the number of model calls."""

    origin: float = 0.0
    set: float = 0.0
    prompt: float = 0.0
    sample: float = 1.0


@dataclass(frozen=True, slots=True)
class Option:
    """A design, the width it is expected to give, and its cost."""

    design: Design
    width: float
    cost: float

    def as_json(self) -> dict[str, float | int]:
        """All in one row."""
        return {**asdict(self.design), "width": self.width, "cost": self.cost}


@dataclass(frozen=True, slots=True)
class Plan:
    """The cheapest design that reaches a width, and what else could be done."""

    asked: float
    level: float
    best: Option | None
    alternatives: tuple[Option, ...]
    """The cheapest for each number of origins with which the width can be reached, the fewest origins first."""
    likely: tuple[float, float] | None
    """Between which widths the best one's may well lie, for the pilot was small: 95 %."""
    floors: dict[Level, float]
    """The width that no number of this level gets under, with the best design (else the limits) in all other levels."""
    worth: Level | None
    """The level below its limit where, in the best design, another call brings most."""
    advice: str
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The figures; null where there is none."""
        return {
            "width": self.asked,
            "level": self.level,
            "best": None if self.best is None else self.best.as_json(),
            "likely": None if self.likely is None else list(self.likely),
            "alternatives": [option.as_json() for option in self.alternatives],
            "floors": dict(self.floors),
            "worth": self.worth,
            "advice": self.advice,
            "notes": list(self.notes),
        }


def predicted_width(found: Components, design: Design, *, level: float = 0.95, across_sets: bool = False) -> float:
    """The width of the interval that a design gives.

    With `across_sets` it is that of a mean over sets and origins both drawn anew, which takes two sets or more.

    >>> from tiltmeter.stats.components import Component
    >>> found = Components(Component(0.04, 29), Component(0.09, 100), Component(0.16, 400))
    >>> round(predicted_width(found, Design(25, 3, 4)), 4)
    0.2383
    """
    origins, sets, prompts, samples = (np.array([float(getattr(design, name))]) for name in LEVELS)
    return float(_widths(found, origins, sets, prompts, samples, level, across_sets)[0])


def sizes_for(
    found: Components,
    width: float,
    *,
    level: float = 0.95,
    limits: Design = LIMITS,
    costs: Costs | None = None,
    across_sets: bool = False,
) -> Plan:
    """The cheapest design within the limits whose interval is no wider than `width`.

    >>> from tiltmeter.stats.components import Component
    >>> found = Components(Component(0.04, 29), Component(0.09, 100), Component(0.16, 400))
    >>> plan = sizes_for(found, 0.2, limits=Design(40, 50, 50))
    >>> plan.best.design, plan.worth
    (Design(origins=38, prompts=5, samples=1, sets=1), 'origins')
    """
    if not width > 0:
        raise ValueError(f"a width is more than 0, not {width}")
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not {level}")
    if across_sets and (found.sets is None or limits.sets < 2):
        raise ValueError("a width across sets needs a pilot of two sets or more, and limits that allow as many")
    search = _Search(found, width, level, across_sets, limits, costs or Costs())
    if limits.origins < search.fewest:
        raise ValueError(f"there is no interval with fewer than {search.fewest} origins: a limit is as many or more")
    best = search.cheapest(search.fewest, limits.origins)
    rungs = {*(rung for rung in _LADDER), round(found.pilot.get("origins", 0)), limits.origins}
    # Beyond a design of one prompt and one sample each, more origins only cost more.
    rungs = {rung for rung in rungs if search.fewest <= rung <= limits.origins}
    made = [search.cheapest(rung, rung) for rung in sorted(rungs)]
    others = {option.design: option for option in [*made, best] if option is not None}
    top = best.design if best is not None else limits
    floors = {name: _floor(found, top, name, level, across_sets) for name in LEVELS}
    worth = None if best is None else _worth(search, best)
    notes = list(found.notes)
    if found.sets is not None and not across_sets and found.sets.variance > 0:
        notes.append(
            "sets of prompts differ as a whole: an interval over origins does not show that, one across sets does"
        )
    return Plan(
        width,
        level,
        best,
        _useful(sorted(others.values(), key=lambda option: option.design.origins), best),
        None if best is None else _likely(found, best.width),
        floors,
        worth,
        _advice(search, best, floors, worth),
        tuple(notes),
    )


def _useful(options: Sequence[Option], best: Option | None) -> tuple[Option, ...]:
    """Without designs of more origins that are dearer than one of fewer."""
    kept: list[Option] = []
    for option in options:
        if option == best or all(option.cost < other.cost for other in kept):
            kept.append(option)
    return tuple(kept)


@dataclass(frozen=True, slots=True)
class _Search:
    """A search for the cheapest design."""

    found: Components
    width: float
    level: float
    across_sets: bool
    limits: Design
    costs: Costs

    @property
    def fewest(self) -> int:
        """With fewer origins there is no interval."""
        return max(FEWEST_ORIGINS, 2 * self.found.strata)

    def cheapest(self, fewest: int, most: int) -> Option | None:
        """The cheapest design with a number of origins between the two; None where none is narrow enough."""
        sets = _steps(2 if self.across_sets else 1, self.limits.sets)
        prompts = _steps(1, self.limits.prompts if self.found.prompts is not None else 1)
        samples = _steps(1, self.limits.samples if self.found.samples is not None else 1)
        if fewest > most or not sets:
            return None
        best = self._of(fewest, most, sets, prompts, samples)
        if best is None:
            return None
        near = (
            _between(steps, getattr(best.design, name))
            for name, steps in (("sets", sets), ("prompts", prompts), ("samples", samples))
        )
        return self._of(fewest, most, *near)

    def _of(
        self, fewest: int, most: int, sets: Sequence[int], prompts: Sequence[int], samples: Sequence[int]
    ) -> Option | None:
        grid = np.meshgrid(sets, prompts, samples, indexing="ij")
        of_sets, of_prompts, of_samples = (each.ravel().astype(np.float64) for each in grid)
        low: Array = np.full(len(of_sets), float(fewest))
        high: Array = np.full(len(of_sets), float(most))

        def enough(origins: Array) -> NDArray[np.bool_]:
            widths = _widths(self.found, origins, of_sets, of_prompts, of_samples, self.level, self.across_sets)
            # A width that is reached but for rounding is reached.
            narrow: NDArray[np.bool_] = widths <= self.width * (1 + _COMMON)
            return narrow

        reached = enough(high)
        while np.any(low < high):
            middle = np.floor((low + high) / 2)
            fits = enough(middle)
            low, high = np.where(fits, low, np.minimum(middle + 1, high)), np.where(fits, middle, high)
        cost = _cost(self.costs, self.found.groups, high, of_sets, of_prompts, of_samples)
        if not reached.any():
            return None
        # Of equal cost, the one with more origins: it is narrower if anything, and rests on more.
        place = np.lexsort((-high, np.where(reached, cost, np.inf)))[0]
        sizes = (int(each[place]) for each in (high, of_prompts, of_samples, of_sets))
        design = Design(*sizes)
        predicted = predicted_width(self.found, design, level=self.level, across_sets=self.across_sets)
        return Option(design, predicted, float(cost[place]))


def _widths(
    found: Components,
    origins: Array,
    sets: Array,
    prompts: Array,
    samples: Array,
    level: float,
    across_sets: bool,
) -> Array:
    """Of many designs at once. Any number but that of origins may be infinite."""
    from scipy.special import stdtrit

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
    widths: Array = 2 * quantiles * np.sqrt(variance)
    return widths


def _variance(part: Component | None) -> float:
    return 0.0 if part is None else part.variance


def _cost(costs: Costs, groups: int, origins: Array, sets: Array, prompts: Array, samples: Array) -> Array:
    texts = origins * sets * prompts
    total: Array = np.asarray(
        groups * (costs.origin * origins + costs.prompt * texts + costs.sample * texts * samples) + costs.set * sets
    )
    return total


def _steps(fewest: int, most: int) -> list[int]:
    """All small numbers, then ever larger steps, and the largest.

    >>> _steps(1, 30)
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 27, 30]
    """
    found, step = list(range(fewest, min(_EVERY, most) + 1)), _EVERY
    while (step := step + step // 8) < most:
        found.append(step)
    return found if not found or found[-1] == most or most < fewest else [*found, most]


def _between(steps: Sequence[int], chosen: int) -> list[int]:
    """All numbers from the step before the chosen one to the step after it."""
    place = list(steps).index(chosen)
    return list(range(steps[max(0, place - 1)], steps[min(len(steps) - 1, place + 1)] + 1))


def _floor(found: Components, design: Design, name: Level, level: float, across_sets: bool) -> float:
    """The width with no end of one level; of origins it is that of all sets alike, if any."""
    numbers = {each: float(getattr(design, each)) for each in LEVELS}
    numbers[name] = math.inf if name != "origins" else 1e15
    origins, sets, prompts, samples = (np.array([numbers[each]]) for each in LEVELS)
    width = float(_widths(found, origins, sets, prompts, samples, level, across_sets)[0])
    return 0.0 if name == "origins" and not across_sets else width


def _worth(search: _Search, option: Option) -> Level | None:
    """The level below its limit whose doubling narrows the interval most for what it costs; None where none does."""
    gains: list[tuple[float, Level]] = []
    for name in LEVELS:
        if getattr(option.design, name) >= getattr(search.limits, name):
            continue
        more = replace(option.design, **{name: 2 * getattr(option.design, name)})
        width = predicted_width(search.found, more, level=search.level, across_sets=search.across_sets)
        cost = float(
            _cost(search.costs, search.found.groups, *(np.array(float(getattr(more, each))) for each in LEVELS))
        )
        if width < option.width * (1 - _COMMON):
            dearer = math.log(cost / option.cost) if option.cost > 0 and cost > option.cost else _COMMON
            gains.append((math.log(option.width / width) / dearer, name))
    return max(gains, key=lambda gain: gain[0])[1] if gains else None


def _likely(found: Components, width: float) -> tuple[float, float]:
    """A width known from a variance with so many degrees of freedom: those of the pilot's origins."""
    from scipy.special import chdtri

    freedom = max(1.0, found.origins.freedom)
    low, high = (freedom / float(chdtri(freedom, tail)) for tail in (0.025, 0.975))
    return width * math.sqrt(low), width * math.sqrt(high)


def _advice(search: _Search, best: Option | None, floors: dict[Level, float], worth: Level | None) -> str:
    if best is None:
        floor = _floor(search.found, search.limits, "prompts", search.level, search.across_sets)
        more = _Search(
            search.found,
            search.width,
            search.level,
            search.across_sets,
            replace(search.limits, origins=1_000_000),
            search.costs,
        ).cheapest(search.fewest, 1_000_000)
        needed = "" if more is None else f"; from {_least_origins(search):,} origins on it is within reach"
        return (
            f"No design within the limits reaches {search.width:g}: with {search.limits.origins:,} origins no number "
            f"of prompts or samples gets under {floor:.3g}{needed}."
        )
    adding = f"Adding {worth} brings most for its cost. " if worth else ""
    return (
        f"{adding}With {best.design.origins:,} origins, no number of samples gets under {floors['samples']:.3g} "
        f"and no number of prompts under {floors['prompts']:.3g}."
    )


def _least_origins(search: _Search) -> int:
    """The fewest origins with which the width is reached by as many prompts and samples as the limits allow."""
    limits = search.limits
    low, high = limits.origins, 1_000_000
    while low < high:
        middle = (low + high) // 2
        narrow = predicted_width(
            search.found, replace(limits, origins=middle), level=search.level, across_sets=search.across_sets
        )
        low, high = (low, middle) if narrow <= search.width * (1 + _COMMON) else (middle + 1, high)
    return low
