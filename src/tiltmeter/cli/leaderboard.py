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
    from tiltmeter.report.leaderboards import BoardView
    from tiltmeter.results.rank.records import Leaderboards

_BOARDS = 20
"""Leaderboards that are shown to people; the JSON and --out have all."""
_WIDE = 110
"""Columns of a terminal from which on every figure is shown."""
_LESS = ("Origins",)
"""What is shown there only."""


def leaderboard(
    runs: Annotated[list[Path], typer.Argument(help="Run folders that have two models or more.", metavar="RUN…")],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="MODEL", help="Only this model; may be repeated; default: all of the runs."),
    ] = None,
    view: ViewsOption = None,
    html: Annotated[Path | None, page_option("the leaderboards")] = None,
    out: Annotated[Path | None, folder_option("leaderboard", "a row for each model of each")] = None,
    formats: FormatsOption = None,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put two models or more in order, on the items that all of them have.

    Each has its figure with its 95 % interval and its place, the highest figure first. In brackets are the places that
    it may have: below the models shown to be above it, above those shown to be below it, corrected for every two models
    of the board. What was not measured alike is refused as `tiltmeter compare` does.

    --fail-if looks at every leaderboard and holds if one fits, e.g. "pairs.all.MODEL.value.low > 0.55",
    "continuations.BIAS.RATER.MODEL.standing.high <= 1" or "next_words.BIAS.order_shown < 1".
    """
    from tiltmeter.results.rank.boards import leaderboards, sides_of_runs

    check(conditions)
    check_formats(out, formats)
    found = leaderboards(sides_of_runs([read_run(folder) for folder in runs], model or ()), views(view))
    if html or out:
        from tiltmeter.report.comparison_files import saved_leaderboards

        save(saved_leaderboards(found), html, out, formats)
    if as_json:
        print_json(found.as_json())
    else:
        _print(found)
    fail_if_any(conditions, found.for_conditions())


def _print(found: Leaderboards) -> None:
    from tiltmeter.report.leaderboards import board_views

    boards = board_views(found)
    for number, board in enumerate(boards[:_BOARDS]):
        if number:
            typer.echo()
        typer.echo(f"{board.title} ({board.about})")
        typer.echo(_breakable(board.verdict))
        _print_table(board)
    if len(boards) > _BOARDS:
        typer.echo(f"… {len(boards) - _BOARDS} more: --json, or --out FOLDER")
    typer.echo()
    typer.echo(
        "Place: in brackets, the places the model may have, given which others are shown to be above or below it."
    )
    typer.echo("Neutral is 50 % of a share and 0 of a gap. A high place is not a bad model, a low one not a fair one.")
    for note in found.notes:
        say(f"note: {note}")


def _print_table(board: BoardView) -> None:
    """A narrow terminal gets what matters most, so that names are not cut."""
    wide = not sys.stdout.isatty() or shutil.get_terminal_size().columns >= _WIDE
    labels = [column.label for column in board.table.columns]
    shown = [at for at, label in enumerate(labels) if wide or label not in _LESS]
    runs = [line.run for line in board.lines]
    several = wide and len(set(runs)) > 1
    print_table(
        [*(_breakable(labels[at]) for at in shown), *(["Run"] if several else [])],
        [
            [*(_breakable(row[at].text) for at in shown), *([run] if several else [])]
            for row, run in zip(board.table.rows, runs, strict=True)
        ],
    )


def _breakable(text: str) -> str:
    """With plain spaces: not every terminal knows others."""
    return text.replace("\N{NO-BREAK SPACE}", " ")
