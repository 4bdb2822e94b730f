"""The part of the report on the effect of issues: tables and figure, by the audit and by people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, Table, TableCell, change_cell, numbers, plain_share, share_cell
from tiltmeter.report.contents import Contents
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.figures import Block, Row, forest
from tiltmeter.report.issues import ISSUES
from tiltmeter.report.series import spec_of
from tiltmeter.report.words import NONE, SPACE, count, percent, signed
from tiltmeter.results import Cell
from tiltmeter.results.summary.effects import Effect, Effects


@dataclass(frozen=True, slots=True)
class EffectView:
    """The effect of the issues that one judge found."""

    finding: str
    note: str
    issues: Table
    biases: Table
    by_issue: Table
    figure: Drawn | None
    replaced: bool
    """Whether others were put in the place of flagged sentences."""


def effect_views(contents: Contents, place: str, cell: Cell) -> list[EffectView]:
    """By the audit and by people, as far as there is either."""
    if cell.generated is None:
        return []
    judges = (("the audit", cell.generated.by_audit), ("people", cell.generated.by_people))
    return [_view(contents, place, cell, judge, found) for judge, found in judges if found]


def _view(contents: Contents, place: str, cell: Cell, judge: str, found: Effects) -> EffectView:
    unjudged = f"{count(found.unjudged, 'pair')} of sentences that nobody judged: no part of these values."
    touched = [bias for bias, effects in found.by_bias.items() if effects[0].flagged]
    return EffectView(
        finding=_finding(judge, found.overall[0]),
        note=unjudged if found.unjudged else "",
        issues=_issue_table(judge, found.overall),
        biases=_bias_table(contents, cell, judge, found, touched),
        by_issue=_change_table(contents, judge, found, touched),
        figure=_figure(contents, place, cell, judge, found, touched) if touched else None,
        replaced=found.overall[0].replaced is not None,
    )


def _finding(judge: str, effect: Effect) -> str:
    share = effect.flagged / effect.pairs if effect.pairs else None
    start = f"By {judge}, {effect.flagged:,} of {count(effect.pairs, 'pair')} ({percent(share)}) have an issue."
    if not effect.flagged:
        return start
    if effect.change is None:
        return f"{start} Nothing is left without them."
    parts = [
        f"{start} Without them the overall value goes from {percent(effect.before.value)} to "
        f"{percent(effect.after.value)} ({_points(effect.change)})"
    ]
    if effect.replaced is not None and effect.change_replaced is not None:
        parts.append(
            f", and with others in their place to {percent(effect.replaced.value)} ({_points(effect.change_replaced)})"
        )
    return "".join(parts) + "."


def _issue_table(judge: str, effects: Sequence[Effect]) -> Table:
    replaced = any(one.replaced is not None for one in effects)
    columns = (
        Column("Sentences flagged for"),
        *numbers("Flagged", "Without", "Change", "Lost"),
        *(numbers("Replaced", "Change", "By", "Lost") if replaced else ()),
        *numbers("Bias change"),
    )
    rows = [
        (
            TableCell(ISSUES[one.issue], mark="mean" if one.issue == "any" else ""),
            TableCell(f"{one.flagged:,}", f"of {one.pairs:,}"),
            share_cell(one.after, interval=True),
            change_cell(one.change, one.relative),
            TableCell(str(one.attributes_lost)),
            *(_replacement_cells(one) if replaced else ()),
            TableCell(_percent(one.mean_size)),
        )
        for one in effects
    ]
    return Table(f"What the issues that {_found(judge)} do to the overall value", columns, tuple(rows))


def _replacement_cells(one: Effect) -> tuple[TableCell, ...]:
    others = [
        *([f"{one.regenerated:,} anew"] if one.regenerated else []),
        *([count(one.templates, "template")] if one.templates else []),
    ]
    return (
        share_cell(one.replaced or Estimate(None), interval=True),
        change_cell(one.change_replaced, one.relative_replaced),
        TableCell(f"{one.regenerated + one.templates:,}", ", ".join(others)),
        TableCell(str(one.attributes_lost_replaced)),
    )


def _bias_table(contents: Contents, cell: Cell, judge: str, found: Effects, biases: Sequence[str]) -> Table:
    replaced = any(one.replaced is not None for one in found.overall)
    names = ("Flagged", "As written", "Without", "Change")
    more = ("Replaced", "Change") if replaced else ()
    rows = []
    for bias in biases:
        one = found.by_bias[bias][0]
        sets = cell.generated.sets.get(bias) if cell.generated else None
        spread = TableCell(NONE if sets is None or sets.sd is None else f"{100 * sets.sd:.1f}")
        others = (share_cell(one.replaced or Estimate(None)), change_cell(one.change_replaced, one.relative_replaced))
        rows.append(
            (
                TableCell(contents.label(bias)),
                TableCell(f"{one.flagged:,}", f"of {one.pairs:,}"),
                share_cell(one.before),
                share_cell(one.after),
                change_cell(one.change, one.relative),
                *(others if replaced else ()),
                spread,
            )
        )
    columns = (Column("Bias"), *numbers(*names, *more, "Spread over sets (SD)"))
    return Table(f"What they do to each bias: any issue that {_found(judge)}", columns, tuple(rows))


def _change_table(contents: Contents, judge: str, found: Effects, biases: Sequence[str]) -> Table:
    seen = [
        place
        for place, effect in enumerate(found.overall)
        if any(found.by_bias[bias][place].flagged for bias in biases)
    ]
    rows = [
        (TableCell(contents.label(bias)), *(_final_change(found.by_bias[bias][place]) for place in seen))
        for bias in biases
    ]
    columns = (Column("Bias"), *numbers(*(found.overall[place].issue for place in seen)))
    way = "with others in their place" if any(one.replaced is not None for one in found.overall) else "without them"
    return Table(f"Change in points {way}, issue by issue, and how many were flagged ({judge})", columns, tuple(rows))


def _final_change(one: Effect) -> TableCell:
    change = one.change if one.replaced is None else one.change_replaced
    if not one.flagged:
        return TableCell("")
    cell = change_cell(change)
    return TableCell(cell.text, f"{one.flagged:,} of {one.pairs:,}", cell.sort)


def _figure(contents: Contents, place: str, cell: Cell, judge: str, found: Effects, biases: Sequence[str]) -> Drawn:
    whole = found.overall[0]
    replaced = whole.replaced is not None
    labels = ["as written", "without flagged sentences", *(["with others in their place"] if replaced else [])]

    def row(label: str, one: Effect, sets: tuple[float, ...] = (), *, summary: bool = False) -> Row:
        estimates = (one.before, one.after, one.replaced)[: len(labels)]
        return Row(label, estimates, summary, (sets, (), ())[: len(labels)])

    def repeats(bias: str) -> tuple[float, ...]:
        values = cell.generated.sets[bias].values if cell.generated and bias in cell.generated.sets else ()
        return values if len(values) > 1 else ()

    ordered = sorted(biases, key=lambda bias: -(found.by_bias[bias][0].before.value or 0))
    social, checks = (
        [
            row(contents.label(bias), found.by_bias[bias][0], repeats(bias))
            for bias in ordered
            if (spec_of(bias) in contents.benchmarks) == wanted
        ]
        for wanted in (False, True)
    )
    if len(social) > 1:
        social.insert(0, row("Mean over biases", whole, summary=True))
    blocks = [Block(tuple(social)), Block(tuple(checks), "Instrument checks, not social biases")]
    ticks = (
        " Ticks: the value in each independent set of sentences; a change that is smaller than their spread is one "
        "that another set could bring as well."
    )
    caption = (
        f"Share of stereotyped choices before and after sentences with an issue were taken out, by {judge}, with "
        "95\N{NO-BREAK SPACE}% intervals. Biases without a flagged sentence are left out."
        + (ticks if any(map(repeats, biases)) else "")
    )
    figure = partial(forest, [block for block in blocks if block.rows], labels)
    return draw(
        f"effects {judge} {place}", figure, _finding(judge, whole) + _largest(contents, found, ordered), caption
    )


def _largest(contents: Contents, found: Effects, biases: Sequence[str]) -> str:
    """The bias that changes most, in words."""
    changes = [(abs(one.change), bias, one.change) for bias in biases if (one := found.by_bias[bias][0]).change]
    if not changes:
        return ""
    _, bias, change = max(changes)
    return f" The largest change of a bias without them: {contents.label(bias)}, {_points(change)}."


def _found(judge: str) -> str:
    return "the audit found" if judge == "the audit" else "most annotators found"


def _points(change: float) -> str:
    return f"{signed(100 * change, 1)}{SPACE}points"


def _percent(share: float | None) -> str:
    return NONE if share is None else plain_share(share).text
