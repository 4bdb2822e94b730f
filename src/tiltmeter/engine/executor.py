"""The one loop of the engine: what is not done yet is asked for, batch by batch, and each is written when it is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from tiltmeter import raters
from tiltmeter.engine.cached import cached_rater, open_model
from tiltmeter.models import Model, ModelSettings
from tiltmeter.models.interface import on_accelerator
from tiltmeter.progress import NoProgress, Progress
from tiltmeter.raters import Rater
from tiltmeter.store import Cache

Batch = TypeVar("Batch")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Executor:
    """Models and raters on this machine."""

    settings: ModelSettings
    cache: Cache | None = None

    def model(self, name: str, dtype: str | None = None) -> Model:
        """The model of a name, in the number format of the settings or in another one."""
        return open_model(name, self._settings(dtype), self.cache)

    def _settings(self, dtype: str | None) -> ModelSettings:
        return self.settings if dtype is None else replace(self.settings, dtype=dtype)

    def rater(self, name: str) -> Rater:
        """The rater of a name."""
        return cached_rater(raters.load(name), self.cache)

    def each(
        self, work: Callable[[Batch], Result], batches: Iterable[Batch], *, ahead: bool = False
    ) -> Iterator[tuple[Batch, Result]]:
        """What comes of each batch, in their order; with `ahead`, the next is worked on before one is done with."""
        if not ahead:
            yield from ((batch, work(batch)) for batch in batches)
            return
        pool = ThreadPoolExecutor(1, "tiltmeter-ahead")
        running: deque[tuple[Batch, Future[Result]]] = deque()
        try:
            for batch in batches:
                # Names of models mean in the other thread what they mean in this one.
                running.append((batch, pool.submit(copy_context().run, work, batch)))
                if len(running) > 1:
                    done, result = running.popleft()
                    yield done, result.result()
            yield from ((done, result.result()) for done, result in running)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


HERE = Executor(ModelSettings())
"""This process, and no memory."""


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Batches(Generic[Batch]):
    """Work in batches of so many steps, each of which is read when its turn comes."""

    sizes: Sequence[int]
    read: Callable[[int], Batch]

    def __iter__(self) -> Iterator[Batch]:
        return map(self.read, range(len(self.sizes)))


ON_ACCELERATOR = 128
"""How many times as many questions an accelerator is given at once: on fewer it waits for this process."""


def batch_size(usual: int, model: Model) -> int:
    """How many questions to a model are a batch: part of the plan, and of nothing but that and the model's facts."""
    return usual * (ON_ACCELERATOR if on_accelerator(model) else 1)


def cut(items: Sequence[Item], most: int) -> Batches[Sequence[Item]]:
    """Items in their order, cut every so many.

    >>> batches = cut("abcde", 2); list(batches), batches.sizes
    (['ab', 'cd', 'e'], [2, 2, 1])
    """
    starts = range(0, len(items), most)
    sizes = [min(most, len(items) - start) for start in starts]
    return Batches(sizes, lambda at: items[starts[at] : starts[at] + most])


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
    done: Collection[int] = ()
    """Batches that are finished already."""
    marked: Callable[[int], AbstractContextManager[Any]] = nullcontext
    """A writing of all or nothing, at whose end a batch is finished."""
    failed_before: Callable[[], int] = int
    """Steps that came to nothing in the batches that are finished already."""
    ahead: bool = False
    """Whether the next batch is asked about while the answers of one are written."""


def perform(stage: Stage[Batch, Result], executor: Executor = HERE, progress: Progress | None = None) -> None:
    """Do what is not done yet."""
    progress, sizes, done = progress or NoProgress(), stage.batches.sizes, stage.done
    progress.start(stage.what, sum(sizes), sum(sizes[at] for at in done))
    if done:
        progress.advance(0, stage.failed_before())
    todo = ((at, stage.batches.read(at)) for at in range(len(sizes)) if at not in done)
    for (at, batch), found in executor.each(lambda one: stage.ask(one[1]), todo, ahead=stage.ahead):
        with stage.marked(at):
            stage.write(batch, found)
        progress.advance(sizes[at], stage.failed(batch, found))
