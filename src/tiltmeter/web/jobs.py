"""Runs that the workbench starts: each a process of its own, which goes on when the server ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Literal

from tiltmeter.errors import RunError
from tiltmeter.store import LEDGER, Progress, is_held, read_meta, read_progress

LOG = "log.txt"
"""What a run said, in its folder."""
JobState = Literal["starting", "running", "paused", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands, and how far it is."""

    state: JobState
    progress: Progress | None
    message: str = ""
    """Why it failed."""


@dataclass(slots=True)
class Jobs:
    """The processes that this server started, by the folders of their runs."""

    _processes: dict[Path, subprocess.Popen[bytes]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __contains__(self, folder: Path) -> bool:
        return folder in self._processes

    def __iter__(self) -> Iterator[Path]:
        return iter(list(self._processes))

    def start(self, study: Path, folder: Path, *options: str) -> None:
        """Carry out a study, or go on with it; refuses where that is under way."""
        with self._lock:
            if self._alive(folder) or is_held(folder):
                raise RunError(f"the run `{folder.name}` is under way already")
            folder.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, "-m", "tiltmeter", "run", str(study), "--out", str(folder), *options]
            with (folder / LOG).open("ab") as log:
                self._processes[folder] = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    # A key press that ends the server does not end the run.
                    start_new_session=True,
                )

    def pause(self, folder: Path) -> None:
        """Stop a run, whoever started it; everything that was written stays, and `start` goes on from there."""
        with self._lock:
            process = self._processes.get(folder)
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGINT)
                return
            progress = read_progress(folder)
            if progress is None or not is_held(folder):
                raise RunError(f"the run `{folder.name}` is not under way")
            os.kill(progress.process, signal.SIGINT)

    def standing(self, folder: Path) -> Standing:
        """Where a run stands. The lock of its folder tells the truth, also of runs that were started elsewhere."""
        progress = read_progress(folder)
        if is_held(folder):
            return Standing("running", progress)
        if self._alive(folder):
            # Loading packages before the folder is taken, or writing the report after it was let go.
            return Standing("starting" if not _is_finished(folder) else "running", progress)
        if _is_finished(folder):
            return Standing("finished", progress)
        if progress is not None and progress.state == "failed":
            return Standing("failed", progress, progress.message)
        process = self._processes.get(folder)
        if process is not None and process.returncode not in (0, None, 130, -signal.SIGINT):
            return Standing("failed", progress, last_line(folder))
        return Standing("paused", progress)

    def _alive(self, folder: Path) -> bool:
        process = self._processes.get(folder)
        return process is not None and process.poll() is None


def last_line(folder: Path) -> str:
    """The last thing that a run said."""
    try:
        lines = (folder / LOG).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line for line in reversed(lines) if line.strip()), "")


def _is_finished(folder: Path) -> bool:
    if not (folder / LEDGER).is_file():
        return False
    try:
        return bool(read_meta(folder).get("finished"))
    except RunError:
        return False
