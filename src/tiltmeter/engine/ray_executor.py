"""Models and raters on the workers of a Ray cluster; the driver has the plan, the ledger and the cache of answers.

A batch of the plan is one call to one worker, and results come back in the order of the batches: what is written down
is what the local engine writes, in the same order.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from tiltmeter import raters
from tiltmeter.engine.cached import cached_rater, is_network, open_model
from tiltmeter.engine.executor import Batch, Executor, Result
from tiltmeter.engine.ray_pool import Cluster, WorkerPool, worker_pool
from tiltmeter.engine.ray_worker import About, Call, Facts, Tool
from tiltmeter.models import Model, ModelSettings
from tiltmeter.models.api import api_name
from tiltmeter.raters import Rater
from tiltmeter.store import Cache


@contextmanager
def ray_executor(cluster: Cluster, settings: ModelSettings, cache: Cache | None) -> Iterator[RayExecutor]:
    """The executor of a cluster, for as long as the context lasts."""
    with worker_pool(cluster, settings.threads) as found:
        yield RayExecutor(settings, cache, dispatch=_Dispatch(found))


@dataclass(frozen=True, slots=True)
class RayExecutor(Executor):
    """Models and networks that rate are loaded once on each worker; lexicons and models behind an API stay here."""

    dispatch: _Dispatch = field(kw_only=True)

    def model(self, name: str, dtype: str | None = None) -> Model:
        """The model of a name, in the number format of the settings or in another one."""
        if api_name(name) is not None:
            return open_model(name, self.settings, self.cache)
        # What an API answered has no meaning on a worker.
        settings = replace(self._settings(dtype), answers=None)
        return open_model(name, settings, self.cache, self._on_workers, where=self.dispatch.workers.kind)

    def _on_workers(self, name: str, settings: ModelSettings) -> Model:
        return self.dispatch.model(Tool("model", name, settings))

    def rater(self, name: str) -> Rater:
        """The rater of a name; one that is a network was looked at here, and works elsewhere."""
        rater = raters.load(name)
        if not is_network(rater):
            return rater
        return cached_rater(self.dispatch.rater(Tool("rater", name, ModelSettings()), rater), self.cache)

    def each(
        self, work: Callable[[Batch], Result], batches: Iterable[Batch], *, ahead: bool = True
    ) -> Iterator[tuple[Batch, Result]]:
        """What comes of each batch, in their order; a few batches are on their way at once."""
        at_once = self.dispatch.workers.in_flight
        pool = ThreadPoolExecutor(at_once, "tiltmeter-ray")
        running: deque[tuple[Batch, Future[Result]]] = deque()

        def first() -> tuple[Batch, Result]:
            batch, result = running.popleft()
            return batch, result.result()

        def working(batch: Batch) -> Result:
            with self.dispatch.driver.held():
                return work(batch)

        try:
            for batch in batches:
                running.append((batch, pool.submit(working, batch)))
                if len(running) == at_once:
                    yield first()
            while running:
                yield first()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class _DriverLock:
    """Held by one thread at a time, and released while that thread waits for a worker.

    So all that is done on the driver is done by one thread at a time, as in the local engine: lexicons, judges and
    plug-ins need not know of threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = threading.local()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold it."""
        with self._lock:
            self._thread.is_held = True
            try:
                yield
            finally:
                self._thread.is_held = False

    @contextmanager
    def released(self) -> Iterator[None]:
        """Release it for a while; nothing for a thread that does not hold it."""
        if not getattr(self._thread, "is_held", False):
            yield
            return
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()


class _Dispatch:
    """Takes calls to the pool, and knows which tools the driver still has."""

    def __init__(self, found: WorkerPool) -> None:
        self.workers, self.driver = found, _DriverLock()
        self._in_use: weakref.WeakSet[_Remote] = weakref.WeakSet()

    def model(self, tool: Tool) -> Model:
        """A model that is asked on the workers, with the verbs that it has, and no others."""
        about: About = self.workers.ask("about", tool, [*self._tools(), tool])
        made: Any = _sent(self, tool, about.facts, about.verbs)
        made.conditionings = about.conditionings
        model: Model = made
        return model

    def rater(self, tool: Tool, here: Rater) -> Rater:
        """A rater that reads on the workers, and is like one that is here."""
        made: Any = _sent(self, tool, dict(here.facts), ("rate",))
        made.name, made.wants_mask = here.name, here.wants_mask
        if hasattr(here, "languages"):
            made.languages = here.languages
        rater: Rater = made
        return rater

    def ask(self, sent: _Remote, verb: str, given: tuple[Any, ...], settings: dict[str, Any]) -> Any:
        """The answer of a worker."""
        call, in_use = Call(sent.tool, sent.facts, verb, given, settings), self._tools()
        with self.driver.released():
            return self.workers.ask("do", call, in_use)

    def add(self, sent: _Remote) -> None:
        """Keep a tool on the workers for as long as somebody has it here."""
        self._in_use.add(sent)

    def _tools(self) -> list[Tool]:
        return [sent.tool for sent in self._in_use]


class _Remote:
    """Stands for a model or rater on the workers."""

    def __init__(self, dispatch: _Dispatch, tool: Tool, facts: Facts) -> None:
        self.tool, self.facts, self._dispatch = tool, facts, dispatch
        dispatch.add(self)


def _sent(dispatch: _Dispatch, tool: Tool, facts: Facts, verbs: Iterable[str]) -> _Remote:
    def sending(verb: str) -> Callable[..., Any]:
        return lambda self, *given, **settings: self._dispatch.ask(self, verb, given, settings)

    kind = type("Sent", (_Remote,), {verb: sending(verb) for verb in verbs})
    made: _Remote = kind(dispatch, tool, facts)
    return made
