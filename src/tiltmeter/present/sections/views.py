"""Whether the views agree on each bias: what a model prefers, expects, writes and decides."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.present.blocks import Block, Chart, Listing, Prose, Section, Table, TableCell, Text, text
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.reported import Reported
from tiltmeter.present.tables import Cell, Label, no_interval, numbers, sort_key, table
from tiltmeter.present.words import NONE, capitalised, count, listed, signed
from tiltmeter.results.findings.view_agreement import ViewAgreement, ViewCorrelation, ViewReading, agree, reading_names
from tiltmeter.views import FACTS

_UNITS = (
    "Above 0 fits the stereotype. Units differ, so only directions and ranks can be compared. Prefers: share of pairs "
    "minus one half. Expects: logarithm of the ratio of the groups' probabilities. Decides: share of questions minus "
    "one half. Attribute words: share of texts with an attribute of the group's stereotype minus those with one of the "
    "other group's. Ratings: difference between the groups in standard deviations, only where one set of attributes is "
    "more favourable than the other."
)


def views(found: Reported) -> list[Section]:
    """One section for all runs together; none with fewer than two views of any bias."""
    known = [summary.views for _, summary in found.runs if summary.views]
    whole = known[0] if len(known) == 1 else agree([one for each in known for one in each.readings])
    if whole is None:
        return []
    apart = Listing(tuple(_apart(whole, found)))
    blocks: list[Block] = [
        _chart(whole, found),
        Prose(text(_UNITS), "note"),
        *filter(None, [_correlations(whole, found)]),
        *([Section("Where two views point in opposite directions", (apart,), folded=True)] if apart.items else []),
    ]
    given = {one.view for one in whole.readings if one.found.value is not None}
    verbs = dict.fromkeys(called.partition(" (")[0] for name, called in reading_names().items() if name in given)
    return [Section(f"{capitalised(', '.join(verbs))}: do they agree?", tuple(blocks), "views", folded=True)]


def _sentence(found: ViewAgreement) -> str:
    firm = len({(one.model, one.bias) for one, other in found.disagreements if one.firm and other.firm})
    places = {(one.model, one.bias) for one in found.readings if one.found.value is not None}
    apart = {(one.model, one.bias) for one, _ in found.disagreements}
    several = len({model for model, _ in places}) > 1
    every = (
        count(len(places), "combination") + " of model and bias" if several else count(len(places), "bias", "biases")
    )
    if not apart:
        return f"No two views point in opposite directions ({every})"
    both = f"on {firm} both intervals exclude zero" if firm else "never with both intervals excluding zero"
    return f"Two views point in opposite directions on {len(apart)} of {every}; {both}"


def _chart(whole: ViewAgreement, found: Reported) -> Chart:
    several, names = len({one.model for one in whole.readings}) > 1, list(reading_names())
    rows = []
    for model, bias in dict.fromkeys((one.model, one.bias) for one in whole.readings):
        own = [one for one in whole.readings if (one.model, one.bias) == (model, bias)]
        label = capitalised(found.names.bias(bias)) + (f", {model}" if several else "")
        rows.append(
            DotRow(label, tuple(_dot(one, label) for one in sorted(own, key=lambda one: names.index(one.view))))
        )
    axis = Axis(
        "what each view measures, in its own unit",
        neutral=0.0,
        neutral_name="no lean",
        left="against the stereotype",
        right="with the stereotype (worse)",
    )
    said = "; ".join(f"{row.label}: {', '.join(f'{dot.series} {dot.text}' for dot in row.dots)}" for row in rows)
    caption = text("A mark for each view; open marks have no interval.")
    return Chart("views", _sentence(whole), dots(rows, axis), f"{said}.", caption)


def _dot(one: ViewReading, label: str) -> Dot:
    found, called = one.found, reading_names()[one.view]
    interval = no_interval(found) or f"{signed(found.low)} to {signed(found.high)}"
    shown = signed(found.value) if found.value is not None else NONE
    tip = f"{label}: {called}\n{shown} ({interval})\n{count(found.n, 'item')}, {found.n_unscored:,} missing"
    flag = next(facts.flag for facts in FACTS.values() if one.view in facts.read_as)
    place = {"view": flag, "model": one.model, "bias": one.bias, **one.place}
    return Dot(found.value, found.low, found.high, called, shown, interval, tip, place)


def _correlations(whole: ViewAgreement, found: Reported) -> Table | None:
    rows: list[tuple[Cell, ...]] = [
        (
            capitalised(reading_names()[one.first]),
            capitalised(reading_names()[one.second]),
            _over(one, found),
            TableCell(signed(one.found.value), _interval(one), sort_key(one.found.value)),
            one.found.n,
        )
        for one in whole.correlations
    ]
    columns: tuple[Label, ...] = ("First view", "Second view", "Over", *numbers("Spearman", "Number"))
    return table("Every two views: rank correlation", columns, rows)


def _over(one: ViewCorrelation, found: Reported) -> str:
    what, _, which = one.over.partition(", ")
    return f"models: {found.names.bias(which)}" if what == "models" else f"biases: {which}"


def _interval(one: ViewCorrelation) -> str:
    why = no_interval(one.found).removeprefix("no correlation: ")
    return why or f"{signed(one.found.low)} to {signed(one.found.high)}"


def _apart(whole: ViewAgreement, found: Reported) -> Iterator[Text]:
    several = len({one.model for one in whole.readings}) > 1
    for one, other in whole.disagreements:
        where = capitalised(found.names.bias(one.bias)) + (f", {one.model}" if several else "")
        both = listed([f"{reading_names()[each.view]} {signed(each.found.value)}" for each in (one, other)])
        firm = "; both intervals exclude zero" if one.firm and other.firm else ""
        yield text(f"{where}: {both}{firm}.")
