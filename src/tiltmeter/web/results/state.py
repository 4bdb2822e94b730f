"""Whether the findings of a run are there, and if not, why not and what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.store import LEDGER, NotBegun, read_meta
from tiltmeter.web.findings_process import FindingsProcesses
from tiltmeter.web.jobs import JobState
from tiltmeter.web.results.filters import findings_in


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why there is nothing to show yet; whether the page asks again, and whether the reader can have it worked out."""

    words: str
    problem: str = ""
    asks_again: bool = False
    can_start: bool = False


@dataclass(frozen=True, slots=True)
class FindingsState:
    """The findings of a run, or why they are not there."""

    found: dict[str, Any] | None
    waiting: Waiting | None


def meta_of(folder: Path) -> dict[str, Any]:
    """What the ledger says of its run; nothing where the run has not begun."""
    try:
        return read_meta(folder) if (folder / LEDGER).is_file() else {}
    except NotBegun:
        return {}


def findings_state(folder: Path, state: JobState, workers: FindingsProcesses) -> FindingsState:
    """What is known of a run; a finished run without findings has them worked out from now on."""
    meta = meta_of(folder)
    if not meta:
        return FindingsState(None, Waiting("The run has not begun: there is nothing to show yet.", asks_again=True))
    if not workers.is_at_work(folder):
        found = findings_in(folder, meta)
        if found is not None:
            return FindingsState(found, None)
        if not meta.get("finished"):
            return FindingsState(None, _unfinished(workers.problem(folder)))
        if state == "running":
            return FindingsState(
                None, Waiting("The run is finished, and its report is being written.", asks_again=True)
            )
        if problem := workers.problem(folder):
            return FindingsState(None, Waiting("The estimates could not be worked out.", problem, can_start=True))
        workers.start(folder)
    words = "The estimates are being worked out, which takes as long as a report: seconds for most runs, minutes for "
    return FindingsState(None, Waiting(f"{words}those of many texts.", asks_again=True))


def _unfinished(problem: str) -> Waiting:
    return Waiting(
        "The run is not finished. Its estimates are worked out when it is; what there is so far can be had before, and "
        "may change.",
        problem,
        can_start=True,
    )
