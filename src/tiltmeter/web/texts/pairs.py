"""The pairs of a run with the scores of both sentences, from the ledger."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tiltmeter.errors import UnknownName
from tiltmeter.measures.pairs import TIE, margin
from tiltmeter.present.decodings import short_scorer
from tiltmeter.present.words import signed
from tiltmeter.records import Pair, PairScore
from tiltmeter.store.rows import rows_of
from tiltmeter.store.validation import record_reader
from tiltmeter.web.texts.labels import labelled_rows
from tiltmeter.web.texts.query import Filters, like
from tiltmeter.web.texts.records import Figure, Line, Listing, Option, Row, pieces
from tiltmeter.web.texts.tables import Numbered, counts, page, spread_query

CONTROL = "neither sentence is the stereotyped one: a control"
UNSCORED = "not scored"
_read_pair = record_reader(Pair)
_MARGIN = "case target when 0 then s.score_1 - s.score_2 when 1 then s.score_2 - s.score_1 end"
_STEREOTYPED = (
    "case when contrast = 'meaning' then 'meaningful' else case target when 0 then group_1 when 1 then group_2 end end"
)


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A pair of a run: its number, and what every model makes of it under every scorer."""

    number: int
    pair: Pair
    scores: tuple[tuple[str, PairScore], ...]


@dataclass(frozen=True)
class PairTexts:
    """What the pages show of the pairs of a run."""

    folder: Path

    @cached_property
    def cells(self) -> list[tuple[str, str]]:
        """The models and scorers that have scores, in the order of the study."""
        return [(model, scorer) for model, scorer in self._ledger("select model, scorer from cells order by number")]

    @property
    def models(self) -> list[str]:
        """The models that scored pairs."""
        return list(dict.fromkeys(model for model, _ in self.cells))

    def listing(self, filters: Filters) -> Listing:
        """A page of pairs, and how many there are."""
        full = self.filled(filters)
        plain = self.table(replace(full, order=""))
        ends = self._ends(full)
        found = counts(self.folder, plain, full, ends)
        shown = page(self.folder, self.table(full), full)
        spreads = {one.number: one.spread for one in shown if full.order == "disagreement"}
        pairs = self.pairs([one.number for one in shown])
        return Listing(
            filters=full,
            total=found.total,
            rows=[self._row(one, full, spreads.get(one.number)) for one in pairs],
            facets=found.facets,
            faceted_by="Stereotyped",
            ends=ends,
            value=f"margin of the stereotyped sentence by {short_scorer(full.scorer)}" if full.scorer else "",
            reasons=found.reasons,
            options=self._options(full),
            notes=self._notes(filters, full),
        )

    def filled(self, filters: Filters) -> Filters:
        """The filters with the first model and scorer where none is named; refuses names that are not there."""
        if filters.model and self.cells and filters.model not in self.models:
            raise UnknownName("model that scored pairs", filters.model, self.models)
        model = filters.model or next(iter(self.models), "")
        scorers = self._scorers(model)
        if filters.scorer and scorers and filters.scorer not in scorers:
            raise UnknownName("scorer", filters.scorer, scorers)
        full = replace(filters, model=model, scorer=filters.scorer or next(iter(scorers), ""))
        return replace(full, order="") if full.order == "disagreement" and len(scorers) < 2 else full

    def table(self, filters: Filters) -> Numbered:
        """The pairs that the filters choose, each with the margin of the stereotyped sentence."""
        where, given = _conditions(filters)
        judged = (
            f"select s.scorer as judge, s.pair as item, {_MARGIN} as value from scores s "
            "join pair_labels p on p.number = s.pair where s.model = ?"
        )
        apart = f"spreads as ({spread_query(judged)}), " if filters.order == "disagreement" else ""
        spread, joined = ("spread", "left join spreads on item = p.number") if apart else ("null", "")
        query = (
            f"with {apart}texts as (select p.number, {_STEREOTYPED} as facet, {_MARGIN} as value, "
            f"case when s.score_1 is null then coalesce(s.unscored, ?) when ({_MARGIN}) is null then ? end as reason, "
            f"{spread} as spread from pair_labels p "
            f"left join scores s on s.model = ? and s.scorer = ? and s.pair = p.number {joined} where {where})"
        )
        first = (filters.model,) if apart else ()
        return Numbered(query, (*first, UNSCORED, CONTROL, filters.model, filters.scorer, *given))

    def pairs(self, wanted: list[int]) -> list[ScoredPair]:
        """The pairs of these numbers with all their scores, in that order."""
        chosen = json.dumps(wanted)
        query = "select number, item from items where view = 'pairs' and number in (select value from json_each(?))"
        rows = self._ledger(query, chosen)
        found = {number: _read_pair(text) for number, text in rows}
        scores: dict[int, list[tuple[str, PairScore]]] = {}
        scored = self._ledger(
            "select s.pair, s.model, s.scorer, score_1, score_2, unscored from cells c join scores s "
            "on s.model = c.model and s.scorer = c.scorer and s.pair in (select value from json_each(?)) "
            "order by c.number",
            chosen,
        )
        for number, model, scorer, first, second, unscored in scored:
            both = None if first is None else (first, second)
            scores.setdefault(number, []).append((model, PairScore(found[number], scorer, both, unscored)))
        return [ScoredPair(one, found[one], tuple(scores.get(one, ()))) for one in wanted if one in found]

    def _row(self, one: ScoredPair, filters: Filters, spread: float | None) -> Row:
        pair = one.pair
        labels = [pair.bias, pair.attribute or "", pair.source, pair.structure.id if pair.structure else ""]
        if pair.written_for:
            labels.append(f"written for {pair.written_for}")
        figures = [figure_of(score) for model, score in one.scores if model == filters.model]
        if spread is not None:
            figures.insert(0, Figure("ranks apart", f"{spread:.2f}"))
        return Row(f"p{one.number}", lines_of(pair), tuple(filter(None, dict.fromkeys(labels))), tuple(figures))

    def _options(self, filters: Filters) -> dict[str, list[Option]]:
        rows = self._rows("select distinct source, bias, group_1, group_2, structure from pair_labels")
        listed = {
            "source": [row[0] for row in rows],
            "bias": [row[1] for row in rows],
            "group": [group for row in rows for group in row[2:4]],
            "structure": [row[4] for row in rows],
        }
        found = {
            name: [Option(value, value) for value in dict.fromkeys(filter(None, values))]
            for name, values in listed.items()
        }
        return {
            "model": [Option(name, name) for name in self.models],
            **found,
            "scorer": [Option(name, short_scorer(name)) for name in self._scorers(filters.model)],
        }

    def _notes(self, asked: Filters, full: Filters) -> list[str]:
        notes = []
        if asked.order == "disagreement":
            names = ", ".join(map(short_scorer, self._scorers(full.model)))
            notes.append(
                f"Ordered by how far apart the ranks are that the scorers {names} give the margin of a pair: 0 is the "
                "same place among all pairs of the run, 1 the lowest by one and the highest by another."
                if full.order
                else "The run has one scorer only, so there is no disagreement to order by."
            )
        [(aside,)] = self._rows("select count(*) from pair_labels where aside")
        if aside:
            notes.append(f"{aside:,} more pairs only take the place of flagged sentences, and are not listed.")
        return notes

    def _scorers(self, model: str) -> list[str]:
        return [scorer for name, scorer in self.cells if name == model]

    def _ends(self, filters: Filters) -> tuple[float, float] | None:
        """As far to either side as the largest margin, so that none is in the middle."""
        query = "select max(abs(score_1 - score_2)) from scores where model = ? and scorer = ?"
        [(most,)] = self._ledger(query, filters.model, filters.scorer)
        return (-most, most) if most else None

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Of the labels too, which may have to be copied first."""
        return labelled_rows(self.folder, query, *values)

    def _ledger(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return list(rows_of(self.folder, query, *values))


def lines_of(pair: Pair) -> tuple[Line, ...]:
    """Both sentences, group and attribute marked; each says whom it is about."""

    def role(side: int) -> str:
        if pair.contrast == "meaning":
            return "meaningful" if side == 0 else "meaningless"
        about = pair.groups[side]
        return about if pair.stereotyped != side else f"{about}, stereotyped"

    return tuple(
        Line(pieces(text, [("attribute", pair.attribute_spans[side]), ("group", pair.group_spans[side])]), role(side))
        for side, text in enumerate(pair.texts)
    )


def figure_of(score: PairScore) -> Figure:
    """A score as it is shown: which sentence is preferred, and by how much."""
    name = short_scorer(score.scorer)
    if score.scores is None:
        return Figure(name, "", score.unscored or UNSCORED)
    [distance] = margin([score])
    if distance is None:
        first = score.scores[0] - score.scores[1]
        return Figure(name, f"{signed(first)} for {score.pair.groups[0]}")
    tie = " (a tie)" if abs(distance) <= TIE else ""
    return Figure(name, f"{signed(distance)}{tie}")


def _conditions(filters: Filters) -> tuple[str, list[Any]]:
    # Pairs that only take the place of flagged sentences are no part of the test.
    conditions: list[tuple[str, list[Any]]] = [("not aside", [])]
    if filters.labelled:
        conditions.append(("target is not null and contrast = 'stereotype'", []))
    for name in ("source", "bias", "origin", "structure", "kind"):
        value = getattr(filters, name)
        if value:
            conditions.append((f"p.{name} = ?", [value]))
    if filters.group:
        conditions.append(("? in (group_1, group_2)", [filters.group]))
    if filters.q:
        texts = "(text_1 like ? escape '\\' or text_2 like ? escape '\\')"
        conditions.append((texts, [like(filters.q)] * 2))
    return " and ".join(condition for condition, _ in conditions), [one for _, given in conditions for one in given]
