"""`tiltmeter export`: every item of a run as Parquet, on disk or at any address."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli.console import JsonOption, print_json, read_run


def export(
    run: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="A folder, or an address such as s3://bucket/runs; default: RUN/tables."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write every pair, text and prompt of a run with its scores and ratings as Parquet.

    Only one batch of rows is held in memory. `tiltmeter analyze` reads such files, also at an address, in the same way.
    """
    from tiltmeter.addresses import is_address
    from tiltmeter.files import refuse_links_in
    from tiltmeter.results.tables import export_items

    place: str | Path = run / "tables" if out is None else out if is_address(out) else Path(out)
    if out is None:
        refuse_links_in(run, "tables")
    written = [str(path) for path in export_items(read_run(run, held=0), place)]
    if as_json:
        print_json({"written": written})
    else:
        typer.echo("\n".join(written))
