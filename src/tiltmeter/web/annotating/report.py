"""Working what people said into the report of a run: the command `tiltmeter report`, as a process of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Literal

from tiltmeter.errors import RunError, UserError
from tiltmeter.store import is_held
from tiltmeter.web.annotating.sheets import write_sheets
from tiltmeter.web.scratch import scratch_of

_LOG = "report.txt"
_SHEETS = "sheets"
_processes: dict[Path, subprocess.Popen[bytes]] = {}
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Working:
    """Whether a report is being written, and what was said at the end."""

    state: Literal["", "working", "done", "failed"]
    said: str = ""


def start(folder: Path, kind: str) -> None:
    """Write the report of a run again, with the labels of people and their ratings of a kind."""
    with _lock:
        if working(folder).state == "working":
            raise RunError("the report is being written already; wait for it")
        if is_held(folder):
            raise RunError("the run is under way: its report is written when it ends, and can have people's marks then")
        place = scratch_of(folder)
        # An annotator who has taken everything back leaves no sheet behind.
        shutil.rmtree(place / _SHEETS, ignore_errors=True)
        labels, ratings = write_sheets(folder, place / _SHEETS, kind)
        if not labels and not ratings:
            raise UserError(
                "nobody has marked a written sentence or rated a text of this run; mark some first, then the report "
                "can say what people say"
            )
        options = [part for path in labels for part in ("--labels", str(path))]
        options += [part for path in ratings for part in ("--ratings", str(path))]
        with (place / _LOG).open("wb") as log:
            _processes[folder] = subprocess.Popen(
                [sys.executable, "-m", "tiltmeter", "report", str(folder), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


def working(folder: Path) -> Working:
    """Where the writing of a report stands."""
    process = _processes.get(folder)
    if process is None:
        return Working("")
    status = process.poll()
    if status is None:
        return Working("working")
    lines = (scratch_of(folder) / _LOG).read_text(encoding="utf-8", errors="replace").split("\n")
    said = next((line for line in reversed(lines) if line.strip()), "")
    return Working("failed", said) if status else Working("done")
