"""Swarms: the same difference under many choices, a dot for each, with what they come to together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.report.figures.canvas import (
    FAINT,
    HAIRLINE,
    INK,
    LINE,
    PAPER,
    PIXELS,
    WIDE,
    Layout,
    Texts,
    chart,
    colour,
    downward,
    layer,
    point_marks,
    round_ends,
    round_number,
    shape,
    wrapped,
)

_BIN = 6
"""How many pixels apart two dots must be to stand on the same height."""
_DOT = 5
_INSET = 14
"""Room at both ends of the scale, for the numbers below them."""
_BAND = 44
"""The height of the dots of one row, and below it the line of all together."""
_WHOLE = 16


@dataclass(frozen=True, slots=True)
class Swarm:
    """One row: a value for each choice with the series it belongs to, all together, and one that stands apart."""

    label: str
    points: tuple[tuple[float, int], ...]
    whole: Estimate
    apart: float | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class SwarmKey:
    """What the marks mean: each series, all together, the value that stands apart, and both directions."""

    series: tuple[str, ...]
    whole: str
    apart: str = ""
    left: str = ""
    right: str = ""


def swarms(rows: Sequence[Swarm], key: SwarmKey, layout: Layout = WIDE) -> dict[str, Any]:
    """Rows of dots on one scale around zero, as a Vega-Lite dictionary."""
    numbers = [
        number
        for row in rows
        for number in (*(value for value, _ in row.points), row.whole.low, row.whole.high, row.whole.value, row.apart)
        if number is not None
    ]
    drawing = _Swarms(layout, round_ends(numbers, zero=True))
    drawing.key(key)
    for row in rows:
        drawing.row(row)
    drawing.axis(key)
    return drawing.chart()


class _Swarms:
    """The rows so far, and how far down they reach."""

    def __init__(self, layout: Layout, ends: tuple[float, float, float]) -> None:
        self.layout = layout
        self.low, self.high, self.step = ends
        self.height = 0.0
        self.texts = Texts()
        self.points: list[dict[str, Any]] = []
        self.rules: list[dict[str, Any]] = []
        self.lines: list[dict[str, Any]] = []
        self.zero: list[dict[str, Any]] = []

    def key(self, key: SwarmKey) -> None:
        """Say what the marks mean, one line each."""
        marks = [(label, self._dot(0, position), 30) for position, label in enumerate(key.series)]
        marks.append((key.whole, self._all(0, sure=True), 60))
        if key.apart:
            marks.append((key.apart, self._apart(0), 60))
        for label, mark, size in marks:
            self.height += LINE + 2
            self.points.append(mark | {"x": 7, "y": self.height - 8, "size": size})
            characters = (self.layout.plot + self.layout.right) // 7
            self.texts.add(label, self.height - 8, 20, "left", characters=characters)
        self.height += 8

    def row(self, row: Swarm) -> None:
        """Draw one row: dots stacked where they lie close, and below them all together."""
        label = wrapped(row.label, self.layout.characters)
        lines = label.count("\n") + 1
        self.rules.append({"y": self.height, "x": -self.layout.left, "x2": self.layout.plot + self.layout.right})
        if not self.layout.left:
            self.texts.add(label, self.height + LINE - 2, 0, "left")
            self.texts.add(row.text, self.height + lines * LINE + 12, 0, "left", color=FAINT)
            self.height += (lines + 1) * LINE + 10
        stacks = self._stacks(row.points)
        tallest = max((len(stack) for stack in stacks.values()), default=0)
        band = max(_BAND, tallest * _DOT + 8)
        middle = self.height + 4 + band / 2
        if self.layout.left:
            self.texts.add(label, middle - (lines - 1) * LINE / 2, -16, "right")
            self.texts.add(row.text, middle, self.layout.plot + 24, "left", color=FAINT)
        for at, stack in stacks.items():
            for place, (value, series) in enumerate(sorted(stack, key=itemgetter(1))):
                y = middle + (place - (len(stack) - 1) / 2) * _DOT
                self.points.append(self._dot(value, series) | {"x": at * _BIN, "y": y, "size": 9})
        zero = self._across(0.0)
        self.zero.append({"x": zero, "x2": zero, "y": self.height + 2, "y2": self.height + 8 + band + _WHOLE})
        below = self.height + 4 + band + _WHOLE / 2
        if row.whole.value is not None:
            sure = row.whole.low is not None and row.whole.high is not None
            if sure:
                ends = {"x": self._across(row.whole.low), "x2": self._across(row.whole.high)}
                self.lines.append({**ends, "y": below, "y2": below})
            self.points.append(self._all(row.whole.value, sure=sure) | {"y": below, "size": 60})
        if row.apart is not None:
            self.points.append(self._apart(row.apart) | {"y": below, "size": 60})
        self.height += band + _WHOLE + 10

    def axis(self, key: SwarmKey) -> None:
        """Draw the scale below the rows, and lines across them."""
        self.rules.append({"y": self.height, "x": -self.layout.left, "x2": self.layout.plot + self.layout.right})
        self.height += 6
        for number in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + number * self.step
            at = self._across(value)
            self.texts.add(round_number(value, self.step), self.height + 8, at, "center", color=FAINT)
        self.height += LINE + 4
        self.texts.add(key.left, self.height + 8, 0, "left", color=FAINT)
        self.texts.add(key.right, self.height + 8, self.layout.plot, "right", color=FAINT)
        self.height += LINE + 4

    def _across(self, value: float | None) -> float:
        return ((value or 0.0) - self.low) / (self.high - self.low) * (self.layout.plot - 2 * _INSET) + _INSET

    def _stacks(self, points: Sequence[tuple[float, int]]) -> dict[int, list[tuple[float, int]]]:
        found: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for value, series in points:
            found[round(self._across(value) / _BIN)].append((value, series))
        return found

    def _dot(self, value: float, series: int) -> dict[str, Any]:
        return {"x": self._across(value), "color": colour(series), "fill": colour(series), "shape": shape(series)}

    def _all(self, value: float, *, sure: bool) -> dict[str, Any]:
        return {"x": self._across(value), "color": INK, "fill": INK if sure else PAPER, "shape": "diamond"}

    def _apart(self, value: float) -> dict[str, Any]:
        return {"x": self._across(value), "color": INK, "fill": PAPER, "shape": "circle"}

    def chart(self) -> dict[str, Any]:
        """The Vega-Lite dictionary of all that was drawn."""
        y = downward(self.height)
        x = PIXELS | {"field": "x"}
        line = {"x": x, "x2": {"field": "x2"}, "y": y}
        size = {"field": "size", "type": "quantitative", "scale": None, "legend": None}
        marks = [
            layer(self.rules, {"type": "rule", "color": HAIRLINE}, line),
            layer(self.zero, {"type": "rule", "color": FAINT, "strokeDash": [3, 3]}, {**line, "y2": {"field": "y2"}}),
            layer(self.lines, {"type": "rule", "color": INK, "strokeWidth": 1.8}, line),
            layer(
                self.points,
                {"type": "point", "opacity": 1, "strokeWidth": 1.2},
                {"x": x, "y": y, "size": size, **point_marks()},
            ),
        ]
        return chart(self.layout, self.height, [*marks, *self.texts.layers(y)], bottom=6)
