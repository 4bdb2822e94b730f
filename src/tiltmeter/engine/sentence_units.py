"""Writes sentences block by block; finished blocks are recorded, so that nothing is written twice."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from tiltmeter.databases import transaction
from tiltmeter.engine.executor import HERE, Batches, Executor, Stage, perform
from tiltmeter.errors import RunError
from tiltmeter.progress import Progress
from tiltmeter.raters.refusal import REFUSAL, Refusal
from tiltmeter.records import Spec
from tiltmeter.sources import generated
from tiltmeter.sources.generated import GenerationSettings, Generator, Review, Unit, UnitResult
from tiltmeter.sources.generated.shots import Chooser
from tiltmeter.sources.rephrased.paraphrasing import Rephrased

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

    def made(self, journal: Journal[Made], executor: Executor, progress: Progress) -> list[Made]:
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
        perform(stage, executor, progress)
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
    progress: Progress,
    what: str,
    executor: Executor = HERE,
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
    return units.made(journal, executor, progress)


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


Kind = TypeVar("Kind", UnitResult, Rephrased)

_SCHEMA = """
create table if not exists orders (key text primary key, value text not null);
create table if not exists units (part text, unit text, result text not null, primary key (part, unit));
"""


class UnfinishedFile:
    """Finished blocks of one order, in parts that have their units apart; held against any other process."""

    def __init__(self, path: Path, order: Mapping[str, Any]) -> None:
        self.path = path
        self._open = True
        try:
            self._database = sqlite3.connect(path, timeout=0, isolation_level=None)
            self._database.execute("pragma locking_mode = exclusive")
            # A script is one transaction only if it says so; the lock that it takes is kept.
            self._database.executescript(f"begin exclusive; {_SCHEMA} commit;")
        except sqlite3.Error as error:
            raise self._refused(error) from error
        self._agree(order)

    def close(self) -> None:
        """Let go of the file, and leave it for another time; one in which nothing is finished is deleted."""
        if not self._open:
            return
        if self.has_units():
            self._let_go()
        else:
            self.remove()

    def has_units(self) -> bool:
        """Whether anything is finished."""
        return bool(self._database.execute("select exists (select 1 from units)").fetchone()[0])

    def part(self, name: str, kind: type[Kind]) -> Journal[Kind]:
        """The journal of one part, which keeps records of a kind."""

        def done() -> dict[str, Kind]:
            rows = self._database.execute("select unit, result from units where part = ?", (name,))
            return {unit: kind.from_json(json.loads(result)) for unit, result in rows}

        def record(made: Mapping[str, Kind]) -> None:
            rows = [(name, unit, json.dumps(asdict(one))) for unit, one in made.items()]
            try:
                with transaction(self._database):
                    self._database.executemany("insert into units values (?, ?, ?)", rows)
            except sqlite3.Error as error:
                raise self._refused(error) from error

        return Journal(done, record)

    def remove(self) -> None:
        """Delete the file: what it was kept for is finished."""
        self._let_go()
        # A process that was killed leaves its journal behind, spent.
        for path in (self.path.with_name(f"{self.path.name}-journal"), self.path):
            path.unlink(missing_ok=True)

    def _agree(self, order: Mapping[str, Any]) -> None:
        now = json.loads(json.dumps(order))
        before = {key: json.loads(value) for key, value in self._database.execute("select key, value from orders")}
        if not self.has_units():
            # Nothing would be lost: another order may take the place of this one.
            rows = [(key, json.dumps(value)) for key, value in now.items()]
            with transaction(self._database):
                self._database.execute("delete from orders")
                self._database.executemany("insert into orders values (?, ?)", rows)
            return
        key = next((key for key in {**before, **now} if before.get(key) != now.get(key)), None)
        if key:
            self._let_go()
            raise RunError(
                f"{self.path}: was started with {key} {before.get(key)!r}, which is now {now.get(key)!r}; repeat "
                "the original command, or remove the file to start over"
            )

    def _let_go(self) -> None:
        self._open = False
        self._database.close()

    def _refused(self, error: sqlite3.Error) -> RunError:
        if "locked" in str(error):
            return RunError(f"{self.path}: another process is writing these sentences; wait for it, or stop it")
        return RunError(f"{self.path}: cannot be used to resume ({error}); remove it, or name another file with --out")
