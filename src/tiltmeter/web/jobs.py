"""Work that the workbench starts, mostly runs: each a process of its own, which goes on when the server ends."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Literal

from tiltmeter.errors import RunError
from tiltmeter.files import plain_file, refuse_links_in
from tiltmeter.store import LEDGER, PROGRESS, RunProgress, holder_of, is_held, process_of, read_meta, read_progress

LOG = "log.txt"
"""What a run said, in its folder."""
UNBEGUN = frozenset({LOG, PROGRESS, "lock.sqlite", "lock.sqlite-journal"})
"""What a run leaves in its folder that ended before it had a ledger."""
SAID = "tiltmeter: "
"""With this begins the sentence with which a command ends that cannot be carried out."""
JobState = Literal["starting", "running", "stopping", "paused", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class Work:
    """A kind of work: what it is called, what Python is to run for it, and how one sees that it is done."""

    noun: str
    command: Callable[[Path, Path], list[str]]
    """The module and its arguments, from the file that says what is to be done and the folder it is done in."""
    is_finished: Callable[[Path], bool]


@dataclass(frozen=True, slots=True)
class JobStatus:
    """Where a run stands, and how far it is."""

    state: JobState
    progress: RunProgress | None
    message: str = ""
    """Why it failed."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A process that this server started, what it carries out, and since when."""

    process: subprocess.Popen[bytes]
    study: Path
    began: float

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None


def _run(study: Path, folder: Path) -> list[str]:
    return ["tiltmeter", "run", str(study), "--out", str(folder)]


def _is_finished(folder: Path) -> bool:
    if not (folder / LEDGER).is_file():
        return False
    try:
        return bool(read_meta(folder).get("finished"))
    except RunError:
        return False


RUNS = Work("run", _run, _is_finished)


@dataclass(slots=True)
class Jobs:
    """The processes that this server started, by the folders that they work in."""

    work: Work = RUNS
    _jobs: dict[Path, _Job] = field(default_factory=dict)
    _told: set[Path] = field(default_factory=set)
    """Runs that were told to stop."""
    _lock: Lock = field(default_factory=Lock)

    def __contains__(self, folder: Path) -> bool:
        return folder in self._jobs

    def __iter__(self) -> Iterator[Path]:
        return iter(list(self._jobs))

    def start(self, study: Path, folder: Path, *options: str, again: bool = False) -> None:
        """Carry out a study, or go on with it; refuses where that is under way, or `again` where the run is gone."""
        with self._lock:
            if self._alive(folder) or is_held(folder):
                raise RunError(f"{self._named(folder)} is under way already")
            if again and not folder.is_dir():
                raise RunError(f"{self._named(folder)} is gone: it was removed meanwhile")
            folder.mkdir(parents=True, exist_ok=True)
            refuse_links_in(folder, LOG)
            command = [sys.executable, "-m", *self.work.command(study, folder), *options]
            with (folder / LOG).open("ab") as log:
                # A key press that ends the server does not end the run.
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )
            self._jobs[folder] = _Job(process, study, time.time())
            self._told.discard(folder)

    def pause(self, folder: Path) -> None:
        """Stop a run, whoever started it; everything that was written stays, and `start` goes on from there."""
        with self._lock:
            if self._alive(folder):
                self._jobs[folder].process.send_signal(signal.SIGTERM)
                self._told.add(folder)
                return
            if not is_held(folder):
                raise RunError(f"{self._named(folder)} is not under way")
            number = process_of(folder)
            if number is None:
                raise RunError(f"{self._named(folder)} is only starting; try again in a moment")
            progress = read_progress(folder)
            if progress is not None and progress.host not in ("", platform.node()):
                raise RunError(f"{self._named(folder)} is carried out on `{progress.host}`; stop it there")
            # The file may have come with the folder from anywhere, and name any process.
            if holder_of(folder) != number:
                raise RunError(
                    f"{self._named(folder)} is held by a process that cannot be told; stop it where it was started"
                )
            os.kill(number, signal.SIGTERM)
            self._told.add(folder)

    def remove(self, folder: Path, delete: Callable[[Path], None]) -> None:
        """Delete a run with what is known of it; nobody can start it meanwhile, and one under way is refused."""
        with self._lock:
            if self._alive(folder) or is_held(folder):
                raise RunError(f"{self._named(folder)} is under way; pause it first")
            delete(folder)
            self._jobs.pop(folder, None)

    def study_of(self, folder: Path) -> Path | None:
        """The study file with which this server started a run; None: it did not."""
        job = self._jobs.get(folder)
        return job.study if job else None

    def status(self, folder: Path) -> JobStatus:
        """Where a run stands. The lock of its folder tells the truth, also of runs that were started elsewhere."""
        found = self._seen(folder)
        if found.state not in ("starting", "running"):
            self._told.discard(folder)
        return JobStatus("stopping", found.progress) if folder in self._told else found

    def _seen(self, folder: Path) -> JobStatus:
        if is_held(folder):
            # What an earlier start wrote is not what this one does.
            return JobStatus("running", read_progress(folder) if process_of(folder) else None)
        job, progress = self._jobs.get(folder), read_progress(folder)
        if job and job.is_alive:
            # Loading packages before the folder is taken, or writing the report after it was let go.
            has_worked = self.work.is_finished(folder) and _changed(folder / PROGRESS) > job.began
            return JobStatus("running", progress) if has_worked else JobStatus("starting", None)
        if self.work.is_finished(folder):
            return JobStatus("finished", progress)
        if progress is not None and progress.state == "failed":
            return JobStatus("failed", progress, progress.message)
        broke_off = job is not None and job.process.returncode not in (0, None, 130, -signal.SIGTERM)
        # Of what another server started there is only the log, where it ended before it had a ledger.
        only_log = job is None and not (folder / LEDGER).is_file()
        said = last_line(folder) if broke_off or only_log else ""
        if broke_off or said.startswith(SAID):
            return JobStatus("failed", progress, said.removeprefix(SAID))
        return JobStatus("paused", progress)

    def _named(self, folder: Path) -> str:
        return f"the {self.work.noun} `{folder.name}`"

    def _alive(self, folder: Path) -> bool:
        job = self._jobs.get(folder)
        return job is not None and job.is_alive


def _changed(path: Path) -> float:
    """When a file was changed; long ago where there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def last_line(folder: Path) -> str:
    """The last thing that a run said."""
    path = plain_file(folder, LOG)
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path else []
    except OSError:
        return ""
    return next((line for line in reversed(lines) if line.strip()), "")


def was_refused(folder: Path) -> bool:
    """Whether a run was started in a folder and came to its end before it had a ledger."""
    try:
        inside = {path.name for path in folder.iterdir()}
    except OSError:
        return False
    return LOG in inside and inside <= UNBEGUN
