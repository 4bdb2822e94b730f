"""`tiltmeter leaderboard`: two models or more in order, and how much of that order is shown."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.conditions import FailIfOption, check, fail_if_any
from tiltmeter.cli.console import JsonOption, print_json, print_table, read_run, say
from tiltmeter.cli.saving import FormatsOption, check_formats, folder_option, page_option, save
from tiltmeter.cli.views import ViewsOption, views

if TYPE_CHECKING:
    from tiltmeter.present.blocks import Table
    from tiltmeter.results.rank.records import Leaderboard, Leaderboards

_BOARDS = 20
"""Leaderboards that are shown to people; the JSON and --out have all."""
_WIDE = 110
"""Columns of a terminal from which on every figure is shown."""
_LESS = ("Test words",)
"""What is shown there only."""


def leaderboard(
    runs: Annotated[list[Path], typer.Argument(help="Run folders with two or more models in all.", metavar="RUN…")],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", metavar="MODEL", help="Only this model; may be repeated; default: all models of the runs."
        ),
    ] = None,
    view: ViewsOption = None,
    html: Annotated[Path | None, page_option("the leaderboards")] = None,
    out: Annotated[Path | None, folder_option("leaderboard", "a row for each model of each")] = None,
    formats: FormatsOption = None,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rank two or more models on the items they share.

    Each model has its figure with a 95 % interval and its rank, highest figure first. Brackets give the ranks it may
    have: below the models shown to be above it and above those shown to be below it, corrected for all pairs of
    models. Runs that were not measured alike are refused, as in `tiltmeter compare`.

    --fail-if checks every leaderboard and holds if any fits, e.g. "pairs.all.MODEL.value.low > 0.55",
    "continuations.BIAS.RATER.MODEL.standing.high <= 1" or "next_words.BIAS.order_shown < 1".
    """
    from tiltmeter.api import comparing

    check(conditions)
    check_formats(out, formats)
    found = comparing.leaderboard([read_run(folder) for folder in runs], models=model or (), views=views(view))
    if html or out:
        from tiltmeter.present.saving import saved_leaderboards

        save(saved_leaderboards(found), html, out, formats)
    if as_json:
        print_json(found.as_json())
    else:
        _print(found)
    fail_if_any(conditions, found.for_conditions())


def _print(found: Leaderboards) -> None:
    from tiltmeter.present.sections.comparing.leaderboard import (
        RULES,
        about,
        board_table,
        order_words,
        ordered,
        title_of,
    )
    from tiltmeter.results.names import names_of

    boards, names = ordered(found), names_of(side.run for side in found.sides)
    for number, board in enumerate(boards[:_BOARDS]):
        if number:
            typer.echo()
        title = title_of(board, names)
        typer.echo(f"{title} ({about(board)})")
        typer.echo(_breakable(order_words(board)))
        _print_table(board, board_table(board, title))
    if len(boards) > _BOARDS:
        typer.echo(f"… {len(boards) - _BOARDS} more: --json, or --out FOLDER")
    typer.echo()
    for rule in RULES:
        typer.echo(_breakable(rule))
    for note in found.notes:
        say(f"note: {note}")


def _print_table(board: Leaderboard, table: Table) -> None:
    """A narrow terminal gets what matters most, so that names are not cut."""
    wide = not sys.stdout.isatty() or shutil.get_terminal_size().columns >= _WIDE
    labels = [column.label for column in table.columns]
    shown = [at for at, label in enumerate(labels) if wide or label not in _LESS]
    runs = [entry.side.run.folder.name for entry in board.entries]
    several = wide and len(set(runs)) > 1
    print_table(
        [*(_breakable(labels[at]) for at in shown), *(["Run"] if several else [])],
        [
            [*(_breakable(row[at].text) for at in shown), *([run] if several else [])]
            for row, run in zip(table.rows, runs, strict=True)
        ],
    )


def _breakable(text: str) -> str:
    """With plain spaces: not every terminal knows others."""
    return text.replace("\N{NO-BREAK SPACE}", " ")
