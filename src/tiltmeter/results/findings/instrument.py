"""Whether the instrument sees what everybody expects: specs that declare themselves a check (`benchmark = true`).

A check asks for an effect that is known to be there. It has **passed** where the interval lies wholly on the expected
side of neutral and the value reaches the least effect that will do; **failed** where the interval excludes that effect;
otherwise it is **weak**. Where a view has no check, or nothing of it was scored, none was **made**. The figure that
leads counts for each model, source and check: it was settled before any result, so that no correction is due.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tiltmeter.records import Estimate
from tiltmeter.results.cells import table_of
from tiltmeter.results.findings.stereotypes import stereotypes
from tiltmeter.results.findings.view_agreement import in_order, readings_of
from tiltmeter.results.views import results_of
from tiltmeter.store import Run
from tiltmeter.views import FACTS, VIEWS, View

Result = Literal["passed", "weak", "failed", "not made"]
RESULTS: tuple[Result, ...] = ("failed", "weak", "passed", "not made")
"""The worst first."""
NO_SPEC = "no specification of the study is a check"
OF_ONE_GROUP = "a value of one group does not say which group the test words of the check are tied to"
NOT_IN_VIEW = "no item of this view belongs to the check"


@dataclass(frozen=True, slots=True)
class InstrumentCheck:
    """What one model shows of one check in one view; above 0 is the expected side."""

    model: str
    view: View
    bias: str
    source: str
    found: Estimate
    by: str = ""
    """The scorer or rater."""

    @property
    def least(self) -> float:
        """The least effect that will do."""
        return FACTS[self.view].least

    @property
    def is_share(self) -> bool:
        """Whether it is how far a share is from one half."""
        return FACTS[self.view].unit.startswith("share")

    @property
    def is_scored(self) -> bool:
        """Whether it was made by a scorer, and not by a rater."""
        return "scorer" in FACTS[self.view].choices

    @property
    def result(self) -> Result:
        """Whether it passed."""
        found = self.found
        if found.value is None:
            return "not made"
        if found.low is None or found.high is None:
            return "weak"
        if found.high < self.least:
            return "failed"
        return "passed" if found.low > 0 and found.value >= self.least else "weak"

    def as_json(self) -> dict[str, Any]:
        """The check as a record."""
        names = ("model", "view", "bias", "source", "by", "result", "least")
        figures = {**self.found.as_json(), "note": self.found.note, "unit": FACTS[self.view].unit}
        return {name: getattr(self, name) for name in names} | figures


@dataclass(frozen=True, slots=True)
class Instrument:
    """The checks of a run, and what they come to for each model in each of its views: the worst of them."""

    checks: tuple[InstrumentCheck, ...] = ()
    results: Mapping[tuple[str, View], Result] = field(default_factory=dict)
    why: Mapping[tuple[str, View], str] = field(default_factory=dict)
    """Why no check was made, of each model and view that has none."""

    def counted(self) -> dict[str, int]:
        """How many models and views have which result.

        >>> Instrument((), {("m", "pairs"): "failed", ("m", "continuations"): "not made"}).counted()
        {'failed': 1, 'weak': 0, 'passed': 0, 'not_made': 1}
        """
        numbers = Counter(self.results.values())
        return {result.replace(" ", "_"): numbers[result] for result in RESULTS}

    def of_model(self, model: str) -> Instrument:
        """The part on one model."""
        own = {place: result for place, result in self.results.items() if place[0] == model}
        why = {place: reason for place, reason in self.why.items() if place[0] == model}
        return Instrument(tuple(one for one in self.checks if one.model == model), own, why)

    def as_json(self) -> dict[str, Any]:
        """The checks as a record."""
        return {
            **self.counted(),
            "results": [
                {"model": model, "view": view, "result": one, "why": self.why.get((model, view))}
                for (model, view), one in self.results.items()
            ],
            "checks": [one.as_json() for one in self.checks],
        }


def instrument_of(run: Run) -> Instrument:
    """The checks of a run, in every view that has one."""
    checks = tuple(_checks(run))
    has = table_of(run).views
    places = [(model, view) for model in run.facts for view in VIEWS if view in has]
    results = {place: _worst(checks, *place) for place in places}
    return Instrument(
        checks, results, {place: _why(run, checks, place) for place in places if results[place] == "not made"}
    )


def _why(run: Run, checks: Iterable[InstrumentCheck], place: tuple[str, View]) -> str:
    """Why there is no check of a model in a view."""
    declared = [spec for spec in run.meta["resolved"]["specs"] if spec["benchmark"]]
    if not declared:
        return NO_SPEC
    empty = next((one.found.note for one in checks if (one.model, one.view) == place and one.found.note), None)
    tied = list(stereotypes(declared).values())
    own = results_of(place[1])
    if not own.readings and any(not cell.compares for cell in table_of(run).of(place[1])):
        return OF_ONE_GROUP
    return empty or (own.unchecked(tied) if own.unchecked else None) or NOT_IN_VIEW


def _worst(checks: Iterable[InstrumentCheck], model: str, view: View) -> Result:
    results = {one.result for one in checks if (one.model, one.view) == (model, view)}
    return next((result for result in RESULTS if result in results), "not made")


def _checks(run: Run) -> Iterator[InstrumentCheck]:
    declared = [spec for spec in run.meta["resolved"]["specs"] if spec["benchmark"]]
    known = stereotypes(declared)
    for view in in_order() if known else ():
        for one in readings_of(run, view, known):
            bias, source = one.bias, one.place.get("source", "")
            by = one.place.get("scorer") or one.place.get("rater", "")
            yield InstrumentCheck(one.model, view, bias, source, replace(one.found, p_adjusted=None), by)
