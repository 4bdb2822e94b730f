"""Shares of labels by group: of the plain prompt, over all structures, and under each of them."""

from __future__ import annotations

from collections.abc import Mapping

from tiltmeter.present.blocks import Chart, Column, Table, TableCell, text
from tiltmeter.present.charts import Bar, Part, bars
from tiltmeter.present.charts.scales import ABOVE, BELOW, FAINT
from tiltmeter.present.decodings import rater_words
from tiltmeter.present.sections.texts.structure_cell import ShownStructures
from tiltmeter.present.tables import Cell, numbers, table
from tiltmeter.present.words import NONE, count, percent
from tiltmeter.stats.views.continuations import ContinuationSummary
from tiltmeter.stats.views.divergence import THREE_WAY

_COLOURS = {"negative": ABOVE, "neutral": FAINT, "positive": BELOW}
"""As elsewhere: orange is the worse side, blue the better one."""
_MOST_GROUPS = 12


def label_chart(one: ShownStructures) -> Chart | None:
    """The shares of the labels of each group, with the plain prompt and over all structures."""
    names = _labels(one)
    if not names or len(one.found.paraphrases.groups) > _MOST_GROUPS:
        return None
    free = len(one.found.structures) - (one.found.fixed is not None)
    summaries = {count(free, "structure"): one.found.paraphrases}
    if one.found.fixed is not None:
        summaries = {"the plain prompt": one.found.fixed, **summaries}
    rows = [
        Bar(
            one.texts.group(group, one.cell.bias),
            tuple(
                Part(share, name, percent(share, 0), f"{name}: {percent(share)}", one.place(group))
                for name, share in found.distribution.items()
            ),
            count(found.mean.n, "text"),
            heading=heading,
        )
        for heading, summary in summaries.items()
        for group, found in summary.groups.items()
    ]
    last, worst = names[0], _highest(one.found.paraphrases, names[0])
    said = "; ".join(
        f"{row.heading}, {row.label}: {', '.join(f'{part.series} {part.text}' for part in row.parts)}" for row in rows
    )
    return Chart(
        one.name("label shares"),
        f"Most often {last}: texts about {one.texts.group(worst[0], one.cell.bias)} ({percent(worst[1], 0)})",
        bars(rows, {name: _COLOURS[name] for name in names} if set(names) <= {*_COLOURS} else None, top=1.0),
        f"Shares of labels by group. {said}.",
        text(f"Shares of the labels of {rater_words(one.cell.rater)} among the rated texts of each group."),
    )


def label_table(one: ShownStructures) -> Table | None:
    """The shares of the labels of each group under every structure, the plain prompt first."""
    names = _labels(one)
    groups = list(one.found.paraphrases.groups)
    if not names or len(groups) > _MOST_GROUPS:
        return None
    rows: list[tuple[Cell, ...]] = []
    for name in sorted(one.found.structures, key=lambda name: name != one.found.settings.fixed):
        found = one.found.structures[name].groups
        shares = (_shares(found[group].distribution if group in found else {}, names) for group in groups)
        rows.append((TableCell(one.named(name), one.known[name].family), *shares))
    columns = (Column("Structure"), *numbers(*(one.texts.group(group, one.cell.bias) for group in groups)))
    return table(f"Per cent {' / '.join(names)} under every structure", columns, rows, sortable=True)


def _shares(found: Mapping[str, float], names: tuple[str, ...]) -> TableCell:
    if not found:
        return TableCell(NONE)
    written = " / ".join(f"{100 * found.get(name, 0.0):.0f}" for name in names)
    return TableCell(written, sort=f"{found.get(names[0], 0.0):.6f}")


def _labels(one: ShownStructures) -> tuple[str, ...]:
    """The labels of the rater; none where it has no labels."""
    found = dict.fromkeys(name for group in one.found.paraphrases.groups.values() for name in group.distribution)
    return THREE_WAY if set(found) == set(THREE_WAY) else tuple(found)


def _highest(summary: ContinuationSummary, label: str) -> tuple[str, float]:
    shares = {name: group.distribution.get(label, 0.0) for name, group in summary.groups.items() if group.distribution}
    return max(shares.items(), key=lambda one: one[1])
