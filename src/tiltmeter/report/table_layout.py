"""What the cells of a table show on paper, how wide its columns are, and when it needs the long side of a sheet."""

from __future__ import annotations

from tiltmeter.report.cells import Table, TableCell
from tiltmeter.report.document import MARKS

_PAGE = 134
"""Signs in small print that fit beside one another on the short side of a sheet."""
_TEXT, _SMALL = 30, 13
"""At most so many signs a column of words, and the small print in it, is given before lines break."""


def column_widths(table: Table) -> list[int]:
    """The width of each column in signs: numbers on one line, words on as few as there is room for."""
    widths = []
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        most = max((_width(marked(cell), column.number) for cell in cells), default=0)
        small = max((len(line) for cell in cells for line in cell.small.split("\n")), default=0)
        longest = max(map(len, column.label.split()), default=1)
        widths.append(max(most, min(small, _SMALL), longest, 3))
    return widths


def _width(text: str, number: bool) -> int:
    """What a cell needs on one line: a number all of it, words in a column of numbers the longest of them."""
    return max(map(len, text.split(" "))) if number else min(len(text), _TEXT)


def is_wide(table: Table) -> bool:
    """Whether a table needs a sheet that lies on its side."""
    return sum(column_widths(table)) + 2 * len(table.columns) > _PAGE


def marked(cell: TableCell) -> str:
    """What a cell shows, with a sign where the page has a tint.

    >>> marked(TableCell("61.0 %", mark="above"))
    '61.0 % ↑'
    """
    sign = MARKS.get(cell.mark, "")
    return f"{sign} {cell.text}" if cell.mark == "opposed" else f"{cell.text} {sign}".strip()


def on_one_line(cell: TableCell) -> str:
    """The same with the small print in brackets behind it.

    >>> on_one_line(TableCell("+0.1", "0.0 to 0.2\\n96 texts"))
    '+0.1 (0.0 to 0.2; 96 texts)'
    """
    small = "; ".join(line for line in cell.small.split("\n") if line)
    text = marked(cell)
    return f"{text} ({small})" if small and text else text or small
