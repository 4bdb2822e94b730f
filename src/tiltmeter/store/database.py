"""The files of a run folder: opening them, holding them, and writing to them whole or not at all."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import stat
import struct
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tiltmeter.databases import transaction
from tiltmeter.errors import RunError
from tiltmeter.store.items import show_items
from tiltmeter.store.validation import SummingConnection, forget, settle, watch

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LEDGER = "ledger.sqlite"
ANSWERS = "api"
"""The folder of what models behind an API answered, and of the account of it."""
_LOCK = "lock.sqlite"
_BESIDE = ("", "-wal", "-shm", "-journal")
"""Endings of the files of a database."""
_LOCKED_BYTE = 0x40000002
"""A byte of the database that whoever holds it has locked."""
_FLOCK = {
    "linux": ("@hhqqi4x", ("type", "whence", "start", "length", "process")),
    "darwin": ("@qqihh", ("start", "length", "process", "type", "whence")),
}
"""How the system lays out a question about a lock."""
_PATIENCE = 2.0
"""Seconds to wait for whoever only looks whether a run folder is held."""
_PACKAGES = (
    "tiltmeter",
    "numpy",
    "scipy",
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "gguf",
    "spacy",
    "vaderSentiment",
    "onnxruntime",
)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run folder, so that no second process writes the same run; a killed process lets go by itself."""
    refuse_links(folder / _LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = sqlite3.connect(folder / _LOCK, timeout=_PATIENCE, isolation_level=None)
        lock.execute("begin exclusive")
        # Since when it is held.
        os.utime(folder / _LOCK)
    except OSError as error:
        raise RunError(f"{folder}: cannot be written: {error.strerror or error}") from error
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise RunError(f"{folder}: another process is running this study here; wait for it, or stop it") from error
        raise RunError(f"{folder}: cannot be written: {error}") from error
    try:
        yield
    finally:
        lock.close()


def is_held(folder: Path) -> bool:
    """Whether a process is carrying out the run of a folder just now."""
    path = folder / _LOCK
    if not path.is_file():
        return False
    try:
        refuse_links(path)
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)) as lock:
            lock.execute("select count(*) from sqlite_master").fetchone()
    except RunError:
        return False
    except sqlite3.Error as error:
        return "locked" in str(error)
    return False


def held_since(folder: Path) -> int | None:
    """When the process came that is carrying out the run of a folder, in nanoseconds; None: there is none."""
    return (folder / _LOCK).stat().st_mtime_ns if is_held(folder) else None


def holder_of(folder: Path) -> int | None:
    """The process that holds a run folder, by the word of the system and not of any file; None: it does not say."""
    if fcntl is None or sys.platform not in _FLOCK:
        return None
    form, order = _FLOCK[sys.platform]
    asked = {"type": fcntl.F_RDLCK, "whence": os.SEEK_SET, "start": _LOCKED_BYTE, "length": 1, "process": 0}
    try:
        with (folder / _LOCK).open("rb") as file:
            answer = fcntl.fcntl(file, fcntl.F_GETLK, struct.pack(form, *(asked[name] for name in order)))
    except OSError:
        return None
    found = dict(zip(order, struct.unpack(form, answer), strict=True))
    return found["process"] if found["type"] != fcntl.F_UNLCK and found["process"] > 0 else None


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a ledger without writing to its folder, which may not be ours; a run may be writing it meanwhile."""
    refuse_links(path)
    address = path.absolute().as_uri()
    # What was not read to its end is closed by whoever cleans up, which may be another thread.
    log = path.with_name(f"{path.name}-wal")
    for mode in ("mode=ro", "immutable=1"):
        if mode == "immutable=1" and log.is_file() and log.stat().st_size:
            raise RunError(
                f"{path}: its last changes are in {log.name}; copy its folder to a place where you can write"
            )
        database = sqlite3.connect(
            f"{address}?{mode}", uri=True, timeout=60, isolation_level=None, check_same_thread=False
        )
        try:
            database.execute("select count(*) from sqlite_master")
        except sqlite3.OperationalError:
            # In a folder that cannot be written SQLite cannot share memory with a writer; there is none then.
            database.close()
        else:
            return show_items(harmless(database))
    raise RunError(f"{path}: cannot be opened as a ledger")


def harmless(database: sqlite3.Connection) -> sqlite3.Connection:
    """A database that may come from anybody: what is in its schema can call nothing but plain functions."""
    database.execute("pragma trusted_schema = off")
    return database


def refuse_links(path: Path) -> None:
    """Refuse a database of which a file is a link, which leads out of the run folder, or a pipe, which never ends."""
    for ending in _BESIDE:
        file = path.with_name(path.name + ending)
        try:
            # Asked once: another process may remove its journal in between.
            mode = file.lstat().st_mode
        except OSError:
            continue
        if stat.S_ISLNK(mode):
            raise RunError(f"{file}: is a link, which a run folder must not contain; put the file itself there")
        if not stat.S_ISREG(mode):
            raise RunError(f"{file}: is not a file; remove it, or put the file itself there")


def connect(path: Path) -> sqlite3.Connection:
    """Open a ledger to write it, in WAL mode."""
    refuse_links(path)
    try:
        database = sqlite3.connect(path, timeout=60, isolation_level=None, factory=SummingConnection)
        database.execute("pragma journal_mode = wal")
        database.execute("pragma synchronous = full")
        watch(database)
    except sqlite3.Error as error:
        raise RunError(f"{path}: cannot be opened as a ledger: {error}") from error
    return database


@contextmanager
def writing(database: sqlite3.Connection, folder: Path) -> Iterator[sqlite3.Connection]:
    """A transaction of a run's database, which keeps the digests of its tables."""
    try:
        with transaction(database, before_commit=settle, after_rollback=forget):
            yield database
    except sqlite3.Error as error:
        raise RunError(f"{folder}: cannot be written: {error}") from error


def dump(value: Any) -> str:
    """A record as the ledger keeps it: equal records, equal text."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def changed_versions(before: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
    """The packages that decide numbers and are others now, each with both versions.

    The system below them is noted and decides nothing: an update of it makes no other run.
    """
    now = versions()
    names = [name for name in {**before, **now} if name != "platform"]
    return {name: (before.get(name), now.get(name)) for name in names if before.get(name) != now.get(name)}


def versions() -> dict[str, str]:
    """The packages that can change a number, and where they run."""
    return dict(_installed())


@cache
def _installed() -> Mapping[str, str]:
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
