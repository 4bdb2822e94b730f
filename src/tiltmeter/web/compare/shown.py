"""A comparison, ready for the template: sentences, charts and tables of the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.report.comparison import ComparedPart, ComparisonView, comparison_view
from tiltmeter.report.comparison_cells import apart
from tiltmeter.report.words import count
from tiltmeter.results.compare.records import RunComparison
from tiltmeter.results.compare.words import in_points
from tiltmeter.stats.estimates import excludes_zero
from tiltmeter.web.compare import charts
from tiltmeter.web.compare.charts import Drawing
from tiltmeter.web.compare.rows import Row, Table, tables

_DRAWN = 16
"""Rows of a chart; the table below it has all."""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table of differences, and charts of its first rows."""

    table: Table
    levels: Drawing | None
    differences: Drawing | None


@dataclass(frozen=True, slots=True)
class ShownPart:
    """What one view says."""

    words: ComparedPart
    tables: tuple[ShownTable, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """Two sides compared."""

    words: ComparisonView
    parts: tuple[ShownPart, ...]
    notes: tuple[str, ...]


def shown(found: RunComparison) -> Shown:
    """What the page says and draws of a comparison."""
    words = comparison_view(found, drawn=False)
    parts = []
    for part, view in zip(words.parts, found.views, strict=True):
        made = tables(view, found)
        parts.append(ShownPart(part, tuple(ShownTable(one, *_drawn(one)) for one in made)))
    return Shown(words, tuple(parts), tuple(found.notes))


def _drawn(table: Table) -> tuple[Drawing | None, Drawing | None]:
    """Charts of what the view is about."""
    rows = table.rows[:_DRAWN]
    if not table.main or not any(map(_moved, rows)):
        return None, None
    one = rows[0].compared
    shares, unit = in_points(one), "share" if in_points(one) else "rating, as the rater counts"
    levels = [charts.Row(_label(row), (_level("A", row), _level("B", row))) for row in rows]
    neutral = 0.0 if one.is_gap or not shares else 0.5
    title = (
        f"{table.caption}: {unit}, with 95 % intervals" if not one.is_gap else f"{table.caption}, with 95 % intervals"
    )
    apart_ = [charts.Row(_label(row), (_difference(row),)) for row in rows]
    points = "A − B, in points of a hundred" if shares else "A − B"
    left = f" The table has {len(table.rows) - len(rows)} more." if len(table.rows) > len(rows) else ""
    return (
        Drawing(
            "A and B beside one another",
            charts.forest(levels, charts.Axis(title, neutral, share=shares)),
            f"{table.caption} of A and of B with intervals, for {count(len(rows), 'row')}. {_farthest(rows)}{left}",
        ),
        Drawing(
            "The differences",
            charts.forest(apart_, charts.Axis(points, 0.0, share=False, factor=100.0 if shares else 1.0)),
            f"Differences A − B with intervals. {_sides(rows)} {_farthest(rows)}{left}",
        ),
    )


def _moved(row: Row) -> bool:
    """Whether there is anything to draw: a difference, or how uncertain it is."""
    found = row.compared.difference
    return bool(found.value) or found.low is not None


def _label(row: Row) -> str:
    return f"{row.name} ({row.choices})" if row.choices else row.name


def _level(letter: str, row: Row) -> charts.Mark:
    found, cell = (row.compared.found.a, row.a) if letter == "A" else (row.compared.found.b, row.b)
    tooltip = f"{letter}, {_label(row)}\n{cell.text}{f' ({cell.small})' if cell.small else ''}"
    return charts.Mark(letter, found, f"{tooltip}\nclick: the texts behind it", row.texts)


def _difference(row: Row) -> charts.Mark:
    cell = row.difference
    tooltip = (
        f"A − B, {_label(row)}\n{cell.text} ({cell.small})\np {row.p}, adjusted {row.p_adjusted}, Holm {row.p_holm}\n"
        f"n {row.n:,}, unscored {row.unscored:,}\nclick: the texts behind it"
    )
    return charts.Mark("A − B", row.compared.difference, tooltip, row.texts)


def _sides(rows: Sequence[Row]) -> str:
    firm = [row.compared.difference for row in rows if excludes_zero(row.compared.difference)]
    above = sum((one.value or 0.0) > 0 for one in firm)
    return f"Of {count(len(rows), 'interval')}, {above} lie wholly above zero and {len(firm) - above} wholly below."


def _farthest(rows: Sequence[Row]) -> str:
    known = [row for row in rows if row.compared.difference.value is not None]
    if not known:
        return ""
    far = max(known, key=lambda row: abs(row.compared.difference.value or 0.0))
    return f"Farthest apart: {_label(far)}, {apart(far.compared, far.compared.difference.value)}."
