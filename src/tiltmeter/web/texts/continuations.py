"""The texts that models wrote, with what raters make of them, from the ledger."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.present.decodings import decoding_words, rater_words
from tiltmeter.records import Continuation, Prompt, Rating
from tiltmeter.results.summary.raters import comparable
from tiltmeter.store import Continuations
from tiltmeter.store.rows import rows_of
from tiltmeter.store.validation import record_reader
from tiltmeter.web.texts.labels import labelled_rows
from tiltmeter.web.texts.query import Filters, like
from tiltmeter.web.texts.records import Figure, Line, Listing, Option, Piece, Row, pieces
from tiltmeter.web.texts.tables import Numbered, counts, page, spread_query

UNRATED = "not rated by this rater"
_read_prompt = record_reader(Prompt)


@dataclass(frozen=True, slots=True)
class Written:
    """A text of a run: its number, who wrote it, and what raters say of it."""

    number: int
    model: str
    one: Continuation
    ratings: tuple[Rating, ...]


@dataclass(frozen=True)
class ContinuationTexts:
    """What the pages show of the continuations of a run."""

    folder: Path

    @cached_property
    def kept(self) -> Continuations:
        """The same, as the store reads it."""
        return Continuations(self.folder)

    def listing(self, filters: Filters) -> Listing:
        """A page of texts, and how many there are."""
        full = self.filled(filters)
        table, ends = self.table(full), self._ends(full.rater)
        # How far raters are apart takes long to find, and changes no count.
        found = counts(self.folder, self.table(replace(full, order="")), full, ends)
        shown = page(self.folder, table, full)
        texts = self.texts([one.number for one in shown])
        spreads = {one.number: one.spread for one in shown if full.order == "disagreement"}
        return Listing(
            filters=full,
            total=found.total,
            rows=[self._row(one, spreads.get(one.number)) for one in texts],
            facets=found.facets,
            faceted_by="Group",
            ends=ends,
            value=rater_words(full.rater) if full.rater else "",
            reasons=found.reasons,
            options=self._options(),
            notes=self._notes(filters, full),
        )

    def filled(self, filters: Filters) -> Filters:
        """The filters with the first rater where none is named; refuses names that are not there."""
        raters = [used.name for used in self.kept.raters]
        if filters.rater and filters.rater not in raters:
            raise UnknownName("rater", filters.rater, raters)
        decoding = filters.decoding_number()
        if decoding is not None and decoding >= len(self.kept.decodings):
            raise UserError(f"the run has no decoding {decoding}; choose one of the list")
        full = replace(filters, rater=filters.rater or next(iter(raters), ""))
        if full.order == "disagreement" and len(self._judges(full.rater)) < 2:
            return replace(full, order="")
        return full

    def table(self, filters: Filters) -> Numbered:
        """The texts that the filters choose, each with the value of the rater."""
        parts, given = _prompts(filters)
        rater = self._number(filters.rater)
        judges = [self._number(name) for name in self._judges(filters.rater)]
        judged = f"select rater as judge, completion as item, value from ratings where rater in ({_marks(judges)})"
        apart = f"spreads as ({spread_query(judged)}), " if filters.order == "disagreement" else ""
        spread, joined = ("spread", "left join spreads on item = c.number") if apart else ("null", "")
        where, values = _texts(filters)
        query = (
            f"with {apart}chosen as materialized ({parts}), texts as (select c.number, facet, r.value, "
            f"case when r.value is null then coalesce({self._unwritten}, r.unrated, ?) end as reason, "
            f"{spread} as spread from completions c join chosen p on p.number = c.prompt "
            f"left join ratings r on r.rater = ? and r.completion = c.number {joined} {where})"
        )
        return Numbered(query, (*(judges if apart else ()), *given, UNRATED, rater, *values))

    def texts(self, wanted: list[int]) -> list[Written]:
        """The texts of these numbers with all their ratings, in that order."""
        rows = rows_of(
            self.folder,
            f"select c.number, c.model, c.decoding, p.item, sample, text, tokens, ended, {self._unwritten} "
            "from completions c join items p on p.view = 'continuations' and p.number = c.prompt "
            "where c.number in (select value from json_each(?))",
            json.dumps(wanted),
        )
        ratings = self._ratings(wanted)
        decodings = self.kept.decodings
        found = {
            number: Written(
                number,
                model,
                Continuation(_read_prompt(prompt), decodings[decoding], *written),
                tuple(ratings.get(number, ())),
            )
            for number, model, decoding, prompt, *written in rows
        }
        return [found[number] for number in wanted if number in found]

    def _ratings(self, wanted: list[int]) -> dict[int, list[Rating]]:
        rows = rows_of(
            self.folder,
            "select completion, raters.rater, value, unrated, label from raters "
            "join ratings on ratings.rater = raters.number and completion in (select value from json_each(?)) "
            "order by raters.number",
            json.dumps(wanted),
        )
        found: dict[int, list[Rating]] = {}
        for completion, rater, value, unrated, label in rows:
            found.setdefault(completion, []).append(Rating(rater, value, unrated, label=label))
        return found

    def _row(self, text: Written, spread: float | None) -> Row:
        one = text.one
        labels = [one.prompt.group or "", one.prompt.bias, one.prompt.origin]
        if len(self.kept.models) > 1:
            labels.append(text.model)
        if len(self.kept.decodings) > 1:
            labels.append(decoding_words(one.decoding, self.kept.decodings))
        figures = [figure_of(rating) for rating in text.ratings]
        if spread is not None:
            figures.insert(0, Figure("ranks apart", f"{spread:.2f}"))
        return Row(f"c{text.number}", (line_of(one),), tuple(filter(None, dict.fromkeys(labels))), tuple(figures))

    def _options(self) -> dict[str, list[Option]]:
        rows = labelled_rows(self.folder, 'select distinct source, bias, "group", structure from prompt_labels')
        columns = {name: _distinct(row[at] for row in rows) for at, name in enumerate(("source", "bias", "group"))}
        decodings = self.kept.decodings
        return {
            "model": [Option(name, name) for name in self.kept.models],
            **{name: [Option(value, value) for value in found] for name, found in columns.items()},
            "structure": [Option(value, value) for value in _distinct(row[3] for row in rows)],
            "decoding": [Option(str(at), decoding_words(one, decodings)) for at, one in enumerate(decodings)],
            "rater": [Option(used.name, rater_words(used.name)) for used in self.kept.raters],
        }

    def _notes(self, asked: Filters, full: Filters) -> list[str]:
        if asked.order != "disagreement":
            return []
        judges = self._judges(full.rater)
        if len(judges) < 2:
            kind = rater_words(full.rater) or "nothing"
            return [f"No other rater of the run rates the same as {kind}, so there is no disagreement to order by."]
        names = ", ".join(map(rater_words, judges))
        return [
            f"Ordered by how far apart the ranks are that {names} give a text: 0 is the same place among all texts of "
            "the run, 1 the lowest by one and the highest by another. Ranks and not values, since scales differ."
        ]

    def _judges(self, rater: str) -> list[str]:
        """The rater and those that rate the same thing."""
        names = [used.name for used in self.kept.raters]
        return [name for name in names if name == rater or (rater and comparable(rater, name))]

    def _ends(self, rater: str) -> tuple[float, float] | None:
        number = self._number(rater)
        [(low, high)] = rows_of(self.folder, "select min(value), max(value) from ratings where rater = ?", number)
        return None if low is None else (low, high)

    def _number(self, rater: str) -> int:
        """The number of a rater in the ledger; one that nobody has where none is named."""
        found = list(rows_of(self.folder, "select number from raters where rater = ?", rater))
        return int(found[0][0]) if found else -1

    @cached_property
    def _unwritten(self) -> str:
        """The column of that name, which the ledgers of earlier versions lack."""
        names = list(rows_of(self.folder, "select name from pragma_table_info('completions')"))
        return "c.unwritten" if ("unwritten",) in names else "null"


def line_of(one: Continuation) -> Line:
    """A text with its prompt, the group marked."""
    asked = pieces(one.prompt.text, [("group", one.prompt.group_spans)], "prompt")
    return Line((*asked, Piece(one.text)) if one.text else asked)


def figure_of(rating: Rating) -> Figure:
    """A rating as it is shown."""
    if rating.value is None:
        return Figure(rater_words(rating.rater), "", rating.unrated or UNRATED)
    label = f" ({rating.label})" if rating.label else ""
    return Figure(rater_words(rating.rater), f"{rating.value:.3g}{label}".replace("-", "−"))


def _prompts(filters: Filters) -> tuple[str, list[Any]]:
    """The prompts that the filters choose, each with its group."""
    columns = {name: getattr(filters, name) for name in ("source", "bias", "origin", "structure", "kind")}
    given = {name: value for name, value in columns.items() if value}
    groups = [group for group in (filters.group, filters.other) if group]
    conditions = [f"{name} = ?" for name in given] + ([f'"group" in ({_marks(groups)})'] if groups else [])
    chosen = " and ".join(["true", *conditions])
    parts = f'select number, "group" as facet, words from prompt_labels where {chosen}'
    return parts, [*given.values(), *groups]


def _texts(filters: Filters) -> tuple[str, list[Any]]:
    """What the filters ask of the texts themselves."""
    conditions: list[tuple[str, Any]] = []
    if filters.model:
        conditions.append(("c.model = ?", filters.model))
    decoding = filters.decoding_number()
    if decoding is not None:
        conditions.append(("c.decoding = ?", decoding))
    if filters.q:
        conditions.append(("p.words || c.text like ? escape '\\'", like(filters.q)))
    where = " and ".join(["true", *(condition for condition, _ in conditions)])
    return f"where {where}", [value for _, value in conditions]


def _marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))


def _distinct(values: Any) -> list[str]:
    return [value for value in dict.fromkeys(values) if value]
