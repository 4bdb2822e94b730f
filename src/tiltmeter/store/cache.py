"""What models and raters answered, kept by content and shared between runs: the same question is asked once.

One SQLite file in the cache folder. Several runs may use it at once: each batch is one short transaction. It is a cache
and nothing else: it can be deleted at any time, and what was used least lately goes when it grows beyond its limit.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.cache import cache_folder
from tiltmeter.databases import transaction
from tiltmeter.errors import UserError

FILE = "answers.sqlite"
LIMIT = "TILTMETER_CACHE_LIMIT"
"""The variable of the environment; 0: runs keep nothing."""
DEFAULT_LIMIT = 4_000_000_000
DAY = 86_400

_SCHEMA = """
create table if not exists subjects (number integer primary key, name text not null, verb text not null,
                                     unique (name, verb));
create table if not exists answers (key blob not null unique, subject integer not null references subjects,
                                    answer text not null, used integer not null);
create index if not exists by_use on answers (used);
"""
_DIGEST = 16
"""Characters of the digest before each answer."""
_AT_ONCE = 500
"""Keys in one question to the database."""
_SLACK = 0.9
"""Of its limit that is left when it had grown beyond it, so that it does not do so again at once."""
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


class CacheError(UserError):
    """The cache cannot be used; a run goes on without it."""


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What is kept."""

    path: Path
    size: int
    limit: int
    subjects: tuple[tuple[str, str, int], ...]
    """Who answered, to what kind of question, and how many answers there are."""

    @property
    def answers(self) -> int:
        """How many there are in all."""
        return sum(count for *_, count in self.subjects)


def key_of(subject: Mapping[str, Any], verb: str, question: Any) -> bytes:
    """The key of an answer: all that it depends on.

    >>> key_of({"weights": "a"}, "score", ["text"]) == key_of({"weights": "b"}, "score", ["text"])
    False
    """
    content = json.dumps([subject, verb, question], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest()


def _digest(key: bytes, answer: str) -> str:
    """What stands before an answer, by which damage to it is noticed."""
    return hashlib.blake2b(answer.encode("utf-8", "surrogatepass"), digest_size=_DIGEST // 2, key=key).hexdigest()


def size_from(text: str) -> int:
    """A number of bytes as people write it.

    >>> size_from("500 MB"), size_from("2gb"), size_from("0")
    (500000000, 2000000000, 0)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*", text)
    if not found or found[2].upper() not in _UNITS:
        raise UserError(f"{text!r} is no size; one is 500MB or 2GB")
    return int(float(found[1]) * _UNITS[found[2].upper()])


class Cache:
    """The open cache of answers."""

    def __init__(self, path: Path | None = None, limit: int | None = None) -> None:
        self.path = path or cache_folder() / FILE
        self.limit = limit if limit is not None else size_from(os.environ.get(LIMIT) or str(DEFAULT_LIMIT))
        self.trouble: str | None = None
        """What went wrong with it in a run, which goes on without it."""
        self.hits, self.misses = 0, 0
        """Questions of a run that it could answer, and those that it could not."""
        self._subjects: dict[tuple[str, str], int] = {}
        self._turn = threading.RLock()
        with self._one_sentence():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Threads take turns, see `_one_sentence`.
            self._database = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
            self._database.execute("pragma auto_vacuum = incremental")
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("pragma synchronous = normal")
            self._database.executescript(_SCHEMA)

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def found(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The answers that are kept, of those asked for; one that is not as it was written goes."""
        answers: dict[bytes, str] = {}
        stale: list[bytes] = []
        damaged: list[bytes] = []
        today = int(time.time()) // DAY
        with self._one_sentence():
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = self._database.execute(f"select key, answer, used from answers where key in ({marks})", some)
                for key, kept, used in rows:
                    # Damage can make another type of it.
                    if not isinstance(kept, str) or kept[:_DIGEST] != _digest(key, kept[_DIGEST:]):
                        damaged.append(key)
                        continue
                    answer = kept[_DIGEST:]
                    answers[key] = answer
                    if used != today:
                        stale.append(key)
            if stale or damaged:
                with self._transaction():
                    self._database.executemany("update answers set used = ? where key = ?", ((today, k) for k in stale))
                    self._database.executemany("delete from answers where key = ?", ((key,) for key in damaged))
        return answers

    def keep(self, name: str, verb: str, answers: Mapping[bytes, str]) -> None:
        """Add the answers of one batch: all of them or none. One that is there already stays as it is."""
        today = int(time.time()) // DAY
        with self._one_sentence():
            with self._transaction():
                subject = self._subject(name, verb)
                self._database.executemany(
                    "insert into answers values (?, ?, ?, ?) on conflict (key) do nothing",
                    ((key, subject, _digest(key, answer) + answer, today) for key, answer in answers.items()),
                )
            if self.size > self.limit:
                self._shrink(int(self.limit * _SLACK))

    @property
    def size(self) -> int:
        """Bytes that answers take, without room that is free again."""
        pages, free, page = (
            self._database.execute(f"pragma {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * page)

    def info(self) -> CacheInfo:
        """What is kept."""
        with self._one_sentence():
            rows = self._database.execute(
                "select name, verb, count(*) from answers join subjects on subject = number "
                "group by name, verb order by count(*) desc, name, verb"
            ).fetchall()
            return CacheInfo(self.path, self.size, self.limit, tuple(rows))

    def prune(self, *, to: int | None = None, unused_for: int | None = None) -> int:
        """Delete what was not used for so many days, and then what was used least lately beyond a size in bytes.

        Returns how many answers went.
        """
        with self._one_sentence():
            before = self._count()
            if unused_for is not None:
                with self._transaction():
                    oldest = int(time.time()) // DAY - unused_for
                    self._database.execute("delete from answers where used < ?", (oldest,))
            if to is not None:
                self._shrink(to)
            self._database.execute("pragma incremental_vacuum").fetchall()
            self._database.execute("pragma wal_checkpoint(truncate)").fetchall()
            return before - self._count()

    def _shrink(self, to: int) -> None:
        """Delete what was used least lately until no more is left than so many bytes."""
        while (size := self.size) > to and (count := self._count()):
            many = max(1, int(count * min(1.0, (size - to) / size)))
            with self._transaction():
                self._database.execute(
                    "delete from answers where rowid in (select rowid from answers order by used, rowid limit ?)",
                    (many,),
                )

    def _count(self) -> int:
        return int(self._database.execute("select count(*) from answers").fetchone()[0])

    def _subject(self, name: str, verb: str) -> int:
        if (name, verb) not in self._subjects:
            self._database.execute("insert or ignore into subjects (name, verb) values (?, ?)", (name, verb))
            row = self._database.execute("select number from subjects where name = ? and verb = ?", (name, verb))
            self._subjects[name, verb] = int(row.fetchone()[0])
        return self._subjects[name, verb]

    def _transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self._database, after_rollback=lambda _: self._subjects.clear())

    @contextmanager
    def _one_sentence(self) -> Iterator[None]:
        """One thread at a time; and whatever goes wrong is one sentence."""
        try:
            with self._turn:
                yield
        except (sqlite3.Error, OSError, UnicodeError) as error:
            raise CacheError(
                f"{self.path}: the cache of answers cannot be used ({error}); remove it, or set TILTMETER_CACHE"
            ) from error
