"""Progress for whoever watches: a bar on a terminal or in a notebook, a line every half minute otherwise."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from tiltmeter.amounts import duration, in_time

_PAUSE, _BLINK = 30.0, 0.2
"""Seconds between two lines when nobody watches, and between two pictures of a bar."""


def to_stderr(words: str) -> None:
    """Tell a person something that is not the result."""
    print(words, file=sys.stderr)


def in_notebook() -> bool:
    """Whether this runs in a notebook, where output is HTML."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class NotebookBar:
    """A watcher that keeps one line of a notebook's output current; use it as a context."""

    def __init__(self) -> None:
        import IPython.display as shown

        self._html: Callable[[str], object] = shown.HTML
        self._output: Any = shown.display(shown.HTML(""), display_id=True)  # type: ignore[no-untyped-call]
        self._what, self._total, self._done = "", 0, 0
        self._shown = 0.0

    def __enter__(self) -> NotebookBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._show("" if self._done >= self._total else "stopped")

    def start(self, what: str, total: int, done: int) -> None:
        """Begin a stretch of work."""
        self._what, self._total, self._done = what, total, done
        self._show()

    def advance(self, steps: int, failed: int | None = None) -> None:
        """So many more steps are done."""
        self._done += steps
        if time.monotonic() - self._shown > _BLINK:
            self._show()

    def _show(self, more: str = "") -> None:
        self._shown = time.monotonic()
        bar = f"<progress value='{self._done}' max='{max(1, self._total)}'></progress>"
        self._output.update(self._html(f"{bar} {html.escape(self._what)} {self._done:,} of {self._total:,} {more}"))


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
            to_stderr(f"{what}: {f'{done:,} of {total:,} already done' if done else f'{total:,} to do'}")

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
            to_stderr(self._line(self._spoke - self._began))

    def _line(self, seconds: float) -> str:
        """How far it is after so many seconds."""
        parts = [f"{self._what}: {self._done:,} of {self._total:,}"]
        if self._done > self._first and seconds > 0:
            rate = (self._done - self._first) / seconds
            parts += [in_time(rate), f"about {duration((self._total - self._done) / rate)} left"]
        if self._failed is not None:
            parts.append(f"{self._failed:,} without a value" if self._failed else "all with a value")
        return ", ".join(parts)
