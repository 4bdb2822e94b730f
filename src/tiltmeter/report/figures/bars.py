"""Bars: quantities that start at zero, in panels that each have a scale of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.figures.canvas import (
    FAINT,
    HAIRLINE,
    INK,
    LINE,
    OWN,
    PIXELS,
    WIDE,
    Layout,
    Texts,
    chart,
    colour,
    downward,
    layer,
    wrapped,
)

_BAR = 12
_ROW = 26


@dataclass(frozen=True, slots=True)
class Part:
    """One stretch of a bar, in the units of its panel."""

    size: float
    position: int
    """Which of the series' colours it has."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of one or more parts, what is written at its end, and how sure its end is."""

    label: str
    parts: tuple[Part, ...]
    text: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """Bars that can be compared; `top` is where their scale ends, 0 for the largest of them."""

    title: str
    bars: tuple[Bar, ...]
    top: float = 0.0
    key: tuple[tuple[int, str], ...] = ()
    """The names of the colours, where the bars have several parts."""


def bars(panels: Sequence[Panel], layout: Layout = WIDE) -> dict[str, Any]:
    """Bars in panels below one another, as a Vega-Lite dictionary."""
    drawing = _Bars(layout)
    for panel in panels:
        drawing.panel(panel)
    return drawing.chart()


class _Bars:
    """The bars so far, and how far down they reach."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.height = 0.0
        self.texts = Texts()
        self.parts: list[dict[str, Any]] = []
        self.whiskers: list[dict[str, Any]] = []
        self.lines: list[dict[str, Any]] = []

    def panel(self, panel: Panel) -> None:
        self.height += 30
        self.texts.add(panel.title, self.height - 10, -self.layout.left, "left", color=FAINT, weight=600)
        self.lines.append({"y": self.height})
        self.height += 6
        for position, name in panel.key:
            self.height += LINE + 2
            self._rectangle(0, 12, self.height - 8, colour(position))
            self.texts.add(name, self.height - 8, 20, "left", characters=self.layout.plot // 7)
        ends = [sum(part.size for part in bar.parts) for bar in panel.bars]
        ends += [bar.interval[1] for bar in panel.bars if bar.interval]
        # In the narrow layout the text at the end of the longest bar needs room inside the plot.
        room = self.layout.plot if self.layout.right else self.layout.plot - 150
        unit = room / (panel.top or max([*ends, 0.0]) or 1.0)
        for bar in panel.bars:
            self._bar(bar, unit)

    def _bar(self, bar: Bar, unit: float) -> None:
        label = wrapped(bar.label, self.layout.characters, lines=2)
        lines = label.count("\n") + 1
        above = not self.layout.left
        head = lines * LINE if above else 0
        tall = head + max(_ROW, 0 if above else lines * LINE + 6)
        middle = self.height + head + (tall - head) / 2
        if above:
            self.texts.add(label, self.height + LINE / 2 + 2, 0, "left")
        else:
            self.texts.add(label, middle - (lines - 1) * LINE / 2, -16, "right")
        start = 0.0
        for part in bar.parts:
            self._rectangle(start, start + part.size * unit, middle, colour(part.position))
            start += part.size * unit
        if bar.interval:
            low, high = (bound * unit for bound in bar.interval)
            self.whiskers.append({"y": middle, "x": low, "x2": high})
            start = max(start, high)
        self.texts.add(bar.text, middle, start + 8, "left", color=INK if bar.parts else FAINT)
        self.height += tall

    def _rectangle(self, start: float, end: float, middle: float, color: str) -> None:
        self.parts.append({"x": start, "x2": end, "y": middle - _BAR / 2, "y2": middle + _BAR / 2, "color": color})

    def chart(self) -> dict[str, Any]:
        """The Vega-Lite dictionary of all that was drawn."""
        y = downward(self.height)
        x = PIXELS | {"field": "x"}
        right = self.layout.plot + self.layout.right
        marks = [
            layer(
                self.lines,
                {"type": "rule", "color": HAIRLINE},
                {"y": y, "x": {"value": -self.layout.left}, "x2": {"value": right}},
            ),
            layer(
                self.parts,
                {"type": "rect"},
                {"x": x, "x2": {"field": "x2"}, "y": y, "y2": {"field": "y2"}, "fill": OWN | {"field": "color"}},
            ),
            layer(
                self.whiskers,
                {"type": "rule", "color": INK, "strokeWidth": 1.4},
                {"x": x, "x2": {"field": "x2"}, "y": y},
            ),
        ]
        return chart(self.layout, self.height, [*marks, *self.texts.layers(y)], bottom=10)
