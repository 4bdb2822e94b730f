"""What a ledger keeps of the view of next words: prompts under each perturbation, and what models expect after them.

The same text is asked about once: "The person said that" stands for every profession.
"""

from __future__ import annotations

import json
import math
import sqlite3
import weakref
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from tiltmeter.answers import NEXT_WORDS, Kind, spans_of
from tiltmeter.models.next_words import BLANK
from tiltmeter.records import NextWord, NextWords, Prompt, Saliency, Span
from tiltmeter.sources.perturbations import Perturbed
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.store import validation
from tiltmeter.store.database import LEDGER, connect_to_read, dump
from tiltmeter.store.items import insert_items
from tiltmeter.store.rows import HELD, count_items, count_of, rows_of, rows_or_reader
from tiltmeter.store.validation import record_reader, valid_ledger
from tiltmeter.study import NextWordChoices
from tiltmeter.study.disk_lists import ordered

SCHEMA = """
create table questions (number integer primary key, text text not null, hidden text not null, words text not null,
                        explained integer not null);
create table expected (model text, bounded integer, question integer references questions, words text not null,
                       highest real, gap real, primary key (model, bounded, question)) without rowid;
create table saliencies (model text, question integer references questions, saliency text not null,
                         primary key (model, question)) without rowid
"""

_prompt, _saliency = record_reader(Prompt), record_reader(Saliency)


def _next_words(words: str, highest: float | None, gap: float | None) -> NextWords:
    found = NEXT_WORDS.restored(json.loads(words), highest, gap)
    for value in (highest, gap, *(word.logprob for word in found.words)):
        validation.number(None if value == -math.inf else value)
    return found


def _next_word_cells(found: NextWords) -> tuple[Any, ...]:
    words, highest, gap = NEXT_WORDS.cells(found)
    return json.dumps(words, ensure_ascii=False), highest, gap


EXPECTED: Kind[int, NextWords] = Kind(
    "expected",
    ("model", "bounded"),
    ("question",),
    ("words", "highest", "gap"),
    "words",
    _next_word_cells,
    _next_words,
)
EXPLAINED: Kind[int, Saliency] = Kind(
    "saliencies",
    ("model",),
    ("question",),
    ("saliency",),
    "saliency",
    lambda one: (dump(asdict(one)),),
    _saliency,
)


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: how probable words are after a text, parts of which may be hidden from it."""

    text: str
    hidden: tuple[Span, ...]
    words: tuple[str, ...]
    explained: bool = False
    """Whether it is also asked what each token has to do with the answer."""


@dataclass(frozen=True, slots=True)
class AskedPrompt:
    """A prompt under a perturbation, and the number of the question that it asks; None: it could not be made."""

    asked: Perturbed
    question: int | None

    @property
    def template(self) -> str | None:
        """The template of its prompt; the structure of its sentence where that is what varies."""
        prompt = self.asked.prompt
        return prompt.structure.id if prompt.template is None and prompt.structure else prompt.template

    def answer(self, answers: Mapping[int, NextWords], sets: WordSets) -> NextWords:
        """What was answered to its question; where it could not be asked, every word is unscored with the reason."""
        if self.question is not None:
            return answers[self.question]
        return unasked([word for _, listed in sets for word in listed], self.asked.unscored or "")


def ordered_questions(asked: Iterable[Perturbed], choices: NextWordChoices) -> Iterator[tuple[Question, Sequence[int]]]:
    """Every question once, short texts before long ones, with the numbers of the prompts that ask it.

    The words of all sets are asked for together.
    """
    rows = (
        (len(one.prompt.text), one.prompt.text, one.hidden, _words_of(one.prompt, choices), number, one.perturbation)
        for number, one in enumerate(asked)
        if one.unscored is None
    )
    for (_, text, hidden, words), asking in groupby(ordered(rows), key=lambda row: row[:4]):
        numbers, explained = array("q"), False
        for *_, number, perturbation in asking:
            numbers.append(number)
            explained |= choices.saliency is not None and perturbation == "original"
        yield Question(text, hidden, words, explained), numbers


def _words_of(prompt: Prompt, choices: NextWordChoices) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for choice in choices.words for _, listed in choice.of(prompt) for word in listed))


def questions_of(asked: Sequence[Perturbed], choices: NextWordChoices) -> tuple[list[Question], list[AskedPrompt]]:
    """The same in memory: every question, and which of them each prompt asks."""
    questions: list[Question] = []
    numbers: dict[int, int] = {}
    for question, asking in ordered_questions(asked, choices):
        numbers |= dict.fromkeys(asking, len(questions))
        questions.append(question)
    return questions, [AskedPrompt(one, numbers.get(at)) for at, one in enumerate(asked)]


class NextWordLedger:
    """The part of an open ledger that the view of next words writes."""

    def __init__(self, database: sqlite3.Connection, folder: Path) -> None:
        self._database, self._folder = database, folder

    def insert_plan(self, asked: Sequence[Perturbed], choices: NextWordChoices) -> None:
        """Write down what is to be asked, in the transaction that begins a run."""
        items = ((one.prompt, (one.perturbation, one.unscored)) for one in asked)
        insert_items(self._database, "next words", items)
        for at, (one, asking) in enumerate(ordered_questions(asked, choices)):
            cells = (at, one.text, json.dumps(one.hidden), dump(one.words), int(one.explained))
            self._database.execute("insert into questions values (?, ?, ?, ?, ?)", cells)
            self._database.executemany(
                "update items set question = ? where view = 'next words' and number = ?",
                ((at, number) for number in asking),
            )

    def questions(self) -> Sequence[Question]:
        """Every question by its number, read when it is asked for."""
        return Expectations(self._folder, held=0).questions

    def explained(self) -> Sequence[int]:
        """The numbers of the questions whose answers are to be explained."""
        rows = self._database.execute("select number from questions where explained order by number")
        return array("q", (number for (number,) in rows))


class Expectations:
    """What a run holds of the view of next words, read from its ledger when it is asked for."""

    def __init__(self, folder: str | Path, held: int = HELD) -> None:
        self.folder, self._held = Path(folder), held

    @cached_property
    def asked(self) -> Sequence[AskedPrompt]:
        """Every prompt under every perturbation, in the order of the study."""
        query = (
            "select question, perturbation, item, unscored, hidden from items "
            "left join questions on questions.number = question "
            "where view = 'next words' and items.number >= ? and items.number < ? order by items.number"
        )

        def read(*of: int) -> Iterator[AskedPrompt]:
            with valid_ledger(self.folder / LEDGER):
                for question, perturbation, prompt, unscored, hidden in self._rows(query, *of):
                    yield AskedPrompt(
                        Perturbed(_prompt(prompt), perturbation, spans_of(json.loads(hidden or "[]")), unscored),
                        question,
                    )

        return rows_or_reader(count_items(self.folder, "next words"), read, self._held)

    @cached_property
    def questions(self) -> Sequence[Question]:
        """Every question once, by its number."""
        query = "select text, hidden, words, explained from questions where number >= ? and number < ? order by number"

        def read(*of: int) -> Iterator[Question]:
            with valid_ledger(self.folder / LEDGER):
                for text, hidden, words, explained in self._rows(query, *of):
                    yield Question(text, spans_of(json.loads(hidden)), tuple(json.loads(words)), bool(explained))

        return rows_or_reader(count_of(self.folder, "questions"), read, self._held)

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that have answered, in the order in which they were asked."""
        rows = self._rows("select model from models where model in (select model from expected) order by rowid")
        return tuple(model for (model,) in rows)

    @property
    def complete(self) -> bool:
        """Whether every model that was asked anything has answered everything."""
        answers = count_of(self.folder, "expected")
        [(ways,)] = self._rows("select count(*) from (select distinct model, bounded from expected)")
        return bool(answers) and answers == ways * len(self.questions)

    def answers(self, model: str, *, bounded: bool) -> Mapping[int, NextWords]:
        """What a model expects, by the number of the question."""
        found = _ReadAnswers(self.folder, model, bounded)
        return dict(found.all()) if len(found) <= self._held else found

    def saliencies(self, model: str) -> Mapping[int, Saliency]:
        """What the tokens have to do with the answers, by the number of the question."""
        rows = self._rows("select question, saliency from saliencies where model = ? order by question", model)
        return {number: _saliency(text) for number, text in rows}

    def _rows(self, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        return rows_of(self.folder, query, *values)


class _ReadAnswers(Mapping[int, NextWords]):
    """What a model expects, by the number of the question, each answer read when it is asked for."""

    def __init__(self, folder: Path, model: str, bounded: bool) -> None:
        self._folder, self._of = folder, (model, int(bounded))
        self._last: tuple[int, NextWords] | None = None

    def all(self) -> Iterator[tuple[int, NextWords]]:
        """Every answer with the number of its question."""
        with valid_ledger(self._folder / LEDGER):
            for at, *cells in self._rows("question, words, highest, gap", "order by question"):
                yield at, _next_words(*cells)

    @cached_property
    def _database(self) -> sqlite3.Connection:
        database = connect_to_read(self._folder / LEDGER)
        weakref.finalize(self, database.close)
        return database

    def __getitem__(self, number: int) -> NextWords:
        # Whether there is an answer is asked before the answer is.
        if self._last is None or self._last[0] != number:
            query = "select words, highest, gap from expected where model = ? and bounded = ? and question = ?"
            row = self._database.execute(query, (*self._of, number)).fetchone()
            if row is None:
                raise KeyError(number)
            with valid_ledger(self._folder / LEDGER):
                self._last = number, _next_words(*row)
        return self._last[1]

    def __iter__(self) -> Iterator[int]:
        return (number for (number,) in self._rows("question", "order by question"))

    def __len__(self) -> int:
        return next(int(count) for (count,) in self._rows("count(*)"))

    def _rows(self, chosen: str, rest: str = "") -> Iterator[tuple[Any, ...]]:
        return rows_of(self._folder, f"select {chosen} from expected where model = ? and bounded = ? {rest}", *self._of)


@dataclass(frozen=True, slots=True)
class Answered:
    """A prompt as it was asked, and what the model expects after it."""

    asked: Perturbed
    found: NextWords
    saliency: Saliency | None = None

    @property
    def on_subject(self) -> float | None:
        """The share of the saliency that lies on the subject."""
        spans = self.asked.prompt.subject_spans
        return self.saliency.share_on(spans) if self.saliency is not None and spans else None

    @property
    def on_last(self) -> float | None:
        """The share of the saliency that lies on the last word before the one that is asked for."""
        span = last_word(self.asked.prompt.text)
        return self.saliency.share_on((span,)) if self.saliency is not None and span else None


def last_word(text: str) -> Span | None:
    """Where the last word of a prompt stands: the one before its blank, or before its end.

    >>> last_word("The nurse said that "), last_word("The nurse said that [MASK].")
    ((15, 19), (15, 19))
    """
    ended = text.partition(BLANK)[0].rstrip()
    return (len(ended) - len(ended.split()[-1]), len(ended)) if ended else None


def likeliest(found: NextWords) -> str | None:
    """The most probable of the words asked about; None where none is scored."""
    scored = [(word.logprob, word.word) for word in found.words if word.logprob is not None]
    return max(scored, key=lambda pair: pair[0])[1] if scored else None


def unasked(words: Sequence[str], reason: str) -> NextWords:
    """The answer to a question that could not be asked."""
    return NextWords(tuple(NextWord(word, None, reason) for word in words))
