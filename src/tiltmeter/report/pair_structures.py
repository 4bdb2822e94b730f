"""The part of the report on pairs in many sentence structures: does a preference hold in each of them?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tiltmeter.records import STRUCTURE_KINDS, Structure
from tiltmeter.report.cells import Column, Table, TableCell, numbers, share_cell
from tiltmeter.report.contents import Contents
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.figures import Swarm, SwarmKey, swarms
from tiltmeter.report.words import count, percent
from tiltmeter.results import Cell
from tiltmeter.results.items import structures_of_pairs
from tiltmeter.stats.estimates import scaled, shifted


@dataclass(frozen=True, slots=True)
class PairStructuresView:
    """One model on one source whose sentences come in several structures."""

    place: str
    figure: Drawn
    table: Table


def pair_structure_views(contents: Contents) -> list[PairStructuresView]:
    """One for the leading scorer of each series and source that has structures."""
    return [
        _view(f"{one.label}, {source}", cell, contents)
        for one in contents.series
        for source in one.sources
        if (cell := one.leading(source)) is not None and cell.structures
    ]


def _view(place: str, cell: Cell, contents: Contents) -> PairStructuresView:
    known = structures_of_pairs(cell.measured)
    rows = [structure_swarm(contents.label(bias), cell, bias, known) for bias in cell.structures]
    key = SwarmKey(
        series=tuple(f"{kind} structure" for kind in STRUCTURE_KINDS),
        whole="all structures together, with 95\N{NO-BREAK SPACE}% interval",
        left="← prefers the other",
        right="prefers the stereotyped →",
    )
    caption = "Points of per cent above or below 50, a dot for each structure."
    figure = draw(f"pair structures {place}", partial(swarms, rows, key), structures_in_words(rows), caption)
    return PairStructuresView(place, figure, _table(cell, contents))


def structure_swarm(label: str, cell: Cell, bias: str, known: dict[str, Structure]) -> Swarm:
    """A bias under each structure, in points above or below one half."""
    found = cell.structures[bias]
    points = tuple(
        (100 * (one.value - 0.5), STRUCTURE_KINDS.index(known[name].kind))
        for name, one in found.by_structure.items()
        if one.value is not None
    )
    kept = found.side_kept.value
    text = "" if kept is None else f"{percent(kept, 0)} on this side"
    return Swarm(label, points, scaled(shifted(found.whole, -0.5), 100), text=text)


def _table(cell: Cell, contents: Contents) -> Table:
    columns = (
        Column("Bias"),
        *numbers("Over all structures", "On the same side", "Structures"),
        Column("On the other side"),
    )
    rows = tuple(
        (
            TableCell(contents.label(bias)),
            share_cell(found.whole, interval=True),
            share_cell(found.side_kept, interval=True),
            TableCell(str(len(found.by_structure))),
            TableCell(", ".join(found.reversed) or "none"),
        )
        for bias, found in cell.structures.items()
    )
    return Table("How many structures prefer the same side as all of them together", columns, rows)


def structures_in_words(rows: Sequence[Swarm]) -> str:
    """The figure for those who cannot see it."""
    parts = []
    for row in rows:
        values = [value for value, _ in row.points]
        if values:
            parts.append(f"{row.label}: {50 + min(values):.0f} to {50 + max(values):.0f} per cent")
    return (
        f"Share of stereotyped choices under each structure, {count(len(rows), 'bias', 'biases')}. {'; '.join(parts)}."
    )
