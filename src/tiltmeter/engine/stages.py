"""The one loop of the engine: what is not done yet is asked for, batch by batch, and each is written when it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tiltmeter.engine.staff import HERE, Staff
from tiltmeter.watching import Silent, Watcher

Batch = TypeVar("Batch")
Result = TypeVar("Result")
Item = TypeVar("Item")


class Batches(ABC, Generic[Batch]):
    """Work in batches, each of which is read when its turn comes."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, at: int) -> Batch: ...

    @abstractmethod
    def size(self, at: int) -> int:
        """How many steps a batch has."""

    def __iter__(self) -> Iterator[Batch]:
        return (self[at] for at in range(len(self)))


class Cut(Batches[Sequence[Item]]):
    """Items in their order, cut every so many.

    >>> batches = Cut("abcde", 2)
    >>> list(batches), [batches.size(at) for at in range(len(batches))]
    (['ab', 'cd', 'e'], [2, 2, 1])
    """

    def __init__(self, items: Sequence[Item], most: int) -> None:
        self._items, self._starts = items, range(0, len(items), most)

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, at: int) -> Sequence[Item]:
        return self._items[self._starts[at] : self._starts[at] + self._starts.step]

    def size(self, at: int) -> int:
        """How many items it has."""
        return min(self._starts.step, len(self._items) - self._starts[at])


class Listed(Batches[Sequence[Item]]):
    """Batches that are at hand."""

    def __init__(self, batches: Sequence[Sequence[Item]]) -> None:
        self._batches = batches

    def __len__(self) -> int:
        return len(self._batches)

    def __getitem__(self, at: int) -> Sequence[Item]:
        return self._batches[at]

    def size(self, at: int) -> int:
        """How many items it has."""
        return len(self._batches[at])


class Marks(Protocol):
    """Which batches of a stage are finished."""

    def done(self) -> Collection[int]:
        """The numbers of those that are."""
        ...

    def marked(self, at: int) -> AbstractContextManager[Any]:
        """A writing of all or nothing, at whose end a batch is finished."""
        ...


@dataclass(frozen=True, slots=True)
class Unmarked:
    """Marks of what is kept elsewhere, or only in memory."""

    finished: Collection[int] = ()

    def done(self) -> Collection[int]:
        """Those that were given."""
        return self.finished

    def marked(self, at: int) -> AbstractContextManager[Any]:
        """Nothing more is written."""
        return nullcontext()


@dataclass(frozen=True, slots=True)
class Stage(Generic[Batch, Result]):
    """A stretch of work: its batches, what is asked about each, how the answers are written, and which have none."""

    what: str
    """For whoever watches."""
    batches: Batches[Batch]
    ask: Callable[[Batch], Result]
    write: Callable[[Batch, Result], None]
    failed: Callable[[Batch, Result], int]
    """Steps of a batch that came to nothing."""
    marks: Marks = Unmarked()
    failed_before: Callable[[], int] = int
    """Those of the batches that are done already."""


def perform(stage: Stage[Batch, Result], staff: Staff = HERE, watch: Watcher | None = None) -> None:
    """Do what is not done yet."""
    watch = watch or Silent()
    batches, done = stage.batches, stage.marks.done()
    watch.start(stage.what, sum(map(batches.size, range(len(batches)))), sum(map(batches.size, done)))
    if done:
        watch.advance(0, stage.failed_before())
    todo = ((at, batches[at]) for at in range(len(batches)) if at not in done)
    for (at, batch), found in staff.each(lambda one: stage.ask(one[1]), todo):
        with stage.marks.marked(at):
            stage.write(batch, found)
        watch.advance(batches.size(at), stage.failed(batch, found))
