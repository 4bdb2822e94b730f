"""Work that takes longer than a page may: in a thread of its own, with what it has so far, kept while it is fresh."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from fastapi import Request

from tiltmeter.errors import TiltmeterError, UserError

Result = TypeVar("Result")
Kept = TypeVar("Kept")
_MAKING = Lock()


def server_state(request: Request, name: str, make: Callable[[], Kept]) -> Kept:
    """Something that the server keeps as long as it runs, made when it is first asked for."""
    state: Any = request.app.state
    with _MAKING:
        if not hasattr(state, name):
            setattr(state, name, make())
        found: Kept = getattr(state, name)
    return found


class TimedOut(UserError):
    """The work was told to stop, or its time is over."""


@dataclass(slots=True)
class Task(Generic[Result]):
    """One piece of work. It changes `result` itself, as parts of it are finished."""

    number: int
    result: Result
    limit: float
    """Seconds that it may take, not counting what it waits for others."""
    stage: str = "waiting for its turn, since something else is being worked out"
    problem: str = ""
    done: bool = False
    deadline: float | None = None
    """When its time is over; None while it waits."""

    def at(self, stage: str, limit: float | None = None) -> None:
        """Say what comes next; refuses where the time is over. A stage may have a time of its own."""
        if self.overdue:
            raise TimedOut(f"it took longer than {self.limit:g} seconds")
        self.stage = stage
        if limit is not None:
            self.deadline = time.monotonic() + limit

    @property
    def overdue(self) -> bool:
        """Whether its time is over, though it may still be at work on its last stage."""
        return self.deadline is not None and time.monotonic() > self.deadline


@dataclass(slots=True)
class Tasks(Generic[Result]):
    """Work that is done one after the other; the results of the last few are kept, by what they are of."""

    limit: float
    most: int = 8
    _kept: OrderedDict[Hashable, Task[Result]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)
    _turn: Lock = field(default_factory=Lock)
    _count: int = 0

    def start(self, key: Hashable, result: Result, work: Callable[[Task[Result]], None]) -> Task[Result]:
        """The work of that key: the one that is under way or was finished, or a new one."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None and not found.problem:
                self._kept.move_to_end(key)
                return found
            self._count += 1
            task = self._kept[key] = Task(self._count, result, self.limit)
            self._kept.move_to_end(key)
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)
        # A thread that does not keep the server from ending.
        Thread(target=self._do, args=(task, work), name=f"task {task.number}", daemon=True).start()
        return task

    def by_number(self, number: int) -> tuple[Hashable, Task[Result]] | None:
        """What the work of that number is of, and the work; None where it is no longer kept."""
        with self._lock:
            return next(((key, task) for key, task in self._kept.items() if task.number == number), None)

    def find(self, key: Hashable) -> Task[Result] | None:
        """The work of that key, where it is still kept."""
        with self._lock:
            return self._kept.get(key)

    def _do(self, task: Task[Result], work: Callable[[Task[Result]], None]) -> None:
        with self._turn:
            task.deadline = time.monotonic() + self.limit
            try:
                work(task)
            except TiltmeterError as error:
                task.problem = str(error)
            except Exception as error:
                logging.getLogger(__name__).exception("work of the workbench failed")
                task.problem = f"This failed inside tiltmeter ({type(error).__name__}: {error}); the log has more."
            finally:
                task.done = True
                task.deadline = None
