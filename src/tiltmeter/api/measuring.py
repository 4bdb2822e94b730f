"""Carrying out a plan: with the cache of answers, a progress bar, and the report at the end."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tiltmeter.api.progress import to_stderr
from tiltmeter.engine import Cluster, carry_out
from tiltmeter.engine.identity import missing_words
from tiltmeter.errors import RunError
from tiltmeter.models import ModelSettings
from tiltmeter.present.files import REPORT, write_run
from tiltmeter.present.reported import Reported
from tiltmeter.progress import BothProgress, Progress
from tiltmeter.store import Cache, CacheError, Ledger, ProgressFile, Run, RunState, locked, rows
from tiltmeter.store.run_folder import same_results
from tiltmeter.study import Plan

_LONGEST_NAME = 80
Say = Callable[[str], None]


def measured(
    plan: Plan,
    folder: Path,
    settings: ModelSettings,
    progress: Progress,
    *,
    say: Say = to_stderr,
    cached: bool = True,
    cluster: Cluster | None = None,
    begin: Callable[[], None] | None = None,
) -> Run:
    """The finished run of a plan; `say` is told what the folder held, where answers came from and what is missing.

    `begin` is called first, unless everything is done already.
    """
    told = False

    def tell(state: RunState, aside: Path | None) -> None:
        nonlocal told
        if begin is not None and not told and state.kind != "finished":
            begin()
        told = True
        _tell_state(state, folder, aside, say)

    with _cache(cached, say) as cache, ProgressFile(folder) as file:
        finished = carry_out(
            plan, folder, settings, BothProgress(progress, file), cache=cache, cluster=cluster, tell=tell
        )
        if cache and cache.trouble:
            say(f"{cache.trouble}; the run continued without it")
        elif cache and cache.hits:
            say(f"from the cache: {cache.hits:,} of {cache.hits + cache.misses:,} answers")
    _tell_missing(folder, say)
    return finished


def _tell_state(state: RunState, folder: Path, aside: Path | None, say: Say) -> None:
    """Say what the run folder held, and where an earlier result was moved."""
    shown = 6 if state.kind == "changed" else len(state.changes)
    changes = ", ".join(state.changes[:shown]) + (
        f" and {len(state.changes) - shown} more" * (len(state.changes) > shown)
    )
    if state.kind == "outdated":
        say(f"{folder}: measuring again, because something it depends on has changed: {changes}")
    elif state.kind == "lacking":
        say(f"{folder}: the run is finished; {changes}")
    elif state.kind == "finished" and state.reported:
        say(f"{folder}: the run is finished; there is nothing to do")
    elif state.kind == "finished":
        say(f"{folder}: the run is finished except for its tables and report")
    elif state.kind == "begun":
        say(f"{folder}: resuming the run")
    elif state.kind == "changed" and aside:
        say(f"{folder}: the study has changed ({changes}); unchanged parts come from the cache")
    if aside:
        say(f"{folder}: the earlier result is now in {aside}")


def _tell_missing(folder: Path, say: Say) -> None:
    """Say which answers a server failed to give."""
    with Ledger(folder, read_only=True) as ledger:
        missing = ledger.amendments.missing()
    if missing:
        say(f"{folder}: {missing_words(missing)}; run the same command again to request them")


@contextmanager
def _cache(cached: bool, say: Say) -> Iterator[Cache | None]:
    """The cache of answers; None where nobody wants it, or where it cannot be used."""
    try:
        cache = Cache() if cached else None
    except CacheError as error:
        say(f"{error}; continuing without it")
        cache = None
    try:
        yield cache if cache is not None and cache.limit else None
    finally:
        if cache is not None:
            cache.close()


def too_many(run: Run) -> str:
    """What a run has too much of for a report; usually empty."""
    counts = {
        "scored pairs": sum(map(len, run.scores.values())),
        "texts": run.continuations.count if run.continuations else 0,
        "prompts asked for next words": len(run.next_words.asked) if run.next_words else 0,
    }
    return " and ".join(f"{count:,} {noun}" for noun, count in counts.items() if count > rows.HELD)


def write_report(finished: Run, found: Callable[[], Reported]) -> Path:
    """Write the tables and the report of a run, unless they are there; refuses if another process has resumed it."""
    folder = finished.folder
    report = folder / REPORT
    if finished.meta.get("reported") and report.is_file():
        return report
    with locked(folder):
        with Ledger(folder, read_only=True) as ledger:
            ended = ledger.meta().get("finished")
            if ended is None or ended != finished.meta.get("finished"):
                raise RunError(f"{folder}: another process resumed this run; run the same command again")
        made = found()
        write_run(finished, made.summaries[0], made)
        with same_results(folder), Ledger(folder) as ledger:
            ledger.note_report()
    return report


def usual_folder(study: str) -> Path:
    """Where a run of a study goes; a name that is longer than a folder's may be is cut, and stays another one."""
    plain = re.sub(r"[^a-z0-9]+", "-", study.lower()).strip("-") or "run"
    short = plain if len(plain) <= _LONGEST_NAME else f"{plain[:_LONGEST_NAME]}-{zlib.crc32(plain.encode()):08x}"
    return Path("runs") / short
