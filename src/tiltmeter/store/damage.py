"""A ledger that is none, or that was changed by hand: what is wrong with it, in one sentence."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from tiltmeter.errors import RunError
from tiltmeter.study.spool import unpacker

Record = TypeVar("Record")
_UNFIT = (sqlite3.Error, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)
"""What reading something raises that does not fit."""
_REFUSALS = ("disk is full", "disk I/O error", "readonly database", "unable to open", "is locked", "access permission")
"""How SQLite says that the disk or the rights to it fail, and not the file."""
_WORDS: dict[type, str] = {str: "a text", int: "a number", list: "a list", dict: "a table"}
_META: dict[str, type] = {"fingerprint": str, "study": str, "versions": dict, "resolved": dict}
_RESOLVED: dict[str, type] = {"name": str, "models": list, "specs": list, "sources": list, "scorers": list, "seed": int}
_VIEWS: dict[str, dict[str, type]] = {
    "continuations": {"sources": list, "decodings": list, "raters": list},
    "next_words": {"sources": list, "words": list},
}
_LISTED: tuple[str, ...] = ("specs", "sources")
"""Lists of tables, each of which has a name."""


@contextmanager
def fitting(path: Path) -> Iterator[None]:
    """Say in one sentence that a file is no ledger, whatever shows it."""
    try:
        yield
    except _UNFIT as error:
        # SQLite quotes the whole of a text that it cannot read.
        said = " ".join(str(error).partition(" with text ")[0].split())
        if isinstance(error, sqlite3.Error) and is_refusal(error):
            raise RunError(f"{path}: cannot be used: {said}") from error
        raise RunError(f"{path}: is damaged, or not a ledger of tiltmeter ({said:.160})") from error


def is_refusal(error: sqlite3.Error) -> bool:
    """Whether the system refuses what a database asked of it: the disk is full or fails, or may not be written."""
    return any(word in str(error) for word in _REFUSALS)


def number(value: Any) -> Any:
    """A number of a ledger, or None; the column may hold anything in a file that somebody changed."""
    if value is not None and not (isinstance(value, (int, float)) and math.isfinite(value)):
        raise ValueError(f"{value!r:.40} is not a number")
    return value


def record_reader(kind: type[Record]) -> Callable[[str], Record]:
    """What makes records of a kind of what the ledger keeps, or says that one cannot be read."""
    read = unpacker(kind)
    texts = [one.name for one in fields(kind) if one.type in ("str", str)]  # type: ignore[arg-type]

    def made(text: str) -> Record:
        try:
            found = read(text)
            odd = [name for name in texts if not isinstance(getattr(found, name), str)]
            if odd:
                raise TypeError(f"`{odd[0]}` is not a text")
        except _UNFIT as error:
            noun = kind.__name__.lower()
            raise RunError(f"the ledger of the run is damaged: it holds a {noun} that is none ({error})") from error
        return found

    return made


def checked_meta(path: Path, meta: dict[str, Any]) -> dict[str, Any]:
    """What a ledger says of its run, where all is there that tiltmeter counts on."""
    _check(path, "", meta, _META)
    if meta.get("finished") is not None:
        _check(path, "", meta, {"finished": str})
    resolved = meta["resolved"]
    _check(path, "resolved.", resolved, _RESOLVED)
    if not all(isinstance(model, str) for model in resolved["models"]):
        raise damaged(path, "`resolved.models` is not a list of names")
    for key in _LISTED:
        for one in resolved[key]:
            if not isinstance(one, dict):
                raise damaged(path, f"`resolved.{key}` is not a list of tables")
            _check(path, f"resolved.{key}.", one, {"name": str})
    for view, kinds in _VIEWS.items():
        if resolved.get(view) is not None:
            _check(path, "resolved.", resolved, {view: dict})
            _check(path, f"resolved.{view}.", resolved[view], kinds)
            statistics = resolved[view].get("labour", [])
            if not isinstance(statistics, list) or not all(isinstance(one, dict) for one in statistics):
                raise damaged(path, f"`resolved.{view}.labour` is not a list of tables")
    return meta


def _check(path: Path, place: str, table: Mapping[str, Any], kinds: Mapping[str, type]) -> None:
    for key, kind in kinds.items():
        if key not in table:
            raise damaged(path, f"it does not say `{place}{key}`")
        if not isinstance(table[key], kind):
            raise damaged(path, f"`{place}{key}` is not {_WORDS[kind]}")


def damaged(path: Path, problem: str) -> RunError:
    """The sentence about a file that is not what it was, or something else altogether."""
    return RunError(
        f"{path}: is damaged, or not a ledger of tiltmeter: {problem}; take it from a copy, or make the run again"
    )
