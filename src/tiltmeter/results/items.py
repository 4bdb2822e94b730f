"""The measurements of a cell as the records that stats averages."""

from __future__ import annotations

from tiltmeter.measures.pairs import MARGIN
from tiltmeter.results.cells import Cell, Combination, Measurement
from tiltmeter.results.measurements import GAP, HIGHEST
from tiltmeter.results.summary.next_words import ORIGINAL, Expected
from tiltmeter.stats.continuations import RatedItem
from tiltmeter.stats.pairs import PairItem


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
