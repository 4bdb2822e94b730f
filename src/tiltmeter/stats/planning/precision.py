"""How much is enough: the cheapest design whose interval is as narrow as is wanted, by the components of a pilot.

More samples wear down what samples add and nothing else; so every level has a floor, below which only the level above
gets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.arrays import Array
from tiltmeter.stats.estimates import FEWEST_ORIGINS
from tiltmeter.stats.planning.component_levels import Components
from tiltmeter.stats.planning.designs import LEVELS, Design, Level, predicted_width, widths_of
from tiltmeter.stats.planning.pilot_uncertainty import likely_widths, pilot_uncertainty

__all__ = ["LEVELS", "LIMITS", "Costs", "Design", "Level", "Option", "Plan", "predicted_width", "sizes_for"]

_EVERY = 20
"""All numbers up to this are tried, and from there on steps of an eighth; what lies between is tried at the end."""
_LADDER = (5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1_000, 2_000, 5_000, 10_000)
_COMMON = 1e-12
_MOST_ORIGINS = 1_000_000
"""With more origins than this nothing is within reach."""
_NOTHING = 0.01
"""A floor that is less than this part of the width that is asked for keeps nobody from anything."""
_INNER: tuple[Level, ...] = ("samples", "prompts")


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
    between: tuple[Option | None, Option | None] | None = None
    """Where the pilot cannot tell: the cheapest if origins matter less than it seems, and more; None: out of reach."""
    bottleneck: Level | None = None
    """Of origins and sets, which are crossed, the one whose number keeps the interval wide."""
    needed: int | None = None
    """Where the width is out of reach, the number of origins from which on it is not; None: there is none."""

    def withheld(self, why: str) -> Plan:
        """Nothing but the reason why there is no plan."""
        return Plan(self.asked, self.level, None, (), None, {}, None, why, self.notes)

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
            "between": None if self.between is None else [one and one.as_json() for one in self.between],
            "bottleneck": self.bottleneck,
            "needed": self.needed,
        }


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

    >>> from tiltmeter.stats.planning.components import Component
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
    needed = _needed(search) if best is None else None
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
        None if best is None else likely_widths(found, best.design, across_sets=across_sets),
        floors,
        worth,
        _beyond(search, needed) if best is None else _advice(best, floors, worth),
        tuple(notes),
        _least(search, best),
        _bottleneck(search) if across_sets else None,
        needed,
    )


def _least(search: _Search, best: Option | None) -> tuple[Option | None, Option | None] | None:
    """The cheapest designs if origins matter less, and more; None where the pilot tells, or they are the best one."""
    doubt = pilot_uncertainty(search.found)
    top = best.design if best is not None else search.limits
    if not doubt.is_large(search.found, top, across_sets=search.across_sets):
        return None
    less, more = (
        replace(search, found=each).cheapest(search.fewest, search.limits.origins) for each in (doubt.less, doubt.more)
    )
    same = best is not None and all(each is not None and each.design == best.design for each in (less, more))
    return None if same else (less, more)


def _bottleneck(search: _Search) -> Level | None:
    """Whether it is origins or sets that keep the interval wide: no end of the other would still leave that much."""
    of_origins = _floor(search.found, search.limits, "sets", search.level, across_sets=True)
    of_sets = _floor(search.found, search.limits, "origins", search.level, across_sets=True)
    if max(of_origins, of_sets) < _NOTHING * search.width:
        return None
    return "origins" if of_origins >= of_sets else "sets"


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
            numbers: dict[Level, Array] = {
                "origins": origins,
                "sets": of_sets,
                "prompts": of_prompts,
                "samples": of_samples,
            }
            widths = widths_of(self.found, numbers, self.level, self.across_sets)
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
        # Of equal cost, the one with more origins, then with more prompts: it is narrower if anything, rests on more.
        place = np.lexsort((-of_prompts, -high, np.where(reached, cost, np.inf)))[0]
        sizes = (int(each[place]) for each in (high, of_prompts, of_samples, of_sets))
        design = Design(*sizes)
        predicted = predicted_width(self.found, design, level=self.level, across_sets=self.across_sets)
        return Option(design, predicted, float(cost[place]))


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
    numbers = {each: np.array([float(getattr(design, each))]) for each in LEVELS}
    numbers[name] = np.array([math.inf if name != "origins" else 1e15])
    width = float(widths_of(found, numbers, level, across_sets)[0])
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


def _beyond(search: _Search, needed: int | None) -> str:
    most, found = search.limits, search.found
    floor = _floor(found, most, "prompts", search.level, search.across_sets)
    within = "" if needed is None else f"; from {needed:,} origins on it is within reach"
    if floor > search.width:
        why = f"no number of prompts or samples gets under {floor:.3g}"
    else:
        reach = predicted_width(found, most, level=search.level, across_sets=search.across_sets)
        why = f"the most prompts ({most.prompts:,}) and samples ({most.samples:,}) of each get to {reach:.3g}"
    return f"No design within the limits reaches {search.width:g}: with {most.origins:,} origins {why}{within}."


def _advice(best: Option, floors: dict[Level, float], worth: Level | None) -> str:
    adding = f"Adding {worth} brings most for its cost. " if worth else ""
    under = [f"no number of {name} gets under {floors[name]:.3g}" for name in _INNER if floors[name] > 0]
    chance = "nothing but chance keeps the interval from getting narrower"
    said = " and ".join(under) or (chance if best.width > 0 else "as with any number, there is no spread to plan from")
    return f"{adding}With {best.design.origins:,} origins, {said}."


def _needed(search: _Search) -> int | None:
    """The fewest origins with which the width is reached by as much of all else as the limits allow."""

    def enough(origins: int) -> bool:
        design = replace(search.limits, origins=origins)
        width = predicted_width(search.found, design, level=search.level, across_sets=search.across_sets)
        return width <= search.width * (1 + _COMMON)

    low, high = search.limits.origins, _MOST_ORIGINS
    if not enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low
