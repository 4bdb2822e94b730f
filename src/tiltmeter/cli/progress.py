"""Progress for whoever watches: a bar on a terminal, a line every half minute otherwise."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from tiltmeter.amounts import duration, in_time
from tiltmeter.cli.console import say

_PAUSE = 30.0
"""Seconds between two lines when nobody watches."""


class Bar:
    """A watcher that shows what it is told; use it as a context."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        if sys.stderr.isatty():
            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[failed]}", markup=False),
            )
            self._bar = Progress(*columns, console=Console(stderr=True))
        self._task: TaskID | None = None
        self._what, self._total, self._done, self._first = "", 0, 0, 0
        self._failed: int | None = None
        self._began = self._spoke = time.monotonic()

    def __enter__(self) -> Bar:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def start(self, what: str, total: int, done: int) -> None:
        """Begin a stretch of work."""
        self._what, self._total, self._done, self._first = what, total, done, done
        self._failed = None
        self._began = self._spoke = time.monotonic()
        if self._bar:
            self._task = self._bar.add_task(what, total=total, completed=done, failed="")
        else:
            say(f"{what}: {f'{done:,} of {total:,} already done' if done else f'{total:,} to do'}")

    def advance(self, steps: int, failed: int | None = None) -> None:
        """So many more steps are done, of which some may have come to nothing."""
        self._done += steps
        if failed is not None:
            self._failed = failed + (self._failed or 0)
        if self._bar and self._task is not None:
            without = f"{self._failed:,} without a value" if self._failed else ""
            self._bar.update(self._task, advance=steps, failed=without)
        elif time.monotonic() - self._spoke > _PAUSE:
            self._spoke = time.monotonic()
            say(self._line(self._spoke - self._began))

    def _line(self, seconds: float) -> str:
        """How far it is after so many seconds."""
        parts = [f"{self._what}: {self._done:,} of {self._total:,}"]
        if self._done > self._first and seconds > 0:
            rate = (self._done - self._first) / seconds
            parts += [in_time(rate), f"about {duration((self._total - self._done) / rate)} left"]
        if self._failed is not None:
            parts.append(f"{self._failed:,} without a value" if self._failed else "all with a value")
        return ", ".join(parts)
