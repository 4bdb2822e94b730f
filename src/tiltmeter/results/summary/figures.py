"""What every cell says of two groups, of views that have no summary of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.results.cells import Cell, compared_groups, is_of, table_of
from tiltmeter.results.findings.stereotypes import group_pairs
from tiltmeter.results.views import results_of
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.views.next_words import Place, Values, means
from tiltmeter.store import Run
from tiltmeter.views import FACTS, VIEWS, View


@dataclass(frozen=True, slots=True)
class CellFigure:
    """Of two groups the mean of a cell where its values compare them, else the difference of their means."""

    view: View
    model: str
    bias: str
    choices: Mapping[str, str]
    groups: tuple[str, str]
    found: Estimate
    neutral: float | None = 0.0
    """None: there is none."""

    def as_json(self) -> dict[str, Any]:
        """The figure and what it is of."""
        about = {
            "view": self.view,
            "model": self.model,
            "bias": self.bias,
            **self.choices,
            "groups": list(filter(None, self.groups)),
        }
        return {**about, "neutral": self.neutral, **self.found.as_json()}


def figures_of(run: Run) -> tuple[CellFigure, ...]:
    """Every figure, view by view."""
    views = [view for view in VIEWS if not results_of(view).summarised]
    return tuple(one for view in views for cell in table_of(run).of(view) for one in _figures(run, cell))


def _figures(run: Run, cell: Cell) -> Iterator[CellFigure]:
    rows = cell.rows
    about = (cell.view, cell.model, cell.bias, {"source": cell.source, **cell.choices, "measure": cell.measure})
    if cell.compares:
        for two in compared_groups(cell.view, rows):
            own = [row for row in rows if is_of(row, two)]
            values = Values([row.value for row in own], cell.scale)
            found = means([Place(row.origin, row.template) for row in own], {"": values})[""]
            yield CellFigure(*about, two, found, cell.scale.neutral or 0.0)
    elif not cell.worse and FACTS[cell.view].stereotype_first:
        # No group comes off worse by it: what is told is how large it is.
        values = Values([row.value for row in rows], cell.scale)
        found = means([Place(row.origin, row.template) for row in rows], {"": values})[""]
        yield CellFigure(*about, ("", ""), found, None)
    else:
        pooled = Pooled(((row.group, row.value, row.origin) for row in rows), scale=cell.bounds)
        groups = list(dict.fromkeys(row.group for row in rows))
        for two in group_pairs(groups, run.meta["resolved"], cell.bias, cell.view):
            yield CellFigure(*about, two, pooled.difference(*two))
