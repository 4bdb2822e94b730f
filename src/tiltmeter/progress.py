"""Whoever wants to know how far a long piece of work is."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    """Is told of stretches of work, and of the steps done."""

    def start(self, what: str, total: int, done: int) -> None:
        """A stretch of work begins, part of which may be done already."""
        ...

    def advance(self, steps: int, failed: int | None = None) -> None:
        """So many more steps are done, and so many of them came to nothing; None: nobody counts that here."""
        ...


class Silent:
    """A watcher that does not watch."""

    def start(self, what: str, total: int, done: int) -> None:
        """Ignore it."""

    def advance(self, steps: int, failed: int | None = None) -> None:
        """Ignore it."""


class Both:
    """Two watchers at once."""

    def __init__(self, first: Watcher, second: Watcher) -> None:
        self._watchers = (first, second)

    def start(self, what: str, total: int, done: int) -> None:
        """Tell both."""
        for one in self._watchers:
            one.start(what, total, done)

    def advance(self, steps: int, failed: int | None = None) -> None:
        """Tell both."""
        for one in self._watchers:
            one.advance(steps, failed)
