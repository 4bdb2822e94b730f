"""Whether a study can come to a verdict at all, whatever will be answered: known before anything is asked.

The cells of every question are built by the code that builds them of answers, and held against what a verdict needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.measures.interface import Measure
from tiltmeter.results.cells import Combination, Measurement
from tiltmeter.results.findings.compared import cells_from
from tiltmeter.results.findings.evidence import Evidence, cells_of
from tiltmeter.results.findings.findings import questions
from tiltmeter.results.findings.questions import Question
from tiltmeter.results.views import RESULTS, Spec, results_of
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.multiverse.cells import CellData
from tiltmeter.stats.multiverse.verdict import FEWEST_CELLS, unreachable
from tiltmeter.stats.multiverse.whole_curve import needed_origins
from tiltmeter.stats.planning.detectable import minimum_detectable
from tiltmeter.store import Run
from tiltmeter.views import FACTS, VIEWS, View

_RISK = 0.05
"""A verdict that is missed by chance this often is said to be in doubt."""
_MORE = {
    "decoding": "a decoding",
    "rater": "a rater",
    "scorer": "a scorer",
    "words": "a set of words",
    "bounded": "a way of counting",
    "combine": "a way of counting",
}
"""What makes one more method of a choice."""
_ENOUGH_PAIRS = next(number for number in range(1, 100) if 2.0 ** (1 - number) <= _RISK)


@dataclass(frozen=True, slots=True)
class Feasibility:
    """One question of a study, and why it can only end in "too little data", where it can."""

    view: View
    bias: str
    groups: tuple[str, ...]
    cells: int
    """At most, of one model."""
    origins: int
    nested: bool
    """Whether origins belong to one side each, so that those of either side exchange it with one another."""
    why: str | None
    sides: tuple[int, int] | None = None
    """Where they do, how many belong to either."""
    term_pairs: int | None = None
    """Where preferences of two sides are compared, and terms are known: how many pairs of terms there are."""

    @property
    def same_throughout(self) -> float:
        """How often a model that prefers either term of each pair by chance prefers one group in all of them.

        Then the preference says nothing of the attributes and has no value, and half of the cells drop out.
        """
        return 0.0 if self.term_pairs is None else min(1.0, 2.0 ** (1 - self.term_pairs))

    @property
    def at_risk(self) -> bool:
        """Whether a verdict can be come to, and yet may well not be."""
        return self.why is None and self.same_throughout > _RISK

    @property
    def smallest_effect(self) -> float | None:
        """The smallest true effect that is found with 80 % power, in standard deviations of one test word."""
        sizes = self.sides or (self.origins,)
        if self.why is not None or min(sizes) < 2:
            return None
        # Where each test word is on one side, the effect is half of the difference between the sides.
        error = math.sqrt(sum(1 / size for size in sizes)) / len(sizes)
        return minimum_detectable(error, sum(sizes) - len(sizes))

    @property
    def needed(self) -> dict[str, int]:
        """What would be enough."""
        return {"cells": FEWEST_CELLS, "origins": 2 * needed_origins(nested=True) if self.nested else needed_origins()}

    def as_json(self) -> dict[str, Any]:
        """The question, whether it is within reach, and what would be enough."""
        risk = {"same_throughout": self.same_throughout, "at_risk": self.at_risk}
        return {**asdict(self), "groups": list(self.groups), "needed": self.needed, **risk}

    def sentence(self) -> str:
        """Why there can be no verdict and what would be enough, in a sentence."""
        about = f" ({' and '.join(self.groups)})" if self.groups else ""
        place = f"{self.view}, {self.bias}{about}"
        if self.at_risk:
            number = "one pair of terms" if self.term_pairs == 1 else f"{self.term_pairs} pairs of terms"
            return (
                f"{place}: may end in “too little data”: with {number} a model that knows no stereotype prefers the "
                f"same group throughout in {100 * self.same_throughout:.0f} % of cases, and preferences then say "
                f"nothing; {_ENOUGH_PAIRS} pairs of terms would be enough"
            )
        split = f" ({self.sides[0]} on one side, {self.sides[1]} on the other)" if self.sides else ""
        return f"{place}: can only end in “too little data”: {self.why}{split}; {self._remedy()}"

    def _remedy(self) -> str:
        facts = FACTS[self.view]
        if not self.cells:
            rates = "rater" in facts.choices
            told = ", and a rater that says which text is better" if rates else f" that {facts.item}s tell apart"
            return f"a verdict needs two groups{told}"
        if self.cells < FEWEST_CELLS:
            more = dict.fromkeys(["a source", *(_MORE[name] for name in facts.choices if name in _MORE)])
            return f"a verdict needs {FEWEST_CELLS} or more: add {' or '.join(more)}"
        each = f", {needed_origins(nested=True)} on either side" if self.nested else ""
        return f"{self.needed['origins']} origins{each} would be enough, with one or more items each"


def feasibility_of(resolved: Mapping[str, Any], items: Mapping[View, Iterable[Any]]) -> tuple[Feasibility, ...]:
    """Every question of a study as it is resolved, with the items of each view; each model is asked the same."""
    return tuple(
        one for view in RESULTS if (own := results_of(view).feasible) for one in own(resolved, items.get(view, ()))
    )


def feasibility_of_run(run: Run) -> tuple[Feasibility, ...]:
    """The same of the study that a run carries out."""
    prompts = run.continuations.prompts if run.continuations else ()
    asked = [one.asked for one in run.next_words.asked] if run.next_words else ()
    items = {"pairs": run.pairs, "continuations": prompts, "next words": asked, **run.asked}
    planned = feasibility_of(run.meta["resolved"], items)
    return (*planned, *(one for view in VIEWS if not results_of(view).feasible for one in _of_measured(run, view)))


def _of_measured(run: Run, view: View) -> Iterator[Feasibility]:
    """What a view comes to whose items are known from its measurements alone."""
    material = Evidence([run])
    asked = {one.key: one for one in questions(material) if one.view == view}
    for one in asked.values():
        yield reach(view, one.bias, (one.first, one.second), cells_of(one, material))


def unanswerable(found: Iterable[Feasibility]) -> list[Feasibility]:
    """The questions that can only end in "too little data"."""
    return [one for one in found if one.why is not None]


def at_risk_or_unanswerable(found: Iterable[Feasibility]) -> list[Feasibility]:
    """The questions that can only end so, and those that may well."""
    return [one for one in found if one.why is not None or one.at_risk]


def reach(
    view: View,
    bias: str,
    groups: tuple[str, ...],
    made: Sequence[CellData],
    times: int = 1,
    term_pairs: int | None = None,
) -> Feasibility:
    """What cells come to; each stands for so many that differ in a choice that moves no item."""
    cells = len(made) * times
    origins = {origin for cell in made for origin in cell.origins.tolist()}
    sides: dict[str, set[int]] = {}
    for cell in made:
        if cell.sides is not None:
            for origin, side in zip(cell.origins.tolist(), cell.sides.tolist(), strict=True):
                sides.setdefault(origin, set()).add(side)
    nested = bool(sides) and all(len(found) == 1 for found in sides.values())
    split = [sum(side in found for found in sides.values()) for side in (0, 1)] if nested else None
    why = unreachable(made, cells)
    return Feasibility(
        view, bias, groups, cells, len(origins), nested, why, (split[0], split[1]) if split else None, term_pairs
    )


def cells_of_items(
    question: Question,
    source: str,
    measure: Measure[Any],
    rows: Mapping[Any, Measurement],
    spec: Spec | None = None,
) -> Iterator[CellData]:
    """What could come of items, were they measured."""
    scale = Scale(measure.low, measure.high, measure.neutral)
    of = Combination(question.view, source, measure.name, scale=scale, worse=1)
    return cells_from(question, of, list(rows.values()), spec or {})
