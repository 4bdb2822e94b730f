"""The part of `tiltmeter sentences` that writes, with a bar to watch it by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tiltmeter.api.progress import Bar
from tiltmeter.cli.console import say
from tiltmeter.engine import sentences
from tiltmeter.engine.sentences import GenerationFacts, Order
from tiltmeter.sources.generated import Generation

__all__ = ["GenerationFacts", "Order", "write_both", "write_order"]


def write_order(order: Order, out: Path | None, dropped: Path | None) -> tuple[dict[str, Generation], GenerationFacts]:
    """Have everything written."""
    with _watched(out) as bar:
        return sentences.write_order(order, out, dropped, bar)


def write_both(order: Order, out: Path | None, dropped: Path | None) -> tuple[dict[str, Generation], GenerationFacts]:
    """The same with either strategy."""
    with _watched(out) as bar:
        return sentences.write_both(order, out, dropped, bar)


@contextmanager
def _watched(out: Path | None) -> Iterator[Bar]:
    """A bar; whoever stops the work is told that the same command goes on, where anything is finished."""
    try:
        with Bar() as bar:
            yield bar
    except KeyboardInterrupt:
        if out and sentences.unfinished_path(out).is_file():
            say(f"stopped; run the same command to resume (finished work is in {sentences.unfinished_path(out)})")
        raise
