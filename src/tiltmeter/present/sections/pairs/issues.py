"""Issues of written sentences: what they are called, and what sentences that have them do to the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Block, Chart, Prose, Section, Table, TableCell, text
from tiltmeter.present.charts import dots
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.forest import SHARE, Shares, forest_in_words, forest_rows
from tiltmeter.present.series import Series, bias_label, sets_of
from tiltmeter.present.tables import Cell as Shown
from tiltmeter.present.tables import change_cell, mean_and_sd, numbers, share_cell, table
from tiltmeter.present.words import NONE, SPACE, count, percent, signed
from tiltmeter.records import Estimate
from tiltmeter.results import Cell
from tiltmeter.results.summary.effects import Effect, Effects

ISSUES = {
    "any": "any issue",
    "I1": "I1 related group reference",
    "I2": "I2 additional attribute",
    "I3": "I3 no link between group and attribute",
    "I4": "I4 negative framing",
    "I5": "I5 unrelated group",
    "I6": "I6 different meaning of a term",
    "I7": "I7 incoherent or ungrammatical",
    "I8": "I8 incomplete sentence",
}
_NOTHING = Estimate(None)


def issue_cell(issue: str) -> TableCell:
    """What an issue is called."""
    return TableCell(ISSUES[issue], mark="mean" if issue == "any" else "")


def effects(found: Reported, one: Series, cell: Cell) -> Iterator[Section]:
    """What flagged sentences do to the figures: by the audit and by people, as far as there is either."""
    if cell.generated is None:
        return
    for judge, flagged in (("the audit", cell.generated.by_audit), ("people", cell.generated.by_people)):
        if flagged:
            name = f"effects-{judge}-{one.label}-{cell.source}"
            title = f"The effect of the issues, according to {judge}"
            yield Section(title, tuple(_effects(found, cell, judge, flagged, name)))


def _effects(found: Reported, cell: Cell, judge: str, flagged: Effects, name: str) -> Iterator[Block]:
    whole = flagged.overall[0]
    yield Prose(text(_said(judge, whole)))
    if flagged.unjudged:
        yield Prose(text(f"{count(flagged.unjudged, 'pair')} of sentences that nobody judged are left out."), "note")
    yield from filter(None, [_issue_table(flagged.overall)])
    replaced = (
        "; replaced: with others in their place, written again and without an issue, or made from templates where "
        "there were none"
        if whole.replaced is not None
        else ""
    )
    yield Prose(
        text(
            f"Without: the overall value when these sentences are taken out{replaced}. Changes are in points, and "
            "below in per cent of the value before. Lost: attribute words of which no sentence is left. Mean change: "
            "the mean size of the relative change of single biases."
        ),
        "note",
    )
    touched = [bias for bias, some in flagged.by_bias.items() if some[0].flagged]
    if touched:
        yield _chart(found, cell, judge, flagged, touched, name)
        tables = (_bias_table(found, cell, flagged, touched), _change_table(found, flagged, touched))
        yield Section("Bias by bias", tuple(filter(None, tables)), folded=True)


def _said(judge: str, effect: Effect) -> str:
    share = effect.flagged / effect.pairs if effect.pairs else None
    start = (
        f"According to {judge}, {effect.flagged:,} of {count(effect.pairs, 'pair')} ({percent(share)}) have an issue."
    )
    if not effect.flagged:
        return start
    if effect.change is None:
        return f"{start} Nothing is left without them."
    replaced = ""
    if effect.replaced is not None and effect.change_replaced is not None:
        value, change = percent(effect.replaced.value), _points(effect.change_replaced)
        replaced = f", and with others in their place {value} ({change})"
    return (
        f"{start} The overall value is {percent(effect.before.value)} with them, {percent(effect.after.value)} without "
        f"them ({_points(effect.change)}){replaced}."
    )


def _points(change: float) -> str:
    return f"{signed(100 * change, 1)}{SPACE}points"


def _has_replaced(some: Sequence[Effect]) -> bool:
    return any(one.replaced is not None for one in some)


def _issue_table(overall: Sequence[Effect]) -> Table | None:
    replaced = _has_replaced(overall)
    labels = ("Flagged", "Without", "Change", "Lost", *(("Replaced", "Change", "By", "Lost") if replaced else ()))
    rows: list[tuple[Shown, ...]] = [
        (
            issue_cell(one.issue),
            TableCell(f"{one.flagged:,}", f"of {one.pairs:,}", str(one.flagged)),
            share_cell(one.after),
            change_cell(one.change, one.relative),
            one.attributes_lost,
            *(_replacement(one) if replaced else ()),
            percent(one.mean_size),
        )
        for one in overall
    ]
    return table("What flagged sentences do to the overall value", ("Issue", *numbers(*labels, "Mean change")), rows)


def _replacement(one: Effect) -> tuple[Shown, ...]:
    others = [f"{one.regenerated:,} written again"] * bool(one.regenerated)
    others += [count(one.templates, "template")] * bool(one.templates)
    return (
        share_cell(one.replaced or _NOTHING),
        change_cell(one.change_replaced, one.relative_replaced),
        TableCell(f"{one.regenerated + one.templates:,}", ", ".join(others)),
        one.attributes_lost_replaced,
    )


def _bias_table(found: Reported, cell: Cell, flagged: Effects, biases: Sequence[str]) -> Table | None:
    replaced = _has_replaced(flagged.overall)
    rows: list[tuple[Shown, ...]] = []
    for bias in biases:
        one = flagged.by_bias[bias][0]
        sets = cell.generated.sets.get(bias) if cell.generated else None
        others = (
            share_cell(one.replaced or _NOTHING, interval=False),
            change_cell(one.change_replaced, one.relative_replaced),
        )
        rows.append(
            (
                bias_label(found, bias),
                TableCell(f"{one.flagged:,}", f"of {one.pairs:,}", str(one.flagged)),
                share_cell(one.before, interval=False),
                share_cell(one.after, interval=False),
                change_cell(one.change, one.relative),
                *(others if replaced else ()),
                *((NONE, NONE) if sets is None else mean_and_sd(sets)),
            )
        )
    labels = ("Flagged", "As written", "Without", "Change", *(("Replaced", "Change") if replaced else ()))
    columns = ("Bias", *numbers(*labels, "Mean over sets", "SD over sets, in points"))
    return table("What sentences with any issue do to each bias", columns, rows)


def _change_table(found: Reported, flagged: Effects, biases: Sequence[str]) -> Table | None:
    """Issue by issue, the change of each bias that has flagged sentences."""
    seen = [at for at in range(len(flagged.overall)) if any(flagged.by_bias[bias][at].flagged for bias in biases)]
    rows = [
        (TableCell(bias_label(found, bias)), *(_change(flagged.by_bias[bias][at]) for at in seen)) for bias in biases
    ]
    way = "with others in their place" if _has_replaced(flagged.overall) else "without them"
    columns = ("Bias", *numbers(*(flagged.overall[at].issue for at in seen)))
    return table(f"Change in points {way}, by issue, and how many pairs were flagged", columns, rows)


def _change(one: Effect) -> TableCell:
    if not one.flagged:
        return TableCell("")
    made = change_cell(one.change if one.replaced is None else one.change_replaced)
    return TableCell(made.text, f"{one.flagged:,} of {one.pairs:,}", made.sort)


def _chart(found: Reported, cell: Cell, judge: str, flagged: Effects, biases: Sequence[str], name: str) -> Chart:
    whole = flagged.overall[0]
    by_bias = {bias: flagged.by_bias[bias][0] for bias in biases}
    series = [
        Shares(
            "as written",
            whole.before,
            {bias: one.before for bias, one in by_bias.items()},
            lambda bias: sets_of(cell, bias),
        ),
        Shares("without flagged sentences", whole.after, {bias: one.after for bias, one in by_bias.items()}),
    ]
    if whole.replaced is not None:
        others = {bias: one.replaced or _NOTHING for bias, one in by_bias.items()}
        series.append(Shares("with others in their place", whole.replaced, others))
    rows = forest_rows(found, series)
    ticks = ""
    if any(sets_of(cell, bias) for bias in biases):
        ticks = (
            " Ticks: the value in each independent set of sentences; a change smaller than their spread could come "
            "from another set as well."
        )
    caption = (
        f"Share of stereotyped choices with and without sentences that have an issue according to {judge}, with "
        f"95{SPACE}% intervals. Biases without a flagged sentence are left out.{ticks}"
    )
    moved = (
        "No overall value is left" if whole.change is None else f"The overall value changes by {_points(whole.change)}"
    )
    title = f"{moved} without sentences that have an issue"
    words = f"{_said(judge, whole)}{_largest(found, by_bias)} {forest_in_words(rows)}"
    return Chart(name, title, dots(rows, SHARE), words, text(caption))


def _largest(found: Reported, by_bias: dict[str, Effect]) -> str:
    changes = [(abs(one.change), bias, one.change) for bias, one in by_bias.items() if one.change]
    if not changes:
        return ""
    _, bias, change = max(changes)
    return f" The largest change of a bias without them: {found.names.bias(bias)}, {_points(change)}."
