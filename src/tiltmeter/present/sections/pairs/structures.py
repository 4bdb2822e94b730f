"""Pairs in many sentence structures: whether a preference holds in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Block, Chart, Prose, Section, TableCell, text
from tiltmeter.present.charts import Item, Strip, strips
from tiltmeter.present.decodings import short_scorer
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.forest import SHARE, share_dot
from tiltmeter.present.series import Series, bias_label, pair_place, titled
from tiltmeter.present.tables import numbers, share_cell, table
from tiltmeter.present.words import SPACE, count, percent
from tiltmeter.results import Cell
from tiltmeter.results.cells import table_of
from tiltmeter.store import Run


def structures(found: Reported, series: list[Series]) -> Iterator[Block]:
    """One part for each model and source whose sentences come in several structures, under the leading scorer."""
    shown = [
        (one, cell)
        for one in series
        for source in one.sources
        if (cell := one.leading(source)) is not None and cell.structures
    ]
    if shown:
        said = "The same statements in many sentence structures. A preference that depends on one structure is a fact "
        yield Prose(text(f"{said}about that structure."))
    for one, cell in shown:
        yield Section(titled(one, cell.source, series), tuple(_of_cell(found, one.run, cell)))


def _of_cell(found: Reported, run: Run, cell: Cell) -> Iterator[Block]:
    kinds = _kinds(run, cell)
    rows = [_strip(found, cell, bias, kinds) for bias in cell.structures]
    caption = (
        f"A tick for each structure; diamonds: all structures together, with 95{SPACE}% intervals. Scorer "
        f"{short_scorer(cell.scorer)}."
    )
    name = f"pair-structures-{cell.model}-{cell.source}"
    yield Chart(name, _title(cell), strips(rows, SHARE), _in_words(rows), text(caption))
    columns = ("Bias", *numbers("All structures", "On the same side", "Structures"), "On the other side")
    sides = [
        (
            bias_label(found, bias),
            share_cell(one.whole, place=pair_place(cell, bias)),
            share_cell(one.side_kept),
            len(one.by_structure),
            ", ".join(one.reversed) or "none",
        )
        for bias, one in cell.structures.items()
    ]
    made = table("How many structures prefer the same side as all of them together", columns, sides)
    if made:
        yield made
    yield from _each_structure(found, cell, kinds)


def _kinds(run: Run, cell: Cell) -> dict[str, str]:
    """The kind of each structure."""
    own = [
        one
        for one in table_of(run).of("pairs", model=cell.model)
        if (one.source, one.scorer) == (cell.source, cell.scorer)
    ]
    return {row.structure: row.kind or "" for one in own for row in one.rows if row.structure}


def _strip(found: Reported, cell: Cell, bias: str, kinds: dict[str, str]) -> Strip:
    one = cell.structures[bias]
    items = tuple(
        Item(
            share.value,
            name,
            f"{kinds.get(name, '')} structure".strip(),
            f"{name}: {percent(share.value)}\n{count(share.n, 'pair')}, {share.n_unscored:,} missing",
            pair_place(cell, bias, structure=name),
        )
        for name, share in one.by_structure.items()
        if share.value is not None
    )
    return Strip(bias_label(found, bias), items, share_dot(one.whole))


def _title(cell: Cell) -> str:
    """For how many biases every structure is on one side."""
    sided = [one for one in cell.structures.values() if one.side_kept.value is not None]
    if not sided:
        return "All structures together lean to neither side"
    turned = sum(bool(one.reversed) for one in sided)
    return f"Some structures reverse the preference for {turned or 'none'} of {count(len(sided), 'bias', 'biases')}"


def _in_words(rows: Sequence[Strip]) -> str:
    """The chart for those who cannot see it."""
    parts = []
    for row in rows:
        values = [item.value for item in row.items]
        if values:
            parts.append(f"{row.label}: {percent(min(values), 0)} to {percent(max(values), 0)}")
    biases = count(len(rows), "bias", "biases")
    return f"Share of stereotyped choices under each structure, {biases}. {'; '.join(parts)}."


def _each_structure(found: Reported, cell: Cell, kinds: dict[str, str]) -> Iterator[Block]:
    names = dict.fromkeys(name for one in cell.structures.values() for name in one.by_structure)
    rows = [
        (
            TableCell(name, kinds.get(name, "")),
            *(
                share_cell(one.by_structure[name], place=pair_place(cell, bias, structure=name))
                if name in one.by_structure
                else None
                for bias, one in cell.structures.items()
            ),
        )
        for name in names
    ]
    columns = ("Structure", *numbers(*(bias_label(found, bias) for bias in cell.structures)))
    made = table("Share of stereotyped choices under each structure", columns, rows, sortable=True)
    if made:
        yield Section("Each structure", (made,), folded=True)
