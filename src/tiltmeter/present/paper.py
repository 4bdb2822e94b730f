"""What media on paper share: signs in place of tints, widths of columns, and example texts as lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tiltmeter.present.blocks import (
    Block,
    Column,
    Document,
    Example,
    Examples,
    Listing,
    Notice,
    Section,
    Span,
    Table,
    TableCell,
)

MARKS = {"above": "↑", "below": "↓", "opposed": "⇄"}
"""What is beside a value where the page has a tint or a sign."""
WARNING = "The model read or wrote these texts. They may state stereotypes, insult or be hateful."
_PAGE = 134
"""Characters in small print that fit beside one another on the short side of a sheet."""
_TEXT, _SMALL = 30, 13
"""At most this many characters for a column of words, and for the small print in it, before lines break."""


def pages_of(document: Document) -> tuple[Block, ...]:
    """Everything in a document, details and appendix as sections of their own."""
    details = (Section("Every figure", document.details, new_page=True),) if document.details else ()
    appendix = (Section("Appendix", document.appendix, new_page=True),) if document.appendix else ()
    return tuple(_kept_together(block) for block in (*document.blocks, *details, *appendix))


def _kept_together(block: Block) -> Block:
    """A section whose first section begins a page begins it instead: no heading is left alone on the page before."""
    if not isinstance(block, Section):
        return block
    inner = tuple(map(_kept_together, block.blocks))
    if inner and isinstance(inner[0], Section) and inner[0].new_page:
        return replace(block, blocks=(replace(inner[0], new_page=False), *inner[1:]), new_page=True)
    return replace(block, blocks=inner)


def titled(section: Section) -> str:
    """The title of a section with its mark.

    >>> titled(Section("Is it?", (), mark="holds"))
    'Is it? (holds)'
    """
    return f"{section.title} ({section.mark})" if section.mark else section.title


def listed(examples: Examples) -> tuple[Notice, Listing]:
    """Example texts as a list, with the warning before it."""
    warning = Notice((Span("Content warning.", "strong"), Span(f" {examples.title}. {WARNING}")))
    return warning, Listing(tuple(tuple(_entry(about, texts)) for about, texts in examples.entries))


def _entry(about: str, texts: tuple[Example, ...]) -> Iterator[Span]:
    yield Span(about, "faint")
    for one in texts:
        yield Span(f" – {one.role}: “" if one.role else " – “")
        yield from one.text
        yield Span(f"” {one.number}".rstrip())


def chart_files(document: Document) -> dict[int, str]:
    """The name of each chart's files, by the identity of the chart."""
    return {id(chart): name for name, chart in document.charts().items()}


def column_widths(table: Table) -> list[int]:
    """The width of each column in characters: numbers on one line, words on as few as there is room for."""
    widths = []
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        most = max((_width(marked(cell), column.number) for cell in cells), default=0)
        small = max((len(line) for cell in cells for line in cell.small.split("\n")), default=0)
        longest = max(map(len, column.label.split()), default=1)
        below = max(map(len, column.small.split("\n")))
        widths.append(max(most, min(max(small, below), _SMALL), longest, 3))
    return widths


def _width(words: str, number: bool) -> int:
    """What a cell needs on one line: a number all of it, words in a column of numbers the longest of them."""
    return max(map(len, words.split(" "))) if number else min(len(words), _TEXT)


def is_wide(table: Table) -> bool:
    """Whether a table needs the long side of a sheet."""
    return sum(column_widths(table)) + 2 * len(table.columns) > _PAGE


def marked(cell: TableCell) -> str:
    """What a cell shows, with a sign where the page has a tint.

    >>> marked(TableCell("61.0 %", mark="above"))
    '61.0 % ↑'
    """
    sign = MARKS.get(cell.mark, "")
    return f"{sign} {cell.text}" if cell.mark == "opposed" else f"{cell.text} {sign}".strip()


def heading(column: Column) -> str:
    """The heading of a column, with its small print behind it."""
    return on_one_line(TableCell(column.label, column.small))


def on_one_line(cell: TableCell) -> str:
    """The same with the small print in brackets behind it.

    >>> on_one_line(TableCell("+0.1", "0.0 to 0.2\\n96 texts"))
    '+0.1 (0.0 to 0.2; 96 texts)'
    """
    small = "; ".join(line for line in cell.small.split("\n") if line)
    words = marked(cell)
    return f"{words} ({small})" if small and words else words or small


def with_sign(span: Span) -> str:
    """The words of a span, with a sign where the page has a tint."""
    return f"{span.text} {MARKS[span.kind]}" if span.kind in MARKS else span.text
