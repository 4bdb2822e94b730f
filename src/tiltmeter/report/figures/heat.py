"""Heat maps: a table of differences in which colour says who comes off worse, and how far."""

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

_DEEPEST = 0.55
"""How opaque the strongest colour is: text on it stays readable on light and dark pages."""
_FEWEST_PIXELS = 62
"""The least width of a cell; with more columns than fit, they go on below."""
_MOST_PIXELS = 130
_TALL = 30
NEITHER = 5
"""The colour of a difference of which no side is worse."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell: its text, how strong its colour is (−1 to 1, None for no colour), and whether it has an outline."""

    text: str
    strength: float | None = None
    firm: bool = False
    sided: bool = True
    """Whether the two ends of the scale mean something here."""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One row of a heat map."""

    label: str
    cells: tuple[HeatCell, ...]
    heading: str = ""
    """What stands above it, where another part of the map begins."""


@dataclass(frozen=True, slots=True)
class HeatKey:
    """What the colour below zero means, and what the one above; empty where there are no such cells."""

    below: str = ""
    above: str = ""
    neither: str = ""


def heat(rows: Sequence[HeatRow], columns: Sequence[str], key: HeatKey, layout: Layout = WIDE) -> dict[str, Any]:
    """A heat map, neutral at zero, as a Vega-Lite dictionary; blue and orange are told apart by everybody."""
    drawing = _Heat(layout)
    drawing.key(key)
    room = layout.plot + layout.right
    # As many columns in each part as fit, and about the same number in all parts.
    parts = -(-len(columns) // max(1, room // _FEWEST_PIXELS))
    fit = -(-len(columns) // max(1, parts))
    for start in range(0, len(columns), fit or 1):
        drawing.block(rows, columns[start : start + fit], start, min(room / fit, _MOST_PIXELS))
    return drawing.chart()


class _Heat:
    """The cells so far, and how far down they reach."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.height = 0.0
        self.texts = Texts()
        self.fills: list[dict[str, Any]] = []
        self.frames: list[dict[str, Any]] = []
        self.outlines: list[dict[str, Any]] = []

    def key(self, key: HeatKey) -> None:
        for position, text in ((1, key.below), (0, key.above), (NEITHER, key.neither)):
            if text:
                self.height += LINE + 4
                middle = self.height - 8
                for step in range(3):
                    self._fill(step * 16, middle - 7, 16, 14, colour(position), (step + 1) / 3)
                self.texts.add(text, middle, 58, "left", characters=(self.layout.plot + self.layout.right - 58) // 7)
        self.height += 8

    def block(self, rows: Sequence[HeatRow], columns: Sequence[str], start: int, wide: float) -> None:
        """Draw some of the columns with every row."""
        headings = [wrapped(name, max(6, int(wide // 6.6)), lines=3) for name in columns]
        lines = max(heading.count("\n") + 1 for heading in headings)
        for place, heading in enumerate(headings):
            top = self.height + (lines - heading.count("\n") - 1) * LINE + LINE / 2
            self.texts.add(heading, top, (place + 0.5) * wide, "center", color=FAINT)
        self.height += lines * LINE + 6
        for row in rows:
            self._row(row, row.cells[start : start + len(columns)], wide)
        self.height += 12

    def _row(self, row: HeatRow, cells: Sequence[HeatCell], wide: float) -> None:
        if row.heading:
            self.height += LINE + 8
            self.texts.add(row.heading, self.height - 10, -self.layout.left, "left", color=FAINT, weight=600)
        label = wrapped(row.label, self.layout.characters, lines=2)
        lines = label.count("\n") + 1
        if self.layout.left:
            tall = max(_TALL, lines * LINE + 6)
            self.texts.add(label, self.height + tall / 2 - (lines - 1) * LINE / 2, -16, "right")
        else:
            tall = _TALL
            self.texts.add(label, self.height + LINE / 2 + 6, 0, "left")
            self.height += lines * LINE + 8
        for place, cell in enumerate(cells):
            self._cell(cell, place * wide, wide, tall)
        self.height += tall

    def _cell(self, cell: HeatCell, x: float, wide: float, tall: float) -> None:
        if cell.strength:
            position = NEITHER if not cell.sided else 0 if cell.strength > 0 else 1
            self._fill(x, self.height, wide, tall, colour(position), min(1.0, abs(cell.strength)))
        self.frames.append({"x": x, "x2": x + wide, "y": self.height, "y2": self.height + tall})
        if cell.firm:
            self.outlines.append(
                {"x": x + 1.5, "x2": x + wide - 1.5, "y": self.height + 1.5, "y2": self.height + tall - 1.5}
            )
        self.texts.add(
            cell.text, self.height + tall / 2, x + wide / 2, "center", weight=600 if cell.firm else 400,
            color=INK if cell.strength is not None else FAINT,
        )  # fmt: skip

    def _fill(self, x: float, y: float, wide: float, tall: float, color: str, strength: float) -> None:
        place = {"x": x, "x2": x + wide, "y": y, "y2": y + tall}
        self.fills.append({**place, "color": color, "opacity": round(_DEEPEST * strength, 3)})

    def chart(self) -> dict[str, Any]:
        """The Vega-Lite dictionary of all that was drawn."""
        y = downward(self.height)
        place = {"x": PIXELS | {"field": "x"}, "x2": {"field": "x2"}, "y": y, "y2": {"field": "y2"}}
        opacity = {"field": "opacity", "type": "quantitative", "scale": None, "legend": None}
        marks = [
            layer(self.fills, {"type": "rect"}, {**place, "fill": OWN | {"field": "color"}, "fillOpacity": opacity}),
            layer(self.frames, {"type": "rect", "filled": False, "stroke": HAIRLINE, "strokeWidth": 1}, place),
            layer(self.outlines, {"type": "rect", "filled": False, "stroke": INK, "strokeWidth": 1.8}, place),
        ]
        return chart(self.layout, self.height, [*marks, *self.texts.layers(y)], bottom=6)
