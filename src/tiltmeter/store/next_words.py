"""What a ledger keeps of the view of next words: prompts under each perturbation, and what models expect after them.

The same text is asked about once: "The person said that" stands for every profession.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from tiltmeter.records import NextWords, Prompt, Saliency, Span
from tiltmeter.sources.perturbing import Perturbed
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.store.answers import unasked
from tiltmeter.store.opening import dump, load
from tiltmeter.store.packing import word_cells, word_of
from tiltmeter.store.reading import rows_of
from tiltmeter.store.steps import Step, done, marked
from tiltmeter.study import NextWordChoices

SCHEMA = """
create table questions (number integer primary key, text text not null, hidden text not null, words text not null,
                        explained integer not null);
create table asked (number integer primary key, question integer references questions, perturbation text not null,
                    prompt text not null, unscored text);
create table expected (model text, bounded integer, question integer references questions, words text not null,
                       highest real, gap real, primary key (model, bounded, question)) without rowid;
create table saliencies (model text, question integer references questions, saliency text not null,
                         primary key (model, question)) without rowid
"""


_Key: TypeAlias = tuple[str, tuple[Span, ...], tuple[str, ...]]


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


def questions_of(asked: Sequence[Perturbed], choices: NextWordChoices) -> tuple[list[Question], list[AskedPrompt]]:
    """Every question once, short texts before long ones, and which of them each prompt asks.

    The words of all sets are asked for together.
    """
    keys: list[_Key | None] = []
    explained: set[_Key] = set()
    for one in asked:
        if one.unscored is not None:
            keys.append(None)
            continue
        words = dict.fromkeys(
            word for choice in choices.words for _, listed in choice.of(one.prompt) for word in listed
        )
        key = (one.prompt.text, one.hidden, tuple(words))
        keys.append(key)
        if choices.saliency and one.perturbation == "original":
            explained.add(key)
    ordered = sorted({key for key in keys if key}, key=lambda key: (len(key[0]), key))
    numbers = {key: number for number, key in enumerate(ordered)}
    questions = [Question(*key, key in explained) for key in ordered]
    return questions, [AskedPrompt(one, numbers[key] if key else None) for one, key in zip(asked, keys, strict=True)]


class NextWordLedger:
    """The part of an open ledger that the view of next words writes."""

    def __init__(self, database: sqlite3.Connection, folder: Path) -> None:
        self._database, self._folder = database, folder

    def insert_plan(self, questions: Sequence[Question], asked: Sequence[AskedPrompt]) -> None:
        """Write down what is to be asked, in the transaction that begins a run."""
        self._database.executemany(
            "insert into questions values (?, ?, ?, ?, ?)",
            (
                (at, one.text, json.dumps(one.hidden), dump(one.words), int(one.explained))
                for at, one in enumerate(questions)
            ),
        )
        self._database.executemany(
            "insert into asked values (?, ?, ?, ?, ?)",
            (
                (at, one.question, one.asked.perturbation, dump(asdict(one.asked.prompt)), one.asked.unscored)
                for at, one in enumerate(asked)
            ),
        )

    def done(self, stage: str, name: str) -> set[int]:
        """The batches of a stage that are finished."""
        return done(self._database, stage, name)

    def record_expected(self, at: Step, model: str, bounded: bool, answers: Iterable[tuple[int, NextWords]]) -> None:
        """Write what a model expects, each with the number of its question, and mark the batch as done."""
        with marked(self._database, self._folder, at) as database:
            database.executemany(
                "insert into expected values (?, ?, ?, ?, ?, ?)",
                ((model, int(bounded), number, _words(found), found.highest, found.gap) for number, found in answers),
            )

    def record_saliencies(self, at: Step, model: str, found: Iterable[tuple[int, Saliency]]) -> None:
        """Write what the tokens of prompts have to do with the answers, and mark the batch as done."""
        with marked(self._database, self._folder, at) as database:
            database.executemany(
                "insert into saliencies values (?, ?, ?)",
                ((model, number, dump(asdict(one))) for number, one in found),
            )


class Expectations:
    """What a run holds of the view of next words, read from its ledger when it is asked for."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @cached_property
    def asked(self) -> tuple[AskedPrompt, ...]:
        """Every prompt under every perturbation, in the order of the study."""
        rows = self._rows(
            "select question, perturbation, prompt, asked.unscored, hidden from asked "
            "left join questions on questions.number = question order by asked.number"
        )
        return tuple(
            AskedPrompt(Perturbed(load(Prompt, prompt), perturbation, _spans(hidden), unscored), question)
            for question, perturbation, prompt, unscored, hidden in rows
        )

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """Every question once, by its number."""
        rows = self._rows("select text, hidden, words, explained from questions order by number")
        return tuple(
            Question(text, _spans(hidden), tuple(json.loads(words)), bool(explained))
            for text, hidden, words, explained in rows
        )

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that have answered, in the order in which they were asked."""
        rows = self._rows("select model from models where model in (select model from expected) order by rowid")
        return tuple(model for (model,) in rows)

    @property
    def complete(self) -> bool:
        """Whether every model that was asked anything has answered everything."""
        [(answers,)] = self._rows("select count(*) from expected")
        [(ways,)] = self._rows("select count(*) from (select distinct model, bounded from expected)")
        return bool(answers) and answers == ways * len(self.questions)

    def answers(self, model: str, *, bounded: bool) -> Mapping[int, NextWords]:
        """What a model expects, by the number of the question."""
        rows = self._rows(
            "select question, words, highest, gap from expected where model = ? and bounded = ? order by question",
            model,
            int(bounded),
        )
        return {
            number: NextWords(tuple(word_of(*one) for one in json.loads(words)), highest, gap)
            for number, words, highest, gap in rows
        }

    def saliencies(self, model: str) -> Mapping[int, Saliency]:
        """What the tokens have to do with the answers, by the number of the question."""
        rows = self._rows("select question, saliency from saliencies where model = ? order by question", model)
        return {number: load(Saliency, text) for number, text in rows}

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return list(rows_of(self.folder, query, *values))


def _words(found: NextWords) -> str:
    return json.dumps(list(map(word_cells, found.words)), ensure_ascii=False)


def _spans(text: str | None) -> tuple[Span, ...]:
    return tuple((start, end) for start, end in json.loads(text or "[]"))
