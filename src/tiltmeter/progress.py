"""How far a long piece of work is, for whoever wants to know."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Is told of stages of work, and of the steps done."""

    def start(self, what: str, total: int, done: int) -> None:
        """A stage begins, part of which may be done already."""
        ...

    def advance(self, steps: int, failed: int | None = None) -> None:
        """More steps are done, some of which may have failed; None: failures are not counted here."""
        ...


class NoProgress:
    """Nobody wants to know."""

    def start(self, what: str, total: int, done: int) -> None:
        """Ignore it."""

    def advance(self, steps: int, failed: int | None = None) -> None:
        """Ignore it."""


class BothProgress:
    """Two at once."""

    def __init__(self, first: Progress, second: Progress) -> None:
        self._both = (first, second)

    def start(self, what: str, total: int, done: int) -> None:
        """Tell both."""
        for one in self._both:
            one.start(what, total, done)

    def advance(self, steps: int, failed: int | None = None) -> None:
        """Tell both."""
        for one in self._both:
            one.advance(steps, failed)
