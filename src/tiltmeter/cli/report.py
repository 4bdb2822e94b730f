"""`tiltmeter report`: the report of one run, or of several side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli.console import JsonOption, print_json


def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.", metavar="RUN…")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The report; default: report.html in the (first) run folder.")
    ] = None,
    parquet: Annotated[bool, typer.Option("--parquet", help="Also export the tables as Parquet.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the report of a run, with its figures and tables; several runs: a comparison."""
    from tiltmeter.analysis import summarise_run
    from tiltmeter.report import write_parquet, write_report, write_run
    from tiltmeter.store import read_run

    read = [read_run(folder) for folder in runs]
    pairs = [(run, summarise_run(run)) for run in read]
    if out is None and len(pairs) == 1:
        page = write_run(*pairs[0])
    else:
        page = out or runs[0] / "comparison.html"
        write_report(pairs, page, figures=page.parent / f"{page.stem}-figures")
    if parquet:
        for run, summary in pairs:
            write_parquet(run, summary, run.folder / "tables")
    if as_json:
        print_json({"report": str(page)})
    else:
        typer.echo(f"report: {page}")
