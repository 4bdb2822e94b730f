"""The texts that models wrote, with what raters make of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.parquet import quoted
from tiltmeter.present.decodings import decoding_words, rater_words
from tiltmeter.records import Continuation, Rating
from tiltmeter.results.measurements.columns import settings_of
from tiltmeter.results.summary.raters import comparable
from tiltmeter.results.texts import RatedText, rated_texts
from tiltmeter.web.texts.query import Filters
from tiltmeter.web.texts.records import Figure, Line, Listing, Option, Piece, Row, pieces
from tiltmeter.web.texts.tables import Numbered, Shown, chosen, counts, distinct, holds, joined, page, spread_query

UNRATED = "not rated by this rater"


class ContinuationTexts(Shown):
    """What the pages show of the continuations of a run."""

    @cached_property
    def models(self) -> list[str]:
        """The models that wrote something, in the order of the study."""
        return [row["model"] for row in self.rows("SELECT model FROM texts GROUP BY model ORDER BY min(number)")]

    def listing(self, filters: Filters) -> Listing:
        """A page of texts, and how many there are."""
        full = self.filled(filters)
        table, ends = self.numbered(full), self._ends(full.rater)
        # How far raters are apart takes long to find, and changes no count.
        found = counts(self, self.numbered(replace(full, order="")), full, ends)
        shown = page(self, table, full)
        texts = self.texts([one.number for one in shown])
        spreads = {one.number: one.spread for one in shown if full.order == "disagreement"}
        return Listing(
            filters=full,
            total=found.total,
            rows=[self._row(one, spreads.get(one.one.number)) for one in texts],
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
        raters = self.table.raters
        if filters.rater and filters.rater not in raters:
            raise UnknownName("rater", filters.rater, raters)
        decoding = filters.decoding_number()
        if decoding is not None and decoding >= len(self.table.decodings):
            raise UserError(f"the run has no decoding {decoding}; choose one of the list")
        full = replace(filters, rater=filters.rater or next(iter(raters), ""))
        if full.order == "disagreement" and len(self._judges(full.rater)) < 2:
            return replace(full, order="")
        return full

    def numbered(self, filters: Filters) -> Numbered:
        """The texts that the filters choose, each with the value of the rater."""
        judges = self._judges(filters.rater) if filters.order == "disagreement" else []
        judged = "SELECT rater AS judge, number AS item, value FROM ratings WHERE rater IN (SELECT unnest(?))"
        apart = f"spreads AS ({spread_query(judged)}), " if judges else ""
        spread, beside = ("spread", "LEFT JOIN spreads ON spreads.item = t.number") if judges else ("NULL", "")
        where, values = joined(self._conditions(filters))
        query = (
            f'WITH {apart}listed AS (SELECT t.number, items."group" AS facet, r.value, '
            f"CASE WHEN r.value IS NULL THEN coalesce(t.reason, r.reason, ?) END AS reason, {spread} AS spread "
            "FROM texts AS t JOIN items ON view = 'continuations' AND items.item = t.item "
            f"LEFT JOIN ratings AS r ON r.rater = ? AND r.number = t.number {beside} WHERE {where})"
        )
        return Numbered(query, (*([judges] if judges else ()), UNRATED, filters.rater, *values))

    def texts(self, wanted: list[int]) -> list[RatedText]:
        """The texts of these numbers with all their ratings, in that order."""
        found = {one.one.number: one for one in rated_texts(self.table, "t.number IN (SELECT unnest(?))", wanted)}
        return [found[number] for number in wanted if number in found]

    def _conditions(self, filters: Filters) -> list[tuple[str, list[Any]]]:
        conditions = chosen(filters, "source", "bias", "origin", "structure", "kind")
        groups = [group for group in (filters.group, filters.other) if group]
        if groups:
            conditions.append(('items."group" IN (SELECT unnest(?))', [groups]))
        if filters.model:
            conditions.append(("t.model = ?", [filters.model]))
        decoding = filters.decoding_number()
        for name, value in settings_of(self.table.decodings[decoding]).items() if decoding is not None else ():
            conditions.append((f"t.{quoted(name)} IS NOT DISTINCT FROM ?", [value]))
        if filters.q:
            conditions.append((holds("items.text || t.text"), [filters.q]))
        return conditions

    def _row(self, text: RatedText, spread: float | None) -> Row:
        one = text.one
        labels = [one.prompt.group or "", one.prompt.bias, one.prompt.origin]
        if len(self.models) > 1:
            labels.append(text.model)
        if len(self.table.decodings) > 1:
            labels.append(decoding_words(one.decoding, self.table.decodings))
        figures = [figure_of(rating) for rating in text.ratings.values()]
        if spread is not None:
            figures.insert(0, Figure("ranks apart", f"{spread:.2f}"))
        return Row(f"c{one.number}", (line_of(one),), tuple(filter(None, dict.fromkeys(labels))), tuple(figures))

    def _options(self) -> dict[str, list[Option]]:
        decodings, named = self.table.decodings, ("source", "bias", "group", "structure")
        return {
            "model": [Option(name, name) for name in self.models],
            **{name: distinct(self, "continuations", quoted(name)) for name in named},
            "decoding": [Option(str(at), decoding_words(one, decodings)) for at, one in enumerate(decodings)],
            "rater": [Option(name, rater_words(name)) for name in self.table.raters],
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
        return [name for name in self.table.raters if name == rater or (rater and comparable(rater, name))]

    def _ends(self, rater: str) -> tuple[float, float] | None:
        [row] = self.rows("SELECT min(value) AS low, max(value) AS high FROM ratings WHERE rater = ?", rater)
        return None if row["low"] is None else (row["low"], row["high"])


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
