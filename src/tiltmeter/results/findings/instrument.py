"""Whether the instrument sees what everybody expects: specs that declare themselves a check (`benchmark = true`).

A check asks for an effect that is known to be there. It has **passed** where the interval lies wholly on the expected
side of neutral and the value reaches the least effect that will do; **failed** where the interval excludes that effect;
otherwise it is **weak**. Where a view has no check, or nothing of it was scored, none was **made**. The figure that
leads counts for each model, source and check: it was settled before any result, so that no correction is due.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tiltmeter.measures.pairs import PREFERENCE
from tiltmeter.records import Estimate
from tiltmeter.results.cells import Cell, table_of
from tiltmeter.results.findings.stereotypes import Stereotype, stereotype
from tiltmeter.results.findings.view_readings import favoured, next_word_readings, rating_readings
from tiltmeter.results.items import pair_items
from tiltmeter.results.scorer_order import rank_of
from tiltmeter.stats.estimates import shifted
from tiltmeter.stats.views.pairs import summarise
from tiltmeter.store import Run
from tiltmeter.views import VIEWS, View

Result = Literal["passed", "weak", "failed", "not made"]
RESULTS: tuple[Result, ...] = ("failed", "weak", "passed", "not made")
"""The worst first."""
LEAST: Mapping[View, float] = {"pairs": 0.1, "next words": math.log(0.6 / 0.4), "continuations": 0.2}
"""The least effect that will do: 60 % of pairs, odds of 60 to 40, a fifth of a standard deviation of ratings."""
NO_SPEC = "no specification of the study is a check"
UNFAVOURED = "the attribute words of the check are not clearly better on one side, so that ratings cannot show it"
NOT_IN_VIEW = "no item of this view belongs to the check"
UNITS: Mapping[View, str] = {
    "pairs": "share of pairs above one half",
    "next words": "logarithm of the odds",
    "continuations": "standard deviations of ratings",
}


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
        return LEAST[self.view]

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
        figures = {**self.found.as_json(), "note": self.found.note, "unit": UNITS[self.view]}
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
    has: Mapping[View, bool] = {
        "pairs": bool(run.pairs),
        "continuations": run.continuations is not None,
        "next words": run.next_words is not None,
    }
    places = [(model, view) for model in run.facts for view in VIEWS if has[view]]
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
    tied = [found for spec in declared if (found := stereotype(spec))]
    if empty is None and place[1] == "continuations" and not any(favoured(one, declared=True) for one in tied):
        return UNFAVOURED
    return empty or NOT_IN_VIEW


def _worst(checks: Iterable[InstrumentCheck], model: str, view: View) -> Result:
    results = {one.result for one in checks if (one.model, one.view) == (model, view)}
    return next((result for result in RESULTS if result in results), "not made")


def _checks(run: Run) -> Iterator[InstrumentCheck]:
    declared = [spec for spec in run.meta["resolved"]["specs"] if spec["benchmark"]]
    known = {spec["name"]: found for spec in declared if (found := stereotype(spec))}
    if known:
        yield from _of_pairs(run, known)
        for word in next_word_readings(run, known):
            yield InstrumentCheck(word.model, "next words", word.bias, word.place["source"], word.found)
        for text in rating_readings(run, known, declared=True):
            yield InstrumentCheck(text.model, "continuations", text.bias, "", text.found, text.place["rater"])


def _of_pairs(run: Run, known: Mapping[str, Stereotype]) -> Iterator[InstrumentCheck]:
    """By the scorer that leads; balanced over the attribute sets where that can be, so that a habit cancels out."""
    named = run.meta["resolved"]["scorers"]
    leading: dict[tuple[str, str, str], Cell] = {}
    cells = [cell for cell in table_of(run).of("pairs", measure=PREFERENCE.name) if not cell.published]
    for cell in sorted(cells, key=lambda cell: rank_of(cell.scorer, named, run.facts[cell.model].family)):
        if cell.bias.partition(":")[0] in known:
            leading.setdefault((cell.model, cell.source, cell.bias), cell)
    for cell in cells:
        if cell is leading.get((cell.model, cell.source, cell.bias)):
            found = shifted(summarise(pair_items(cell)).headline_by_bias[cell.bias], -0.5)
            yield InstrumentCheck(
                cell.model, "pairs", cell.bias, cell.source, replace(found, p_adjusted=None), cell.scorer
            )
