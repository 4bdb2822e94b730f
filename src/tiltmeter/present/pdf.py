"""Blocks as PDF, set by Typst: a compiler in a Python package, so that neither a browser nor LaTeX is needed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from tiltmeter.errors import MissingExtra
from tiltmeter.present import drawing
from tiltmeter.present.asset import asset
from tiltmeter.present.blocks import (
    Block,
    Chart,
    Document,
    Examples,
    Facts,
    Listing,
    Notice,
    Prose,
    References,
    Section,
    Table,
    TableCell,
    Text,
    Verbatim,
    text,
    visible,
)
from tiltmeter.present.paper import MARKS, column_widths, is_wide, listed, pages_of
from tiltmeter.text import all_readable

_CHART = 1090
"""Pixels of a chart's width, at which its letters are about as large as small print."""
_DEEPEST = 6
_LONG = 20
"""A word of more characters than these may break after every so many."""
_LONGEST = 4_000
_FEW = 80
"""Characters beside one another that leave room on a page."""
_SENTENCE = 32
"""Characters of small print that are more than an interval and its like."""
_TALLEST = 1.25
"""The height of a chart over the width of the page at which it still fits beside its title and caption."""


def write_pdf(document: Document) -> bytes:
    """The document, with tags and alternative texts wherever the fonts have every character."""
    try:
        import typst
    except ImportError:
        raise MissingExtra("Reports as PDF", "report", "typst") from None
    given = {
        "title": _soft(document.title),
        "subtitle": _soft(document.subtitle),
        "blocks": list(_flat(pages_of(_printed(document)), 1)),
    }
    template, inputs = asset("report.typ").encode(), {"document": json.dumps(all_readable(given))}
    made: bytes
    try:
        made = typst.compile(template, format="pdf", sys_inputs=inputs, pdf_standards=["ua-1"])
    except typst.TypstError:
        # The standard forbids a character that no font can show; without it such a character is a box.
        made = typst.compile(template, format="pdf", sys_inputs=inputs)
    return made


def _printed(document: Document) -> Document:
    """The document without its details, and with a word on where these are."""
    if not document.details:
        return document
    titles = ", ".join(section.title for section in document.details)
    where = Prose(text(f"Every figure is in the HTML report and in the tables beside it: {titles}."), "note")
    return replace(document, blocks=(*document.blocks, where), details=())


def _flat(blocks: Iterable[Block], level: int) -> Iterator[dict[str, Any]]:
    for block in blocks:
        if isinstance(block, Section):
            yield {
                "kind": "heading",
                "level": min(level, _DEEPEST),
                "text": _soft(block.title),
                "mark": _soft(block.mark),
                "new_page": block.new_page,
            }
            yield from _flat(block.blocks, level + 1)
        elif isinstance(block, Examples):
            yield from _flat(listed(block), level)
        else:
            yield _block(block)


def _block(block: Block) -> dict[str, Any]:
    made: dict[str, Any] = {}
    match block:
        case Prose(text, kind):
            made = {"kind": kind or "paragraph", "text": _line(text)}
        case Notice(text):
            made = {"kind": "notice", "text": _line(text)}
        case Listing(items):
            made = {"kind": "items", "items": [_line(item) for item in items]}
        case Facts(rows):
            made = {"kind": "facts", "rows": [[_soft(name), _line(value)] for name, value in rows]}
        case Table():
            made = _table(block)
        case Chart():
            made = _chart(block)
        case Verbatim(text, label):
            lines = [visible(line) for line in _cut(text.rstrip("\n")).split("\n")]
            made = {"kind": "verbatim", "text": "\n".join(lines), "label": _soft(label)}
        case References(works):
            made = {"kind": "works", "works": [_line(text) for _, text in works]}
    return made


def _chart(chart: Chart) -> dict[str, Any]:
    drawn = drawing.svg(chart.spec, _CHART)
    return {
        "kind": "chart",
        "title": _soft(chart.title),
        "drawing": drawn,
        "alternative": visible(_cut(chart.alternative)) or "A chart",
        "width": _width(drawn),
        "caption": _line(chart.caption),
    }


def _table(found: Table) -> dict[str, Any]:
    widths = column_widths(found)
    small = _is_small(found, widths)
    shares = [
        None if small or (column.number and not _wordy(found, place)) else width
        for place, (column, width) in enumerate(zip(found.columns, widths, strict=True))
    ]
    return {
        "kind": "table",
        "caption": _soft(found.caption),
        "size": 7 if is_wide(found) else 8.5 if small else 7.5,
        "wide": is_wide(found),
        "columns": [
            {
                "label": _soft(column.label),
                "small": [_soft(line) for line in column.small.split("\n") if line],
                "number": column.number,
                "share": share,
            }
            for column, share in zip(found.columns, shares, strict=True)
        ],
        "rows": [
            [_cell(cell, number=column.number) for cell, column in zip(row, found.columns, strict=True)]
            for row in found.rows
        ],
    }


def _is_small(found: Table, widths: list[int]) -> bool:
    """Whether every cell has room on one line, so that the table need not be as wide as the page."""
    longest = max((len(line) for row in found.rows for cell in row for line in _lines(cell)), default=0)
    return sum(widths) + 2 * len(widths) <= _FEW and longest <= _SENTENCE


def _lines(cell: TableCell) -> list[str]:
    return [cell.text, *cell.small.split("\n")]


def _wordy(found: Table, place: int) -> bool:
    """Whether whole sentences are below the numbers of a column, so that it must not be as wide as they are."""
    return any(len(line) > _SENTENCE for row in found.rows for line in row[place].small.split("\n"))


def _cell(cell: TableCell, *, number: bool) -> dict[str, Any]:
    # A number is on one line, whatever is in its column; words may break.
    whole = number and " " not in cell.text and len(cell.text) <= _LONG
    sign = f"{MARKS[cell.mark]} " if cell.mark == "opposed" else ""
    small = [_soft(line) for line in cell.small.split("\n") if line]
    return {"text": sign + _soft(cell.text), "small": small, "mark": cell.mark, "whole": whole}


def _line(text: Text) -> list[dict[str, str]]:
    return [{"text": _soft(span.text), "kind": span.kind} for span in text]


def _width(svg: str) -> float:
    """The percentage of the page's width that a drawing may have without being too tall for a page."""
    size = re.search(r'\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"', svg)
    if size is None:
        return 100.0
    width, height = float(size[1]), float(size[2])
    return round(min(100.0, 100 * _TALLEST * width / max(height, 1.0)), 1)


def _soft(text: str) -> str:
    """Text in which nothing is hidden and very long words can be broken.

    >>> _soft("x" * 45).count("\\u200b")
    2
    """
    return re.sub(rf"\S{{{_LONG}}}(?=\S)", "\\g<0>\N{ZERO WIDTH SPACE}", visible(_cut(text)))


def _cut(text: str) -> str:
    """A text that has an end: setting one of a hundred thousand characters takes minutes.

    >>> _cut("x" * 4_001)[-22:]
    'x [… 1 more character]'
    """
    more = len(text) - _LONGEST
    return text if more <= 0 else f"{text[:_LONGEST]} [… {more:,} more character{'s' * (more != 1)}]"
