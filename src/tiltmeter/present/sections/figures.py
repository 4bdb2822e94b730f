"""Every figure of views that have no section of their own."""

from __future__ import annotations

from tiltmeter.present.blocks import Prose, Section, TableCell, text
from tiltmeter.present.reported import Reported
from tiltmeter.present.tables import no_interval, numbers, sort_key, table
from tiltmeter.present.words import capitalised, signed
from tiltmeter.results.summary.figures import CellFigure
from tiltmeter.views import FACTS

_COLUMNS = ("Of what", "Choices", *numbers("Figure", "n", "Missing", "Test words"))


def figures(found: Reported) -> list[Section]:
    """A table for each view."""
    made = []
    for view, facts in FACTS.items():
        every = [one for _, summary in found.runs for one in summary.figures if one.view == view]
        about = "Of two groups the mean of what compares them, neutral as given; or the difference of their means."
        made_of = table(facts.title, _COLUMNS, [_row(one, found) for one in every])
        if made_of:
            blocks = (Prose(text(about), "note"), made_of)
            made.append(Section(f"{facts.title} ({view})", blocks, facts.flag, about={"view": view}))
    return made


def _row(one: CellFigure, found: Reported) -> tuple[TableCell | str | int, ...]:
    groups = " and ".join(found.names.group(name, one.bias) for name in one.groups)
    interval = no_interval(one.found) or f"{signed(one.found.low)} to {signed(one.found.high)}, neutral {one.neutral:g}"
    return (
        TableCell(f"{capitalised(found.names.bias(one.bias))}: {groups}", one.model),
        ", ".join(f"{name} {setting}" for name, setting in one.choices.items()),
        TableCell(signed(one.found.value), interval, sort_key(one.found.value)),
        one.found.n,
        one.found.n_unscored,
        one.found.origins,
    )
