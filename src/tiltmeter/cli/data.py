"""`tiltmeter data`: data sets: where they are, what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, print_json, print_table, say

if TYPE_CHECKING:
    from tiltmeter.sources.datasets import DataSet

app = typer.Typer(help="List, check and download data sets.", no_args_is_help=True)


@app.command("list")
def list_datasets(json: JsonOption = False) -> None:
    """List the data sets that tiltmeter can read, with licence and source."""
    from tiltmeter.sources.datasets import DATASETS

    if json:
        print_json(
            [
                {
                    "name": known.name,
                    "title": known.title,
                    "licence": known.licence,
                    "view": known.view,
                    "origin": known.origin,
                    "files": [{"file": file.name, "url": file.url} for file in known.files],
                    "citation": known.citation,
                }
                for known in DATASETS.values()
            ]
        )
        return
    print_table(
        ["name", "title", "view", "licence", "origin", "files"],
        [(known.name, known.title, known.view, known.licence, known.origin, known.file) for known in DATASETS.values()],
    )


@app.command("check")
def check_dataset(
    path: Annotated[
        Path, typer.Argument(help="A file of a data set, the folder that holds it, or a table of prompts.")
    ],
    text: Annotated[str | None, typer.Option("--text", help="The text column of a table of prompts.")] = None,
    group: Annotated[str | None, typer.Option("--group", help="The group column of a table of prompts.")] = None,
    json: JsonOption = False,
) -> None:
    """Summarize a data set or a table of prompts, and count its known oddities."""
    from tiltmeter.sources import prompts_file

    recognised = None if text or group else _recognised(path)
    if recognised:
        known, file = recognised
        title, found = f"{known.title} ({known.licence})", known.reader().check(file)
    else:
        title, file, found = "Prompts", path, prompts_file.check(path, text=text, group=group)
    report = {"file": str(file), **found}
    if json:
        print_json(report)
    else:
        print_table(["what", "count"], _rows(report), title=title)


@app.command("get")
def get_dataset(
    name: Annotated[str, typer.Argument(help="The name of a data set; `tiltmeter data list` shows them.")],
    out: Annotated[Path | None, typer.Option("--out", help="The folder to download into; default: the cache.")] = None,
    sha256: Annotated[
        list[str] | None,
        typer.Option("--sha256", help="The expected SHA-256; once for each file of the data set."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Download a data set from its authors, check it, and print where it is."""
    from tiltmeter.sources.datasets import dataset
    from tiltmeter.sources.datasets.download import get

    known = dataset(name)
    fetched = get(known, out, sha256=sha256 or ())
    if json:
        print_json(
            {
                "name": known.name,
                "path": str(fetched.path),
                "sha256": fetched.files[0][1] if len(fetched.files) == 1 else None,
                "files": [{"path": str(path), "sha256": digest} for path, digest in fetched.files],
                "downloaded": fetched.downloaded,
                "noted": list(fetched.noted),
                "licence": known.licence,
                "citation": known.citation,
                "check": fetched.report,
            }
        )
        return
    # As sha256sum prints it, and as it can be checked by it.
    for path, digest in fetched.files:
        typer.echo(f"{digest}  {path}")
    say(f"{known.title}: {known.licence}. Please cite: {known.citation}")
    if fetched.noted:
        say(
            f"WARNING: tiltmeter has no SHA-256 for {', '.join(fetched.noted)}. The hash of this download is "
            "recorded and any other will be refused; compare it with a trusted source."
        )
    if not fetched.downloaded:
        say("Already there; nothing was downloaded.")


def _recognised(path: Path) -> tuple[DataSet, Path] | None:
    """The data set at a path, or None where the path is a table of prompts."""
    from tiltmeter.errors import InvalidData
    from tiltmeter.sources import prompts_file
    from tiltmeter.sources.datasets import recognise

    try:
        return recognise(path)
    except InvalidData:
        if path.is_file() and prompts_file.recognise(path):
            return None
        raise


def _rows(report: dict[str, Any], lead: str = "") -> list[tuple[str, str]]:
    """A nested report as lines: the path of keys, and the number."""
    rows: list[tuple[str, str]] = []
    for key, value in report.items():
        # Keys of ours are words; names of the data set, which stand below them, are what an option has to be given.
        words = f"{lead}{key if lead else key.replace('_', ' ')}"
        if isinstance(value, dict):
            rows += _rows(value, f"{words}: ")
        else:
            rows.append((words, f"{value:,}" if isinstance(value, int) else str(value)))
    return rows
