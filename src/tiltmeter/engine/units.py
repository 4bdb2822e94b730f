"""Having units of writing done, block by block: what is recorded already is not written again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tiltmeter.records import Spec
from tiltmeter.sources import generated
from tiltmeter.sources.generated import GenerationSettings, Generator, Review, Unit, UnitResult
from tiltmeter.sources.generated.shots import Chooser
from tiltmeter.watching import Watcher


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
) -> list[UnitResult]:
    """The results of all units, in order. Blocks are cut from all of them, so that a stop changes no sentence."""
    done = dict(journal.done())
    wanted = [unit.id for _, units in todo for unit in units]
    watcher.start(what, len(wanted), sum(name in done for name in wanted))
    blocks = [(spec, block) for spec, units in todo for block in generated.blocks(units)]
    unfinished = [(spec, block) for spec, block in blocks if any(unit.id not in done for unit in block)]
    writer = author() if unfinished else None
    for spec, block in unfinished:
        assert writer is not None
        results = generated.write_block(
            spec, block, writer.generator, writer.settings, shots=writer.shots[spec.name], review=writer.review
        )
        journal.record(results)
        done |= {result.unit.id: result for result in results}
        watcher.advance(len(block))
    return [done[name] for name in wanted]
