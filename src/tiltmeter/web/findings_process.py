"""Working out what a run found, in a process of its own: `python -m tiltmeter.web.findings_process RUN SPARE`.

It takes the time of a report. The server starts it for runs that have no findings made here, and the page waits
meanwhile. They go into the spare folder, which is the server's own, and into that of the run where they can.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO

from tiltmeter.errors import RunError, TiltmeterError
from tiltmeter.files import refuse_links_in
from tiltmeter.processes import give_way
from tiltmeter.web.jobs import SAID
from tiltmeter.web.scratch import findings_scratch

_POLITE = 10
"""How far the work gives way to others, a run among them."""
_LONGEST = 2_000
"""Letters of a message that are read."""


def _findings(folder: Path) -> list[str]:
    return ["tiltmeter.web.findings_process", str(folder), str(findings_scratch(folder))]


@dataclass(slots=True)
class FindingsProcesses:
    """Processes that work something out, by the folders of the runs; by themselves, what was found."""

    module: Callable[[Path], list[str]] = _findings
    """The module of Python that does it for a run, and what it is told."""
    _started: dict[Path, tuple[subprocess.Popen[bytes], IO[bytes]]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def start(self, folder: Path) -> None:
        """Work it out for a run, unless that is under way."""
        with self._lock:
            if self._alive(folder):
                return
            said = tempfile.TemporaryFile()  # noqa: SIM115
            command = [sys.executable, "-m", *self.module(folder)]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
            self._started[folder] = process, said

    def is_at_work(self, folder: Path) -> bool:
        """Whether it is being worked out for a run."""
        with self._lock:
            return self._alive(folder)

    def problem(self, folder: Path) -> str:
        """Why it could not be done the last time; blank where it could, or was not tried."""
        with self._lock:
            if folder not in self._started or self._alive(folder):
                return ""
            process, said = self._started[folder]
            if process.returncode == 0:
                return ""
            said.seek(0)
            lines = said.read(_LONGEST).decode("utf-8", "replace").strip().splitlines()
            return lines[-1].removeprefix(SAID) if lines else f"the process ended with status {process.returncode}"

    def _alive(self, folder: Path) -> bool:
        return folder in self._started and self._started[folder][0].poll() is None


def compute_findings(folder: Path, spare: Path | None = None) -> Path:
    """Write the findings of a run into the spare folder, if any, and into its own where that can be written to."""
    from tiltmeter.present.kept import FINDINGS, findings_of, keep_findings
    from tiltmeter.present.report import report
    from tiltmeter.present.reported import Reported
    from tiltmeter.results import summarise_run
    from tiltmeter.store import read_run
    from tiltmeter.store.run_folder import record_made_files

    run = read_run(folder)
    reported = Reported.of([(run, summarise_run(run))])
    found = findings_of(reported, report(reported))
    if spare is not None:
        keep_findings(found, spare)
    try:
        refuse_links_in(folder, FINDINGS)
        path = keep_findings(found, folder)
    except RunError:
        if spare is None:
            raise
        return spare / FINDINGS
    record_made_files(folder, [path])
    return path


def main() -> None:
    """Work out the findings of the run that the command line names; its second folder, if any, is the spare one."""
    if len(sys.argv) not in (2, 3):
        print("name the folder of a run: python -m tiltmeter.web.findings_process RUN", file=sys.stderr)
        raise SystemExit(2)
    give_way(_POLITE)
    try:
        compute_findings(*map(Path, sys.argv[1:3]))
    except (TiltmeterError, OSError) as problem:
        print(problem, file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
