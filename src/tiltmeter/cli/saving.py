"""Options of commands whose result can be kept as a page and as files, and the writing of these."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import say
from tiltmeter.errors import UserError
from tiltmeter.files import write_texts

if TYPE_CHECKING:
    from tiltmeter.present.saving import Form, Saved


class FileFormat(StrEnum):
    """As what a result is written; said here again, since its package is imported when it is needed."""

    JSON = "json"
    CSV = "csv"
    MD = "md"
    LATEX = "latex"


def page_option(what: str) -> Any:
    """`--html`: where the result goes as a page."""
    return typer.Option("--html", metavar="FILE", help=f"Also write {what} as a self-contained HTML page.")


def folder_option(name: str, row: str) -> Any:
    """`--out`: where the result goes as files of that name; what a row of the table is for."""
    written = f"Also write {name}.json and {name}.csv ({row}) into this folder."
    return typer.Option("--out", "-o", metavar="FOLDER", help=written)


FormatsOption = Annotated[
    list[FileFormat] | None,
    typer.Option("--format", help="What --out writes; may be repeated.", show_default="json and csv"),
]


def check_formats(out: Path | None, formats: Sequence[FileFormat] | None) -> None:
    """Refuse formats of files that nothing is written into."""
    if formats and out is None:
        raise UserError("--format needs --out FOLDER")


def save(saved: Saved, html: Path | None, out: Path | None, formats: Sequence[FileFormat] | None) -> None:
    """Write the page and the files that were asked for, or nothing where one of them cannot be written."""
    files = {html: saved.text("html")} if html else {}
    names: dict[FileFormat, Form] = {
        FileFormat.JSON: "json",
        FileFormat.CSV: "csv",
        FileFormat.MD: "md",
        FileFormat.LATEX: "latex",
    }
    if out:
        files |= saved.files(out, [names[one] for one in formats or (FileFormat.JSON, FileFormat.CSV)])
    write_texts(files)
    if html:
        say(f"page: {html}")
    if out:
        say(f"written into {out}")
