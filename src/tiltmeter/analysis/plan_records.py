"""The records of a plan, and what it says in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.analysis.questions import View
from tiltmeter.records import Estimate
from tiltmeter.stats.components import Components
from tiltmeter.stats.precision import Design, Option, Plan


@dataclass(frozen=True, slots=True)
class Range:
    """Where the pilot is too small to tell: what it takes if origins matter less than it seems, and if more."""

    less: Option | None
    more: Option | None
    """None where no design of the source reaches the width."""
    widths: tuple[float, float]
    """Of the design that is advised (else of all that there is), under either."""

    def as_json(self) -> dict[str, Any]:
        """Both designs, null where there is none."""
        return {
            "less": None if self.less is None else self.less.as_json(),
            "more": None if self.more is None else self.more.as_json(),
            "widths": list(self.widths),
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
    floor: float
    """The width that the source does not get under with all that it has, however many samples are asked for."""
    notes: tuple[str, ...] = ()
    blocked: str | None = None
    """Why nothing can be planned from the pilot."""
    between: Range | None = None
    """Where the pilot has too few origins to tell."""
    likely: tuple[float, float] | None = None
    """Between which widths that of such a study lies 19 times out of 20."""

    @property
    def width(self) -> float | None:
        """How wide the interval of the pilot is, from low to high."""
        return None if self.pilot.low is None or self.pilot.high is None else self.pilot.high - self.pilot.low

    @property
    def advice(self) -> str:
        """What to do, in a sentence."""
        if self.blocked is not None:
            return self.blocked
        if self.settable is None:
            return self._out_of_reach + self._or_else
        if not self.options:
            return (
                f"the source gives what it has, which is enough: {self.settable.width:.3g} is expected{self._or_else}"
            )
        return f"{self.sizes(self.settable.design)}: {self.settable.width:.3g} wide is expected{self._or_else}"

    def sizes(self, design: Design) -> str:
        """A design in words."""
        samples = f" × {design.samples} samples" if design.samples > 1 else ""
        return f"{design.origins:,} {self.origins_are}{self._each(design)}{samples}"

    @property
    def _out_of_reach(self) -> str:
        there = f"{self.limits.origins:,} {self.origins_are}{self._each(self.limits)}"
        more = "no number of samples gets" if self.limits.samples > 1 else "all that there is does not get"
        said = f"{more} under {self.floor:.3g} with {there}: add"
        if self.plan.bottleneck == "sets":
            least = self.plan.floors["origins"]
            return f"{said} {self.sets_are} (no number of {self.origins_are} gets under {least:.3g})"
        return f"{said} {self.origins_are}{self._needed}"

    @property
    def _or_else(self) -> str:
        """What it would take if the pilot misleads, where it has too few origins to tell."""
        if self.between is None:
            return ""
        low, high = self.between.widths
        few = f"the pilot has too few {self._few} to tell"
        less, more = self.between.less, self.between.more
        if self.settable is None:
            could = "" if less is None else f", and {self.sizes(less.design)} could do"
            return f"; {few}: it may get to {low:.3g}{could}"
        if more is None:
            takes = "it may also be out of reach"
        elif less is None or less.design == self.settable.design:
            takes = f"it may take {self.sizes(more.design)}"
        else:
            takes = f"it may take from {self.sizes(less.design)} to {self.sizes(more.design)}"
        return f", but {few}: {low:.3g} to {high:.3g} may come out, and {takes}"

    @property
    def _few(self) -> str:
        return self.sets_are if self.plan.bottleneck == "sets" else self.origins_are

    def _each(self, design: Design) -> str:
        """How much there is of each origin."""
        sets = f" × {design.sets} {self.sets_are}" if design.sets > 1 else ""
        noun = "pairs" if self.view == "pairs" else "prompts"
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
            "floor": self.floor,
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
