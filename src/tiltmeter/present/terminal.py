"""Blocks as lines of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text as Line

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
    visible,
)
from tiltmeter.present.paper import listed, marked, pages_of, with_sign

_STYLES = {
    "code": "cyan",
    "strong": "bold",
    "emphasis": "italic",
    "group": "bold",
    "attribute": "italic",
    "faint": "dim",
    "above": "yellow",
    "below": "blue",
}
_TONES = {"holds": "bold blue", "depends": "bold yellow", "no": "bold green"}
_PROSE = {"lead": "bold", "answer": "bold", "note": "dim"}


def show(blocks: Iterable[Block], console: Console) -> None:
    """Print blocks, with an empty line between any two."""
    for place, one in enumerate(rendered(blocks)):
        if place:
            console.print()
        console.print(one, markup=False, highlight=False, emoji=False)


def show_document(document: Document, console: Console, *, with_texts: bool = False) -> None:
    """Print a whole document, without example texts unless they are asked for."""
    shown = document if with_texts else document.without(Examples)
    for line, style in ((document.title, "bold"), (document.subtitle, "dim")):
        if line:
            console.print(Line(visible(line), style))
    console.print()
    show(pages_of(shown), console)


def rendered(blocks: Iterable[Block], depth: int = 0) -> Iterator[RenderableType]:
    """Each block as something that rich prints; nothing in them is read as markup."""
    for block in blocks:
        if isinstance(block, Section):
            yield _heading(block, depth)
            yield from rendered(block.blocks, depth + 1)
        elif isinstance(block, Examples):
            yield from rendered(listed(block), depth)
        else:
            yield _block(block)


def _heading(section: Section, depth: int) -> Line:
    title = Line(visible(section.title), style="bold underline" if depth == 0 else "bold")
    if section.mark:
        title.append("  ").append(
            visible(section.mark), _TONES.get(section.mark.split(" ")[0].rstrip(",").lower(), "dim")
        )
        title.stylize("not underline", len(section.title))
    return title


def _block(block: Block) -> RenderableType:
    made: RenderableType = ""
    match block:
        case Prose(text, kind):
            made = _line(text, _PROSE.get(kind, ""))
        case Notice(text):
            made = Line("! ", "bold yellow").append_text(_line(text))
        case Listing(items):
            made = _pairs(("•", _line(item)) for item in items)
        case Facts(rows):
            made = _pairs((visible(name), _line(value)) for name, value in rows)
        case Table():
            made = _table(block)
        case Chart(_, title, _, alternative, _):
            made = Line.assemble((visible(title), "bold"), "\n", visible(alternative))
        case Verbatim(text, label):
            lines = Line("\n".join(visible(line) for line in text.rstrip("\n").split("\n")))
            made = Padding(Line(visible(label) + "\n" if label else "", "dim").append_text(lines), (0, 0, 0, 2))
        case References(works):
            made = _pairs((f"[{number}]", _line(text)) for number, (_, text) in enumerate(works, start=1))
    return made


def _pairs(rows: Iterable[tuple[str, Line]]) -> Grid:
    grid = Grid.grid(padding=(0, 1))
    grid.add_column(style="dim", no_wrap=True, max_width=28)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(Line(name), value)
    return grid


def _table(found: Table) -> Grid:
    grid = Grid(title=Line(visible(found.caption)), title_justify="left", title_style="dim", box=box.SIMPLE_HEAD)
    for column in found.columns:
        grid.add_column(
            _cell(TableCell(column.label, column.small)), justify="right" if column.number else "left", overflow="fold"
        )
    for row in found.rows:
        grid.add_row(*map(_cell, row))
    return grid


def _cell(cell: TableCell) -> Line:
    bold = "bold" if cell.mark in ("mean", "firm", "opposed") else _STYLES.get(cell.mark, "")
    made = Line(visible(marked(cell)), bold)
    for line in cell.small.split("\n"):
        if line:
            made.append(("\n" if made.plain else "") + visible(line), "dim")
    return made


def _line(text: Text, style: str = "") -> Line:
    made = Line(style=style)
    for span in text:
        made.append(visible(with_sign(span)), _STYLES.get(span.kind, ""))
    return made
