"""Ledgers that are none, or that somebody changed by hand."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tiltmeter.store import LEDGER
from tiltmeter.store.database import connect, writing

Break = Callable[[Path], None]


@contextmanager
def rewritten(path: Path) -> Iterator[sqlite3.Connection]:
    """Change a file of a run as tiltmeter itself would write it, so that its digests fit."""
    with closing(connect(path)) as database, writing(database, path.parent):
        yield database


def _bytes(content: bytes) -> Break:
    def broken(folder: Path) -> None:
        for path in folder.glob(f"{LEDGER}*"):
            path.unlink()
        (folder / LEDGER).write_bytes(content)

    return broken


def _foreign(*statements: str) -> Break:
    def broken(folder: Path) -> None:
        for path in folder.glob(f"{LEDGER}*"):
            path.unlink()
        with rewritten(folder / LEDGER) as database:
            for statement in statements:
                database.execute(statement)

    return broken


def _changed(statement: str, *values: object) -> Break:
    def broken(folder: Path) -> None:
        with rewritten(folder / LEDGER) as database:
            database.execute(statement, values)

    return broken


def _meta(key: str, value: str) -> Break:
    return _changed("update meta set value = ? where key = ?", value, key)


def _without(key: str) -> Break:
    return _changed("delete from meta where key = ?", key)


def _resolved(**changes: Any) -> Break:
    """With keys of the study changed, or taken away where the value is None."""

    def broken(folder: Path) -> None:
        with rewritten(folder / LEDGER) as database:
            [(text,)] = database.execute("select value from meta where key = 'resolved'")
            kept = {key: value for key, value in {**json.loads(text), **changes}.items() if value is not None}
            database.execute("update meta set value = ? where key = 'resolved'", (json.dumps(kept),))

    return broken


def _half(folder: Path) -> None:
    whole = (folder / LEDGER).read_bytes()
    _bytes(whole[: len(whole) // 2])(folder)


def _nothing(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


META: dict[str, tuple[Break, str]] = {
    "no SQLite": (_bytes(b"something else altogether " * 200), "is damaged, or not a tiltmeter ledger"),
    "half a file": (_half, "is damaged, or not a tiltmeter ledger"),
    "of another program": (_foreign("create table things (name text)"), "is not a tiltmeter ledger"),
    "another meta": (_foreign("create table meta (one text, two text)"), "is damaged, or not a tiltmeter ledger"),
    "empty meta": (_foreign("create table meta (key text, value text)"), "it lacks `fingerprint`"),
    "no fingerprint": (_without("fingerprint"), "it lacks `fingerprint`"),
    "a number as fingerprint": (_meta("fingerprint", "7"), "`fingerprint` is not a text"),
    "no study": (_without("study"), "it lacks `study`"),
    "list of versions": (_meta("versions", "[1]"), "`versions` is not a table"),
    "number for a date": (_meta("finished", "7"), "`finished` is not a text"),
    "no resolved": (_without("resolved"), "it lacks `resolved`"),
    "resolved no JSON": (_meta("resolved", "{"), "is damaged, or not a tiltmeter ledger"),
    "resolved too deep": (_meta("resolved", "[" * 100_000), "is damaged, or not a tiltmeter ledger"),
    "resolved a list": (_meta("resolved", "[]"), "`resolved` is not a table"),
    "resolved empty": (_meta("resolved", "{}"), "it lacks `resolved.name`"),
    "no models": (_resolved(models=None), "it lacks `resolved.models`"),
    "numbers as models": (_resolved(models=[1]), "`resolved.models` is not a list of names"),
    "no specs": (_resolved(specs=None), "it lacks `resolved.specs`"),
    "specs no tables": (_resolved(specs=["one"]), "`resolved.specs` is not a list of tables"),
    "specs without names": (_resolved(specs=[{}]), "it lacks `resolved.specs.name`"),
    "a word as seed": (_resolved(seed="seven"), "`resolved.seed` is not a number"),
    "a list as view": (_resolved(continuations=[1]), "`resolved.continuations` is not a table"),
    "a view without words": (_resolved(next_words={"sources": []}), "it lacks `resolved.next_words.words`"),
}
"""Ledgers that do not say of which run they are, and what is said of each."""

RECORDS: dict[str, Break] = {
    "no table of items": _changed("drop table items"),
    "no table of models": _changed("drop table models"),
    "a pair": _changed("update items set item = '{' where view = 'pairs'"),
    "a prompt": _changed("update items set item = '{}' where view = 'continuations'"),
    "a decoding": _changed("update decodings set decoding = '[]' where number = 0"),
    "facts of a model": _changed("update models set facts = '{}'"),
    "facts of a rater": _changed("update raters set facts = '7'"),
}
"""Ledgers in which a record is none."""

EMPTY: dict[str, Break] = {"empty file": _bytes(b""), "empty folder": _nothing}
"""Runs that have not begun."""
