"""Every figure of views that have no section of their own."""

from __future__ import annotations

from tiltmeter.present.blocks import Prose, Section, TableCell, text
from tiltmeter.present.reported import Reported
from tiltmeter.present.tables import no_interval, numbers, sort_key, table
from tiltmeter.present.words import capitalised, signed
from tiltmeter.results.summary.figures import CellFigure
from tiltmeter.views import FACTS

_COLUMNS = ("Of what", "Measure", "Choices", *numbers("Figure", "n", "Missing", "Test words"))


def figures(found: Reported) -> list[Section]:
    """A table for each view."""
    made = []
    for view, facts in FACTS.items():
        every = [one for _, summary in found.runs for one in summary.figures if one.view == view]
        about = (
            "Of two groups the mean of what compares them, neutral as given, or the difference of their means; where "
            "no groups are named, the mean over all items."
        )
        made_of = table(facts.title, _COLUMNS, [_row(one, found) for one in every])
        if made_of:
            blocks = (Prose(text(about), "note"), made_of)
            made.append(Section(f"{facts.title} ({view})", blocks, facts.flag, about={"view": view}))
    return made


def _row(one: CellFigure, found: Reported) -> tuple[TableCell | str | int, ...]:
    groups = " and ".join(found.names.group(name, one.bias) for name in one.groups if name)
    ends = f"{signed(one.found.low)} to {signed(one.found.high)}"
    interval = no_interval(one.found) or ends + ("" if one.neutral is None else f", neutral {one.neutral:g}")
    told = {name: setting for name, setting in one.choices.items() if setting and name != "measure"}
    return (
        TableCell(f"{capitalised(found.names.bias(one.bias))}{f': {groups}' if groups else ''}", one.model),
        one.choices["measure"].replace("_", " "),
        ", ".join(f"{name} {setting}" for name, setting in told.items()),
        TableCell(signed(one.found.value), interval, sort_key(one.found.value)),
        one.found.n,
        one.found.n_unscored,
        one.found.origins,
    )
