"""A figure of a results page: its chart by its address, its words, and the table under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.web.pages import address
from tiltmeter.web.results_rows import Results, Rows
from tiltmeter.web.results_tables import Column, ShownTable, table


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart, its finding in words, how it is read, and its numbers; `key` says what colours mean."""

    chart: str
    """Its address; blank where no row has a value, so that there is nothing to draw."""
    words: str
    caption: str
    table: ShownTable
    key: Sequence[tuple[str, str]] = ()


def figure_of(
    results: Results,
    name: str,
    words: str,
    caption: str,
    rows: Rows,
    columns: Sequence[Column],
    *,
    key: Sequence[tuple[str, str]] = (),
    **which: Any,
) -> Figure:
    """A chart of rows under the filters of the page; `which` says which of several it is."""
    place = f"{address('runs', results.run, 'results', 'charts', name)}?{results.filters.query(**which)}"
    drawn = any(row.get("value", row) is not None for row in rows)
    return Figure(place if drawn else "", words, caption, table(rows, *columns), key)


@dataclass(frozen=True, slots=True)
class Later:
    """Something that is shown when it is opened, and where it is."""

    title: str
    place: str


def later(results: Results, kind: str, at: int, title: str) -> Later:
    """A part of the page that is not there yet."""
    place = f"{address('runs', results.run, 'results', 'one', kind, str(at))}?{results.filters.query()}"
    return Later(title, place)
