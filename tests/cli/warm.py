"""A process that has imported the program already and forks for each command, which spares most of a command's time."""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tests.drawings import draw_small

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "numpy",
        "pytest",
        "scipy.stats",
        "torch",
        "transformers.models.bert.modeling_bert",
        "transformers.models.gpt2.modeling_gpt2",
        "accelerate",
        "pydantic",
        "rich.console",
        "tiltmeter.cli",
        "tiltmeter.results",
        "tiltmeter.engine",
        "tiltmeter.present.report",
        __name__,
    ]
)


def begin_warm(call: Callable[..., None], *given: Any) -> BaseProcess:
    """Call a function of a module in a process of its own."""
    process = _CONTEXT.Process(target=call, args=given)
    process.start()
    return process


def begin_command(
    arguments: list[str], folder: Path, environment: Mapping[str, str], printed: Path, *, draws: bool = True
) -> BaseProcess:
    """Begin a command in a folder, with what it prints in the files `out` and `err` of another one."""
    return begin_warm(_command, arguments, folder, dict(environment), printed, draws)


def run_warm(
    arguments: list[str], folder: Path, environment: Mapping[str, str], printed: Path, *, draws: bool = True
) -> int:
    """Run a command in a folder, with what it prints in the files `out` and `err` of another one; how it ended."""
    process = begin_command(arguments, folder, environment, printed, draws=draws)
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def _command(arguments: list[str], folder: Path, environment: dict[str, str], printed: Path, draws: bool) -> None:
    for number, name in ((1, "out"), (2, "err")):
        file = os.open(printed / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["-c", *arguments]
    from tiltmeter.cli import main

    if not draws:
        draw_small()
    try:
        main()
    finally:
        # A process that was forked ends without them.
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()


# Imported last: what was imported before is no garbage, in any process that is forked.
gc.freeze()
