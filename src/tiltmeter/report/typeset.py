"""A document as PDF, set by Typst: a compiler in a Python package, so that neither a browser nor LaTeX is needed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from tiltmeter.errors import MissingExtra
from tiltmeter.report.cells import Table, TableCell
from tiltmeter.report.document import (
    MARKS,
    Bibliography,
    Block,
    Document,
    Facts,
    Figure,
    Heading,
    Items,
    Paragraph,
    Text,
    Verbatim,
    visible,
)
from tiltmeter.report.rendering import asset
from tiltmeter.report.table_layout import column_widths, is_wide
from tiltmeter.text import all_readable

_LONG = 20
"""A word of more signs than these may break after every so many."""
_LONGEST = 4_000
_SENTENCE = 32
"""Signs of small print that are more than an interval and its like."""
_TALLEST = 1.28
"""The height of a figure over the width of the page at which it still fits beside its caption."""


def write_pdf(document: Document, blocks: Sequence[Block]) -> bytes:
    """The document, with tags and texts for those who have it read to them wherever the fonts have every sign."""
    try:
        import typst
    except ImportError:
        raise MissingExtra("Reports as PDF", "report", "typst") from None
    given = {
        "title": _soft(visible(document.title)),
        "subtitle": _soft(document.subtitle),
        "blocks": [_block(block) for block in blocks],
    }
    template, inputs = asset("report.typ").encode(), {"document": json.dumps(all_readable(given))}
    try:
        return typst.compile(template, format="pdf", sys_inputs=inputs, pdf_standards=["ua-1"])
    except typst.TypstError:
        # The standard forbids a sign that no font can show; without it such a sign is a box.
        return typst.compile(template, format="pdf", sys_inputs=inputs)


def _block(block: Block) -> dict[str, Any]:
    made: dict[str, Any]
    match block:
        case Heading(level, text):
            made = {"kind": "heading", "level": level, "text": _line(text)}
        case Paragraph(text, kind):
            made = {"kind": kind or "paragraph", "text": _line(text)}
        case Items(items):
            made = {"kind": "items", "items": [_line(item) for item in items]}
        case Facts(rows):
            made = {"kind": "facts", "rows": [[_line(name), _line(value)] for name, value in rows]}
        case Table():
            made = _table(block)
        case Figure(_, drawn, caption):
            made = {
                "kind": "figure",
                "drawing": str(drawn.wide),
                "alternative": visible(drawn.alternative),
                "width": _width(str(drawn.wide)),
                "caption": _line(caption),
            }
        case Verbatim(text):
            made = {
                "kind": "verbatim",
                "text": "\n".join(visible(line) for line in _cut(text.rstrip("\n")).split("\n")),
            }
        case Bibliography(works):
            made = {"kind": "works", "works": [_line(text) for _, text in works]}
    return made


def _table(found: Table) -> dict[str, Any]:
    shares = [
        None if column.number and not _wordy(found, place) else width
        for place, (column, width) in enumerate(zip(found.columns, column_widths(found), strict=True))
    ]
    return {
        "kind": "table",
        "caption": _soft(found.caption),
        "wide": is_wide(found),
        "columns": [
            {"label": _soft(column.label), "number": column.number, "share": share}
            for column, share in zip(found.columns, shares, strict=True)
        ],
        "rows": [
            [_cell(cell, number=column.number) for cell, column in zip(row, found.columns, strict=True)]
            for row in found.rows
        ],
    }


def _wordy(found: Table, place: int) -> bool:
    """Whether whole sentences stand below the numbers of a column, so that it must not be as wide as they are."""
    return any(len(line) > _SENTENCE for row in found.rows for line in row[place].small.split("\n"))


def _cell(cell: TableCell, *, number: bool) -> dict[str, Any]:
    # A number stands on one line, whatever is in its column; words may break.
    whole = number and " " not in cell.text and len(cell.text) <= _LONG
    sign = f"{MARKS[cell.mark]} " if cell.mark == "opposed" else ""
    small = [_soft(line) for line in cell.small.split("\n") if line]
    return {"text": sign + _soft(cell.text), "small": small, "mark": cell.mark, "whole": whole}


def _line(text: Text) -> list[dict[str, str]]:
    return [{"text": _soft(span.text), "kind": span.kind} for span in text]


def _width(svg: str) -> float:
    """The share of the page's width that a drawing may have without being too tall for a page."""
    size = re.search(r'\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"', svg)
    if size is None:
        return 100.0
    width, height = float(size[1]), float(size[2])
    return round(min(100.0, 100 * _TALLEST * width / max(height, 1.0)), 1)


def _soft(text: str) -> str:
    """Text in which very long words can be broken.

    >>> _soft("x" * 45).count("\\u200b")
    2
    """
    return re.sub(rf"\S{{{_LONG}}}(?=\S)", "\\g<0>\N{ZERO WIDTH SPACE}", _cut(text))


def _cut(text: str) -> str:
    """A text that has an end: setting one of a hundred thousand signs takes minutes.

    >>> _cut("x" * 4_001)[-22:]
    'x [… 1 more character]'
    """
    more = len(text) - _LONGEST
    return text if more <= 0 else f"{text[:_LONGEST]} [… {more:,} more character{'s' * (more != 1)}]"
