"""The journal of paid calls: answers are written down as soon as they arrive, so that none is paid for twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tiltmeter.answers import MEMORY, AnswerFile
from tiltmeter.errors import RunError
from tiltmeter.models.api.budget import MAX_REQUESTS, MAX_TOKENS, Limits, Spent

_SCHEMA = (
    "create table if not exists faults (kind text primary key, number integer not null) without rowid",
    """create table if not exists sent (one integer primary key check (one = 1), requests integer not null,
                                        reserved integer not null, used integer not null)""",
)
_VERB = "request"
_ANSWER = "substr(answer, 17)"
"""Without its digest."""
# A file of an earlier version counted what came back.
_COUNT_BEFORE = f"""
insert or ignore into sent
select 1, (select count(*) from answers) + (select coalesce(sum(number), 0) from faults), 0,
       (select coalesce(sum(json_extract({_ANSWER}, '$.usage[0]') + json_extract({_ANSWER}, '$.usage[1]')), 0)
        from answers)
where not exists (select 1 from sent)
"""
_BEFORE = frozenset({"choice", "usage", "fingerprint", "model"})
"""The parts of an answer that an earlier version kept without a digest."""


class Journal(AnswerFile):
    """What a server answered, and the account of what was sent to it.

    Several processes may use the same file, and each sees what the others wrote.
    """

    def __init__(self, path: str | Path, model: str = "") -> None:
        self._model = model
        super().__init__(path, durable=True)

    def _create(self) -> None:
        if len(self._database.execute("select name from pragma_table_info('answers')").fetchall()) == 2:
            with self._transaction():
                self._convert()
        super()._create()
        for statement in (*_SCHEMA, _COUNT_BEFORE):
            self._database.execute(statement)
        if self._model:
            self._subject(self._model, _VERB)

    def _convert(self) -> None:
        """Take over the answers of an earlier version, whose digests are among their parts."""
        rows = self._database.execute("select key, answer from answers").fetchall()
        tables = {name for (name,) in self._database.execute("select name from sqlite_master")}
        [(name,)] = self._database.execute(f"select {'min(model) from about' if 'about' in tables else 'null'}")
        self._database.execute("drop table answers")
        self._database.execute("drop table if exists about")
        super()._create()
        found = {_blob(key): text for key, kept in rows if (text := _whole_before(key, kept)) is not None}
        self._insert(name or self._model, _VERB, found)

    @property
    def model(self) -> str:
        """The name of the model that the answers are from."""
        [name] = self._rows("select coalesce(min(name), '') from subjects")[0]
        return str(name)

    def answer(self, key: bytes) -> Any | None:
        """The answer under that key; one that is not as it was written is missing."""
        found = self.get([key])
        return json.loads(found[key]) if found else None

    def record(self, key: bytes, answer: Mapping[str, Any], used: int = 0) -> None:
        """Write it and wait until it is on the disk."""
        with self._explained(), self._transaction():
            self._insert(self._model, _VERB, {key: _text(answer)}, again=True)
            self._database.execute("update sent set used = used + ?", (used,))

    def reserve(self, tokens: int, limits: Limits) -> str | None:
        """Count a request on the disk, whoever else counts at the same time."""
        room = {"tokens": tokens, "most": limits.requests, "most_tokens": limits.tokens}
        with self._explained():
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
            f"select count(*), count(json_extract({_ANSWER}, '$.usage')), "
            f"coalesce(sum(json_extract({_ANSWER}, '$.usage[0]')), 0), "
            f"coalesce(sum(json_extract({_ANSWER}, '$.usage[1]')), 0) from answers"
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
        query = f"select distinct json_extract({_ANSWER}, '$.{name}') as said from answers where said is not null"
        return tuple(sorted(said for (said,) in self._rows(query)))

    def _rows(self, statement: str, *values: str | int) -> list[tuple[Any, ...]]:
        with self._explained():
            return self._database.execute(statement, values).fetchall()

    def _trouble(self, problem: str, said: str) -> RunError:
        return RunError(f"{self.path}: {problem}: {said}")


class MemoryJournal(Journal):
    """The same for as long as the model is open.

    >>> journal = MemoryJournal()
    >>> journal.record(b"a", {"usage": [7, 3], "fingerprint": None})
    >>> journal.answer(b"b") is None, journal.spent().tokens_in
    (True, 7)
    """

    def __init__(self) -> None:
        super().__init__(MEMORY)


def _text(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _blob(key: str) -> bytes:
    try:
        return bytes.fromhex(key)
    except ValueError:
        return key.encode()


def _whole_before(key: Any, kept: Any) -> str | None:
    """An answer as an earlier version wrote it, without its digest; None where it is not as it was written."""
    try:
        answer = json.loads(kept)
        if not isinstance(key, str) or not isinstance(answer, dict):
            return None
        digest = answer.pop("digest", None)
        content = json.dumps((key, answer), sort_keys=True, allow_nan=False).encode()
        # The first versions wrote no digest; the name of one that is damaged is no name that they wrote.
        is_whole = set(answer) <= _BEFORE if digest is None else digest == hashlib.sha256(content).hexdigest()
        return _text(answer) if is_whole else None
    except (TypeError, ValueError, RecursionError):
        return None
