"""Answers in a ledger: one way to write them, to read them, and to find those that a server left open.

Each kind of answer has a table, which says in its columns who answered, what was asked, what was said, and why nothing
was. What a server said stays: only what it left open gives way to another answer.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from tiltmeter.records import NO_ANSWER, Completion, NextWord, NextWords, Rating, Saliency, Span, TokenScores

Question = TypeVar("Question")
AnyAnswer: TypeAlias = TokenScores | Completion | NextWords | Saliency | Rating
Answer = TypeVar("Answer", bound=AnyAnswer)
Whose: TypeAlias = tuple[str | int, ...]
"""Who answered: a model or rater, and in which way."""


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
        kind = self.kind
        places = " and ".join(f"{column} = ?" for column in kind.asked)
        query = f"select {', '.join(kind.said)} from {kind.table} where {self._whose} and {places}"
        found = {}
        for question in dict.fromkeys(questions):
            row = self._database.execute(query, (*whose, *kind.question_cells(question))).fetchone()
            found[question] = kind.answer_of(*row)
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


Said = TypeVar("Said")


@dataclass(frozen=True, slots=True)
class Packing(Generic[Said]):
    """How one kind of answer is written."""

    cells: Callable[[Said], Any]
    restored: Callable[..., Said]
    """From the cells."""

    def pack(self, answer: Said) -> str:
        """The answer as text."""
        return json.dumps(self.cells(answer), ensure_ascii=False, separators=(",", ":"))

    def unpack(self, text: str) -> Said:
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
