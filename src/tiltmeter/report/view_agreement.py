"""The part of the report on whether the views agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tiltmeter.report.cells import Column, Table, TableCell, numbers, sort_key
from tiltmeter.report.words import NONE, count, signed
from tiltmeter.results.findings.view_agreement import VIEWS, ViewAgreement, ViewCorrelation, ViewReading, agree

_CAPTIONS = {
    "pairs": "Prefers (pairs)",
    "next words": "Expects (next words)",
    "writing, attributes": "Writes (attributes)",
    "writing, ratings": "Writes (ratings)",
}


@dataclass(frozen=True, slots=True)
class ViewsView:
    """Readings, correlations, and where views lie on opposite sides."""

    sentence: str
    readings: Table
    correlations: Table
    disagreements: tuple[str, ...]


def views_view(found: Sequence[ViewAgreement | None], label: Callable[[str], str]) -> ViewsView | None:
    """One for all runs together; `label` is what a bias is called on the page."""
    known = [one for one in found if one]
    together = known[0] if len(known) == 1 else agree([reading for one in known for reading in one.readings])
    if together is None:
        return None
    return ViewsView(
        _sentence(together), _readings(together, label), _correlations(together, label), _apart(together, label)
    )


def _sentence(found: ViewAgreement) -> str:
    firm = [both for both in found.disagreements if both[0].firm and both[1].firm]
    biases = {(one.model, one.bias) for one in found.readings if one.found.value is not None}
    apart = {(one.model, one.bias) for one, _ in found.disagreements}
    several = len({model for model, _ in biases}) > 1
    every = f"{len(biases):,} biases of models" if several else count(len(biases), "bias", "biases")
    said = f"In {len(apart)} of {every} two views lie on opposite sides"
    if not apart:
        said = f"In none of {every} do two views lie on opposite sides"
    shown = (
        f"; in {len(firm)} of these comparisons both intervals exclude zero."
        if firm
        else "; nowhere do both intervals exclude zero."
    )
    return said + (shown if apart else ".")


def _readings(found: ViewAgreement, label: Callable[[str], str]) -> Table:
    views = [view for view in VIEWS if any(one.view == view for one in found.readings)]
    models = list(dict.fromkeys(one.model for one in found.readings))
    by_place = {(one.model, one.bias, one.view): one for one in found.readings}
    places = dict.fromkeys((one.model, one.bias) for one in found.readings)
    rows = tuple(
        (
            TableCell(label(bias), model if len(models) > 1 else ""),
            *(_reading(by_place.get((model, bias, view))) for view in views),
        )
        for model, bias in places
    )
    columns = (Column("Bias"), *numbers(*(_CAPTIONS[view] for view in views)))
    return Table("What each view says of each bias; above 0 it sides with the stereotype", columns, rows)


def _reading(one: ViewReading | None) -> TableCell:
    if one is None or one.found.value is None:
        return TableCell(NONE, one.found.note or "" if one else "")
    interval = "" if one.found.low is None else f"{signed(one.found.low)} to {signed(one.found.high)}"
    marks = {1: "above", -1: "below", 0: ""}
    small = interval or (one.found.note or "").removeprefix("no interval: ")
    return TableCell(signed(one.found.value), small, sort_key(one.found.value), marks[one.firm])


def _correlations(found: ViewAgreement, label: Callable[[str], str]) -> Table:
    rows = tuple(
        (
            TableCell(_CAPTIONS[one.first]),
            TableCell(_CAPTIONS[one.second]),
            TableCell(_over(one, label)),
            TableCell(signed(one.found.value), sort=sort_key(one.found.value)),
            _interval(one),
            TableCell(str(one.found.n)),
        )
        for one in found.correlations
    )
    columns = (Column("First"), Column("Second"), Column("Over"), *numbers("Spearman", "Interval", "Number"))
    return Table("Every two views: rank correlation", columns, rows)


def _over(one: ViewCorrelation, label: Callable[[str], str]) -> str:
    what, _, which = one.over.partition(", ")
    return f"models: {label(which)}" if what == "models" else f"biases: {which}"


def _interval(one: ViewCorrelation) -> TableCell:
    if one.found.low is None:
        return TableCell(NONE, (one.found.note or "").removeprefix("no interval: ").removeprefix("no correlation: "))
    return TableCell(f"{signed(one.found.low)} to {signed(one.found.high)}", sort=sort_key(one.found.low))


def _apart(found: ViewAgreement, label: Callable[[str], str]) -> tuple[str, ...]:
    several = len({one.model for one in found.readings}) > 1
    firmly = "; both intervals exclude zero"
    return tuple(
        f"{label(one.bias)}{f', {one.model}' if several else ''}: {_CAPTIONS[one.view]} {signed(one.found.value)}, "
        f"{_CAPTIONS[other.view]} {signed(other.found.value)}{firmly if one.firm and other.firm else ''}"
        for one, other in found.disagreements
    )
