"""Strips: the same thing measured several times, all values on one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.figures.canvas import (
    FAINT,
    HAIRLINE,
    LINE,
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


@dataclass(frozen=True, slots=True)
class Strip:
    """One line: a share (or none) for each series, and what is written beside them."""

    label: str
    values: tuple[float | None, ...]
    text: str = ""


def strips(rows: Sequence[Strip], series: Sequence[str], layout: Layout = WIDE) -> dict[str, Any]:
    """Shares of several series on one line each, joined from the lowest to the highest."""
    drawing = _Strips(layout)
    drawing.key(series)
    for row in rows:
        drawing.row(row)
    known = [value for row in rows for value in row.values if value is not None]
    reach = min(50, max(20, 10 * -(-round(max((abs(value - 0.5) for value in known), default=0) * 1000) // 100)))
    return drawing.chart((50 - reach, 50 + reach))


class _Strips:
    """The strips so far, and how far down they reach."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.height = 0.0
        self.texts = Texts()
        self.points: list[dict[str, Any]] = []
        self.keys: list[dict[str, Any]] = []
        self.ranges: list[dict[str, Any]] = []
        self.lines: list[dict[str, Any]] = []
        self.neutral: list[dict[str, Any]] = []

    def key(self, series: Sequence[str]) -> None:
        for position, label in enumerate(series):
            self.height += LINE + 2
            self.keys.append({"y": self.height - 8, **_mark(position)})
            characters = (self.layout.plot + self.layout.right) // 7
            self.texts.add(label, self.height - 8, 18, "left", characters=characters)
        self.height += 10

    def row(self, row: Strip) -> None:
        label = wrapped(row.label, self.layout.characters)
        lines = label.count("\n") + 1
        above = not self.layout.left
        head = lines * LINE + 8 if above else 0
        tall = head + max(LINE, 0 if above else lines * LINE) + 12
        middle = self.height + head + (tall - head) / 2
        self.lines.append({"y": self.height})
        self.neutral.append({"y": self.height + head, "y2": self.height + tall, "x": 50})
        if above:
            self.texts.add(label, self.height + LINE - 2, 0, "left")
            self.texts.add(row.text, self.height + LINE - 2, self.layout.plot, "right", color=FAINT)
        else:
            self.texts.add(label, middle - (lines - 1) * LINE / 2, -16, "right")
            self.texts.add(row.text, middle, self.layout.plot + 24, "left", color=FAINT)
        known = [(position, 100 * value) for position, value in enumerate(row.values) if value is not None]
        self.points += ({"y": middle, "value": value, **_mark(position)} for position, value in known)
        if known:
            values = [value for _, value in known]
            self.ranges.append({"y": middle, "low": min(values), "high": max(values)})
        self.height += tall

    def chart(self, domain: tuple[int, int]) -> dict[str, Any]:
        """The Vega-Lite dictionary of all that was drawn."""
        height = round(self.height)
        self.texts.add("← prefers the other", height + 38, 0, "left", color=FAINT)
        self.texts.add("prefers the stereotyped →", height + 38, self.layout.plot, "right", color=FAINT)
        y = downward(height)
        ticks = list(range(domain[0], domain[1] + 1, 10))
        axis = {"values": ticks, "labelExpr": "datum.value + '\\u00a0%'", "title": None, "grid": False}
        x = {"type": "quantitative", "scale": scale(domain)}
        right = self.layout.plot + self.layout.right
        point = {"type": "point", "opacity": 1, "strokeWidth": 1.8, "size": 62}
        marks = [
            layer(
                self.lines,
                {"type": "rule", "color": HAIRLINE},
                {"y": y, "x": {"value": -self.layout.left}, "x2": {"value": right}},
            ),
            layer(
                self.neutral,
                {"type": "rule", "color": FAINT, "strokeDash": [3, 3]},
                {"y": y, "y2": {"field": "y2"}, "x": x | {"field": "x", "axis": axis}},
            ),
            layer(
                self.ranges,
                {"type": "rule", "color": FAINT, "strokeWidth": 1.4},
                {"y": y, "x": x | {"field": "low"}, "x2": {"field": "high"}},
            ),
            layer(self.points, point, {"y": y, "x": x | {"field": "value"}, **point_marks()}),
            layer(self.keys, point, {"y": y, "x": {"value": 7}, **point_marks()}),
        ]
        return chart(self.layout, height, [*marks, *self.texts.layers(y)])


def _mark(position: int) -> dict[str, str]:
    return {"color": colour(position), "fill": PAPER, "shape": shape(position)}
