"""Forest plots: shares with their intervals around the neutral line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.report.figures.canvas import (
    FAINT,
    HAIRLINE,
    LINE,
    OWN,
    PAPER,
    WIDE,
    Layout,
    Texts,
    chart,
    colour,
    downward,
    layer,
    point_marks,
    scale,
    shape,
    wrapped,
)
from tiltmeter.report.words import percent, percent_range

_FIRST_LINE = 14
"""From the top of a row to the middle of the first line of a label that stands above the marks."""
_POINT = {"type": "point", "opacity": 1, "strokeWidth": 1.8}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a forest plot: a label, and an estimate (or none) for each series."""

    label: str
    estimates: tuple[Estimate | None, ...]
    summary: bool = False
    """Whether this is the mean over the other rows, which has a mark of its own."""
    repeats: tuple[tuple[float, ...], ...] = ()
    """For each series, the values of independent repetitions, shown as ticks behind its mark."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that belong together, under a heading where they need one."""

    rows: tuple[Row, ...]
    heading: str = ""


def forest(blocks: Sequence[Block], series: Sequence[str], layout: Layout = WIDE) -> dict[str, Any]:
    """A forest plot: shares with their intervals around the neutral line, as a Vega-Lite dictionary.

    Every place is worked out here and not by the plotting library, so that long labels, any number of series and
    the heading between two blocks need no special cases there.
    """
    drawing = _Drawing(layout, len(series))
    drawing.legend(series)
    for block in blocks:
        drawing.block(block)
    return drawing.chart(_domain(found for block in blocks for row in block.rows for found in row.estimates))


class _Drawing:
    """A forest plot in the making: the marks so far, and how far down they reach."""

    def __init__(self, layout: Layout, series: int) -> None:
        self.layout = layout
        self.series = series
        self.height = 0.0
        self.texts = Texts()
        self.ticks: list[dict[str, Any]] = []
        self.intervals: list[dict[str, Any]] = []
        self.points: list[dict[str, Any]] = []
        self.keys: list[dict[str, Any]] = []
        self.lines: list[dict[str, Any]] = []
        self.neutral: list[dict[str, Any]] = []

    def legend(self, series: Sequence[str]) -> None:
        """Name the series, one line each; one series alone needs no key."""
        if len(series) > 1:
            for position, label in enumerate(series):
                self.height += LINE + 2
                mark = {"y": self.height - 8, "color": colour(position), "fill": colour(position)}
                self.keys.append({**mark, "shape": shape(position)})
                self.texts.add(
                    label, self.height - 8, 18, "left", characters=(self.layout.plot + self.layout.right) // 7
                )
            self.height += 4
        self.height += 22

    def block(self, block: Block) -> None:
        """Draw the rows of a block below what is there."""
        if block.heading:
            self.height += 30
            self.texts.add(block.heading, self.height - 9, -self.layout.left, "left", color=FAINT, weight=600)
        for row in block.rows:
            self._row(row)

    def _row(self, row: Row) -> None:
        label = wrapped(row.label, self.layout.characters)
        lines = label.count("\n") + 1
        above = not self.layout.left
        spread = self.series * LINE
        head = lines * LINE + 8 if above else 0
        tall = head + max(spread, 0 if above else lines * LINE) + 12
        middle = self.height + head + (tall - head) / 2
        self.lines.append({"y": self.height})
        # Not through the words that stand above the marks.
        self.neutral.append({"y": self.height + head, "y2": self.height + tall, "x": 50})
        weight = 600 if row.summary else 400
        if above:
            self.texts.add(label, self.height + _FIRST_LINE, 0, "left", weight=weight)
        else:
            self.texts.add(label, middle - (lines - 1) * LINE / 2, -16, "right", weight=weight)
        for position, found in enumerate(row.estimates):
            if found is not None and found.value is not None:
                line = middle - spread / 2 + (position + 0.5) * LINE
                self._mark(found, position, line, row)
                values = row.repeats[position] if row.repeats else ()
                self.ticks += ({"y": line, "value": 100 * value, "color": colour(position)} for value in values)
        self.height += tall

    def _mark(self, found: Estimate, position: int, y: float, row: Row) -> None:
        value = (found.value or 0) * 100
        known = found.low is not None and found.high is not None
        if found.low is not None and found.high is not None:
            low, high = found.low * 100, found.high * 100
            self.intervals.append(
                {"y": y, "low": low, "high": high, "color": colour(position), "wide": 3.5 if row.summary else 1.8}
            )
        self.points.append(
            {
                "y": y,
                "value": value,
                "color": colour(position),
                "fill": colour(position) if known else PAPER,
                "shape": "diamond" if row.summary else shape(position),
                "size": 150 if row.summary else 62,
            }
        )
        weight = 600 if row.summary else 400
        if self.layout.right:
            reason = (found.note or "no interval").removeprefix("no interval: ")
            words = f"{percent_range(found.low, found.high)}" if known else reason
            self.texts.add(percent(found.value), y, self.layout.plot + 64, "right", weight=weight)
            self.texts.add(words, y, self.layout.plot + 78, "left", color=FAINT, characters=24)
        elif self.series == 1:
            self.texts.add(percent(found.value), self.height + _FIRST_LINE, self.layout.plot, "right", weight=weight)

    def chart(self, domain: tuple[int, int]) -> dict[str, Any]:
        """The Vega-Lite dictionary of all that was drawn."""
        height = round(self.height)
        self.texts.add("← prefers the other", height + 38, 0, "left", color=FAINT)
        self.texts.add("prefers the stereotyped →", height + 38, self.layout.plot, "right", color=FAINT)
        y = downward(height)
        axis = {
            "values": list(range(domain[0], domain[1] + 1, 10)),
            "labelExpr": "datum.value + '\\u00a0%'",
            "title": None,
            "grid": False,
        }
        x = {"type": "quantitative", "scale": scale(domain)}
        top = min((line["y"] for line in self.lines), default=0)
        marks: list[dict[str, Any]] = [
            layer(
                self.lines,
                {"type": "rule", "color": HAIRLINE},
                {
                    "y": y,
                    "x": {"value": -self.layout.left},
                    "x2": {"value": self.layout.plot + self.layout.right},
                },
            ),
            layer(
                self.neutral,
                {"type": "rule", "color": FAINT, "strokeDash": [3, 3]},
                {"y": y, "y2": {"field": "y2"}, "x": x | {"field": "x", "axis": axis}},
            ),
            layer(
                [{"y": top - 11, "x": 50, "text": "neutral: 50\N{NO-BREAK SPACE}%"}],
                {"type": "text", "color": FAINT, "fontSize": 12},
                {"y": y, "x": x | {"field": "x"}, "text": {"field": "text"}},
            ),
            layer(
                self.ticks,
                {"type": "tick", "thickness": 1.5, "size": 9, "opacity": 0.45},
                {"y": y, "x": x | {"field": "value"}, "stroke": OWN | {"field": "color"}},
            ),
            layer(
                self.intervals,
                {"type": "rule", "strokeCap": "round"},
                {
                    "y": y,
                    "x": x | {"field": "low"},
                    "x2": {"field": "high"},
                    "stroke": OWN | {"field": "color"},
                    "strokeWidth": {"field": "wide", "type": "quantitative", "scale": None, "legend": None},
                },
            ),
            layer(
                self.points,
                _POINT,
                {
                    "y": y,
                    "x": x | {"field": "value"},
                    **point_marks(),
                    "size": OWN | {"field": "size", "type": "quantitative"},
                },
            ),
            layer(self.keys, _POINT | {"size": 62}, {"y": y, "x": {"value": 7}, **point_marks()}),
        ]
        return chart(self.layout, height, [*marks, *self.texts.layers(y)])


def _domain(estimates: Iterable[Estimate | None]) -> tuple[int, int]:
    """Whole tens, as far on one side of 50 as on the other, and never so near that a small tilt looks large."""
    numbers = [
        number for found in estimates if found for number in (found.value, found.low, found.high) if number is not None
    ]
    farthest = max((abs(number - 0.5) for number in numbers), default=0.0)
    reach = min(50, max(20, -(-round(farthest * 1000) // 100) * 10))
    return 50 - reach, 50 + reach
