"""The part of the report on order: whether sources, and models, rank the biases alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tiltmeter.report.cells import Column, Table, TableCell, numbers, sort_key
from tiltmeter.report.contents import Contents
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.figures import Strip, strips
from tiltmeter.report.words import NONE, SPACE, count, percent, signed
from tiltmeter.results.summary.sources_compared import WRITTEN, Correlation, Correlations, Models, matrix

_FEW = 2


@dataclass(frozen=True, slots=True)
class OrderView:
    """The correlations, and for written sentences the spread of each bias over the models."""

    tables: tuple[Table, ...]
    figures: tuple[Drawn, ...]


def order_view(contents: Contents, found: Correlations) -> OrderView:
    """Empty where there is nothing to compare."""
    tables = []
    if found.sources:
        caption = "Every two sources: rank correlation over the biases, averaged over the models tested on both"
        tables += [_table(caption, found.sources), *_square("Agreement of the sources", found.sources)]
    for kind, models in found.models.items():
        tables.append(_table(f"Every two models: rank correlation over the biases ({kind})", models.pairs))
        tables += _square(f"Agreement of the models ({kind})", models.pairs)
    figures = [_spread(contents, kind, models) for kind, models in found.models.items() if kind == WRITTEN]
    return OrderView(tuple(tables), tuple(figures))


def _table(caption: str, pairs: Sequence[Correlation]) -> Table:
    columns = (Column("First"), Column("Second"), *numbers("Spearman", "Interval", "Biases"), Column("Averaged over"))
    rows = tuple(
        (
            TableCell(one.first),
            TableCell(one.second),
            TableCell(signed(one.found.value), sort=sort_key(one.found.value)),
            _interval(one),
            TableCell(str(one.found.n)),
            TableCell(", ".join(one.over)),
        )
        for one in pairs
    )
    return Table(caption, columns, rows)


def _square(what: str, pairs: Sequence[Correlation]) -> list[Table]:
    """The same correlations as a matrix, where there are more than two names and it shows something at a glance."""
    found = matrix(pairs)
    if len(found.names) <= _FEW:
        return []
    rows = tuple(
        (TableCell(name), *(TableCell(signed(value), sort=sort_key(value)) for value in values))
        for name, values in zip(found.names, found.values, strict=True)
    )
    caption = f"{what}: Spearman’s rank correlation of the biases, as a matrix"
    return [Table(caption, (Column(""), *numbers(*found.names)), rows)]


def _interval(one: Correlation) -> TableCell:
    if one.found.low is None:
        return TableCell(NONE, (one.found.note or "").removeprefix("no interval: ").removeprefix("no correlation: "))
    return TableCell(f"{signed(one.found.low)} to {signed(one.found.high)}", sort=sort_key(one.found.low))


def _spread(contents: Contents, kind: str, found: Models) -> Drawn:
    """Each bias over the models, the widest spread first."""
    models = list(next(iter(found.values.values())))
    ordered = sorted(found.values, key=lambda bias: -(found.spreads[bias].sd or 0.0))
    rows = [
        Strip(contents.label(bias), tuple(found.values[bias][model] for model in models), _sd(found, bias))
        for bias in ordered
    ]
    ends = [ordered[0], ordered[-1]] if len(ordered) > 1 else ordered
    words = "; ".join(f"{contents.label(bias)}, {_range(found, bias)}" for bias in ends)
    alternative = (
        f"{count(len(ordered), 'bias', 'biases')} over {count(len(models), 'model')}, widest and narrowest: {words}."
    )
    caption = (
        f"Each bias over the models tested ({kind}), the one they differ on most first; SD: sample standard deviation "
        "over models, in points."
    )
    return draw(f"models {kind}", partial(strips, rows, models), alternative, caption)


def _sd(found: Models, bias: str) -> str:
    sd = found.spreads[bias].sd
    return "" if sd is None else f"SD{SPACE}{100 * sd:.1f}"


def _range(found: Models, bias: str) -> str:
    values = found.spreads[bias].values
    return f"{percent(min(values))} to {percent(max(values))}" if values else "no value"
