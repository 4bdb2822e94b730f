"""Tables of blocks, from plain rows, and how estimates look in their cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tiltmeter.present.blocks import Column, Place, Table, TableCell
from tiltmeter.present.words import NONE, SPACE, percent, percent_range, signed
from tiltmeter.records import Estimate
from tiltmeter.stats.spread import Spread

Cell = TableCell | str | int | None
Label = Column | str


def numbers(*labels: str) -> tuple[Label, ...]:
    """Columns of numbers under these headings."""
    return tuple(Column(label, number=True) for label in labels)


def table(
    caption: str, columns: Sequence[Label], rows: Iterable[Sequence[Cell]], *, sortable: bool = False
) -> Table | None:
    """A table of plain values; None where it has no rows.

    >>> table("Counts", ["Reason", *numbers("Items")], [("no verb", 1200)]).rows[0][1].text
    '1,200'
    """
    made = tuple(tuple(map(_cell, row)) for row in rows)
    heads = tuple(Column(one) if isinstance(one, str) else one for one in columns)
    return Table(caption, heads, made, sortable) if made else None


def _cell(value: Cell) -> TableCell:
    if isinstance(value, TableCell):
        return value
    if value is None:
        return TableCell(NONE)
    return TableCell(f"{value:,}", sort=str(value)) if isinstance(value, int) else TableCell(value)


def sort_key(number: float | None) -> str:
    """What a cell with this number sorts by."""
    return "" if number is None else repr(number)


def no_interval(found: Estimate) -> str:
    """Why an estimate has no interval, as short as a cell can hold; blank where it has one.

    >>> no_interval(Estimate(0.5, n=6, note="no interval: there are fewer than 5 origins"))
    'fewer than 5 test words'
    """
    if found.low is not None:
        return ""
    if found.n == 1 and "single origin" in (found.note or ""):
        return "a single item"
    return note_words((found.note or "no interval").removeprefix("no interval: ").removeprefix("no correlation: "))


def note_words(note: str) -> str:
    """A note on an estimate as readers say it: origins, such as professions, are test words."""
    plain = re.sub("origin|profession", "test word", note)
    return plain.removeprefix("there is ").removeprefix("there are ")


def share_cell(found: Estimate, *, mark: str = "", interval: bool = True, place: Place | None = None) -> TableCell:
    """A share, with its interval below it."""
    small = percent_range(found.low, found.high) if interval and found.low is not None else ""
    return TableCell(percent(found.value), small, sort_key(found.value), mark, place=place)


def number_cell(found: Estimate, decimals: int = 2, *, mark: str = "") -> TableCell:
    """A difference, with its interval below it."""
    small = "" if found.low is None else f"{signed(found.low, decimals)} to {signed(found.high, decimals)}"
    return TableCell(signed(found.value, decimals), small, sort_key(found.value), mark)


def value_cell(found: Estimate, *, decimals: int = 3, mark: str = "", place: Place | None = None) -> TableCell:
    """A difference, with its interval below it, or why there is none."""
    small = interval_words(found, decimals) if found.value is not None else found.note or ""
    return TableCell(signed(found.value, decimals), small, sort_key(found.value), mark, place=place)


def mean_cell(found: Estimate, *, place: Place | None = None) -> TableCell:
    """A mean, which needs no plus, with its interval below it, or why there is none."""
    made = value_cell(found, place=place)
    return replace(made, text=made.text.replace("+", ""), small=made.small.replace("+", ""))


def interval_words(found: Estimate, decimals: int = 3) -> str:
    """An interval of differences, or why there is none.

    >>> interval_words(Estimate(0.1, -0.05, 0.25)), interval_words(Estimate(0.1, note="no interval: one origin"))
    ('−0.050 to +0.250', 'one test word')
    """
    return no_interval(found) or f"{signed(found.low, decimals)} to {signed(found.high, decimals)}"


def reasons_cell(reasons: Mapping[str, int]) -> TableCell:
    """How many things are missing, and below it why."""
    whole = sum(reasons.values())
    return TableCell(f"{whole:,}", "\n".join(f"{number:,}: {why}" for why, number in reasons.items()), str(whole))


def change_cell(change: float | None, relative: float | None = None) -> TableCell:
    """A difference of shares in percentage points, and below it the relative change.

    >>> change_cell(-0.016, -0.029).text, change_cell(-0.016, -0.029).small
    ('−1.6', '−2.9\\xa0%')
    """
    small = "" if relative is None else f"{signed(100 * relative, 1)}{SPACE}%"
    return TableCell(signed(None if change is None else 100 * change, 1), small, sort_key(change))


def mean_and_sd(sets: Spread) -> tuple[TableCell, TableCell]:
    """The mean of a share over independent sets, and its standard deviation in points; one set has none.

    >>> mean_and_sd(Spread((0.5,), 0.5, None))[1].text
    'one set only'
    """
    none = "one set only" if len(sets.values) == 1 else NONE
    sd = TableCell(none) if sets.sd is None else TableCell(f"{100 * sets.sd:.1f}", sort=sort_key(sets.sd))
    return TableCell(percent(sets.mean), sort=sort_key(sets.mean)), sd


def differs(found: Estimate) -> bool:
    """Whether a figure differs from neutral after correction for the number of comparisons."""
    return found.p_adjusted is not None and found.p_adjusted < 1 - found.level


def side_mark(found: Estimate) -> str:
    """How a share is marked that differs from one half after correction: by its side."""
    return "" if not differs(found) or found.value is None else "above" if found.value > 0.5 else "below"
