"""The part of the report on sentences that a model wrote: templates beside them, spread over sets, their issues."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tiltmeter.report.cells import Column, Table, TableCell, change_cell, numbers, plain_share
from tiltmeter.report.contents import Contents
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.effects import EffectView, effect_views
from tiltmeter.report.figures import forest
from tiltmeter.report.series import Series
from tiltmeter.report.words import NONE, SPACE, count, percent, signed
from tiltmeter.results import Cell
from tiltmeter.results.summary.sources_compared import Comparison

SHOWN = 12
"""Attributes in the table of disagreements; all of them are in summary.json."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Templates beside written sentences."""

    figure: Drawn
    table: Table
    correlation: str
    attributes: Table
    finding: str


@dataclass(frozen=True, slots=True)
class WrittenSection:
    """One model and one source of written sentences, under the leading scorer."""

    place: str
    beside: tuple[Beside, ...]
    sets: Table
    effects: tuple[EffectView, ...]

    @property
    def figures(self) -> list[Drawn]:
        """Every figure of the section."""
        return [*(one.figure for one in self.beside), *(one.figure for one in self.effects if one.figure)]


def written_sections(contents: Contents) -> list[WrittenSection]:
    """One for each model and source of written sentences."""
    return [
        _section(contents, one, cell)
        for one in contents.series
        for source in one.sources
        if (cell := one.leading(source)) and cell.generated
    ]


def _section(contents: Contents, one: Series, cell: Cell) -> WrittenSection:
    place = f"{one.label}, {cell.source}"
    return WrittenSection(
        place=place,
        beside=tuple(_beside(contents, place, found, other, cell) for found, other in one.beside_templates(cell)),
        sets=_sets(contents, cell),
        effects=tuple(effect_views(contents, place, cell)),
    )


def _beside(contents: Contents, place: str, found: Comparison, templates: Cell, written: Cell) -> Beside:
    blocks = contents.blocks([templates, written])
    several = any(len(sets.values) > 1 for sets in written.generated.sets.values()) if written.generated else False
    ticks = " Ticks: the value in each independent set of written sentences." if several else ""
    caption = (
        "Share of stereotyped choices on templates and on written sentences, with 95\N{NO-BREAK SPACE}% intervals."
        f"{ticks}"
    )
    names = [templates.source, written.source]
    figure = draw(f"templates {place}", partial(forest, blocks, names), _differences(contents, found), caption)
    return Beside(
        figure, _bias_table(contents, found), _correlation(found), _attribute_table(contents, found), _finding(found)
    )


def _differences(contents: Contents, found: Comparison) -> str:
    """On how many biases written sentences give the higher value, and where the two differ most."""
    known = [
        (second - first, bias)
        for bias, (first, second) in found.biases.items()
        if first is not None and second is not None
    ]
    if not known:
        return "No bias has a value on both."
    higher = sum(difference > 0 for difference, _ in known)
    difference, bias = max(known, key=lambda one: abs(one[0]))
    return (
        f"Written sentences give a higher value than templates on {higher} of {count(len(known), 'bias', 'biases')}; "
        f"the largest difference: {contents.label(bias)}, {signed(100 * difference, 1)}{SPACE}points."
    )


def _bias_table(contents: Contents, found: Comparison) -> Table:
    rows = tuple(
        (
            TableCell(contents.label(bias)),
            plain_share(template),
            plain_share(written),
            change_cell(None if template is None or written is None else written - template),
        )
        for bias, (template, written) in found.biases.items()
    )
    columns = (Column("Bias"), *numbers("Templates", "Written", "Difference"))
    return Table("Stereotyped choices: templates beside written sentences", columns, rows)


def _correlation(found: Comparison) -> str:
    one = found.correlation
    if one.value is None:
        reason = (one.note or "").removeprefix("no correlation: ")
        return f"No rank correlation over the biases: {reason}."
    start = f"Spearman’s rank correlation over {count(one.n, 'bias', 'biases')}: {signed(one.value)}"
    if one.low is None:
        return f"{start}; {one.note}."
    return f"{start} ({percent(one.level, 0)} interval {signed(one.low)} to {signed(one.high)})."


def _attribute_table(contents: Contents, found: Comparison) -> Table:
    rows = tuple(
        (
            TableCell(one.attribute, contents.label(one.bias)),
            TableCell(percent(one.first.value), f"{count(one.first.n, 'pair')}"),
            TableCell(percent(one.second.value), f"{count(one.second.n, 'pair')}"),
            change_cell(one.difference),
            TableCell("opposite sides" if one.opposite else "", mark="opposed" if one.opposite else ""),
        )
        for one in found.attributes[:SHOWN]
        if one.difference
    )
    columns = (Column("Attribute"), *numbers("Templates", "Written", "Difference"), Column(f"Side of 50{SPACE}%"))
    return Table("Attributes on which templates and written sentences disagree most", columns, rows)


def _finding(found: Comparison) -> str:
    total, opposite = len(found.attributes), sum(one.opposite for one in found.attributes)
    return (
        f"On {opposite} of {count(total, 'attribute')} templates and written sentences point to opposite sides of "
        f"50{SPACE}%. An attribute has few pairs, so single ones prove little; the pairs stand among the examples."
    )


def _sets(contents: Contents, cell: Cell) -> Table:
    assert cell.generated is not None
    columns = (Column("Bias"), *numbers("Sets", "Mean", "Spread over sets (SD)", "By the group written for"))
    rows = []
    for bias, found in cell.generated.sets.items():
        halves = cell.generated.halves.get(bias, {})
        texts = [f"{group} {percent(half.value)}" for group, half in halves.items()]
        rows.append(
            (
                TableCell(contents.label(bias)),
                TableCell(str(len(found.values))),
                plain_share(found.mean),
                TableCell(NONE if found.sd is None else f"{100 * found.sd:.1f}"),
                TableCell("; ".join(texts)),
            )
        )
    return Table("Spread over independent sets, and either half of the sentences", columns, tuple(rows))
