"""What a run folder holds, seen from a plan that is to be carried out in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Literal

from tiltmeter.errors import RunError
from tiltmeter.store.damage import fitting
from tiltmeter.store.ledger import Ledger
from tiltmeter.store.opening import LEDGER, connect
from tiltmeter.study import Plan

_NAMES = ("label", "name")
"""What tells the tables of a list apart."""


@dataclass(frozen=True, slots=True)
class RunState:
    """Whether a plan was begun or finished in a folder, or whether the folder holds the run of another study."""

    kind: Literal["new", "begun", "finished", "changed"]
    changes: tuple[str, ...] = ()
    """What differs in the study since then."""
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
        before = ledger.meta()
        if before["fingerprint"] == plan.fingerprint:
            kind: Literal["finished", "begun"] = "finished" if before.get("finished") else "begun"
            return RunState(kind, reported=bool(before.get("reported")))
        if not ledger.has_answers():
            return RunState("new")
    return RunState(
        "changed", tuple(changes(before["resolved"], json.loads(json.dumps(plan.resolved)))) or ("the data behind it",)
    )


def set_aside(folder: Path) -> Path:
    """Give the ledger of a run another name, under which nothing is lost; returns the new one."""
    number = 1
    while (folder / f"ledger.before.{number}.sqlite").exists():
        number += 1
    # What is in the write-ahead log goes into the file first.
    database = connect(folder / LEDGER)
    try:
        database.execute("pragma journal_mode = delete").fetchall()
    except sqlite3.Error as error:
        raise RunError(
            f"{folder / LEDGER}: another process is reading it ({error}); wait for it, or stop it"
        ) from error
    finally:
        database.close()
    return (folder / LEDGER).rename(folder / f"ledger.before.{number}.sqlite")


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
