"""How far a run is, as a small file in its folder that whoever likes may read."""

from __future__ import annotations

import json
import os
import platform
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Literal

from tiltmeter.errors import OtherRun, RunError, TiltmeterError
from tiltmeter.files import plain_file
from tiltmeter.store.database import LEDGER, held_since, is_held

PROGRESS = "progress.json"
_PAUSE = 0.5
"""Seconds between two writings, other than at the begin of a stage."""
_LARGEST = 1 << 20
"""Bytes; what is larger is no progress of a run."""

State = Literal["running", "finished", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stretch of work: what is done in it, how many steps it has, and when it began."""

    what: str
    total: int
    done: int
    first: int
    """Steps that were done before this start of the run."""
    failed: int | None
    began: float
    changed: float

    @property
    def rate(self) -> float | None:
        """Steps a second in this start; None: not known yet."""
        seconds = self.changed - self.began
        return (self.done - self.first) / seconds if seconds > 0 and self.done > self.first else None

    @property
    def left(self) -> float | None:
        """Seconds to its end at this rate."""
        return (self.total - self.done) / self.rate if self.rate else None


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is, or how it ended."""

    process: int
    state: State = "running"
    message: str = ""
    """Why it failed."""
    stages: tuple[Stage, ...] = field(default=())
    host: str = ""
    """The machine of the process; blank in files of earlier versions."""


class ProgressFile:
    """Keeps the progress of a run in its folder, for as long as the run is carried out."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / PROGRESS
        self._progress = RunProgress(os.getpid(), host=platform.node())
        self._written = 0.0

    def __enter__(self) -> ProgressFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not self._progress.stages and (kind is None or isinstance(error, OtherRun) or not self._is_ours()):
            return
        message = str(error) if isinstance(error, TiltmeterError) else kind.__name__ if kind else ""
        state: State = "finished" if kind is None else "stopped" if kind is KeyboardInterrupt else "failed"
        self._progress = replace(self._progress, state=state, message=message if state == "failed" else "")
        self._write()

    def start(self, what: str, total: int, done: int) -> None:
        """Begin a stretch of work."""
        now = time.time()
        stage = Stage(what, total, done, done, None, now, now)
        self._progress = replace(self._progress, stages=(*self._progress.stages, stage))
        self._write()

    def advance(self, steps: int, failed: int | None = None) -> None:
        """So many more steps are done, of which some may have come to nothing."""
        *before, stage = self._progress.stages
        count = stage.failed if failed is None else (stage.failed or 0) + failed
        now = replace(stage, done=stage.done + steps, failed=count, changed=time.time())
        self._progress = replace(self._progress, stages=(*before, now))
        if time.monotonic() - self._written > _PAUSE or now.done == now.total:
            self._write()

    def _is_ours(self) -> bool:
        """Whether it is the run of this folder that ended: one that was refused leaves what others wrote alone."""
        folder = self._path.parent
        return (folder / LEDGER).is_file() and not is_held(folder)

    def _write(self) -> None:
        self._written = time.monotonic()
        # No fsync: after a crash of the machine the ledger says what is done.
        temporary = self._path.with_name(f".{PROGRESS}.{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.unlink(missing_ok=True)
            with temporary.open("x", encoding="utf-8") as file:
                json.dump(asdict(self._progress), file)
            temporary.replace(self._path)
        except OSError as error:
            raise RunError(f"{self._path.parent}: cannot be written: {error.strerror or error}") from error


def read_progress(folder: Path) -> RunProgress | None:
    """What the file says; None where there is none, or one that cannot be read."""
    try:
        path = plain_file(folder, PROGRESS)
        given = json.loads(path.read_text(encoding="utf-8")) if path and path.stat().st_size < _LARGEST else {}
        found = RunProgress(**{**given, "stages": tuple(Stage(**one) for one in given["stages"])})
        # The numbers are reckoned with, and a process is sent a signal.
        numbers = [(one.total, one.done, one.first, one.began, one.changed, one.failed or 0) for one in found.stages]
        fits = all(isinstance(number, int | float) for numbered in numbers for number in numbered)
        return found if fits and isinstance(found.process, int) and found.process > 0 else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def process_of(folder: Path) -> int | None:
    """The process that carries out the run of a folder just now; None: nobody does, or it has not said so yet."""
    since = held_since(folder)
    try:
        written = (folder / PROGRESS).stat().st_mtime_ns
    except OSError:
        return None
    progress = read_progress(folder)
    # What a process wrote that was killed before names one that may be anything by now.
    if since is None or written < since or progress is None or progress.state != "running":
        return None
    return progress.process
