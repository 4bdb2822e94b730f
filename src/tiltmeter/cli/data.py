"""`tiltmeter data`: data sets: where they are, what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, print_json, print_table, say

app = typer.Typer(help="Data sets: where they are, what is wrong with them.", no_args_is_help=True)


@app.command("list")
def list_datasets(json: JsonOption = False) -> None:
    """List the data sets that tiltmeter can read, with licence and origin."""
    from tiltmeter.sources.datasets import DATASETS

    if json:
        print_json(
            [
                {
                    "name": known.name,
                    "title": known.title,
                    "licence": known.licence,
                    "origin": known.origin,
                    "url": known.url,
                    "file": known.file,
                    "citation": known.citation,
                }
                for known in DATASETS.values()
            ]
        )
        return
    print_table(
        ["name", "title", "licence", "origin", "file"],
        [(known.name, known.title, known.licence, known.origin, known.file) for known in DATASETS.values()],
    )


@app.command("check")
def check_dataset(
    path: Annotated[Path, typer.Argument(help="A file of a data set, or the folder that holds it.")],
    json: JsonOption = False,
) -> None:
    """Say what a data set holds, and count what in it may surprise."""
    from tiltmeter.sources.datasets import recognise

    known, file = recognise(path)
    report = {"file": str(file), **known.reader().check(file)}
    if json:
        print_json(report)
    else:
        print_table(["what", "count"], _rows(report), title=f"{known.title} ({known.licence})")


@app.command("get")
def get_dataset(
    name: Annotated[str, typer.Argument(help="The name of a data set; `tiltmeter data list` shows them.")],
    out: Annotated[Path | None, typer.Option("--out", help="The folder to put it in; the cache, unless told.")] = None,
    json: JsonOption = False,
) -> None:
    """Download a data set from its authors, check it, and say where it is."""
    from tiltmeter.sources.datasets import dataset
    from tiltmeter.sources.datasets.download import get

    known = dataset(name)
    fetched = get(known, out)
    if json:
        print_json(
            {
                "name": known.name,
                "path": str(fetched.path),
                "sha256": fetched.sha256,
                "downloaded": fetched.downloaded,
                "licence": known.licence,
                "citation": known.citation,
                "check": fetched.report,
            }
        )
        return
    # As sha256sum prints it, and as it can be checked by it.
    typer.echo(f"{fetched.sha256}  {fetched.path}")
    say(f"{known.title}: {known.licence}. Please cite: {known.citation}")
    if not fetched.downloaded:
        say("It was there already; nothing was downloaded.")


def _rows(report: dict[str, Any], lead: str = "") -> list[tuple[str, str]]:
    """A nested report as lines: the path of keys, and the number."""
    rows: list[tuple[str, str]] = []
    for key, value in report.items():
        words = f"{lead}{key.replace('_', ' ')}"
        if isinstance(value, dict):
            rows += _rows(value, f"{words}: ")
        else:
            rows.append((words, f"{value:,}" if isinstance(value, int) else str(value)))
    return rows
