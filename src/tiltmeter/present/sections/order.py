"""Whether sources, and models, rank the biases alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tiltmeter.present.blocks import Block, Chart, Prose, Section, TableCell, text
from tiltmeter.present.charts import Dot, DotRow, dots
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.forest import SHARE
from tiltmeter.present.series import bias_label
from tiltmeter.present.tables import no_interval, numbers, sort_key, table
from tiltmeter.present.words import NONE, count, percent, signed
from tiltmeter.results import correlate_runs
from tiltmeter.results.summary.sources_compared import Correlation, Correlations, Models, matrix

_FEW = 2


def order(found: Reported) -> list[Section]:
    """Rank correlations of sources and of models; nothing where there is nothing to compare."""
    blocks = list(order_blocks(found, correlate_runs(found.runs)))
    about = {"view": "pairs"}
    title = "Do sources and models rank the biases alike?"
    return [Section(title, tuple(blocks), anchor="order", folded=True, about=about)] if blocks else []


def order_blocks(found: Reported, correlations: Correlations) -> Iterator[Block]:
    """Every two sources, every two models, and how far models differ on each bias."""
    if correlations.sources or correlations.models:
        yield Prose(
            text(
                "Spearman’s rank correlation of the values of the social biases: +1 is the same order, 0 no common "
                "order, −1 the reverse. Its interval takes the biases as a sample of biases; it does not count that "
                "each value is itself uncertain, which pulls the correlation towards 0."
            )
        )
    yield from _compared("sources", correlations.sources)
    for kind, models in correlations.models.items():
        yield from _compared(f"models ({kind})", models.pairs)
        if models.values:
            yield _spread(found, kind, models)


def _compared(what: str, pairs: Sequence[Correlation]) -> Iterator[Block]:
    """Every two as a list, and as a matrix where there are more than two."""
    columns = ("First", "Second", *numbers("Spearman", "Interval", "Biases"), "Averaged over")
    rows = [
        (
            one.first,
            one.second,
            TableCell(signed(one.found.value), sort=sort_key(one.found.value)),
            _interval(one),
            one.found.n,
            ", ".join(one.over),
        )
        for one in pairs
    ]
    listed = table(f"Every two {what}: rank correlation over the biases", columns, rows)
    if listed:
        yield listed
    square = matrix(pairs)
    if len(square.names) > _FEW:
        cells = [
            (TableCell(name), *(TableCell(signed(value), sort=sort_key(value)) for value in values))
            for name, values in zip(square.names, square.values, strict=True)
        ]
        made = table(f"Agreement of the {what} as a matrix", ("Name", *numbers(*square.names)), cells)
        if made:
            yield made


def _interval(one: Correlation) -> TableCell:
    if one.found.low is None:
        return TableCell(NONE, no_interval(one.found))
    return TableCell(f"{signed(one.found.low)} to {signed(one.found.high)}", sort=sort_key(one.found.low))


def _spread(found: Reported, kind: str, models: Models) -> Chart:
    """Each bias over the models, the widest spread first."""
    ordered = sorted(models.values, key=lambda bias: -(models.spreads[bias].sd or 0.0))
    rows = [
        DotRow(
            f"{bias_label(found, bias)}{_sd(models, bias)}",
            tuple(Dot(value, series=model, text=percent(value)) for model, value in models.values[bias].items()),
        )
        for bias in ordered
    ]
    ends = dict.fromkeys((ordered[0], ordered[-1]))
    said = "; ".join(f"{bias_label(found, bias)}, {_range(models, bias)}" for bias in ends)
    compared = f"{count(len(ordered), 'bias', 'biases')} over {count(len(models.values[ordered[0]]), 'model')}"
    return Chart(
        f"models-{kind}",
        f"The models differ most on {found.names.bias(ordered[0])} ({kind})",
        dots(rows, replace(SHARE, title=f"{SHARE.title}, {kind}")),
        f"{compared}; widest and narrowest spread: {said}.",
        text("Each bias under each model, widest spread first. SD: standard deviation over models, in points."),
    )


def _sd(models: Models, bias: str) -> str:
    sd = models.spreads[bias].sd
    return "" if sd is None else f" (SD {100 * sd:.1f})"


def _range(models: Models, bias: str) -> str:
    values = models.spreads[bias].values
    return f"{percent(min(values))} to {percent(max(values))}" if values else "no value"
