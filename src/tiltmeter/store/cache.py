"""What models and raters answered, shared between runs: the same question is asked once.

It is a cache and nothing else: it can be deleted at any time, and what was used least lately goes when it grows beyond
its limit.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.answers import DAY, AnswerFile
from tiltmeter.cache import cache_folder
from tiltmeter.errors import UserError

FILE = "answers.sqlite"
LIMIT = "TILTMETER_CACHE_LIMIT"
"""The variable of the environment; 0: runs keep nothing."""
DEFAULT_LIMIT = 4_000_000_000

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


def size_from(text: str) -> int:
    """A number of bytes as people write it.

    >>> size_from("500 MB"), size_from("2gb"), size_from("0")
    (500000000, 2000000000, 0)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*", text)
    if not found or found[2].upper() not in _UNITS:
        raise UserError(f"{text!r} is not a size; write e.g. 500MB or 2GB")
    return int(float(found[1]) * _UNITS[found[2].upper()])


class Cache(AnswerFile):
    """The open cache of answers."""

    def __init__(self, path: Path | None = None, limit: int | None = None) -> None:
        self.limit = limit if limit is not None else size_from(os.environ.get(LIMIT) or str(DEFAULT_LIMIT))
        self.trouble: str | None = None
        """What went wrong with it in a run, which goes on without it."""
        self.hits, self.misses = 0, 0
        """Questions of a run that it could answer, and those that it could not."""
        self._pool = ThreadPoolExecutor(1, "tiltmeter-cache")
        self._pending: Future[None] | None = None
        super().__init__(path or cache_folder() / FILE, durable=False)

    def do_later(self, work: Callable[[], None]) -> None:
        """Do something in another thread, when what was given to it before is done; `close` waits for it."""
        before, self._pending = self._pending, None
        if before is not None:
            before.result()
        self._pending = self._pool.submit(work)

    def close(self) -> None:
        """Let go of the file, when everything is done."""
        try:
            if self._pending is not None:
                self._pending.result()
        finally:
            self._pool.shutdown()
            super().close()

    def _create(self) -> None:
        super()._create()
        self._database.execute("create index if not exists by_use on answers (used)")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The answers that are there, of those asked for; one that is not as it was written goes."""
        today = int(time.time()) // DAY
        with self._explained():
            rows = list(self._read(keys))
            stale = [(today, key) for key, answer, used in rows if answer is not None and used != today]
            damaged = [(key,) for key, answer, _ in rows if answer is None]
            if stale or damaged:
                with self._transaction() as database:
                    database.executemany("update answers set used = ? where key = ?", stale)
                    database.executemany("delete from answers where key = ?", damaged)
        return {key: answer for key, answer, _ in rows if answer is not None}

    def put(self, name: str, verb: str, answers: Mapping[bytes, str], *, again: bool = False) -> None:
        """Add the answers of one batch, and evict others where there is no room for them."""
        super().put(name, verb, answers, again=again)
        with self._explained():
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
        with self._explained():
            rows = self._database.execute(
                "select name, verb, count(*) from answers join subjects on subject = number "
                "group by name, verb order by count(*) desc, name, verb"
            ).fetchall()
            return CacheInfo(self.path, self.size, self.limit, tuple(rows))

    def prune(self, *, to: int | None = None, unused_for: int | None = None) -> int:
        """Delete what was not used for so many days, and then what was used least lately beyond a size in bytes.

        Returns how many answers went.
        """
        with self._explained():
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

    def _trouble(self, problem: str, said: str) -> CacheError:
        return CacheError(
            f"{self.path}: the cache of answers cannot be used ({said}); remove it, or set TILTMETER_CACHE"
        )
