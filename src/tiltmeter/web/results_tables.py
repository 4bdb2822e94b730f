"""The tables under the charts: the same rows as numbers, each with a way to the texts behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tiltmeter.report.words import p_value
from tiltmeter.web.results_found import Row
from tiltmeter.web.results_rows import Rows

SHOWN = 200
"""Rows of a table; the tables of the run have all."""


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, what stands below it, and whether that is a number."""

    heading: str
    says: Callable[[Row], str]
    number: bool = False


@dataclass(frozen=True, slots=True)
class ShownTable:
    """Headings with whether they are of numbers, and rows of words with the address of the texts behind them."""

    headings: Sequence[tuple[str, bool]]
    rows: Sequence[tuple[Sequence[str], str]]
    left_out: int


def field(heading: str, name: str, *, number: bool = False) -> Column:
    """A column that shows a field as it is."""
    return Column(heading, lambda row: str(row[name]), number)


VALUE = field("Value", "shown", number=True)
INTERVAL = field("95\N{NO-BREAK SPACE}% interval", "range", number=True)
ADJUSTED = Column("Corrected p", lambda row: p_value(row.get("p_adjusted")), number=True)
COUNTS = (
    Column("n", lambda row: f"{row['n']:,}", number=True),
    Column("Unscored", lambda row: f"{row['n_unscored']:,}", number=True),
)
ESTIMATE = (VALUE, INTERVAL, ADJUSTED, *COUNTS)


def table(rows: Rows, *columns: Column) -> ShownTable:
    """The first rows of a chart as a table."""
    return ShownTable(
        [(column.heading, column.number) for column in columns],
        [([column.says(row) for column in columns], row["open"]) for row in rows[:SHOWN]],
        max(0, len(rows) - SHOWN),
    )
