"""What the commands have in common: JSON for machines, tables for people, and the options they share."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.amounts import fixed

if TYPE_CHECKING:
    from tiltmeter.present.blocks import Block
    from tiltmeter.store import Run

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of a table.")]


def print_json(data: Any) -> None:
    """Print a value as JSON; NaN and infinity are refused, since they are never a result."""
    # A terminal that cannot show every sign gets escapes, which are JSON as well.
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    json.dump(data, sys.stdout, indent=2, ensure_ascii=plain, allow_nan=False)
    sys.stdout.write("\n")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """Print a table that fits the terminal; in a pipe it is never cut. Text is shown as it is, never as markup."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    table = Table(
        *map(escape, columns),
        title=Text(title) if title else None,
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for row in rows:
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=200)
    console.print(table)


def show_blocks(blocks: Iterable[Block]) -> None:
    """Print blocks of a page; in a pipe lines are never cut."""
    from rich.console import Console

    from tiltmeter.present.terminal import show

    show(blocks, Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=200))


def say(message: str) -> None:
    """Tell a person something that is not the result: to standard error, so that pipes stay clean."""
    typer.echo(message, err=True)


def read_run(folder: Path, held: int | None = None) -> Run:
    """A run; of one whose ledger cannot be checked that is said."""
    from tiltmeter import store

    run = store.read_run(folder) if held is None else store.read_run(folder, held=held)
    tell_unchecked(run)
    return run


def tell_unchecked(run: Run) -> None:
    """Say of a run whose ledger cannot be checked that it cannot."""
    if not run.is_checked:
        say(f"note: {run.folder}: made by an earlier version, without checksums, so damage would go unnoticed")


def tell_assumed(path: str | Path) -> None:
    """Say what was assumed of a table that a spreadsheet saved in its own way."""
    from tiltmeter.addresses import is_address
    from tiltmeter.files import dialect_assumptions
    from tiltmeter.sources.tables import kind_of

    if not is_address(str(path)) and Path(path).is_file() and kind_of(path) == "csv":
        for what in dialect_assumptions(path):
            say(f"{path}: {what}")


def percent(share: float | None) -> str:
    """A share for a table: 58.4 %.

    >>> percent(0.584), percent(None)
    ('58.4 %', '–')
    """
    return "–" if share is None else f"{fixed(share, 1, 100)} %"


def number(value: float | None, digits: int = 1) -> str:
    """A number for a table.

    >>> number(2.345, 2), number(None)
    ('2.35', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}"
