"""Having units of writing done, block by block: what is recorded already is not written again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol

from tiltmeter.engine.staff import Staff
from tiltmeter.models import ModelSettings
from tiltmeter.raters.refusal import REFUSAL, Refusal
from tiltmeter.records import Spec
from tiltmeter.sources import generated
from tiltmeter.sources.generated import GenerationSettings, Generator, Review, Unit, UnitResult
from tiltmeter.sources.generated.shots import Chooser
from tiltmeter.watching import Watcher

_HERE = Staff(ModelSettings())


class Journal(Protocol):
    """Where finished units are written down."""

    def done(self) -> Mapping[str, UnitResult]:
        """The units that are there already, by their ids."""
        ...

    def record(self, results: Sequence[UnitResult]) -> None:
        """Add those of one block: all of them or none."""
        ...


class Unrecorded:
    """A journal that keeps nothing: a stop loses everything."""

    def done(self) -> Mapping[str, UnitResult]:
        """Never anything."""
        return {}

    def record(self, results: Sequence[UnitResult]) -> None:
        """Ignore it."""


@dataclass(frozen=True, slots=True)
class Author:
    """A generator, how it is asked, and who looks at what it writes; `shots` are by the name of the spec."""

    generator: Generator
    settings: GenerationSettings
    shots: Mapping[str, Chooser]
    review: Review


def write_units(
    todo: Sequence[tuple[Spec, Sequence[Unit]]],
    author: Callable[[], Author],
    journal: Journal,
    watcher: Watcher,
    what: str,
    staff: Staff = _HERE,
) -> list[UnitResult]:
    """The results of all units, in order. Blocks are cut from all of them, so that a stop changes no sentence.

    A unit of which no sentence is kept has come to nothing.
    """
    done = dict(journal.done())
    wanted = [unit.id for _, units in todo for unit in units]
    watcher.start(what, len(wanted), sum(name in done for name in wanted))
    blocks = [(spec, block) for spec, units in todo for block in generated.blocks(units)]
    unfinished = [(spec, block) for spec, block in blocks if any(unit.id not in done for unit in block)]
    if unfinished:
        for (_, block), results in staff.each(author(), _written, unfinished):
            journal.record(results)
            done |= {result.unit.id: result for result in results}
            watcher.advance(len(block), sum(all(one.dropped for one in result.sentences) for result in results))
    return [done[name] for name in wanted]


def _written(author: Author, given: tuple[Spec, Sequence[Unit]]) -> list[UnitResult]:
    spec, block = given
    review = replace(author.review, declines=author.review.declines or declines)
    return generated.write_block(
        spec, block, author.generator, author.settings, shots=author.shots[spec.name], review=review
    )


def declines(answer: str) -> bool:
    """Whether a chat model answers that it will not.

    >>> declines("I'm sorry, but I can't help with that."), declines("The heir reads poetry.")
    (True, False)
    """
    return _refusals().rate([answer])[0].label == REFUSAL


@cache
def _refusals() -> Refusal:
    return Refusal()
