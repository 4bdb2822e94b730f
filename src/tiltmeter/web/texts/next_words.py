"""The prompts after which words were asked for, with what models expect there, from the ledger."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tiltmeter.answers import word_of
from tiltmeter.errors import UnknownName
from tiltmeter.present.words import probability
from tiltmeter.records import NextWords, Prompt, Saliency, Span
from tiltmeter.store.rows import rows_of
from tiltmeter.store.validation import record_reader
from tiltmeter.web.texts.labels import labelled_rows
from tiltmeter.web.texts.query import Filters, like
from tiltmeter.web.texts.records import Figure, Line, Listing, Option, Row, pieces
from tiltmeter.web.texts.tables import Numbered, counts, page

UNASKED = "not asked yet"
_SHOWN = 6
"""Words in the list; the page of the prompt has all of them."""
_read_prompt, _read_saliency = record_reader(Prompt), record_reader(Saliency)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a model expects after a prompt; `bounded`: the word ends there."""

    model: str
    bounded: bool
    found: NextWords
    saliency: Saliency | None


@dataclass(frozen=True, slots=True)
class AskedText:
    """A prompt under a perturbation, and what every model expects after it."""

    number: int
    prompt: Prompt
    perturbation: str
    hidden: tuple[Span, ...]
    unscored: str | None
    expected: tuple[Expected, ...]


@dataclass(frozen=True)
class NextWordTexts:
    """What the pages show of the prompts of the view of next words."""

    folder: Path

    @cached_property
    def models(self) -> list[str]:
        """The models that were asked."""
        query = "select model from models where model in (select model from expected) order by rowid"
        return [model for (model,) in self._ledger(query)]

    @cached_property
    def words(self) -> list[str]:
        """The words that were asked about, in the order of the first question that has each."""
        rows = self._ledger("select distinct words from questions order by number limit 200")
        return list(dict.fromkeys(word for (words,) in rows for word in json.loads(words)))

    def listing(self, filters: Filters) -> Listing:
        """A page of prompts, and how many there are."""
        full = self.filled(filters)
        table = self.table(full)
        ends = self._ends(full)
        found = counts(self.folder, table, full, ends)
        shown = page(self.folder, table, full)
        return Listing(
            filters=full,
            total=found.total,
            rows=[self._row(one, full) for one in self.texts([one.number for one in shown])],
            facets=found.facets,
            faceted_by="Prompt",
            ends=ends,
            value=f"chance of “{full.word}”" if full.word else "",
            reasons=found.reasons,
            options=self._options(),
            notes=self._notes(filters),
        )

    def filled(self, filters: Filters) -> Filters:
        """The filters with the first model and word where none is named; refuses names that are not there."""
        if filters.model and self.models and filters.model not in self.models:
            raise UnknownName("model that was asked for next words", filters.model, self.models)
        model, word = filters.model or next(iter(self.models), ""), filters.word or self._first_word(filters)
        return replace(filters, model=model, word=word, order="" if filters.order == "disagreement" else filters.order)

    def table(self, filters: Filters) -> Numbered:
        """The prompts that the filters choose, each with the logarithm of the chance of a word."""
        where, given = _conditions(filters)
        value, reason = (self._cell(filters.word, at) for at in (1, 2))
        query = (
            f"with answers as (select question, {value} as value, {reason} as reason from expected "
            "where model = ? and bounded = ?), texts as (select a.number, a.perturbation as facet, e.value as value, "
            "case when e.value is not null then null when e.question is null then coalesce(a.unscored, ?) "
            "else coalesce(e.reason, ?) end as reason, null as spread "
            f"from asked_labels a left join answers e on e.question = a.question where {where})"
        )
        absent = f"`{filters.word}` was not asked for after this prompt"
        asked = (*(filters.word,) * 4, filters.model, self._bounded(filters.model))
        return Numbered(query, (*asked, UNASKED, absent, *given), logarithmic=True)

    def _cell(self, word: str, at: int) -> str:
        """SQL for a part of what is known of a word: 1 is the logarithm of its chance, 2 why it has none.

        Words are kept as a list of such lists; most often each is where it stands among all words, and is looked for
        elsewhere only if not. The word itself is a parameter, twice.
        """
        place = self.words.index(word) if word in self.words else 0
        return (
            f"case when json_extract(words, '$[{place}][0]') = ? then json_extract(words, '$[{place}][{at}]') else "
            f"(select json_extract(w.value, '$[{at}]') from json_each(words) w "
            "where json_extract(w.value, '$[0]') = ?) end"
        )

    def texts(self, wanted: list[int]) -> list[AskedText]:
        """The prompts of these numbers with all answers, in that order."""
        rows = self._ledger(
            "select a.number, a.question, a.perturbation, a.item, a.unscored, q.hidden from items a "
            "left join questions q on q.number = a.question "
            "where a.view = 'next words' and a.number in (select value from json_each(?))",
            json.dumps(wanted),
        )
        answers = self._answers([row[1] for row in rows if row[1] is not None])
        found = {
            number: AskedText(
                number, _read_prompt(prompt), perturbation, _spans(hidden), unscored, tuple(answers.get(question, ()))
            )
            for number, question, perturbation, prompt, unscored, hidden in rows
        }
        return [found[number] for number in wanted if number in found]

    def _answers(self, questions: Sequence[int]) -> dict[int, list[Expected]]:
        rows = self._ledger(
            "select e.question, m.model, e.bounded, e.words, e.highest, e.gap, s.saliency from models m "
            "join expected e on e.model = m.model and e.bounded in (0, 1) "
            "and e.question in (select value from json_each(?)) "
            "left join saliencies s on s.model = m.model and s.question = e.question order by m.rowid, e.bounded",
            json.dumps(list(questions)),
        )
        found: dict[int, list[Expected]] = {}
        for question, model, bounded, words, highest, gap, saliency in rows:
            expected = NextWords(tuple(word_of(*word) for word in json.loads(words)), highest, gap)
            explained = _read_saliency(saliency) if saliency else None
            found.setdefault(question, []).append(Expected(model, bool(bounded), expected, explained))
        return found

    def _row(self, one: AskedText, filters: Filters) -> Row:
        prompt = one.prompt
        labels = [one.perturbation, prompt.origin, prompt.source, prompt.structure.id if prompt.structure else ""]
        answer = next((each for each in one.expected if each.model == filters.model), None)
        figures = figures_of(answer.found)[:_SHOWN] if answer else [Figure("", "", one.unscored or UNASKED)]
        return Row(f"w{one.number}", (line_of(one),), tuple(filter(None, dict.fromkeys(labels))), tuple(figures))

    def _options(self) -> dict[str, list[Option]]:
        rows = self._rows('select distinct source, bias, structure, "group" from asked_labels')
        named = {
            name: [Option(value, value) for value in dict.fromkeys(row[at] for row in rows) if value]
            for at, name in enumerate(("source", "bias", "structure", "group"))
        }
        return {
            "model": [Option(name, name) for name in self.models],
            **named,
            "word": [Option(word, word) for word in self.words],
        }

    def _notes(self, asked: Filters) -> list[str]:
        if asked.order == "disagreement":
            return ["Chances come from the model itself: no two raters could disagree on them."]
        return []

    def _first_word(self, filters: Filters) -> str:
        """The first word that was asked for after the prompts that are chosen; after others it may be another one."""
        where, given = _conditions(filters)
        asked = self._rows(
            f"select question from asked_labels a where question is not null and {where} order by number limit 1",
            *given,
        )
        if not asked:
            return next(iter(self.words), "")
        [(words,)] = self._ledger("select words from questions where number = ?", asked[0][0])
        return str(json.loads(words)[0])

    def _bounded(self, model: str) -> int:
        """Whether the chances are those of whole words, as the first answer of the model has it."""
        found = self._ledger("select bounded from expected where model = ? limit 1", model)
        return int(found[0][0]) if found else 0

    def _ends(self, filters: Filters) -> tuple[float, float] | None:
        [(high,)] = self._ledger(
            f"select max({self._cell(filters.word, 1)}) from expected where model = ? and bounded = ?",
            *(filters.word,) * 2,
            filters.model,
            self._bounded(filters.model),
        )
        return None if high is None else (0.0, math.exp(high))

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Of the labels too, which may have to be copied first."""
        return labelled_rows(self.folder, query, *values)

    def _ledger(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return list(rows_of(self.folder, query, *values))


def line_of(one: AskedText) -> Line:
    """A prompt with its subject marked, and what was hidden from the model."""
    marks = [("group", one.prompt.group_spans), ("attribute", one.prompt.subject_spans), ("hidden", one.hidden)]
    return Line(pieces(one.prompt.text, marks))


def figures_of(found: NextWords) -> list[Figure]:
    """The words with their chances, the likeliest first; those without one, with the reason, at the end."""
    ordered = sorted(found.words, key=lambda word: -math.inf if word.logprob is None else word.logprob, reverse=True)
    return [
        Figure(word.word, "" if word.probability is None else probability(word.probability), word.unscored or "")
        for word in ordered
    ]


def _conditions(filters: Filters) -> tuple[str, list[Any]]:
    conditions: list[tuple[str, list[Any]]] = [("true", [])]
    for name in ("source", "bias", "origin", "group", "perturbation"):
        value = getattr(filters, name)
        if value:
            conditions.append((f'a."{name}" = ?', [value]))
    if filters.structure:
        # Where the prompts have no structure it is their template that varies.
        conditions.append(("? in (structure, template)", [filters.structure]))
    if filters.q:
        conditions.append(("a.words like ? escape '\\'", [like(filters.q)]))
    return " and ".join(condition for condition, _ in conditions), [one for _, given in conditions for one in given]


def _spans(text: str | None) -> tuple[Span, ...]:
    return tuple((start, end) for start, end in json.loads(text or "[]"))
