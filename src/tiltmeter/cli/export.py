"""`tiltmeter export`: a run, or what a study or a spec asks, in the formats of other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli.console import JsonOption, print_json, tell_unchecked
from tiltmeter.errors import UserError


class Form(StrEnum):
    """The forms of an export; said here again, since their package is imported when it is needed."""

    PARQUET = "parquet"
    LM_EVAL = "lm-eval"
    INSPECT = "inspect"
    HF_DATASET = "hf-dataset"
    EVALUATE = "evaluate"


def export(
    given: Annotated[
        str, typer.Argument(help="A run folder; for tests also a study file or a spec.", metavar="RUN|STUDY.toml|SPEC")
    ],
    form: Annotated[Form, typer.Option("--as", help="The form.")] = Form.PARQUET,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            help="A new folder, or with --as evaluate a file; with --as parquet also an address such as "
            "s3://bucket/runs, by default RUN/tables.",
        ),
    ] = None,
    with_texts: Annotated[
        bool,
        typer.Option("--with-texts", help="Put sentences and texts, some of them offensive, into a data set."),
    ] = False,
    licence: Annotated[
        str, typer.Option("--license", metavar="NAME", help="The licence of a data set as the hub names it.")
    ] = "unknown",
    as_json: JsonOption = False,
) -> None:
    """Write a run for other programs, or the tests of a run, a study or a spec.

    --as chooses parquet (every pair, text and prompt of a run with its scores and ratings, a batch of rows at a time;
    `tiltmeter analyze` reads such files), hf-dataset (a data-set folder of Hugging Face with a card), evaluate (the
    leading figures of a run as a flat JSON dictionary), and of what is asked lm-eval (tasks for lm-evaluation-harness)
    and inspect (data sets and tasks for Inspect).
    """
    from tiltmeter.addresses import is_address
    from tiltmeter.api import exporting
    from tiltmeter.files import refuse_links_in
    from tiltmeter.store import Run

    if out is None and form != Form.PARQUET:
        raise UserError(f"--as {form} needs --out, a new {'file' if form == Form.EVALUATE else 'folder'}")
    if out is not None and is_address(out) and form != Form.PARQUET:
        raise UserError(f"--out {out}: only --as parquet writes to an address; name a path")
    if (with_texts or licence != "unknown") and form != Form.HF_DATASET:
        raise UserError("--with-texts and --license are for --as hf-dataset")
    read = exporting.opened_as(given, form.value)
    if isinstance(read, Run):
        tell_unchecked(read)
    place: str | Path = Path(given) / "tables" if out is None else out if is_address(out) else Path(out)
    if out is None:
        refuse_links_in(Path(given), "tables")
    written = [str(path) for path in exporting.export(read, form.value, place, with_texts=with_texts, licence=licence)]
    if as_json:
        print_json({"written": written})
    else:
        typer.echo("\n".join(written))
