"""The pairs of a run with the scores of both sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tiltmeter.errors import UnknownName
from tiltmeter.measures.pairs import TIE, margin
from tiltmeter.present.decodings import short_scorer
from tiltmeter.present.words import signed
from tiltmeter.records import Pair, PairScore
from tiltmeter.results.cells import TEST
from tiltmeter.results.measurements.columns import CONTROL as CONTROL_PAIR
from tiltmeter.results.measurements.columns import MEANING, SCORE
from tiltmeter.results.texts import pair_of
from tiltmeter.web.texts.query import Filters
from tiltmeter.web.texts.records import Figure, Line, Listing, Option, Row, pieces
from tiltmeter.web.texts.tables import Numbered, Shown, chosen, counts, distinct, holds, joined, page, spread_query

CONTROL = "neither sentence is the stereotyped one: a control"
UNSCORED = "not scored"
_SCORES = f"""
SELECT model, scorer, item, arg_min(value, place) AS first, arg_max(value, place) AS second, any_value(reason) AS reason
FROM ordered WHERE view = 'pairs' AND measure LIKE '%{SCORE}' AND
"""
"""Both scores of a pair, that of the stereotyped sentence first; a condition follows."""
_MARGIN = f"CASE WHEN role IS DISTINCT FROM '{CONTROL_PAIR}' THEN first - second END"
_STEREOTYPED = f"CASE role WHEN '{MEANING}' THEN 'meaningful' WHEN '{CONTROL_PAIR}' THEN NULL ELSE items.\"group\" END"
_GROUPS = tuple(f'CASE swapped WHEN {side} THEN "group" ELSE against END' for side in (0, 1))
"""As the source has them."""


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A pair of a run: its number, and what every model makes of it under every scorer."""

    number: int
    pair: Pair
    scores: tuple[tuple[str, PairScore], ...]


class PairTexts(Shown):
    """What the pages show of the pairs of a run."""

    @cached_property
    def cells(self) -> list[tuple[str, str]]:
        """The models and scorers that have scores, in the order of the study."""
        every = [cell for cell in self.table.cells if cell.view == "pairs" and cell.scorer]
        return list(dict.fromkeys((cell.model, cell.scorer) for cell in every))

    @property
    def models(self) -> list[str]:
        """The models that scored pairs."""
        return list(dict.fromkeys(model for model, _ in self.cells))

    def listing(self, filters: Filters) -> Listing:
        """A page of pairs, and how many there are."""
        full = self.filled(filters)
        plain = self.numbered(replace(full, order=""))
        ends = self._ends(full)
        found = counts(self, plain, full, ends)
        shown = page(self, self.numbered(full), full)
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

    def numbered(self, filters: Filters) -> Numbered:
        """The pairs that the filters choose, each with the margin of the stereotyped sentence."""
        apart = filters.order == "disagreement"
        judged = (
            f"SELECT scorer AS judge, item, {_MARGIN} AS value FROM ({_SCORES} model = ? GROUP BY ALL) "
            "JOIN items USING (item) WHERE items.view = 'pairs'"
        )
        spreads = f"spreads AS ({spread_query(judged)}), " if apart else ""
        spread, beside = ("spread", "LEFT JOIN spreads USING (item)") if apart else ("NULL", "")
        where, given = joined(_conditions(filters))
        query = (
            f"WITH {spreads}scores AS ({_SCORES} model = ? AND scorer = ? GROUP BY ALL), "
            f"listed AS (SELECT number, {_STEREOTYPED} AS facet, {_MARGIN} AS value, CASE WHEN first IS NULL "
            f"THEN coalesce(s.reason, ?) WHEN role = '{CONTROL_PAIR}' THEN ? END AS reason, {spread} AS spread "
            f"FROM items LEFT JOIN scores AS s USING (item) {beside} WHERE items.view = 'pairs' AND {where})"
        )
        first = (filters.model,) if apart else ()
        return Numbered(query, (*first, filters.model, filters.scorer, UNSCORED, CONTROL, *given))

    def pairs(self, wanted: list[int]) -> list[ScoredPair]:
        """The pairs of these numbers with all their scores, in that order."""
        rows = self.rows("SELECT * FROM items WHERE view = 'pairs' AND number IN (SELECT unnest(?))", wanted)
        scored: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
        for one in self.rows(f"{_SCORES} item IN (SELECT unnest(?)) GROUP BY ALL", [row["item"] for row in rows]):
            scored.setdefault(one["item"], {})[one["model"], one["scorer"]] = one
        found = {row["number"]: self._scored(row, scored.get(row["item"], {})) for row in rows}
        return [found[number] for number in wanted if number in found]

    def _scored(self, row: dict[str, Any], scored: dict[tuple[str, str], dict[str, Any]]) -> ScoredPair:
        pair, made = pair_of(row), []
        for cell in self.cells:
            if cell in scored:
                one = scored[cell]
                both = (one["second"], one["first"]) if row["swapped"] else (one["first"], one["second"])
                scores = None if one["first"] is None else both
                made.append((cell[0], PairScore(pair, cell[1], scores, one["reason"])))
        return ScoredPair(row["number"], pair, tuple(made))

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
        return {
            "model": [Option(name, name) for name in self.models],
            **{name: distinct(self, "pairs", name) for name in ("source", "bias")},
            "group": distinct(self, "pairs", *_GROUPS),
            "structure": distinct(self, "pairs", "structure"),
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
        [aside] = self.rows(f"SELECT count(*) AS n FROM items WHERE view = 'pairs' AND NOT {TEST}")
        if aside["n"]:
            notes.append(f"{aside['n']:,} more pairs only take the place of flagged sentences, and are not listed.")
        return notes

    def _scorers(self, model: str) -> list[str]:
        return [scorer for name, scorer in self.cells if name == model]

    def _ends(self, filters: Filters) -> tuple[float, float] | None:
        """As far to either side as the largest margin, so that none is in the middle."""
        query = f"SELECT max(abs(first - second)) AS most FROM ({_SCORES} model = ? AND scorer = ? GROUP BY ALL)"
        [row] = self.rows(query, filters.model, filters.scorer)
        return (-row["most"], row["most"]) if row["most"] else None


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


def _conditions(filters: Filters) -> list[tuple[str, list[Any]]]:
    # Pairs that only take the place of flagged sentences are no part of the test.
    conditions: list[tuple[str, list[Any]]] = [(TEST, [])]
    conditions += chosen(filters, "source", "bias", "origin", "structure", "kind")
    if filters.labelled:
        conditions.append(("role IS NULL", []))
    if filters.group:
        conditions.append(('? IN (items."group", against)', [filters.group]))
    if filters.q:
        conditions.append((holds("text", "other_text"), [filters.q] * 2))
    return conditions
