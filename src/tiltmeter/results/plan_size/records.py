"""The records of a plan, and what it says in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.stats.planning.components import Components
from tiltmeter.stats.planning.precision import Design, Option, Plan
from tiltmeter.views import FACTS, View


@dataclass(frozen=True, slots=True)
class Range:
    """Where the pilot is too small to tell: what it takes if origins matter less than it seems, and if more."""

    less: Option | None
    more: Option | None
    """None where no design of the source reaches the width."""

    def as_json(self) -> dict[str, Any]:
        """Both designs, null where there is none."""
        return {
            "less": None if self.less is None else self.less.as_json(),
            "more": None if self.more is None else self.more.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Target:
    """A figure whose interval is to be narrower, what the pilot says of it, and the sizes that get it there."""

    view: View
    choices: Mapping[str, str]
    """Model, source, bias, and what it was measured by."""
    pilot: Estimate
    found: Components
    plan: Plan
    settable: Option | None
    """The cheapest design that a study file can ask of this source; None where there is none that is narrow enough."""
    options: Mapping[str, int]
    """What to write into the study file for it."""
    origins_are: str
    sets_are: str
    """What is crossed with origins: templates, sentence structures; or independent sets."""
    limits: Design
    reach: float
    """The width that is expected of all that the source has, with the most samples that are planned for."""
    floor: float
    """The same however many samples are asked for."""
    notes: tuple[str, ...] = ()
    blocked: str | None = None
    """Why nothing can be planned from the pilot."""
    between: Range | None = None
    """Where the pilot has too few origins to tell."""
    likely: tuple[float, float] | None = None
    """Between which widths that of the study that is advised (else of all that there is) lies 19 times out of 20."""
    samples: int | None = None
    """Where nothing but the most samples that are planned for stands in the way: how many it would take."""

    @property
    def width(self) -> float | None:
        """How wide the interval of the pilot is, from low to high."""
        return None if self.pilot.low is None or self.pilot.high is None else self.pilot.high - self.pilot.low

    @property
    def advice(self) -> str:
        """What to do, in a sentence."""
        if self.blocked is not None:
            return self.blocked
        return f"{self._as_it_is}{self._takes}{self._or_else}"

    @property
    def _takes(self) -> str:
        if self.settable is None:
            return self._out_of_reach
        if not self.options:
            return f"the source gives what it has, which is enough: {self.settable.width:.3g} is expected"
        return f"{self.sizes(self.settable.design)}: {self.settable.width:.3g} wide is expected"

    @property
    def _as_it_is(self) -> str:
        """That the pilot needs no other study, where one would be larger or is out of reach."""
        if self.width is None or self.width > self.plan.asked:
            return ""
        size = math.prod(self.found.pilot.values()) * self.found.groups
        larger = self.settable is None or self.settable.cost > size
        return "the pilot is narrow enough as it is; for a new study, " if larger else ""

    def sizes(self, design: Design) -> str:
        """A design in words."""
        samples = f" × {design.samples} samples" if design.samples > 1 else ""
        return f"{design.origins:,} {self.origins_are}{self._each(design)}{samples}"

    @property
    def _out_of_reach(self) -> str:
        there = f"{self.limits.origins:,} {self.origins_are}{self._each(self.limits)}"
        if self.samples is not None:
            most = f"{self.limits.samples:,} are planned for ({self.reach:.3g} wide)"
            said = f"it takes {self.samples:,} samples with {there}, and no more than {most}: add"
        elif self.limits.samples > 1:
            said = f"no number of samples gets under {self.floor:.3g} with {there}: add"
        else:
            said = f"no less than {self.reach:.3g} is expected with {there}: add"
        if self.plan.bottleneck == "sets":
            least = self.plan.floors["origins"]
            return f"{said} {self.sets_are} (no number of {self.origins_are} gets under {least:.3g})"
        return f"{said} {self.origins_are}{self._needed}"

    @property
    def _or_else(self) -> str:
        """What it would take if the pilot misleads, where it has too few origins to tell."""
        if self.between is None or self.likely is None:
            return ""
        low, high = self.likely
        few, widths = f"the pilot has too few {self._few} to tell", f"{low:.3g} to {high:.3g} may come out"
        less, more = self.between.less, self.between.more
        if self.settable is None:
            could = "" if less is None else f", and {self.sizes(less.design)} could do"
            return f"; {few}: with all of it {widths}{could}"
        if more is None:
            takes = "it may also be out of reach"
        elif less is None or less.design == self.settable.design:
            takes = f"it may take {self.sizes(more.design)}"
        else:
            takes = f"it may take from {self.sizes(less.design)} to {self.sizes(more.design)}"
        return f", but {few}: {widths}, and {takes}"

    @property
    def _few(self) -> str:
        return self.sets_are if self.plan.bottleneck == "sets" else self.origins_are

    def _each(self, design: Design) -> str:
        """How much there is of each origin."""
        sets = f" × {design.sets} {self.sets_are}" if design.sets > 1 else ""
        noun = f"{FACTS[self.view].asked}s"
        return sets + (f" × {design.prompts} {noun}" if design.prompts > 1 else "")

    @property
    def _needed(self) -> str:
        return "" if self.plan.needed is None else f" (from {self.plan.needed:,} on it is within reach)"

    @property
    def bottleneck(self) -> str | None:
        """Of two that are crossed, which keeps the interval wide, in a sentence."""
        floors = self.plan.floors
        if self.plan.bottleneck is None or self.blocked is not None:
            return None
        narrow, other = (
            (self.sets_are, self.origins_are) if self.plan.bottleneck == "sets" else (self.origins_are, self.sets_are)
        )
        left = floors["origins" if self.plan.bottleneck == "sets" else "sets"]
        return f"{narrow} are the bottleneck: no number of {other} gets under {left:.3g}"

    def as_json(self) -> dict[str, Any]:
        """Everything that is said."""
        return {
            "view": self.view,
            **self.choices,
            "pilot": {**self.pilot.as_json(), "width": self.width},
            "components": self.found.as_json(),
            "origins_are": self.origins_are,
            "sets_are": self.sets_are,
            "limits": {
                "origins": self.limits.origins,
                "prompts": self.limits.prompts,
                "samples": self.limits.samples,
                "sets": self.limits.sets,
            },
            "reach": None if self.blocked else self.reach,
            "floor": None if self.blocked else self.floor,
            "samples_needed": self.samples,
            "advice": self.advice,
            "bottleneck": self.bottleneck,
            "between": None if self.between is None else self.between.as_json(),
            "likely": None if self.likely is None else list(self.likely),
            "study": None if self.settable is None else {**self.settable.as_json(), "options": dict(self.options)},
            "plan": {**self.plan.as_json(), "notes": list(self.notes)},
        }


@dataclass(frozen=True, slots=True)
class TooSmall:
    """A figure of which the pilot has too few origins for any plan."""

    view: View
    choices: Mapping[str, str]
    reason: str

    def as_json(self) -> dict[str, Any]:
        """What it is, and why."""
        return {"view": self.view, **self.choices, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The targets of a pilot run, and what to write into the study file so that all of them that can are reached."""

    width: float
    targets: tuple[Target, ...]
    lines: Mapping[str, Sequence[str]]
    """By table of the study file."""
    calls: Mapping[str, int]
    """By table: how often a model is asked by these lines, for one model and one decoding."""
    too_small: tuple[TooSmall, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Everything that is said."""
        return {
            "width": self.width,
            "level": 0.95,
            "targets": [target.as_json() for target in self.targets],
            "study": {table: list(lines) for table, lines in self.lines.items()},
            "calls": dict(self.calls),
            "too_small": [one.as_json() for one in self.too_small],
        }
