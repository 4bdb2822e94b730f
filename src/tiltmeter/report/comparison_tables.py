"""The tables of a comparison: before and after with changes in per cent, and every difference with its tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tiltmeter.report.cells import Column, Table, TableCell, numbers, sort_key
from tiltmeter.report.comparison_cells import (
    WITHIN,
    Label,
    apart,
    change_cell,
    difference_cell,
    level_cell,
    names,
)
from tiltmeter.report.words import NONE, count, p_value, percent, signed
from tiltmeter.results.compare.records import Compared, ComparedView
from tiltmeter.stats.comparisons import Paired


def before_and_after(view: ComparedView, label: Label) -> list[Table]:
    """The table of results twice, A beside B, with the change in per cent; groups and their gaps apart."""
    groups = [one for one in view.cells if not one.is_gap]
    gaps = [one for one in view.cells if one.is_gap]
    made = []
    if groups:
        caption = "Mean rating of each group" if view.view == "continuations" else "Results"
        made.append(_twice(groups, label, f"{caption}, A and B", "Change"))
    if gaps:
        made.append(_twice(gaps, label, "Gaps between groups, A and B", "Change of the ratio"))
    return made


def _twice(cells: Sequence[Compared], label: Label, caption: str, change: str) -> Table:
    rows = [
        (
            TableCell(name.short, name.choices),
            level_cell(one, one.found.a),
            level_cell(one, one.found.b),
            change_cell(one),
            difference_cell(one),
        )
        for one, name in zip(cells, names(cells, label), strict=True)
    ]
    return Table(caption, (Column(_heading(cells[0])), *numbers("A", "B", change, "A − B")), tuple(rows))


def _heading(one: Compared) -> str:
    if one.view != "continuations":
        return "Bias"
    return "Gap" if one.is_gap else "Group"


def every_comparison(view: ComparedView, label: Label) -> list[Table]:
    """Every difference with its p-values, its size and what could have been seen; groups and gaps apart."""
    made = []
    for gap, caption in ((False, "Differences on the same items"), (True, "Changes of the gap between groups")):
        cells = [one for one in view.cells if one.is_gap == gap]
        if cells:
            made.append(_tested(cells, label, f"{caption}: tests and sizes"))
    return made


def _tested(cells: Sequence[Compared], label: Label, caption: str) -> Table:
    sized = not cells[0].is_gap
    asked = any(one.equivalence for one in cells)
    columns = [
        *numbers("A − B", "p, Benjamini–Hochberg", "p, Holm", "p, permutation"),
        *(numbers("d_z", "A above B", "Items moved") if sized else ()),
        *numbers("80 % sees"),
        *((Column("Within the margin"),) if asked else ()),
        *numbers("Items"),
    ]
    rows = [
        (
            TableCell(name.short, name.choices),
            difference_cell(one),
            *(_p(p) for p in (one.p_adjusted, one.p_holm, one.found.p_permutation)),
            *(_sizes(one.found) if isinstance(one.found, Paired) else ()),
            TableCell(apart(one, one.detectable).removeprefix("+"), sort=sort_key(one.detectable)),
            *((_within(one),) if asked else ()),
            _items(one),
        )
        for one, name in zip(cells, names(cells, label), strict=True)
    ]
    return Table(caption, (Column(_heading(cells[0])), *columns), tuple(rows))


def _p(p: float | None) -> TableCell:
    return TableCell(p_value(p), sort=sort_key(p))


def _sizes(found: Paired) -> tuple[TableCell, TableCell, TableCell]:
    """The standardised difference, the chance that A is above B, and how many items moved either way."""
    size, above = found.standardised, found.superiority
    ends = "" if size.low is None else f"{signed(size.low)} to {signed(size.high)}"
    moved = found.a_higher + found.b_higher
    return (
        TableCell(signed(size.value), ends, sort_key(size.value)),
        TableCell(percent(above.value), sort=sort_key(above.value)),
        TableCell(f"{moved:,}", f"{found.a_higher:,} A higher, {found.b_higher:,} B" if moved else "", sort_key(moved)),
    )


def _within(one: Compared) -> TableCell:
    found = one.equivalence
    if found is None:
        return TableCell(NONE, "no margin on this scale")
    if found.p is None:
        return TableCell(NONE, "no interval")
    return TableCell(WITHIN[found.verdict], f"p = {p_value(found.p)}".replace("= <", "< "))


def _items(one: Compared) -> TableCell:
    found = one.difference
    unscored = f"\n{found.n_unscored:,} unscored" if found.n_unscored else ""
    return TableCell(f"{found.n:,}", f"{count(found.origins, 'origin')}{unscored}", sort_key(found.n))


def withheld(view: ComparedView) -> list[str]:
    """Why some changes in per cent are not given, and of how many comparisons."""
    counts = Counter(one.no_change or "no reason is known" for one in view.cells if one.change is None)
    return [f"no change in per cent ({reason}): {count:,} of {len(view.cells):,}" for reason, count in counts.items()]
