"""Tables on the page, and how a number looks in a cell."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.records import Estimate
from tiltmeter.report.words import SPACE, differs, percent, percent_range, signed


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table on the page."""

    label: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class TableCell:
    """What a cell shows, what stands small below it, what it sorts by, and how it is marked."""

    text: str
    small: str = ""
    sort: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table on the page; the first cell of each row is its heading."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[TableCell, ...], ...]


def share_cell(found: Estimate, *, mark: str = "", interval: bool = False) -> TableCell:
    """A share, with its interval below it where that is wanted."""
    small = percent_range(found.low, found.high) if interval and found.low is not None else ""
    return TableCell(percent(found.value), small, sort_key(found.value), mark)


def margin_cell(found: Estimate) -> TableCell:
    """A difference of log-probabilities, with its interval below it."""
    small = "" if found.low is None else f"{signed(found.low)} to {signed(found.high)}"
    return TableCell(signed(found.value), small, sort_key(found.value))


def plain_share(value: float | None) -> TableCell:
    """A share that has no interval."""
    return TableCell(percent(value), sort=sort_key(value))


def change_cell(change: float | None, relative: float | None = None) -> TableCell:
    """A difference of shares in points of per cent, and below it the difference in per cent of what it was before.

    >>> change_cell(-0.016, -0.029).text, change_cell(-0.016, -0.029).small
    ('−1.6', '−2.9\xa0%')
    """
    small = "" if relative is None else f"{signed(100 * relative, 1)}{SPACE}%"
    return TableCell(signed(None if change is None else 100 * change, 1), small, sort_key(change))


def numbers(*labels: str) -> tuple[Column, ...]:
    """Columns of numbers under these headings."""
    return tuple(Column(label, number=True) for label in labels)


def sort_key(number: float | None) -> str:
    """What a cell with this number sorts by."""
    return "" if number is None else repr(number)


def tint(found: Estimate) -> str:
    """How a value is marked that differs from neutral: on which side it lies."""
    if not differs(found) or found.value is None:
        return ""
    return "above" if found.value > 0.5 else "below"
