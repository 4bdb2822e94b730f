"""The items of any view that has no page of its own, with the value of its first measure by the first way of asking."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tiltmeter.errors import UnknownName
from tiltmeter.present.words import signed
from tiltmeter.results.cells import Cell
from tiltmeter.views import FACTS, View, view_named
from tiltmeter.web.texts.query import Filters
from tiltmeter.web.texts.records import Figure, Line, Listing, Option, Piece, Row
from tiltmeter.web.texts.tables import Numbered, Shown, chosen, counts, distinct, holds, joined, page


class ItemTexts(Shown):
    """What the pages show of such items."""

    def listing(self, filters: Filters) -> Listing:
        """A page of items, and how many there are."""
        view = view_named(filters.view) or filters.view
        cells = self.table.of(view, measure=FACTS[view].lead)
        models, scorers = (list(dict.fromkeys(getattr(cell, name) for cell in cells)) for name in ("model", "scorer"))
        for noun, name, known in (("model", filters.model, models), ("scorer", filters.scorer, scorers)):
            if name and name not in known:
                raise UnknownName(noun, name, known)
        full = replace(filters, model=filters.model or next(iter(models), ""), perturbation="", word="", rater="")
        full = replace(full, scorer=filters.scorer or next(iter(scorers), ""))
        if full.order == "disagreement":
            full = replace(full, order="")
        own = [cell for cell in cells if (cell.model, cell.scorer) == (full.model, full.scorer)]
        ends = next((cell.bounds for cell in own), None)
        table = _numbered(view, own[:1], full)
        found, shown = counts(self, table, full, ends), page(self, table, full)
        values = {one.number: one.value for one in shown}
        return Listing(
            filters=full,
            total=found.total,
            rows=[_row(row, values, FACTS[view].lead) for row in self._items(view, list(values))],
            facets=found.facets,
            faceted_by="Group",
            ends=ends,
            value=FACTS[view].lead.replace("_", " "),
            reasons=found.reasons,
            options={
                "model": [Option(name, name) for name in models],
                "scorer": [Option(name, name) for name in scorers if name],
                **{name: distinct(self, view, name) for name in ("source", "bias")},
                "group": distinct(self, view, '"group"'),
            },
        )

    def _items(self, view: View, wanted: list[int]) -> list[dict[str, Any]]:
        rows = self.rows("SELECT * FROM items WHERE view = ? AND number IN (SELECT unnest(?))", view, wanted)
        by_number = {row["number"]: row for row in rows}
        return [by_number[number] for number in wanted if number in by_number]


def _numbered(view: View, cells: list[Cell], filters: Filters) -> Numbered:
    """The items that the filters choose, each with its mean value in the cells of the first way of asking."""
    way = cells[0] if cells else None
    conditions = chosen(filters, "source", "bias", "origin", "group", "structure")
    if filters.q:
        conditions.append((holds("items.text", "items.other_text"), [filters.q, filters.q]))
    where, given = joined(conditions)
    names = [name for name in FACTS[view].choices if name not in ("decoding", "condition")]
    alike = " AND ".join(f'"{name}" IS NOT DISTINCT FROM ?' for name in names) or "true"
    query = (
        "WITH answers AS (SELECT item, avg(value) AS value, any_value(reason) AS reason FROM ordered "
        f"WHERE view = ? AND measure = ? AND model = ? AND {alike} GROUP BY item), "
        'listed AS (SELECT number, items."group" AS facet, a.value, CASE WHEN a.value IS NULL THEN '
        "coalesce(a.reason, 'not asked') END AS reason, NULL AS spread FROM items LEFT JOIN answers AS a USING (item) "
        f"WHERE view = ? AND {where})"
    )
    asked = [getattr(way, name) or None for name in names] if way else [None for _ in names]
    return Numbered(query, (view, FACTS[view].lead, filters.model, *asked, view, *given))


def _row(row: dict[str, Any], values: dict[int, float | None], measure: str) -> Row:
    value = values[row["number"]]
    lines = tuple(Line((Piece(text),)) for text in (row["text"], row["other_text"]) if text)
    labels = (row["group"], row["against"], row["condition"], row["origin"], row["source"])
    figure = Figure(measure.replace("_", " "), "" if value is None else signed(value))
    return Row("", lines, tuple(dict.fromkeys(filter(None, labels))), (figure,))
