"""Whether a ledger is what was written: its form, and digests of its rows that are kept in the same file.

Of each table there is one number, the sum of the digests of its rows, which is written in the transaction that changes
the rows: killed at any moment, the two fit. It is checked together with the structure of the file when that is read.
"""

from __future__ import annotations

import hashlib
import math
import sqlite3
import struct
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from tiltmeter.errors import RunError
from tiltmeter.study.disk_lists import unpacker

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
def valid_ledger(path: Path) -> Iterator[None]:
    """Say in one sentence that a file is no ledger, whatever shows it."""
    try:
        yield
    except _UNFIT as error:
        # SQLite quotes the whole of a text that it cannot read.
        said = " ".join(str(error).partition(" with text ")[0].split())
        if isinstance(error, sqlite3.Error) and is_refusal(error):
            raise RunError(f"{path}: cannot be used: {said}") from error
        raise RunError(f"{path}: is damaged, or not a tiltmeter ledger ({said:.160})") from error


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
                raise TypeError(f"`{odd[0]}` is not text")
        except _UNFIT as error:
            noun = kind.__name__.lower()
            raise RunError(
                f"the ledger of the run is damaged: it holds something that is not a {noun} ({error})"
            ) from error
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
            raise damaged(path, f"it lacks `{place}{key}`")
        if not isinstance(table[key], kind):
            raise damaged(path, f"`{place}{key}` is not {_WORDS[kind]}")


def damaged(path: Path, problem: str) -> RunError:
    """The sentence about a file that is not what it was, or something else altogether."""
    return RunError(
        f"{path}: is damaged, or not a tiltmeter ledger: {problem}; restore it from a copy, or repeat the run"
    )


_SCHEMA = "create table digests (name text primary key, total text not null) without rowid"
_TABLES = "select name from main.sqlite_master where type = 'table' and name != 'digests' and name not like 'sqlite_%'"
_BITS = 128


class SummingConnection(sqlite3.Connection):
    """A connection to write, which adds up the digests of the rows that come and go in a transaction."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.sums: dict[str, int] = {}
        self.broken_off: BaseException | None = None
        """What SQLite hides: a key press or a lack of memory while a row was added up."""
        self.create_function("note_row", -1, self._note)
        # What `insert or replace` puts away counts as deleted.
        self.execute("pragma recursive_triggers = on")

    def _note(self, sign: int, table: str, *cells: Any) -> None:
        try:
            self.sums[table] = self.sums.get(table, 0) + sign * _digest(cells)
        except BaseException as error:
            self.broken_off = error
            raise


def create(database: sqlite3.Connection, schema: str) -> None:
    """Make tables in a file, with digests where it is new; one of an earlier version stays without."""
    if not database.execute(_TABLES).fetchone():
        database.execute(_SCHEMA)
    for statement in schema.split(";"):
        database.execute(statement)
    watch(database)


def watch(database: sqlite3.Connection) -> None:
    """Have a connection add up what it writes, where the file has digests."""
    if not has_digests(database):
        return
    for (table,) in database.execute(_TABLES).fetchall():
        columns = [name for (name,) in database.execute("select name from pragma_table_info(?)", (table,))]
        old, new = (
            f"select note_row({sign}, '{table}', {', '.join(f'{which}.{chr(34)}{name}{chr(34)}' for name in columns)});"
            for sign, which in ((-1, "old"), (1, "new"))
        )
        for event, body in (("insert", new), ("delete", old), ("update", f"{old} {new}")):
            database.execute(
                f"create temp trigger if not exists {table}_{event} after {event} on main.{table} begin {body} end"
            )


def settle(database: sqlite3.Connection) -> None:
    """Write down what a transaction changed, as the last thing that it does."""
    if not isinstance(database, SummingConnection):
        return
    sums, database.sums = database.sums, {}
    kept = dict(database.execute("select name, total from digests")) if sums else {}
    for table, change in sums.items():
        total = (int(kept.get(table, "0"), 16) + change) % 2**_BITS
        database.execute("insert or replace into digests values (?, ?)", (table, f"{total:x}"))


def forget(database: sqlite3.Connection) -> None:
    """Leave out what a transaction changed that came to nothing, and raise why, where SQLite hid it."""
    if isinstance(database, SummingConnection):
        database.sums.clear()
        error, database.broken_off = database.broken_off, None
        if error is not None:
            raise error


def has_digests(database: sqlite3.Connection) -> bool:
    """Whether the file keeps digests: those of earlier versions cannot be checked."""
    return bool(database.execute("select 1 from main.sqlite_master where name = 'digests'").fetchone())


def check(database: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not as it was written."""
    database.execute("begin")
    try:
        _check_structure(database, path)
        check_rows(database, path)
    finally:
        database.execute("rollback")


def _check_structure(database: sqlite3.Connection, path: Path) -> None:
    [(found,)] = database.execute("pragma integrity_check(1)").fetchall()
    if found != "ok":
        raise damaged(path, " ".join(str(found).split()))
    # The first question of the transaction has brought the index of the log up to date.
    if _lost_commits(path):
        raise damaged(path, "the last entries cannot be read; `tiltmeter run` repeats them")


def check_rows(database: sqlite3.Connection, path: Path, tables: Collection[str] = ()) -> None:
    """Refuse tables whose rows are not those that were written: all, or the ones that are named."""
    if not has_digests(database):
        return
    kept = dict(database.execute("select name, total from digests"))
    names = {name for (name,) in database.execute(_TABLES)} | kept.keys()
    for table in sorted(set(tables) & names if tables else names):
        total = sum(map(_digest, database.execute(f'select * from "{table}"'))) % 2**_BITS
        if f"{total:x}" != kept.get(table, "0"):
            raise damaged(path, f"its table `{table}` was changed after it was written")


def _digest(cells: Sequence[Any]) -> int:
    # Not `repr`, which shows letters in another way in another version of Python.
    return int.from_bytes(hashlib.blake2b(ascii(tuple(cells)).encode(), digest_size=_BITS // 8).digest(), "big")


def _lost_commits(path: Path) -> bool:
    """Whether the write-ahead log has transactions that SQLite leaves out, since something before them is damaged."""
    log, index = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
    try:
        size = log.stat().st_size
        if size <= 32:
            return False
        with log.open("rb") as stream:
            head = stream.read(32)
            if not _is_whole(head):
                return True
            page, salts = int.from_bytes(head[8:12], "big"), head[16:24]
            last = 0
            for number in range(1, (size - 32) // (24 + page) + 1):
                stream.seek(32 + (number - 1) * (24 + page))
                frame = stream.read(16)
                if frame[8:16] == salts and any(frame[4:8]):
                    last = number
        with index.open("rb") as stream:
            stream.seek(16)
            return last > int.from_bytes(stream.read(4), sys.byteorder)
    except FileNotFoundError:
        return False


def _is_whole(head: bytes) -> bool:
    """Whether the head of a write-ahead log fits its checksum."""
    words = struct.unpack(">6I" if head[3] & 1 else "<6I", head[:24])
    first = second = 0
    for at in range(0, 6, 2):
        first = (first + words[at] + second) % 2**32
        second = (second + words[at + 1] + first) % 2**32
    return struct.unpack(">2I", head[24:32]) == (first, second) and head[:3] == b"\x37\x7f\x06"
