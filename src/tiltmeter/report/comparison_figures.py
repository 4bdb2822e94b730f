"""The figures of a comparison: differences with their intervals around no difference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tiltmeter.records import Estimate
from tiltmeter.report.comparison_cells import Label, apart, bias_of, choice_words, groups_of
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.figures import DotAxis, DotBlock, DotRow, dots
from tiltmeter.report.figures.canvas import COLOURS, round_ends, round_number
from tiltmeter.report.words import SPACE, count
from tiltmeter.results.compare.records import Compared, ComparedView
from tiltmeter.results.compare.words import in_points
from tiltmeter.stats.estimates import excludes_zero

_ROWS = 40
"""Rows of a figure; the table has all."""
_REACH = 0.1
"""The scale never ends nearer to zero than this, so that a small difference does not look large."""
_SERIES = {"pairs": ("scorer",), "continuations": ("decoding",), "next words": ("words", "bounded", "combine")}
"""The choices that are told by colour."""
_MAIN = ("preference", "share")
"""Of the measures of one item, those that are drawn; the others stand in the table."""


def difference_figures(view: ComparedView, label: Label) -> list[Drawn]:
    """A figure for each rater, or one for a view of shares; none where nothing differs and nothing is uncertain."""
    every = [one for one in view.cells if one.choices.get("measure", _MAIN[0]) in _MAIN]
    if view.view == "pairs" and len({one.choices["bias"] for one in every}) > 1:
        every = [*view.overall, *every]
    parts: dict[str, list[Compared]] = {}
    for one in every:
        parts.setdefault(one.choices.get("rater", ""), []).append(one)
    return [_figure(name, cells, label) for name, cells in parts.items() if any(map(_moved, cells))]


def unmoved(view: ComparedView) -> list[str]:
    """Raters by which A and B do not differ at all: there is nothing to draw."""
    raters = dict.fromkeys(one.choices.get("rater", "") for one in view.cells)
    return [
        name for name in raters if name and not any(_moved(one) for one in view.cells if one.choices["rater"] == name)
    ]


def _moved(one: Compared) -> bool:
    return bool(one.difference.value) or one.difference.low is not None


def _figure(rater: str, cells: Sequence[Compared], label: Label) -> Drawn:
    view = cells[0].view
    named = [_series(one, cells, label) for one in cells]
    series = list(dict.fromkeys(named))
    split = len(series) > len(COLOURS)
    blocks: dict[str, dict[str, dict[str, Compared]]] = {}
    for one, own in zip(cells, named, strict=True):
        heading, row = _place(one, cells, label)
        row = f"{row}, {own}" if split else row
        blocks.setdefault(heading, {}).setdefault(row, {})["" if split else own] = one
    shown = [""] if split else series
    still = [row for rows in blocks.values() for row, own in rows.items() if not any(map(_moved, own.values()))]
    made, left = _rows(blocks, shown)
    drawn = partial(dots, made, shown, _axis(cells))
    known = [one for one in cells if one.difference.value is not None]
    caption = _caption(rater, cells, series[0] if len(series) == 1 else "", left)
    if still:
        caption += f" Not drawn, since A and B are the same on every item: {'; '.join(dict.fromkeys(still))}."
    return draw(f"differences {view} {rater}", drawn, _alternative(rater, known, label), caption)


def _series(one: Compared, cells: Sequence[Compared], label: Label) -> str:
    chosen = [name for name in _SERIES[one.view] if len({each.choices[name] for each in cells}) > 1]
    return ", ".join(choice_words(name, one.choices[name], label) for name in chosen or _SERIES[one.view][:1])


def _place(one: Compared, cells: Sequence[Compared], label: Label) -> tuple[str, str]:
    """The heading that a comparison stands under, and what its row is called."""

    def varies(name: str) -> bool:
        return len({each.choices.get(name) for each in cells}) > 1

    choices = one.choices
    if one.view == "pairs":
        return (f"Source {choices['source']}" if varies("source") else ""), bias_of(one, label)
    place = [choices[name] if name == "source" else label(choices[name]) for name in ("bias", "source") if varies(name)]
    place += [choice_words("scope", choices["scope"], label)] if "scope" in choices and varies("scope") else []
    if one.view == "continuations":
        return ", ".join(["Gap between groups" if one.is_gap else "Each group", *place]), groups_of(one)
    asked = "prompts as they are" if choices["perturbation"] == "original" else f"with “{choices['perturbation']}”"
    return ", ".join(place), f"{groups_of(one)}, {asked}"


def _rows(blocks: dict[str, dict[str, dict[str, Compared]]], series: Sequence[str]) -> tuple[list[DotBlock], int]:
    """The blocks with as many rows as a figure holds, gaps first, and how many are left out."""
    room, made, left = _ROWS, [], 0
    for heading in sorted(blocks, key=lambda one: not one.startswith("Gap")):
        rows = [
            DotRow(name, tuple(own[each].difference if each in own else None for each in series))
            for name, own in blocks[heading].items()
            if any(map(_moved, own.values()))
        ]
        left += max(0, len(rows) - room)
        if rows[:room]:
            made.append(DotBlock(tuple(rows[:room]), heading))
        room = max(0, room - len(rows))
    return made, left


def _axis(cells: Sequence[Compared]) -> DotAxis:
    first = cells[0]
    end, ticks = around_zero([one.difference for one in cells], 100 if in_points(first) else 1)

    def write(found: Estimate) -> tuple[str, str]:
        ends = f"{apart(first, found.low)} to {apart(first, found.high)}"
        return apart(first, found.value), "no interval" if found.low is None else ends

    return DotAxis(-end, end, ticks, write, neutral=0.0, left="← B is higher", right="A is higher →")


def around_zero(found: Sequence[Estimate], factor: int = 1) -> tuple[float, tuple[tuple[float, str], ...]]:
    """How far a scale around zero reaches that holds these estimates, and its numbers, which are told times a factor.

    >>> around_zero([Estimate(0.02, low=-0.01, high=0.05)])
    (0.1, ((-0.1, '−0.10'), (-0.05, '−0.05'), (0.0, '0'), (0.05, '0.05'), (0.1, '0.10')))
    """
    numbers = [abs(number) for one in found for number in (one.value, one.low, one.high) if number is not None]
    _, end, step = round_ends([max([_REACH, *numbers])], zero=True)
    steps = range(-round(end / step), round(end / step) + 1)
    return end, tuple((number * step, round_number(factor * number * step, factor * step)) for number in steps)


def _caption(rater: str, cells: Sequence[Compared], choice: str, left: int) -> str:
    first = cells[0]
    what = {
        "pairs": "the share of stereotyped choices, in points of a hundred",
        "continuations": f"ratings by {rater}",
        "next words": "the share of the first of two groups, in points of a hundred",
    }[first.view]
    more = f" {count(left, 'row')} more in the table below." if left else ""
    return (
        f"A − B of {what}, with 95{SPACE}% intervals{f' ({choice})' if choice else ''}. Each interval is for itself, "
        f"without correction for their number. Filled marks have an interval, open ones none.{more}"
    )


def _alternative(rater: str, cells: Sequence[Compared], label: Label) -> str:
    above = [one for one in cells if excludes_zero(one.difference) and (one.difference.value or 0.0) > 0]
    below = [one for one in cells if excludes_zero(one.difference) and (one.difference.value or 0.0) < 0]
    farthest = max(cells, key=lambda one: abs(one.difference.value or 0.0), default=None)
    far = ""
    if farthest is not None:
        name = bias_of(farthest, label) if farthest.view == "pairs" else groups_of(farthest)
        far = f" The farthest from zero: {name}, {apart(farthest, farthest.difference.value)}."
    return (
        f"Differences A − B with intervals{f' by {rater}' if rater else ''}: of {count(len(cells), 'comparison')}, "
        f"{len(above)} with an interval wholly above zero and {len(below)} wholly below.{far}"
    )
