"""The figures on next words: perturbations, histograms, the model's habit, and who works where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from tiltmeter.present.words import probability
from tiltmeter.records import Estimate
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.figures import (
    DotBlock,
    DotRow,
    HistogramPanel,
    ScatterPanel,
    ScatterPoint,
    dots,
    histograms,
    power_axis,
    scatter,
    share_axis,
)
from tiltmeter.report.next_word_cells import chance_range, labour_estimate
from tiltmeter.report.next_word_readings import SHARE, Reading, ReadingGroup, why_no_interval
from tiltmeter.report.next_word_words import PERTURBATION, figure_words, points_words
from tiltmeter.report.words import count, percent, percent_range, signed
from tiltmeter.results.summary.next_words import Expected
from tiltmeter.sources.perturbing import PERTURBATIONS
from tiltmeter.stats.next_words import BINS

_FEWEST_POINTS = 3
"""Fewer occupations than this show nothing in a picture that their number does not."""


def perturbation_figure(group: ReadingGroup, place: str) -> Drawn:
    """The share of the first group under each perturbation, by source, a mark for each model."""
    labels = list(dict.fromkeys(one.label for one in group.of_prompts))
    a, b = group.pair
    blocks, words = [], []
    for source in group.sources:
        own = [group.find(label, source) for label in labels]
        names = [name for name in PERTURBATIONS if any(one and name in one.cell.summary.perturbations for one in own)]
        rows = [
            DotRow(_row_label(name), tuple(one.figure(SHARE, name) if one else None for one in own)) for name in names
        ]
        blocks.append(DotBlock(tuple(rows), source))
        words += [f"{source}: " + "; ".join(_row_words(row, labels) for row in rows)]
    axis = share_axis(_share_words, f"← expects {b}", f"expects {a} →")
    caption = (
        f"Share of {a} beside {b}, by what becomes of the profession, with 95\N{NO-BREAK SPACE}% intervals; open marks "
        "have none. Where a mark stays when the profession is gone, the lean is habit and not about the profession."
    )
    return draw(
        f"next words perturbations {place}", partial(dots, blocks, labels, axis), ". ".join(words) + ".", caption
    )


def histogram_figure(group: ReadingGroup, place: str) -> Drawn:
    """How the chances of the two groups are spread over the prompts (Figure 2)."""
    a, b = group.pair
    panels = [(one, _panel(group, one, a, b)) for one in group.of_prompts]
    shown = [panel for _, panel in panels if panel]
    words = "; ".join(f"{panel.title}: {_peak(panel, 0, a)}, {_peak(panel, 1, b)}" for panel in shown)
    caption = (
        f"How many prompts give {a} (upward) and {b} (downward) which chance: {BINS} equal bins from 0 to the highest "
        "of both. Scales differ from panel to panel."
    )
    drawing = partial(histograms, shown, (a, b), "chance of the group’s words")
    return draw(f"next words histograms {place}", drawing, f"Histograms of chances over prompts. {words}.", caption)


def habit_figure(group: ReadingGroup, place: str) -> Drawn | None:
    """The chance of every group with no sentence to go by, on a scale of powers of ten (Figure 1)."""
    groups = [name for name, _ in group.sets]
    names = [name for name in PERTURBATIONS if any(name in one.cell.summary.perturbations for one in group.of_habit)]
    blocks = []
    for name in names:
        rows = []
        for one in group.of_habit:
            found = one.cell.summary.perturbations.get(name)
            if found:
                chances = tuple(found.overall.groups.get(each) for each in groups)
                rows.append(DotRow(one.label, chances))
        heading = PERTURBATION[name]
        blocks.append(DotBlock(tuple(rows), heading[0].upper() + heading[1:]))
    known = [found for block in blocks for row in block.rows for found in row.estimates if found and found.value]
    if not known:
        return None
    ends = [end for found in known for end in (found.value, found.low, found.high) if end]
    axis = power_axis(ends, lambda found: (probability(found.value), chance_range(found)))
    words = "; ".join(
        f"{block.heading}, {row.label}: " + ", ".join(
            f"{name} {probability(found.value)}" for name, found in zip(groups, row.estimates, strict=True) if found
        )
        for block in blocks
        for row in block.rows
    )  # fmt: skip
    caption = "Chance of each group’s words with no sentence to go by. Each step of the scale is a factor of ten."
    return draw(f"next words habit {place}", partial(dots, blocks, groups, axis), f"{words}.", caption)


def labour_figure(group: ReadingGroup, place: str) -> Drawn | None:
    """The model's share of a group in each occupation against who works in it."""
    panels, words, of = [], [], ""
    for one in group.of_prompts:
        labour = one.cell.summary.labour
        matched = [line for line in labour["matched"] if line["model"] is not None] if labour else []
        if not labour or len(matched) < _FEWEST_POINTS:
            continue
        of = labour["group"]
        slope, height = labour["slope"]["value"], labour["intercept"]
        points = tuple(ScatterPoint(line["profession"], line["world"], line["model"]) for line in matched)
        panels.append(ScatterPanel(_title(group, one), points, None if height is None else (slope, height)))
        words.append(f"{_title(group, one)}: {labour_words(labour)}")
    if not panels:
        return None
    caption = (
        f"Share of {of} in each occupation: the model’s beside the world’s. Dashed: both the same; above it the model "
        f"expects {of} more often than they are. Orange: the line through the points."
    )
    drawing = partial(scatter, panels, f"world: share of {of}", f"model: share of {of}")
    return draw(f"next words labour {place}", drawing, " ".join(words), caption)


def labour_words(labour: Mapping[str, Any]) -> str:
    """Whether the model is above or below the world, and whether it follows it."""
    of, matched = labour["group"], len(labour["matched"])
    total = matched + len(labour["unmatched"]) + len(labour["without_figure"])
    counted = f"{matched:,} of {count(total, 'profession')} {'was' if matched == 1 else 'were'} found in the statistics"
    above, spearman, slope = (labour_estimate(labour, name) for name in ("above", "spearman", "slope"))
    if above.value is None:
        return f"{counted}."
    if above.low is None or above.high is None:
        level = f"there the model’s share of {of} is {points_words(above)} off the world’s, without an interval"
    elif above.low > 0:
        level = f"there the model expects {of} more often than they are: {points_words(above)}"
    elif above.high < 0:
        level = f"there the model expects {of} less often than they are: {points_words(above)}"
    else:
        level = (
            f"whether the model’s share of {of} lies above or below the world’s cannot be told: {points_words(above)}"
        )
    return f"{counted}; {level}. {_follows(spearman, slope)}"


def _follows(spearman: Estimate, slope: Estimate) -> str:
    if spearman.value is None:
        return "Too few for a correlation."
    steeper = "" if slope.value is None else f", slope {_number_words(slope)}"
    figures = f"(rank correlation {_number_words(spearman)}{steeper})"
    if spearman.low is None or spearman.high is None:
        return f"Too few to say whether its order follows the world’s {figures}."
    if spearman.low > 0:
        return f"Its order follows the world’s {figures}."
    if spearman.high < 0:
        return f"Its order is the reverse of the world’s {figures}."
    return f"That its order follows the world’s is not shown {figures}."


def _number_words(found: Estimate) -> str:
    interval = "" if found.low is None else f", {signed(found.low)} to {signed(found.high)}"
    return f"{signed(found.value)}{interval}"


def binned(items: Sequence[Expected], a: str, b: str) -> tuple[tuple[int, ...], tuple[int, ...], float]:
    """How many prompts with both chances lie in each bin, and where the bins end.

    >>> counts, others, top = binned([Expected("1", "nurse", None, {"male": 0.1, "female": 0.4})], "male", "female")
    >>> counts.index(1), others.index(1), top
    (5, 19, 0.4)
    """
    chances = [(item.chances.get(a), item.chances.get(b)) for item in items]
    both = [(one, other) for one, other in chances if one is not None and other is not None]
    top = max((value for pair in both for value in pair), default=0.0) or 1.0
    counts = [[0] * BINS, [0] * BINS]
    for pair in both:
        for side, value in enumerate(pair):
            counts[side][min(int(value / top * BINS), BINS - 1)] += 1
    return tuple(counts[0]), tuple(counts[1]), top


def _panel(group: ReadingGroup, one: Reading, a: str, b: str) -> HistogramPanel | None:
    own = [item for item in one.cell.items if item.perturbation == one.cell.summary.main]
    first, second, top = binned(own, a, b)
    return HistogramPanel(_title(group, one), (first, second), top) if any(first) else None


def _peak(panel: HistogramPanel, side: int, name: str) -> str:
    counts = panel.counts[side]
    place = counts.index(max(counts))
    low, high = (panel.top * end / len(counts) for end in (place, place + 1))
    return f"{name} most often between {probability(low)} and {probability(high)} ({count(max(counts), 'prompt')})"


def _title(group: ReadingGroup, one: Reading) -> str:
    return f"{one.cell.source}, {one.label}" if len(group.labels) > 1 else one.cell.source


def _row_label(name: str) -> str:
    return f"profession {PERTURBATION[name]}"


def _row_words(row: DotRow, labels: Sequence[str]) -> str:
    found = [
        f"{label} {figure_words(one)}" if len(labels) > 1 else figure_words(one)
        for label, one in zip(labels, row.estimates, strict=True)
        if one and one.value is not None
    ]
    return f"{row.label} {', '.join(found) or 'no figure'}"


def _share_words(found: Estimate) -> tuple[str, str]:
    interval = why_no_interval(found) if found.low is None else percent_range(found.low, found.high)
    return percent(found.value), interval
