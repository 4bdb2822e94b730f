"""The command line: a thin skin on the library. Nothing heavy is imported until a command needs it."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from tiltmeter.cli import (
    analyze,
    cache,
    calibrate,
    compare,
    data,
    doctor,
    export,
    gate,
    leaderboard,
    logs,
    models,
    multiverse,
    natural,
    next_words,
    plan,
    rate,
    raters,
    rephrase,
    report,
    run,
    score,
    sentences,
    serve,
    specs,
)
from tiltmeter.errors import TiltmeterError, UserError
from tiltmeter.version import __version__

_LONGEST = 4000
"""Characters of a sentence that are shown: it may quote a cell that holds a book."""


class _Commands(TyperGroup):
    """All commands; none of them writes its files to standard output."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        for one, after in zip(args, [*args[1:], ""], strict=True):
            if one == "--":
                break
            if one == "--out=-" or (one in ("--out", "-o") and after == "-"):
                raise UserError("--out -: nothing is written to standard output; give the name of a file or a folder")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="tiltmeter",
    cls=_Commands,
    help="Measure social bias in language models, and see which conclusions survive.",
    epilog="Start with `tiltmeter demo`. Every command takes --help. --out names a file or a folder; - is refused.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(run.demo)
app.command("run")(run.run)
app.command("report")(report.report)
app.command("export")(export.export)
app.command("serve")(serve.serve)
app.command("score")(score.score)
app.command("rate")(rate.rate)
app.add_typer(analyze.app, name="analyze")
app.command("import")(logs.import_)
app.add_typer(next_words.app, name="next-words")
app.command("multiverse")(multiverse.multiverse)
app.command("compare")(compare.compare)
app.command("gate")(gate.gate)
app.command("leaderboard")(leaderboard.leaderboard)
app.command("plan")(plan.plan)
app.command("calibrate")(calibrate.calibrate)
app.add_typer(sentences.app, name="sentences")
app.add_typer(rephrase.app, name="rephrase")
app.add_typer(natural.app, name="natural")
app.add_typer(specs.app, name="specs")
app.add_typer(models.app, name="models")
app.add_typer(raters.app, name="raters")
app.add_typer(data.app, name="data")
app.add_typer(cache.app, name="cache")
app.command("doctor")(doctor.doctor)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"tiltmeter {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Measure social bias in language models, and see which conclusions survive."""
    if debug:
        os.environ["TILTMETER_DEBUG"] = "1"


def main() -> None:
    """Run a command. Bad input: one sentence and status 2. A finding that --fail-if names: status 1. A bug: 70."""
    # Records are many, and none holds itself: looking for such ones seldom is enough.
    gc.set_threshold(100_000, 50, 100)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A sign that the terminal cannot show must not stop a command.
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except BrokenPipeError:
        # The reader of our output left (`tiltmeter … | head`): nothing more to say, and Python must not try.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except TiltmeterError as error:
        _leave(str(error), 2, error)
    except OSError as error:
        _leave(_said(error), 2, error)
    except Exception as error:
        if type(error).__name__ == "OperationalError" and _is_refused(error):
            _leave(f"the operating system refused: {error}; finished work is saved", 2, error)
        _leave(f"this is a bug in tiltmeter ({error!r:.200}); please report it with the output of --debug", 70, error)


def _is_refused(error: Exception) -> bool:
    import sqlite3

    from tiltmeter.store.validation import is_refusal

    return isinstance(error, sqlite3.Error) and is_refusal(error)


def _said(error: OSError) -> str:
    """What the system says of a file, as a sentence; nobody reads numbers of errors, or a name of 300 letters."""
    said = (error.strerror or str(error)).strip()
    if error.filename is None:
        return f"the operating system refused: {said}"
    name = str(error.filename)
    return f"{name if len(name) <= 160 else f'{name[:80]}…{name[-40:]}'}: cannot be used: {said}"


def _leave(sentence: str, status: int, error: Exception) -> NoReturn:
    if os.environ.get("TILTMETER_DEBUG"):
        raise error
    shown = sentence if len(sentence) <= _LONGEST else f"{sentence[: _LONGEST // 2]} … {sentence[-_LONGEST // 2 :]}"
    typer.echo(f"tiltmeter: {shown}", err=True)
    sys.exit(status)
