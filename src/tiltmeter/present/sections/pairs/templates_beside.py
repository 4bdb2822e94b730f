"""Templates beside written sentences of the same specs, and written sentences by set and by the group they are for."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.present.blocks import Block, Chart, Prose, Table, TableCell, text
from tiltmeter.present.charts import dots
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.forest import SHARE, Shares, forest_in_words, forest_rows
from tiltmeter.present.series import Series, bias_label, pair_place, sets_of
from tiltmeter.present.tables import change_cell, mean_and_sd, no_interval, numbers, share_cell, sort_key, table
from tiltmeter.present.words import NEUTRAL, NONE, SPACE, count, percent, signed
from tiltmeter.records import Estimate
from tiltmeter.results import Cell
from tiltmeter.results.summary.sources_compared import Comparison
from tiltmeter.stats.spread import Spread

SHOWN = 12
"""Attribute words in the table of disagreements; all of them are in summary.json."""


def beside_templates(
    found: Reported, one: Series, compared: Comparison, templates: Cell, written: Cell
) -> Iterator[Block]:
    """The same biases on templates and on written sentences, and the words on which they disagree most."""
    rows = forest_rows(found, [_shares(cell) for cell in (templates, written)])
    ticks = ""
    if any(sets_of(written, bias) for bias in compared.biases):
        ticks = " Ticks: the value in each independent set of written sentences."
    caption = f"Share of stereotyped choices on templates and on written sentences, with 95{SPACE}% intervals.{ticks}"
    name = f"templates-{one.label}-{templates.source}-{written.source}"
    alternative = f"{_largest(found, compared)} {forest_in_words(rows)}"
    yield Chart(name, _title(compared), dots(rows, SHARE), alternative, text(caption))
    yield from filter(None, [_bias_table(found, compared)])
    yield Prose(text(f"{_correlation(compared)} {_largest(found, compared)}"))
    attributes = _attribute_table(found, compared)
    if attributes:
        opposite = sum(gap.opposite for gap in compared.attributes)
        yield Prose(
            text(
                f"For {opposite} of {count(len(compared.attributes), 'attribute word')} the two are on opposite sides "
                f"of {NEUTRAL}. A word has few pairs, so single words prove little."
            )
        )
        yield attributes


def _shares(cell: Cell) -> Shares:
    return Shares(
        cell.source,
        cell.summary.headline,
        cell.summary.headline_by_bias,
        lambda bias: sets_of(cell, bias),
        lambda bias: pair_place(cell, bias),
    )


def _changes(compared: Comparison) -> list[tuple[float, str]]:
    return [
        (second - first, bias)
        for bias, (first, second) in compared.biases.items()
        if first is not None and second is not None
    ]


def _title(compared: Comparison) -> str:
    known = _changes(compared)
    higher = sum(change > 0 for change, _ in known)
    return f"Written sentences give a higher value than templates on {higher} of {count(len(known), 'bias', 'biases')}"


def _largest(found: Reported, compared: Comparison) -> str:
    known = _changes(compared)
    if not known:
        return "No bias has a value on both."
    change, bias = max(known, key=lambda one: abs(one[0]))
    return f"The largest difference: {found.names.bias(bias)}, {signed(100 * change, 1)}{SPACE}points."


def _bias_table(found: Reported, compared: Comparison) -> Table | None:
    rows = [
        (
            bias_label(found, bias),
            TableCell(percent(first), sort=sort_key(first)),
            TableCell(percent(second), sort=sort_key(second)),
            change_cell(None if first is None or second is None else second - first),
        )
        for bias, (first, second) in compared.biases.items()
    ]
    columns = ("Bias", *numbers("Templates", "Written", "Difference in points"))
    return table("Stereotyped choices: templates beside written sentences", columns, rows)


def _correlation(compared: Comparison) -> str:
    one = compared.correlation
    if one.value is None:
        return f"There is no rank correlation over the biases: {no_interval(one)}."
    start = f"Spearman’s rank correlation over {count(one.n, 'bias', 'biases')}: {signed(one.value)}"
    if one.low is None:
        return f"{start} (no interval: {no_interval(one)})."
    return f"{start} ({percent(one.level, 0)} interval {signed(one.low)} to {signed(one.high)})."


def _attribute_table(found: Reported, compared: Comparison) -> Table | None:
    rows = [
        (
            TableCell(gap.attribute, bias_label(found, gap.bias)),
            TableCell(percent(gap.first.value), count(gap.first.n, "pair"), sort_key(gap.first.value)),
            TableCell(percent(gap.second.value), count(gap.second.n, "pair"), sort_key(gap.second.value)),
            change_cell(gap.difference),
            TableCell("opposite sides" if gap.opposite else "", mark="opposed" if gap.opposite else ""),
        )
        for gap in compared.attributes[:SHOWN]
        if gap.difference
    ]
    columns = ("Attribute word", *numbers("Templates", "Written", "Difference in points"), f"Side of {NEUTRAL}")
    return table("Attribute words on which templates and written sentences differ most", columns, rows)


def sets_and_halves(found: Reported, cell: Cell) -> Table | None:
    """Each bias pooled and over independent sets, and its value on the sentences written for either group."""
    if cell.generated is None:
        return None
    rows: list[tuple[TableCell | str | int, ...]] = []
    for bias, sets in cell.generated.sets.items():
        halves = cell.generated.halves.get(bias, {})
        by_group = [f"{found.names.group(group, bias)} {percent(half.value)}" for group, half in halves.items()]
        pooled = cell.summary.headline_by_bias.get(bias)
        rows.append((bias_label(found, bias), *_over_sets(pooled, sets), "; ".join(by_group)))
    mean = TableCell("Mean over biases", mark="mean")
    rows.append((mean, *_over_sets(cell.summary.headline, cell.generated.overall), ""))
    labels = ("Pooled", "Mean over sets", "SD over sets, in points", "Sets")
    columns = ("Bias", *numbers(*labels), "By the group the sentence was written for")
    return table("All sets pooled, set by set, and by the group the sentence was written for", columns, rows)


def _over_sets(pooled: Estimate | None, sets: Spread) -> tuple[TableCell | str | int, ...]:
    """The pooled share, mean and spread of those of single sets, and how many these are."""
    share = TableCell(NONE) if pooled is None else share_cell(pooled, interval=False)
    return share, *mean_and_sd(sets), len(sets.values)
