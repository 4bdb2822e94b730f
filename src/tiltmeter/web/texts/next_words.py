"""The prompts after which words were asked for, with what models expect there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tiltmeter.errors import UnknownName
from tiltmeter.present.words import probability
from tiltmeter.records import NextWord, NextWords, Prompt, Saliency, Span
from tiltmeter.results.measurements.columns import GAP, HIGHEST, SALIENCY, WORD
from tiltmeter.results.texts import hidden_in, prompt_of, saliency_of
from tiltmeter.web.texts.query import Filters
from tiltmeter.web.texts.records import Figure, Line, Listing, Option, Row, pieces
from tiltmeter.web.texts.tables import Numbered, Shown, chosen, counts, distinct, holds, joined, page

UNASKED = "not asked yet"
_SHOWN = 6
"""Words in the list; the page of the prompt has all of them."""
_MOST = 200
"""Words to choose from."""
_WORDS = f"SELECT * FROM ordered WHERE view = 'next words' AND measure = '{WORD}'"
_SAID = (WORD, HIGHEST, GAP, SALIENCY[0])


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


class NextWordTexts(Shown):
    """What the pages show of the prompts of the view of next words."""

    @cached_property
    def ways(self) -> list[tuple[str, bool]]:
        """The models that were asked, and whether for whole words."""
        every = self.table.of("next words", measure=WORD)
        found = dict.fromkeys((cell.model, cell.bounded) for cell in every)
        return sorted(found, key=lambda way: (self.table.models.index(way[0]), way[1]))

    @property
    def models(self) -> list[str]:
        """The models that were asked."""
        return list(dict.fromkeys(model for model, _ in self.ways))

    @cached_property
    def words(self) -> list[str]:
        """The words that were asked about, as they come."""
        query = f"SELECT label FROM ({_WORDS}) GROUP BY label ORDER BY min(place) LIMIT {_MOST}"
        return [row["label"] for row in self.rows(query)]

    def listing(self, filters: Filters) -> Listing:
        """A page of prompts, and how many there are."""
        full = self.filled(filters)
        table = self.numbered(full)
        ends = self._ends(full)
        found = counts(self, table, full, ends)
        shown = page(self, table, full)
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

    def numbered(self, filters: Filters) -> Numbered:
        """The prompts that the filters choose, each with the logarithm of the chance of a word."""
        where, given = joined(_conditions(filters))
        query = (
            "WITH answers AS (SELECT item, perturbation, bool_or(label = ?) AS is_there, "
            "max(value) FILTER (label = ?) AS value, max(reason) FILTER (label = ?) AS reason "
            f"FROM ({_WORDS}) WHERE model = ? AND bounded = ? GROUP BY ALL), "
            "listed AS (SELECT number, items.perturbation AS facet, value, CASE WHEN value IS NULL THEN "
            "coalesce(items.reason, CASE WHEN is_there THEN a.reason WHEN a.item IS NULL THEN ? ELSE ? END) END "
            "AS reason, NULL AS spread FROM items LEFT JOIN answers AS a USING (item, perturbation) "
            f"WHERE view = 'next words' AND {where})"
        )
        absent = f"`{filters.word}` was not asked for after this prompt"
        asked = (*(filters.word,) * 3, filters.model, int(self._bounded(filters.model)), UNASKED, absent)
        return Numbered(query, (*asked, *given), logarithmic=True)

    def texts(self, wanted: list[int]) -> list[AskedText]:
        """The prompts of these numbers with all answers, in that order."""
        rows = self.rows("SELECT * FROM items WHERE view = 'next words' AND number IN (SELECT unnest(?))", wanted)
        said: dict[tuple[str, str], list[dict[str, Any]]] = {}
        query = (
            "SELECT *, reason AS unscored FROM ordered WHERE view = 'next words' AND item IN (SELECT unnest(?)) "
            "AND measure IN (SELECT unnest(?)) ORDER BY place"
        )
        for one in self.rows(query, [row["item"] for row in rows], list(_SAID)):
            said.setdefault((one["item"], one["perturbation"]), []).append(one)
        found = {row["number"]: self._asked(row, said.get((row["item"], row["perturbation"]), [])) for row in rows}
        return [found[number] for number in wanted if number in found]

    def _asked(self, row: dict[str, Any], said: Sequence[dict[str, Any]]) -> AskedText:
        expected = []
        for model, bounded in () if row["reason"] else self.ways:
            own = [one for one in said if one["model"] == model]
            asked = [one for one in own if one["bounded"] == bounded]
            words = {one["label"]: one for one in asked if one["measure"] == WORD}
            sure = {one["measure"]: one["value"] for one in asked}
            known = tuple(NextWord(word, one["value"], one["unscored"]) for word, one in words.items())
            explained = next((one for one in own if one["measure"] == SALIENCY[0]), None)
            if known:
                found = NextWords(known, sure.get(HIGHEST), sure.get(GAP))
                saliency = saliency_of(explained, self._method) if explained else None
                expected.append(Expected(model, bounded, found, saliency))
        prompt, hidden = prompt_of(row), hidden_in(row)
        return AskedText(row["number"], prompt, row["perturbation"], hidden, row["reason"], tuple(expected))

    @property
    def _method(self) -> str:
        return str(self.run.meta["resolved"]["next_words"]["saliency"])

    def _row(self, one: AskedText, filters: Filters) -> Row:
        prompt = one.prompt
        labels = [one.perturbation, prompt.origin, prompt.source, prompt.structure.id if prompt.structure else ""]
        answer = next((each for each in one.expected if each.model == filters.model), None)
        figures = figures_of(answer.found)[:_SHOWN] if answer else [Figure("", "", one.unscored or UNASKED)]
        return Row(f"w{one.number}", (line_of(one),), tuple(filter(None, dict.fromkeys(labels))), tuple(figures))

    def _options(self) -> dict[str, list[Option]]:
        named = {"source": "source", "bias": "bias", "structure": "structure", "group": '"group"'}
        return {
            "model": [Option(name, name) for name in self.models],
            **{name: distinct(self, "next words", column) for name, column in named.items()},
            "word": [Option(word, word) for word in self.words],
        }

    def _notes(self, asked: Filters) -> list[str]:
        if asked.order == "disagreement":
            return ["Chances come from the model itself: no two raters could disagree on them."]
        return []

    def _first_word(self, filters: Filters) -> str:
        """The first word that was asked for after the prompts that are chosen; after others it may be another one."""
        where, given = joined(_conditions(filters))
        query = (
            f"SELECT label FROM ({_WORDS}) AS w JOIN items USING (view, item, perturbation) WHERE {where} "
            "ORDER BY items.number, place LIMIT 1"
        )
        return next((row["label"] for row in self.rows(query, *given)), next(iter(self.words), ""))

    def _bounded(self, model: str) -> bool:
        """Whether the chances are those of whole words, as the first answers of the model have it."""
        return next((bounded for name, bounded in self.ways if name == model), False)

    def _ends(self, filters: Filters) -> tuple[float, float] | None:
        query = f"SELECT max(value) AS high FROM ({_WORDS}) WHERE label = ? AND model = ? AND bounded = ?"
        [row] = self.rows(query, filters.word, filters.model, int(self._bounded(filters.model)))
        return None if row["high"] is None else (0.0, math.exp(row["high"]))


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


def _conditions(filters: Filters) -> list[tuple[str, list[Any]]]:
    conditions = chosen(filters, "source", "bias", "origin", "group", "perturbation")
    if filters.structure:
        # Where the prompts have no structure it is their template that varies.
        conditions.append(("? IN (items.structure, items.template)", [filters.structure]))
    if filters.q:
        conditions.append((holds("items.text"), [filters.q]))
    return conditions
