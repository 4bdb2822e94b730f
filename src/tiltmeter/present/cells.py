"""How numbers look in the cells of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tiltmeter.present.blocks import Column, Place, TableCell
from tiltmeter.present.words import percent, percent_range, signed
from tiltmeter.records import Estimate


def numbers(*labels: str) -> tuple[Column, ...]:
    """Columns of numbers under these headings."""
    return tuple(Column(label, number=True) for label in labels)


def sort_key(number: float | None) -> str:
    """What a cell with this number sorts by."""
    return "" if number is None else repr(number)


def count_cell(number: int, place: Place | None = None) -> TableCell:
    """A number of texts, items or words."""
    return TableCell(f"{number:,}", sort=str(number), place=place)


def reasons_cell(reasons: Mapping[str, int]) -> TableCell:
    """How many things are missing, and below it why."""
    whole = sum(reasons.values())
    return TableCell(f"{whole:,}", "\n".join(f"{number:,}: {why}" for why, number in reasons.items()), str(whole))


def share_cell(found: Estimate, place: Place | None = None) -> TableCell:
    """A share, with its interval below it."""
    small = percent_range(found.low, found.high) if found.low is not None else ""
    return TableCell(percent(found.value), small, sort_key(found.value), place=place)


def value_cell(found: Estimate, *, decimals: int = 3, mark: str = "", place: Place | None = None) -> TableCell:
    """A mean or a difference, with its interval below it, or why there is none."""
    small = interval_words(found, decimals) if found.value is not None else found.note or ""
    return TableCell(signed(found.value, decimals), small, sort_key(found.value), mark, place=place)


def mean_cell(found: Estimate, *, decimals: int = 3, place: Place | None = None) -> TableCell:
    """A mean, which needs no plus, with its interval below it, or why there is none."""
    made = value_cell(found, decimals=decimals, place=place)
    return replace(made, text=made.text.replace("+", ""), small=made.small.replace("+", ""))


def interval_words(found: Estimate, decimals: int = 3) -> str:
    """An interval of differences, or why there is none.

    >>> interval_words(Estimate(0.1, -0.05, 0.25)), interval_words(Estimate(0.1, note="no interval: one origin"))
    ('−0.050 to +0.250', 'one origin')
    """
    if found.low is None or found.high is None:
        return (found.note or "no interval").removeprefix("no interval: ")
    return f"{signed(found.low, decimals)} to {signed(found.high, decimals)}"
