"""Answers, written down as soon as they arrive, so that none is paid for twice."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tiltmeter.databases import transaction
from tiltmeter.errors import RunError
from tiltmeter.models.api.budget import MAX_REQUESTS, MAX_TOKENS, Limits, Spent

_SCHEMA = """
create table if not exists about   (model text primary key) without rowid;
create table if not exists answers (key text primary key, answer text not null) without rowid;
create table if not exists faults  (kind text primary key, number integer not null) without rowid;
create table if not exists sent    (one integer primary key check (one = 1), requests integer not null,
                                    reserved integer not null, used integer not null);
"""
# A file of an earlier version counted what came back.
_COUNT_BEFORE = """
insert or ignore into sent
select 1, (select count(*) from answers) + (select coalesce(sum(number), 0) from faults), 0,
       (select coalesce(sum(json_extract(answer, '$.usage[0]') + json_extract(answer, '$.usage[1]')), 0) from answers)
where not exists (select 1 from sent)
"""
_MEMORY = ":memory:"
_NOT_KEPT = "an answer cannot be kept"
_BEFORE = frozenset({"choice", "usage", "fingerprint", "model"})
"""The parts of an answer that was kept without a digest."""


class File:
    """Where answers are kept, and the account of what was sent for them.

    Several processes may use the same file, and each sees what the others wrote.
    """

    def __init__(self, path: str | Path, model: str = "") -> None:
        self._path, self._lock = Path(path), threading.Lock()
        with self._explained("cannot be used for answers"):
            if path != _MEMORY:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                # What models wrote is for nobody else on the machine.
                os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
            # In a notebook requests go out from a thread of their own; the lock keeps the threads apart.
            self._database = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("pragma synchronous = full")
            self._database.executescript(_SCHEMA)
            self._database.execute(_COUNT_BEFORE)
            if model:
                self._database.execute("insert or ignore into about values (?)", (model,))

    @property
    def model(self) -> str:
        """The name of the model that the answers are from."""
        [name] = self._rows("select coalesce(min(model), '') from about")[0]
        return str(name)

    def get(self, key: str) -> Any | None:
        """The answer under that key; one that is not as it was written is none."""
        found = self._rows("select answer from answers where key = ?", key)
        try:
            answer = json.loads(found[0][0]) if found else None
            if not isinstance(answer, dict):
                return None
            digest = answer.pop("digest", None)
            # Earlier versions wrote no digest; the name of one that is damaged is no name that they wrote.
            is_whole = set(answer) <= _BEFORE if digest is None else digest == request_key(key, answer)
        except (TypeError, ValueError, RecursionError):
            return None
        return answer if is_whole else None

    def put(self, key: str, answer: Mapping[str, Any], used: int = 0) -> None:
        """Write it and wait until it is on the disk."""
        kept = {**answer, "digest": request_key(key, answer)}
        text = json.dumps(kept, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        with self._lock, self._explained(_NOT_KEPT), transaction(self._database):
            self._database.execute("insert or replace into answers values (?, ?)", (key, text))
            self._database.execute("update sent set used = used + ?", (used,))

    def take(self, tokens: int, limits: Limits) -> str | None:
        """Count a request on the disk, whoever else counts at the same time."""
        room = {"tokens": tokens, "most": limits.requests, "most_tokens": limits.tokens}
        with self._lock, self._explained(_NOT_KEPT):
            taken = self._database.execute(
                "update sent set requests = requests + 1, reserved = reserved + :tokens where (:most is null or "
                "requests < :most) and (:most_tokens is null or used + reserved + :tokens <= :most_tokens)",
                room,
            )
            if taken.rowcount:
                return None
            [(sent,)] = self._database.execute("select requests from sent").fetchall()
            return MAX_REQUESTS if limits.requests is not None and sent >= limits.requests else MAX_TOKENS

    def settle(self, reserved: int, used: int) -> None:
        """Count it on the disk."""
        self._rows("update sent set reserved = reserved - ?, used = used + ?", reserved, used)

    def note(self, faults: Mapping[str, int]) -> None:
        """Add to the counts of the file."""
        adding = "insert into faults values (?, ?) on conflict (kind) do update set number = number + excluded.number"
        for kind, number in faults.items():
            self._rows(adding, kind, number)

    def spent(self) -> Spent:
        """The sum over the file."""
        [(answered, counted, tokens_in, tokens_out)] = self._rows(
            "select count(*), count(json_extract(answer, '$.usage')), "
            "coalesce(sum(json_extract(answer, '$.usage[0]')), 0), "
            "coalesce(sum(json_extract(answer, '$.usage[1]')), 0) from answers"
        )
        faults = self._rows("select kind, number from faults order by kind")
        [(sent,)] = self._rows("select requests from sent")
        with self._explained("is damaged"):
            return Spent(
                requests=max(sent, answered + sum(number for _, number in faults)),
                answered=answered,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                uncounted=answered - counted,
                faults=tuple(faults),
                fingerprints=self._said("fingerprint"),
                models=self._said("model"),
            )

    def _said(self, name: str) -> tuple[str, ...]:
        """What servers or models called themselves in the answers."""
        query = f"select distinct json_extract(answer, '$.{name}') as said from answers where said is not null"
        return tuple(sorted(said for (said,) in self._rows(query)))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def _rows(self, statement: str, *values: str | int) -> list[tuple[Any, ...]]:
        with self._lock, self._explained(_NOT_KEPT):
            return self._database.execute(statement, values).fetchall()

    @contextmanager
    def _explained(self, problem: str) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error, ValueError, TypeError) as error:
            said = (error.strerror if isinstance(error, OSError) else None) or error
            raise RunError(f"{self._path}: {problem}: {said}") from error


class Memory(File):
    """The same for as long as the model is open.

    >>> journal = Memory()
    >>> journal.put("a", {"usage": [7, 3], "fingerprint": None}); journal.get("b") is None, journal.spent().tokens_in
    (True, 7)
    """

    def __init__(self) -> None:
        super().__init__(_MEMORY)


def request_key(*parts: Any) -> str:
    """The key of a request: the hash of everything that its answer depends on.

    >>> request_key("url", {"a": 1, "b": 2}) == request_key("url", {"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True, allow_nan=False).encode()).hexdigest()
