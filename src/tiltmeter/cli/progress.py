"""Progress for whoever watches: a bar on a terminal, a line every half minute otherwise."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from tiltmeter.cli.console import say

_PAUSE = 30.0
"""Seconds between two lines when nobody watches."""
_MINUTE, _HOUR = 60, 3600


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
            say(f"{what}: {f'{done:,} of {total:,} done already' if done else f'{total:,} to do'}")

    def advance(self, steps: int, failed: int | None = None) -> None:
        """So many more steps are done, of which some may have come to nothing."""
        self._done += steps
        if failed is not None:
            self._failed = failed + (self._failed or 0)
        if self._bar and self._task is not None:
            self._bar.update(self._task, advance=steps, failed=f"{self._failed:,} failed" if self._failed else "")
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
            parts.append(f"{self._failed:,} failed" if self._failed else "none failed")
        return ", ".join(parts)


def in_time(rate: float) -> str:
    """A number of steps a second, in the unit of time in which it is no fraction.

    >>> in_time(12.3), in_time(0.25), in_time(0.004)
    ('12 a second', '15 a minute', '14 an hour')
    """
    if rate >= 1:
        return f"{rate:,.0f} a second"
    return f"{rate * _MINUTE:.0f} a minute" if rate * _MINUTE >= 1 else f"{rate * _HOUR:.0f} an hour"


def duration(seconds: float) -> str:
    """A stretch of time as people say it, to two units.

    >>> duration(3852), duration(94.6), duration(45), duration(360_000)
    ('1 h 4 min', '1 min 35 s', '45 s', '100 h 0 min')
    """
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    minutes = round(seconds / _MINUTE)
    return f"{minutes // 60} h {minutes % 60} min"
