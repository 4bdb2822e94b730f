"""Answers of models and raters: as JSON, in files under the hash of the request, and in the tables of a ledger.

The shared cache and the journal of paid calls are one table in different files (`AnswerFile`): they differ in where
they are, how safely they are written and what is evicted. A ledger has the same columns by kind of answer (`Kind`),
with the numbers of texts and questions in the place of hashes: under hashes, ratings would take three times the room
and eight times as long to write. What was answered stays: only what a server left open gives way to another answer.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeAlias, TypeVar

from tiltmeter.databases import transaction
from tiltmeter.records import NO_ANSWER, Completion, NextWord, NextWords, Rating, Saliency, Span, TokenScores

Question = TypeVar("Question")
AnyAnswer: TypeAlias = TokenScores | Completion | NextWords | Saliency | Rating
Answer = TypeVar("Answer", bound=AnyAnswer)
Whose: TypeAlias = tuple[str | int, ...]
"""Who answered: a model or rater, and in which way."""


MEMORY = ":memory:"
DAY = 86_400
_SCHEMA = (
    """create table if not exists subjects (number integer primary key, name text not null, verb text not null,
                                            unique (name, verb))""",
    """create table if not exists answers (key blob not null unique, subject integer not null references subjects,
                                           answer text not null, used integer not null)""",
)
_DIGEST = 16
"""Characters of the digest before each answer."""
_AT_ONCE = 500
"""Keys in one query."""
_PARAMETERS = 900
"""The most values that a query is given: every SQLite takes as many."""
_REQUESTS = json.JSONEncoder(sort_keys=True, allow_nan=False)


def key_of(*request: Any) -> bytes:
    """The hash of a request: of all that its answer depends on.

    >>> key_of({"a": 1, "b": 2}, "score", ["text"]) == key_of({"b": 2, "a": 1}, "score", ["text"])
    True
    """
    *shared, last = request
    return keys_of(shared, [last])[0]


def keys_of(shared: Sequence[Any], questions: Iterable[Any]) -> list[bytes]:
    """The same of requests that differ in their last part: what they share is hashed once."""
    begun = hashlib.sha256("".join(["[", *(f"{_REQUESTS.encode(part)}, " for part in shared)]).encode())
    keys = []
    for question in questions:
        digest = begun.copy()
        digest.update(f"{_REQUESTS.encode(question)}]".encode())
        keys.append(digest.digest())
    return keys


class AnswerFile:
    """Answers by the hash of their request; several threads and processes may use the file at once."""

    def __init__(self, path: str | Path, *, durable: bool) -> None:
        self.path = Path(path)
        self._subjects: dict[tuple[str, str], int] = {}
        self._turn = threading.RLock()
        with self._explained("cannot be used for answers"):
            if str(path) != MEMORY:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                # What models wrote is for nobody else on the machine.
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            # In a notebook requests go out from a thread of their own; threads take turns, see `_explained`.
            self._database = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._database.execute("pragma auto_vacuum = incremental")
            self._database.execute("pragma journal_mode = wal")
            self._database.execute(f"pragma synchronous = {'full' if durable else 'normal'}")
            self._create()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            self._database.close()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The answers that are there, of those asked for; one that is not as it was written is missing."""
        with self._explained():
            return {key: answer for key, answer, _ in self._read(keys) if answer is not None}

    def put(self, name: str, verb: str, answers: Mapping[bytes, str], *, again: bool = False) -> None:
        """Add the answers of one batch: all of them or none. One that is there stays, unless it was asked for again."""
        with self._explained(), self._transaction():
            self._insert(name, verb, answers, again=again)

    def _create(self) -> None:
        for statement in _SCHEMA:
            self._database.execute(statement)

    def _read(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, str | None, int]]:
        """Each key that is there, its answer where that is as it was written, and on which day it was last used."""
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            query = f"select key, answer, used from answers where key in ({','.join('?' * len(some))})"
            for key, kept, used in self._database.execute(query, some).fetchall():
                # Damage can make another type of it.
                is_whole = isinstance(kept, str) and kept[:_DIGEST] == _digest(key, kept[_DIGEST:])
                yield key, kept[_DIGEST:] if is_whole else None, used

    def _insert(self, name: str, verb: str, answers: Mapping[bytes, str], *, again: bool = False) -> None:
        subject, today = self._subject(name, verb), int(time.time()) // DAY
        there = "update set answer = excluded.answer, used = excluded.used" if again else "nothing"
        self._database.executemany(
            f"insert into answers values (?, ?, ?, ?) on conflict (key) do {there}",
            ((key, subject, _digest(key, answer) + answer, today) for key, answer in answers.items()),
        )

    def _subject(self, name: str, verb: str) -> int:
        if (name, verb) not in self._subjects:
            self._database.execute("insert or ignore into subjects (name, verb) values (?, ?)", (name, verb))
            row = self._database.execute("select number from subjects where name = ? and verb = ?", (name, verb))
            self._subjects[name, verb] = int(row.fetchone()[0])
        return self._subjects[name, verb]

    def _transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self._database, after_rollback=lambda _: self._subjects.clear())

    @contextmanager
    def _explained(self, problem: str = "an answer cannot be kept") -> Iterator[None]:
        """One thread at a time; and whatever goes wrong is one sentence."""
        try:
            with self._turn:
                yield
        except (OSError, sqlite3.Error, ValueError, TypeError) as error:
            said = (error.strerror if isinstance(error, OSError) else None) or error
            raise self._trouble(problem, str(said)) from error

    def _trouble(self, problem: str, said: str) -> Exception:
        """The error of a file that cannot be used."""
        raise NotImplementedError


def _digest(key: bytes, answer: str) -> str:
    """What is written before an answer, by which damage to it is noticed."""
    return hashlib.blake2b(answer.encode("utf-8", "surrogatepass"), digest_size=_DIGEST // 2, key=key).hexdigest()


@dataclass(frozen=True, slots=True)
class Kind(Generic[Question, Answer]):
    """How the answers to one kind of question lie in a ledger."""

    table: str
    whose: tuple[str, ...]
    """The columns of who answered; then those of the question, of the answer, and of why there is none."""
    asked: tuple[str, ...]
    said: tuple[str, ...]
    reason: str
    cells: Callable[[Answer], tuple[Any, ...]]
    answer_of: Callable[..., Answer]
    question_cells: Callable[[Question], tuple[Any, ...]] = lambda number: (number,)
    question_of: Callable[..., Question] = lambda number: number
    who: str = "?"
    """What finds who answered by their name."""
    open_where: str = "true"
    """Which answers can be asked for again at all."""


class Answers(Generic[Question, Answer]):
    """The answers of one kind in an open ledger."""

    def __init__(self, kind: Kind[Question, Answer], database: sqlite3.Connection) -> None:
        self.kind: Kind[Question, Answer] = kind
        self._database = database
        whose = [f"{column} = {kind.who if at == 0 else '?'}" for at, column in enumerate(kind.whose)]
        self._whose = " and ".join(whose)
        self._lacks = f"instr({kind.table}.{kind.reason}, '{NO_ANSWER}') > 0"

    def put(self, whose: Whose, answers: Iterable[tuple[Question, Answer]], *, again: bool = False) -> None:
        """Add answers, in a writing; asked `again`, they take the place of those that a server left open."""
        kind = self.kind
        key, columns = kind.whose + kind.asked, kind.whose + kind.asked + kind.said
        marks = ", ".join([kind.who, *"?" * (len(columns) - 1)])
        changed = ", ".join(f"{column} = excluded.{column}" for column in kind.said)
        # What is there already and was not asked for again would be a batch that was done twice.
        there = f" on conflict ({', '.join(key)}) do update set {changed} where {self._lacks}" if again else ""
        self._database.executemany(
            f"insert into {kind.table} ({', '.join(columns)}) values ({marks}){there}",
            ((*whose, *kind.question_cells(question), *kind.cells(answer)) for question, answer in answers),
        )

    def get(self, whose: Whose, questions: Iterable[Question]) -> dict[Question, Answer]:
        """The answers to questions that were asked."""
        wanted = list(dict.fromkeys(questions))
        found = self.known(whose, wanted)
        if len(found) < len(wanted):
            raise KeyError(next(question for question in wanted if question not in found))
        return found

    def known(self, whose: Whose, questions: Iterable[Question]) -> dict[Question, Answer]:
        """The same of questions of which some may not have been asked."""
        kind, wanted = self.kind, list(dict.fromkeys(questions))
        said, same = ", ".join(kind.said), " and ".join(f"{name} = wanted_{name}" for name in kind.asked)
        mark = f"({', '.join('?' * (1 + len(kind.asked)))})"
        most = _PARAMETERS // (1 + len(kind.asked))
        found: dict[Question, Answer] = {}
        for start in range(0, len(wanted), most):
            some = wanted[start : start + most]
            query = (
                f"with wanted (place, {', '.join(f'wanted_{name}' for name in kind.asked)}) as "
                f"(values {', '.join([mark] * len(some))}) "
                f"select place, {said} from wanted cross join {kind.table} where {self._whose} and {same} "
                "order by place"
            )
            cells = [cell for at, question in enumerate(some) for cell in (at, *kind.question_cells(question))]
            for at, *row in self._database.execute(query, (*cells, *whose)):
                found[some[at]] = kind.answer_of(*row)
        return found

    def every(self, whose: Whose) -> Iterator[Answer]:
        """All that was answered."""
        kind = self.kind
        query = f"select {', '.join(kind.said)} from {kind.table} where {self._whose}"
        return (kind.answer_of(*row) for row in self._database.execute(query, whose))

    def unanswered(self, whose: Whose) -> Iterator[Question]:
        """The questions that have no answer, whatever the reason."""
        return self._questions(whose, f"{self.kind.reason} is not null")

    def lacking(self, whose: Whose) -> list[Question]:
        """The questions that a server left open, or a part of them."""
        return list(self._questions(whose, f"{self._lacks} and {self.kind.open_where}"))

    def _questions(self, whose: Whose, chosen: str) -> Iterator[Question]:
        kind, asked = self.kind, ", ".join(self.kind.asked)
        query = f"select {asked} from {kind.table} where {self._whose} and {chosen} order by {asked}"
        return (kind.question_of(*row) for row in self._database.execute(query, whose))

    def missing(self) -> Counter[str]:
        """How many answers servers left open, by the reason."""
        kind, found = self.kind, Counter[str]()
        query = f"select {', '.join(kind.said)} from {kind.table} where {self._lacks} and {kind.open_where}"
        for row in self._database.execute(query):
            found.update({why for why in reasons_of(kind.answer_of(*row)) if NO_ANSWER in why})
        return found


def reasons_of(answer: AnyAnswer) -> list[str]:
    """Why an answer, or a part of it, is missing; nothing where all of it is there."""
    if isinstance(answer, NextWords):
        return [word.unscored for word in answer.words if word.unscored is not None]
    if isinstance(answer, Completion):
        reason = answer.unwritten
    else:
        reason = answer.unrated if isinstance(answer, Rating) else answer.unscored
    return [] if reason is None else [reason]


def is_transient(answer: AnyAnswer) -> bool:
    """Whether an answer is missing because of a server, which may answer another time."""
    return any(NO_ANSWER in reason for reason in reasons_of(answer))


StoredAnswer = TypeVar("StoredAnswer")


@dataclass(frozen=True, slots=True)
class Packing(Generic[StoredAnswer]):
    """How one kind of answer is written."""

    cells: Callable[[StoredAnswer], Any]
    restored: Callable[..., StoredAnswer]
    """From the cells."""

    def pack(self, answer: StoredAnswer) -> str:
        """The answer as text."""
        return json.dumps(self.cells(answer), ensure_ascii=False, separators=(",", ":"))

    def unpack(self, text: str) -> StoredAnswer:
        """The answer that `pack` wrote.

        >>> SCORES.unpack(SCORES.pack(TokenScores(((0, 3),), (-0.1,))))
        TokenScores(spans=((0, 3),), logprobs=(-0.1,), unscored=None)
        """
        return self.restored(*json.loads(text))


def spans_of(given: list[list[int]]) -> tuple[Span, ...]:
    """Spans from their cells."""
    return tuple((start, end) for start, end in given)


def word_cells(word: NextWord) -> list[Any]:
    """The cells of a word, as `word_of` reads them."""
    return [word.word, word.logprob, word.unscored, word.shared]


def word_of(word: str, logprob: float | None, unscored: str | None, shared: Any = None) -> NextWord:
    """A word from its cells; runs of before do not say what it shares with others."""
    parts = None if shared is None else tuple((tuple(others), part) for others, part in shared)
    return NextWord(word, logprob, unscored, parts)


def _completion(text: str, tokens: int, ended: Any, attempts: int, offsets: list[int], unwritten: str | None) -> Any:
    return Completion(text, tokens, ended, attempts, tuple(offsets), unwritten)


SCORES: Packing[TokenScores] = Packing(
    lambda one: [one.spans, one.logprobs, one.unscored],
    lambda spans, logprobs, unscored: TokenScores(spans_of(spans), tuple(logprobs), unscored),
)
NEXT_WORDS: Packing[NextWords] = Packing(
    lambda one: [list(map(word_cells, one.words)), one.highest, one.gap],
    lambda words, highest, gap: NextWords(tuple(word_of(*each) for each in words), highest, gap),
)
COMPLETIONS: Packing[list[Completion]] = Packing(
    lambda every: [[each.text, each.tokens, each.ended, each.attempts, each.offsets, each.unwritten] for each in every],
    lambda *every: [_completion(*each) for each in every],
)
SALIENCY: Packing[Saliency] = Packing(
    lambda one: [one.word, one.method, one.spans, one.signed, one.sizes, one.residue, one.unscored],
    lambda word, method, spans, signed, sizes, residue, unscored: Saliency(
        word, method, spans_of(spans), tuple(signed), tuple(sizes), residue, unscored
    ),
)
RATING: Packing[Rating] = Packing(
    lambda one: [one.rater, one.value, one.unrated, one.because, one.label, one.caveat], Rating
)
TEXT: Packing[str] = Packing(lambda text: [text], lambda text: text)
