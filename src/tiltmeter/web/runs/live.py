"""How a run stands, as its page shows it while it goes on: looked at in its small files, never in its ledger."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import anyio
from fastapi.concurrency import run_in_threadpool

from tiltmeter.files import plain_file
from tiltmeter.store import PROGRESS, Stage
from tiltmeter.web.jobs import LOG, Jobs, JobState, JobStatus

_PAUSE = 0.25
"""Seconds between two looks at the files of a run."""
_PATIENCE = 2.0
"""Seconds after which it is seen whether somebody is still at work, if no file has changed."""
_TAIL = 256 * 1024
"""Bytes at the end of a log that are read."""
LIVE: tuple[JobState, ...] = ("starting", "running", "stopping")


@dataclass(frozen=True, slots=True)
class Live:
    """How a run stands, and the last that it said."""

    standing: JobStatus
    log: tuple[str, ...]

    @property
    def is_live(self) -> bool:
        """Whether somebody is at work."""
        return self.standing.state in LIVE

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What was begun in this start, the present stretch of work last."""
        return self.standing.progress.stages if self.standing.progress else ()

    @property
    def now(self) -> Stage | None:
        """The stretch of work that is under way."""
        unfinished = self.stages and self.stages[-1].done < self.stages[-1].total
        return self.stages[-1] if self.standing.state == "running" and unfinished else None

    @property
    def words(self) -> str:
        """The state in a few words."""
        if self.standing.state == "running" and self.standing.progress and self.standing.progress.state == "finished":
            return "writing the report"
        if self.standing.state == "running" and self.now is None:
            return "getting ready for the next step"
        told = {"starting": "packages and models are loaded", "stopping": "what is under way is written down"}
        return told.get(self.standing.state, self.standing.state)


def look(jobs: Jobs, folder: Path, lines: int = 6) -> Live:
    """How a run stands now."""
    return Live(jobs.status(folder), tuple(log_of(folder, lines)))


def log_of(folder: Path, lines: int) -> list[str]:
    """The last lines of the log of a run, its folder named as the workbench has it; nothing where it has none."""
    path = plain_file(folder, LOG)
    if path is None:
        return []
    try:
        with path.open("rb") as stream:
            length = stream.seek(0, 2)
            stream.seek(max(0, length - _TAIL))
            text = stream.read().decode("utf-8", errors="replace")
    except OSError:
        return []
    # The first line may be half a line, unless the whole log was read.
    found = text.splitlines()[1 if length > _TAIL else 0 :]
    return [line.replace(str(folder), f"{folder.parent.name}/{folder.name}") for line in found[-lines:]]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was seen of a run: when, in which state its files were, and how it is shown."""

    stamp: tuple[object, ...]
    when: float
    live: Live
    shown: str


@dataclass(slots=True)
class RunWatcher:
    """Looks at runs for all pages that follow them: however many there are, each change is looked at and drawn once."""

    jobs: Jobs
    _seen: dict[Path, _Seen] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def look(self, folder: Path, show: Callable[[Live], str]) -> tuple[Live, str]:
        """How a run stands, and how that is shown."""
        stamp = _stamp(folder)
        with self._lock:
            seen, now = self._seen.get(folder), time.monotonic()
            if seen is None or seen.stamp != stamp or now - seen.when > _PATIENCE:
                live = look(self.jobs, folder)
                shown = seen.shown if seen and seen.live == live else show(live)
                seen = self._seen[folder] = _Seen(stamp, now, live, shown)
            return seen.live, seen.shown


async def events(
    lookout: RunWatcher, folder: Path, show: Callable[[Live], str], closing: anyio.Event
) -> AsyncIterator[dict[str, str]]:
    """What a page is told while a run goes on: how it stands, that a stretch of work ended, and that the run did.

    Where the server is `closing` it ends without a word: the run goes on, and a page that is left open asks again.
    """
    seen: tuple[object, ...] | None = None
    looked, told, stages = 0.0, "", 0
    while not closing.is_set():
        stamp = _stamp(folder)
        if stamp != seen or time.monotonic() - looked > _PATIENCE:
            seen, looked = stamp, time.monotonic()
            live, shown = await run_in_threadpool(lookout.look, folder, show)
            if shown != told:
                told = shown
                yield {"event": "progress", "data": shown}
            if len(live.stages) != stages or not live.is_live:
                stages = len(live.stages)
                yield {"event": "stage", "data": str(stages)}
            if not live.is_live:
                yield {"event": "done", "data": live.standing.state}
                return
        with anyio.move_on_after(_PAUSE):
            await closing.wait()


def _stamp(folder: Path) -> tuple[object, ...]:
    """When and how the small files of a run changed last."""
    found: list[object] = []
    for name in (PROGRESS, LOG):
        try:
            status = (folder / name).stat()
        except OSError:
            found.append(None)
        else:
            found.append((status.st_mtime_ns, status.st_size))
    return tuple(found)
