"""Progress for whoever watches: a bar on a terminal, a line every half minute otherwise."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

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
            )
            self._bar = Progress(*columns, console=Console(stderr=True))
        self._task: TaskID | None = None
        self._what, self._total, self._done, self._first = "", 0, 0, 0
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
        self._began = self._spoke = time.monotonic()
        if self._bar:
            self._task = self._bar.add_task(what, total=total, completed=done)
        else:
            resumed = f", {done} of them already done" if done else ""
            say(f"{what}: {total} texts{resumed}")

    def advance(self, steps: int) -> None:
        """So many more steps are done."""
        self._done += steps
        if self._bar and self._task is not None:
            self._bar.advance(self._task, steps)
        elif time.monotonic() - self._spoke > _PAUSE:
            self._spoke = time.monotonic()
            rate = (self._done - self._first) / (self._spoke - self._began)
            left = (self._total - self._done) / rate
            say(f"{self._what}: {self._done} of {self._total}, {rate:.0f} a second, about {left:.0f} s left")
