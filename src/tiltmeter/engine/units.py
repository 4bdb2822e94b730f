"""Having units of writing done, block by block: what is recorded already is not written again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Generic, TypeVar

from tiltmeter.engine.staff import HERE, Staff
from tiltmeter.engine.stages import Batches, Stage, perform
from tiltmeter.raters.refusal import REFUSAL, Refusal
from tiltmeter.records import Spec
from tiltmeter.sources import generated
from tiltmeter.sources.generated import GenerationSettings, Generator, Review, Unit, UnitResult
from tiltmeter.sources.generated.shots import Chooser
from tiltmeter.watching import Watcher

Item = TypeVar("Item")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Journal(Generic[Made]):
    """Where finished units are written down, by their ids; unless told, nowhere, so that a stop loses everything."""

    done: Callable[[], Mapping[str, Made]] = dict
    """Those that are there already."""
    record: Callable[[Mapping[str, Made]], None] = lambda made: None
    """Adds those of one block: all of them or none."""


@dataclass(frozen=True, slots=True)
class Units(Generic[Item, Made]):
    """Blocks of things to be made of others, each of which has an id; `start` gives what makes them."""

    what: str
    blocks: Sequence[Sequence[tuple[str, Item]]]
    start: Callable[[], Callable[[Sequence[Item]], Sequence[Made]]]
    is_nothing: Callable[[Made], bool]
    """Whether nothing came of it."""

    def made(self, journal: Journal[Made], staff: Staff, watcher: Watcher) -> list[Made]:
        """What came of all of them, in order; what is in the journal is not made again."""
        done = dict(journal.done())
        finished = {at for at, block in enumerate(self.blocks) if all(name in done for name, _ in block)}
        make = self.start() if len(finished) < len(self.blocks) else list

        def write(block: Sequence[tuple[str, Item]], found: Sequence[Made]) -> None:
            fresh = {name: one for (name, _), one in zip(block, found, strict=True)}
            journal.record(fresh)
            done.update(fresh)

        stage = Stage(
            self.what,
            Batches(list(map(len, self.blocks)), self.blocks.__getitem__),
            ask=lambda block: make([item for _, item in block]),
            write=write,
            failed=lambda _, found: sum(map(self.is_nothing, found)),
            done=finished,
            failed_before=lambda: sum(self.is_nothing(done[name]) for at in finished for name, _ in self.blocks[at]),
        )
        perform(stage, staff, watcher)
        return [done[name] for block in self.blocks for name, _ in block]


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
    journal: Journal[UnitResult],
    watcher: Watcher,
    what: str,
    staff: Staff = HERE,
) -> list[UnitResult]:
    """The results of all units, in order. Blocks are cut from all of them, so that a stop changes no sentence.

    A unit of which no sentence is kept has come to nothing.
    """
    specs = {spec.name: spec for spec, _ in todo}
    units: Units[Unit, UnitResult] = Units(
        what,
        [[(unit.id, unit) for unit in block] for _, units in todo for block in generated.blocks(units)],
        lambda: partial(_written, author(), specs),
        lambda result: all(one.dropped for one in result.sentences),
    )
    return units.made(journal, staff, watcher)


def _written(author: Author, specs: Mapping[str, Spec], block: Sequence[Unit]) -> list[UnitResult]:
    spec = specs[block[0].spec]
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
