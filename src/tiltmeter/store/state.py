"""What a run folder holds, seen from a plan that is to be carried out in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePath
from typing import Any, Literal

from tiltmeter.errors import OtherRun, RunError
from tiltmeter.store.damage import fitting
from tiltmeter.store.ledger import Ledger
from tiltmeter.store.opening import LEDGER, connect
from tiltmeter.store.reading import check_whole
from tiltmeter.study import Plan

_NAMES = ("label", "name")
"""What tells the tables of a list apart."""
_BEFORE = "before."
"""How the folders of earlier results begin, in the folder of the run."""
_MADE = (
    *("report.*", "report-*", "comparison.*", "comparison-*", "card.*", "card-*", "summary.json", "findings.json"),
    *("items.parquet", "texts.parquet", "measurements.parquet"),
    *("tables", "figures", "workbench"),
)
"""What is made of a ledger and lies beside it; files that people gave names of their own are theirs."""


@dataclass(frozen=True, slots=True)
class RunState:
    """Whether a plan was begun or finished in a folder, or whether the folder holds the run of another study."""

    kind: Literal["new", "begun", "finished", "changed", "outdated", "lacking"]
    """`changed`: the study; `outdated`: what it was measured with, as `engine.current_state` finds; `lacking`:
    finished, but for answers that a server did not give."""
    changes: tuple[str, ...] = ()
    """What differs since then."""
    reported: bool = False
    """Whether its tables and report are written as well: a run may be killed before the last of them."""


def state_of(folder: str | Path, plan: Plan) -> RunState:
    """What a run folder holds; one that was begun with another study and has no answer yet is new."""
    path = Path(folder)
    if not (path / LEDGER).is_file():
        return RunState("new")
    with fitting(path / LEDGER), Ledger(path, read_only=True) as ledger:
        if not ledger.has_plan():
            return RunState("new")
        check_whole(path / LEDGER)
        before = ledger.meta()
        if before["fingerprint"] == plan.fingerprint:
            kind: Literal["finished", "begun"] = "finished" if before.get("finished") else "begun"
            return RunState(kind, reported=bool(before.get("reported")))
        if not ledger.has_answers():
            return RunState("new")
    if before["resolved"]["name"] != plan.study.name:
        raise OtherRun(
            f"{path}: holds the run of the study `{before['resolved']['name']}`, and this one is `{plan.study.name}`; "
            "name another folder with --out"
        )
    return RunState(
        "changed", tuple(changes(before["resolved"], json.loads(json.dumps(plan.resolved)))) or ("the data behind it",)
    )


def recover(folder: Path) -> None:
    """Put what was written before a run was killed into the file of its ledger; what cannot be read is done again."""
    log = folder / f"{LEDGER}-wal"
    if log.is_file() and log.stat().st_size:
        with fitting(folder / LEDGER), closing(connect(folder / LEDGER)) as database:
            database.execute("pragma wal_checkpoint(truncate)").fetchall()


def set_aside(folder: Path, *, ledger: bool = True) -> Path | None:
    """Move the result of a run, or without its ledger what was made of it, to where nothing is lost; None: nothing is.

    The folder that it is in is a run folder itself. The answers of APIs and the marks of people stay where they are.
    """
    if not (folder / LEDGER).is_file():
        return None
    found = [path for path in sorted(folder.iterdir()) if any(path.match(name) for name in _MADE)]
    if not found and not ledger:
        return None
    moved = [*found, *([folder / LEDGER] if ledger else ())]
    # What an earlier start was killed over is gone on with; nothing takes the place of anything.
    places = (folder / f"{_BEFORE}{number}" for number in count(1))
    place = next(one for one in places if not any((one / name).exists() for name in (LEDGER, *(f.name for f in moved))))
    try:
        if ledger:
            _close_log(folder / LEDGER)
        place.mkdir(exist_ok=True)
        # The ledger is the last: killed before, the next start moves it.
        for path in moved:
            path.rename(place / path.name)
    except OSError as error:
        raise RunError(f"{place}: the earlier result cannot be moved there: {error.strerror or error}") from error
    return place


def _close_log(path: Path) -> None:
    """Put what is in the write-ahead log of a ledger into its file."""
    database = connect(path)
    try:
        database.execute("pragma journal_mode = delete").fetchall()
    except sqlite3.Error as error:
        if "locked" not in str(error):
            raise RunError(f"{path}: cannot be written: {error}") from error
        raise RunError(f"{path}: another process is reading it ({error}); wait for it, or stop it") from error
    finally:
        database.close()


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The keys of a resolved study whose values differ, from the top, as deep as tables go.

    >>> changes({"seed": 1, "specs": [{"name": "a", "terms": 1}]}, {"seed": 2, "specs": [{"name": "a", "terms": 2}]})
    ['seed', 'specs.a.terms']
    >>> changes({"models": ["scripted:studies/../m.toml"]}, {"models": ["scripted:../m.toml"]})
    ['models: the same file names under other paths']
    """
    found = sorted(_changes(dict(before), dict(now), ""))
    first, second = ([_without_folders(str(name)) for name in one.get("models", ())] for one in (before, now))
    moved = "models: the same file names under other paths"
    return [moved if place == "models" and first == second else place for place in found]


def _without_folders(model: str) -> str:
    kind, colon, path = model.partition(":")
    return f"{kind}{colon}{PurePath(path).name}" if path.endswith((".toml", ".gguf")) else model


def _changes(before: Any, now: Any, place: str) -> Iterator[str]:
    before, now = _by_name(before), _by_name(now)
    if not isinstance(before, dict) or not isinstance(now, dict):
        if before != now:
            yield place
        return
    for key in {**before, **now}:
        inner = f"{place}.{key}" if place else str(key)
        if key not in before or key not in now:
            yield inner
        else:
            yield from _changes(before[key], now[key], inner)


def _by_name(value: Any) -> Any:
    """A list of tables by the name of each, where all have one of their own."""
    for key in _NAMES:
        if isinstance(value, list) and value and all(isinstance(one, dict) and key in one for one in value):
            named = {str(one[key]): one for one in value}
            if len(named) == len(value):
                return named
    return value
