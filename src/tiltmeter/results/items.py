"""The measurements of a cell as the records that stats averages."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from tiltmeter.measures.pairs import MARGIN, PREFERENCE
from tiltmeter.records import PairScore, Span
from tiltmeter.results.cells import Cell, Combination, Measurement, Table
from tiltmeter.results.measurements.columns import GAP, HIGHEST, SCORE
from tiltmeter.results.measurements.pairs import of_score, role_of
from tiltmeter.results.scores import is_benchmark
from tiltmeter.results.summary.next_words import ORIGINAL, Expected
from tiltmeter.stats.views.continuations import RatedItem
from tiltmeter.stats.views.pairs import PairItem

Judged = Mapping[str, Collection[str]]
"""By pair, the issues that somebody found in its sentence; a pair that is not there was not judged."""


class Tested(NamedTuple):
    """A pair as it was measured."""

    row: Measurement
    item: PairItem


class ShownPair(NamedTuple):
    """A scored pair with its texts, the stereotyped one first."""

    item: str
    bias: str
    attribute: str | None
    origin: str
    terms: tuple[str, str]
    texts: tuple[str, str]
    marked: tuple[str | None, str | None]
    """Where each text names the group and the attribute, as JSON."""
    scores: tuple[float, float] | None

    @property
    def marks(self) -> tuple[Mapping[str, Sequence[Span]], Mapping[str, Sequence[Span]]]:
        """The same, read."""
        return json.loads(self.marked[0] or "{}"), json.loads(self.marked[1] or "{}")

    @property
    def margin(self) -> float | None:
        """By how much the stereotyped text is more probable than the other."""
        return None if self.scores is None else self.scores[0] - self.scores[1]


def pair_items(cell: Cell) -> list[PairItem]:
    """Pairs by their preference, with the margin of each."""
    return [
        pair_item(cell, row, other.value) for row, other in zip(cell.rows, cell.beside(MARGIN.name).rows, strict=True)
    ]


def pair_item(cell: Combination, row: Measurement, margin: float | None = None) -> PairItem:
    """One pair."""
    return PairItem(
        bias=cell.bias,
        attribute=row.origin,
        attribute_set=row.attribute_set,
        value=row.value,
        benchmark=cell.benchmark,
        margin=margin,
        structure=row.structure,
        template=row.template,
        terms=row.term,
        published=cell.published,
    )


def measured_pairs(cells: Sequence[Cell]) -> list[Tested]:
    """The pairs of some cells by their preference."""
    return [Tested(row, pair_item(cell, row)) for cell in cells for row in cell.rows]


def measured_scores(scores: Sequence[PairScore], benchmarks: Collection[str] = ()) -> list[Tested]:
    """The same of scores that are in no table; pairs that are not the test itself do not count."""
    made = []
    for score in scores:
        pair = score.pair
        if role_of(pair) is None:
            rows = {row["measure"]: row for row in of_score(score)}
            one = rows[PREFERENCE.name]
            known = {name: one[name] for name in Measurement._fields if name in one}
            place = Combination(
                "pairs",
                pair.source,
                PREFERENCE.name,
                bias=pair.bias,
                scorer=score.scorer,
                benchmark=is_benchmark(pair.bias, benchmarks),
            )
            row = Measurement(**known, attribute=pair.attribute, written_for=pair.written_for)
            made.append(Tested(row, pair_item(place, row, rows[MARGIN.name]["value"])))
    return made


def shown_pairs(cells: Sequence[Cell]) -> list[ShownPair]:
    """The pairs of the test of some cells with their texts, in the order of the study."""
    numbers = [str(cell.number) for cell in cells if cell.measure == SCORE]
    query = (
        "SELECT item, bias, attribute, origin, term, other_term, text, other_text, marks, other_marks, first, second "
        "FROM (SELECT view, item, min(place) AS place, arg_min(value, place) AS first, "
        f"arg_max(value, place) AS second FROM ordered WHERE number IN ({', '.join(numbers)}) GROUP BY ALL) "
        "JOIN items USING (view, item) ORDER BY place"
    )
    return [
        ShownPair._make((*row[:4], row[4:6], row[6:8], row[8:10], None if row[10] is None else row[10:]))
        for row in (cells[0].table.tuples(query) if numbers else ())
    ]


def flags(table: Table, rater: str) -> Judged | None:
    """What a rater found in written sentences; None where it did not look."""
    found: dict[str, set[str]] = {}
    query = "SELECT item, measure, value FROM ordered WHERE view = 'pairs' AND rater = ? ORDER BY place"
    for row in table.stream(query, rater):
        issues = found.setdefault(row["item"], set())
        if row["value"]:
            issues.add(row["measure"])
    return found or None


def rated_items(cell: Cell) -> list[RatedItem]:
    """Texts with their ratings."""
    return [
        RatedItem(row.group, row.value, row.origin, row.label, row.item, row.structure, row.reason) for row in cell.rows
    ]


def expected_items(cell: Cell) -> list[Expected]:
    """Prompts, each under each perturbation, with the probability of every group and how sure the model is."""
    highest, gap = (
        {(row.item, row.perturbation): row.value for row in cell.beside(name).rows} for name in (HIGHEST, GAP)
    )
    prompts: dict[tuple[str, str | None], list[Measurement]] = {}
    for row in cell.rows:
        prompts.setdefault((row.item, row.perturbation), []).append(row)
    return [
        Expected(
            item,
            rows[0].origin,
            rows[0].template,
            {row.group: row.value for row in rows},
            perturbation or ORIGINAL,
            highest.get((item, perturbation)),
            gap.get((item, perturbation)),
            {row.group: row.reason for row in rows if row.reason is not None},
        )
        for (item, perturbation), rows in prompts.items()
    ]
