"""Whether the views say the same of the same bias: what a model prefers, writes, expects and decides.

Of each spec with stereotyped attributes every view has a reading, above 0 where it sides with the stereotype:

- `pairs`: the share of pairs in which the stereotyped sentence is preferred, minus one half, attribute sets alike
- `next words`: the mean logarithm of the chance of the stereotyped group's words over that of the other's, after
  prompts with an attribute; where one group is always ahead, the attribute sets cancel out
- `writing, attributes`: of the texts about a group, how many have an attribute that a stereotype ties to it, less those
  that have one of the other group
- `writing, ratings`: where one set of attributes is more favourable than the other, how far the ratings of texts about
  the groups lie apart, in the direction of the stereotype, in standard deviations

- `choices`: the share of questions whose stereotyped answer is chosen, minus one half, attribute sets alike

Readings have different units, so only signs and ranks are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from tiltmeter.records import Estimate
from tiltmeter.results.cells import table_of
from tiltmeter.results.findings.compared import cells_from
from tiltmeter.results.findings.questions import Question
from tiltmeter.results.findings.stereotypes import Stereotype, spec_of, stereotypes
from tiltmeter.results.views import results_of
from tiltmeter.stats.agreement.correlation import rank_correlation
from tiltmeter.stats.estimates import excludes_zero
from tiltmeter.stats.multiverse.cells import CellResult, cell_result
from tiltmeter.store import Run
from tiltmeter.views import FACTS, View

if TYPE_CHECKING:
    from tiltmeter.results.summary.runs import Cell

PAIRS, NEXT_WORDS, ATTRIBUTES, RATINGS = "pairs", "next words", "writing, attributes", "writing, ratings"
_ROUNDING = 1e-9


def reading_names() -> dict[str, str]:
    """What readings are called, in their order."""
    return {name: called for view in in_order() for name, called in FACTS[view].read_as.items()}


def in_order() -> list[View]:
    """The views, those with one reading before the others."""
    return sorted(FACTS, key=lambda view: len(FACTS[view].read_as))


@dataclass(frozen=True, slots=True)
class ViewReading:
    """What one view says of one bias and model; above 0 it sides with the stereotype."""

    model: str
    bias: str
    view: str
    found: Estimate
    place: Mapping[str, str] = field(default_factory=dict)
    """Of which items it was made, besides model and bias: their source, scorer, rater, groups."""

    @property
    def firm(self) -> int:
        """The side on which the whole interval lies; 0 where it has none or contains zero."""
        return 0 if not excludes_zero(self.found) or self.found.value is None else 1 if self.found.value > 0 else -1


@dataclass(frozen=True, slots=True)
class ViewCorrelation:
    """How far two views put the same things in the same order: biases of a model, or models by their mean."""

    first: str
    second: str
    over: str
    found: Estimate


@dataclass(frozen=True, slots=True)
class ViewAgreement:
    """Every reading, how far each two views agree, and where they do not."""

    readings: Sequence[ViewReading]
    correlations: Sequence[ViewCorrelation]
    disagreements: Sequence[tuple[ViewReading, ViewReading]]
    """Readings of the same model and bias on opposite sides; those of which both intervals exclude zero come first."""

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {
            "readings": [_labels(one) | one.found.as_json() | {"note": one.found.note} for one in self.readings],
            "correlations": [
                {"views": [one.first, one.second], "over": one.over, **one.found.as_json(), "note": one.found.note}
                for one in self.correlations
            ],
            "disagreements": [
                {**_labels(one), "view": [one.view, other.view], "both_exclude_zero": bool(one.firm and other.firm)}
                for one, other in self.disagreements
            ],
        }


def summarise_agreement(run: Run, cells: Sequence[Cell]) -> ViewAgreement | None:
    """The agreement of the views of a run; None where it has fewer than two views of any spec."""
    resolved = run.meta["resolved"]
    specs = [spec for spec in resolved["specs"] if not spec["benchmark"]]
    known = stereotypes([*specs, *resolved.get("told", {}).values()])
    return agree([one for view in in_order() for one in readings_of(run, view, known, cells)])


def readings_of(
    run: Run, view: View, known: Mapping[str, Stereotype], cells: Sequence[Cell] | None = None
) -> Iterator[ViewReading]:
    """What a view says of some biases, of two groups each.

    Without `cells`, which are those of pairs, they are checks of the instrument.
    """
    own = results_of(view).readings
    if own:
        yield from own(run, known, cells)
    else:
        for reading, result in by_stereotype(run, view, FACTS[view].lead, known):
            yield replace(reading, found=result.effect)


def by_stereotype(
    run: Run, view: View, measure: str, known: Mapping[str, Stereotype]
) -> Iterator[tuple[ViewReading, CellResult]]:
    """Whether the stereotyped group is ahead, on the first source that has the bias, by the first way of asking."""
    seen = set()
    cells = [cell for cell in table_of(run).of(view, measure=measure) if cell.compares]
    for cell, (bias, tied) in product(cells, known.items()):
        if cell.bias != tied.bias or (cell.model, bias) in seen:
            continue
        asked = Question(cell.model, cell.view, cell.bias, *tied.groups, by_stereotype=True)
        for data in cells_from(asked, cell, cell.rows, spec_of(run, cell.bias)):
            seen.add((cell.model, bias))
            found = cell_result(data, groups=tied.groups)
            yield ViewReading(cell.model, bias, view, found.raw, {"source": cell.source, "bias": cell.bias}), found


def agree(readings: Sequence[ViewReading]) -> ViewAgreement | None:
    """Hold the views against one another; None with fewer than two of them."""
    views = [
        view for view in reading_names() if any(one.view == view and one.found.value is not None for one in readings)
    ]
    if len(views) < 2:
        return None
    values: dict[str, dict[tuple[str, str], ViewReading]] = {view: {} for view in views}
    for one in readings:
        if one.view in values and one.found.value is not None:
            values[one.view][one.model, one.bias] = one
    correlations: list[ViewCorrelation] = []
    apart: list[tuple[ViewReading, ViewReading]] = []
    for first, second in combinations(views, 2):
        correlations += _correlations(first, second, values)
        for place in [place for place in values[first] if place in values[second]]:
            one, other = values[first][place], values[second][place]
            if _side(one) * _side(other) < 0:
                apart.append((one, other))
    apart.sort(key=lambda both: -abs(both[0].firm * both[1].firm))
    return ViewAgreement(readings, correlations, apart)


def _correlations(
    first: str, second: str, values: Mapping[str, Mapping[tuple[str, str], ViewReading]]
) -> Iterator[ViewCorrelation]:
    """Over the biases of each model, and over models where there are three."""
    places = list(dict.fromkeys([*values[first], *values[second]]))
    models = list(dict.fromkeys(model for model, _ in places))

    def value(view: str, place: tuple[str, str]) -> float | None:
        return values[view][place].found.value if place in values[view] else None

    for model in models:
        own = [place for place in places if place[0] == model]
        found = rank_correlation([value(first, place) for place in own], [value(second, place) for place in own])
        yield ViewCorrelation(first, second, f"biases, {model}", found)
    if len(models) >= 3:
        for bias in dict.fromkeys(bias for _, bias in places):
            over = [(model, bias) for model in models]
            found = rank_correlation([value(first, place) for place in over], [value(second, place) for place in over])
            yield ViewCorrelation(first, second, f"models, {bias}", found)


def _side(one: ViewReading) -> int:
    """Above zero, below it, or neither: what is zero but for rounding lies on no side."""
    value = one.found.value or 0.0
    return 0 if abs(value) < _ROUNDING else 1 if value > 0 else -1


def _labels(one: ViewReading) -> dict[str, Any]:
    return {"model": one.model, "bias": one.bias, "view": one.view}
