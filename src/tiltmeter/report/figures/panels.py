"""Panels: small drawings on a grid, two beside one another where there is room, with marks whose places are pixels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tiltmeter.report.figures.canvas import (
    FAINT,
    HAIRLINE,
    LINE,
    OWN,
    PIXELS,
    Layout,
    Texts,
    chart,
    colour,
    downward,
    layer,
    point_marks,
    shape,
)

GAP = 34
"""The room between two panels."""
Panel = TypeVar("Panel")


class Grid:
    """The panels so far, and how far down they reach."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.height = 0.0
        self.texts = Texts()
        self.rules: list[dict[str, Any]] = []
        self.dashes: list[dict[str, Any]] = []
        self.bars: list[dict[str, Any]] = []
        self.segments: list[dict[str, Any]] = []
        self.points: list[dict[str, Any]] = []

    def key(self, names: Sequence[str]) -> None:
        """Say which colour stands for whom, one line each."""
        for position, name in enumerate(names):
            self.height += LINE + 2
            left, middle = -self.layout.left, self.height - 8
            self.bar(left, left + 12, middle - 6, middle + 6, position)
            characters = (self.layout.left + self.layout.plot + self.layout.right) // 7
            self.texts.add(name, middle, left + 20, "left", characters=characters)
        self.height += 8

    def panels(self, panels: Sequence[Panel], tall: float, draw: Callable[[Panel, float, float], None]) -> None:
        """Draw each panel with its left end and its width."""
        beside = 2 if self.layout.left else 1
        wide = (self.layout.left + self.layout.plot + self.layout.right - (beside - 1) * GAP) / beside
        for start in range(0, len(panels), beside):
            for place, panel in enumerate(panels[start : start + beside]):
                draw(panel, place * (wide + GAP) - self.layout.left, wide)
            self.height += tall

    def bar(self, left: float, right: float, top: float, bottom: float, series: int) -> None:
        """A rectangle in the colour of a series."""
        self.bars.append({"x": left, "x2": right, "y": top, "y2": bottom, "color": colour(series)})

    def point(self, x: float, y: float, series: int = 0) -> None:
        """A filled dot in the colour of a series."""
        self.points.append({"x": x, "y": y, "color": colour(series), "fill": colour(series), "shape": shape(series)})

    def chart(self) -> dict[str, Any]:
        """The Vega-Lite dictionary of all that was drawn."""
        y = downward(self.height)
        x = PIXELS | {"field": "x"}
        place = {"x": x, "x2": {"field": "x2"}, "y": y, "y2": {"field": "y2"}}
        own = OWN | {"field": "color"}
        marks = [
            layer(self.rules, {"type": "rule", "color": HAIRLINE}, place),
            layer(self.dashes, {"type": "rule", "color": FAINT, "strokeDash": [3, 3]}, place),
            layer(self.bars, {"type": "rect"}, {**place, "fill": own}),
            layer(self.segments, {"type": "rule", "strokeWidth": 1.8}, {**place, "stroke": own}),
            layer(
                self.points,
                {"type": "point", "opacity": 0.75, "strokeWidth": 1, "size": 26},
                {"x": x, "y": y, **point_marks()},
            ),
        ]
        return chart(self.layout, self.height, [*marks, *self.texts.layers(y)], bottom=6)
