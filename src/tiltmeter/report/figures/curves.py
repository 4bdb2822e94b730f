"""Curves: how a value with its interval changes along one choice, in small panels of their own scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.report.figures.canvas import (
    FAINT,
    HAIRLINE,
    LINE,
    OWN,
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
)

_TALL, _GAP, _MARGIN = 118, 34, 52
"""The height of a panel, the room between two, and the room for the numbers at its left."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The values of one series along the choice."""

    series: int
    points: tuple[tuple[float, Estimate], ...]


@dataclass(frozen=True, slots=True)
class CurvePanel:
    """Curves that share a scale."""

    title: str
    curves: tuple[Curve, ...]


def curves(
    panels: Sequence[CurvePanel], series: Sequence[str], axis: str, layout: Layout = WIDE, *, zero: bool = True
) -> dict[str, Any]:
    """Panels of curves over one choice, as a Vega-Lite dictionary; `zero` draws the line of no difference."""
    drawing = _Curves(layout, axis, len(series), zero)
    drawing.key(series)
    drawing.panels(panels)
    return drawing.chart()


class _Curves:
    """The panels so far, and how far down they reach."""

    def __init__(self, layout: Layout, axis: str, series: int, zero: bool) -> None:
        self.layout, self.axis, self.series, self.zero = layout, axis, series, zero
        self.height = 0.0
        self.texts = Texts()
        self.rules: list[dict[str, Any]] = []
        self.dashes: list[dict[str, Any]] = []
        self.segments: list[dict[str, Any]] = []
        self.points: list[dict[str, Any]] = []

    def key(self, series: Sequence[str]) -> None:
        """Name the series, one line each; one series alone needs no key."""
        if len(series) > 1:
            for position, label in enumerate(series):
                self.height += LINE + 2
                self._point(7 - self.layout.left, self.height - 8, position, sure=True)
                characters = (self.layout.left + self.layout.plot + self.layout.right) // 7
                self.texts.add(label, self.height - 8, 18 - self.layout.left, "left", characters=characters)
            self.height += 6

    def panels(self, panels: Sequence[CurvePanel]) -> None:
        """Draw the panels, two beside one another where there is room."""
        room = self.layout.left + self.layout.plot + self.layout.right
        beside = 2 if self.layout.left else 1
        wide = (room - (beside - 1) * _GAP) / beside
        for start in range(0, len(panels), beside):
            for place, panel in enumerate(panels[start : start + beside]):
                self._panel(panel, place * (wide + _GAP) - self.layout.left, wide)
            self.height += LINE + _TALL + 8 + 2 * LINE + 20

    def _panel(self, panel: CurvePanel, left: float, wide: float) -> None:
        top, x0, x1 = self.height + LINE + 8, left + _MARGIN, left + wide - 8
        self.texts.add(panel.title, self.height + LINE / 2, left, "left", weight=600, characters=int(wide // 7))
        low, high, step = round_ends(_numbers(panel), zero=self.zero)
        places = sorted({x for curve in panel.curves for x, _ in curve.points})
        first, last = places[0], places[-1]

        def across(x: float) -> float:
            return (x0 + x1) / 2 if first == last else x0 + 14 + (x - first) / (last - first) * (x1 - x0 - 28)

        def down(y: float) -> float:
            return top + (high - y) / (high - low) * _TALL

        for number in range(round((high - low) / step) + 1):
            value = low + number * step
            line = {"x": x0, "x2": x1, "y": down(value), "y2": down(value)}
            (self.dashes if self.zero and abs(value) < step / 1e6 else self.rules).append(line)
            self.texts.add(round_number(value, step), down(value), x0 - 8, "right", color=FAINT)
        for x in _apart(places, across):
            self.texts.add(f"{x:g}", top + _TALL + 12, across(x), "center", color=FAINT)
        self.texts.add(self.axis, top + _TALL + 12 + LINE, (x0 + x1) / 2, "center", color=FAINT)
        for curve in panel.curves:
            self._curve(curve, across, down)

    def _curve(self, curve: Curve, across: Any, down: Any) -> None:
        shift = (curve.series - (self.series - 1) / 2) * min(4, 24 / max(1, self.series))
        before: tuple[float, float] | None = None
        for x, found in curve.points:
            if found.value is None:
                before = None
                continue
            place = (across(x) + shift, down(found.value))
            if before:
                self._segment(before, place, curve.series, 1.4)
            if found.low is not None and found.high is not None:
                self._segment((place[0], down(found.low)), (place[0], down(found.high)), curve.series, 1.0)
            self._point(*place, curve.series, sure=found.low is not None)
            before = place

    def _segment(self, start: tuple[float, float], end: tuple[float, float], series: int, wide: float) -> None:
        place = {"x": start[0], "y": start[1], "x2": end[0], "y2": end[1]}
        self.segments.append({**place, "color": colour(series), "wide": wide})

    def _point(self, x: float, y: float, series: int, *, sure: bool) -> None:
        fill = colour(series) if sure else PAPER
        self.points.append({"x": x, "y": y, "color": colour(series), "fill": fill, "shape": shape(series)})

    def chart(self) -> dict[str, Any]:
        """The Vega-Lite dictionary of all that was drawn."""
        y = downward(self.height)
        x = PIXELS | {"field": "x"}
        line = {"x": x, "x2": {"field": "x2"}, "y": y, "y2": {"field": "y2"}}
        wide = {"field": "wide", "type": "quantitative", "scale": None, "legend": None}
        marks = [
            layer(self.rules, {"type": "rule", "color": HAIRLINE}, line),
            layer(self.dashes, {"type": "rule", "color": FAINT, "strokeDash": [3, 3]}, line),
            layer(self.segments, {"type": "rule"}, {**line, "stroke": OWN | {"field": "color"}, "strokeWidth": wide}),
            layer(
                self.points,
                {"type": "point", "opacity": 1, "strokeWidth": 1.5, "size": 40},
                {"x": x, "y": y, **point_marks()},
            ),
        ]
        return chart(self.layout, self.height, [*marks, *self.texts.layers(y)], bottom=6)


def _numbers(panel: CurvePanel) -> list[float]:
    found = [one for curve in panel.curves for _, one in curve.points]
    return [number for one in found for number in (one.value, one.low, one.high) if number is not None]


def _apart(places: Sequence[float], across: Any, pixels: float = 24) -> list[float]:
    """Those places whose numbers do not run into one another."""
    kept: list[float] = []
    for x in places:
        if not kept or across(x) - across(kept[-1]) >= pixels:
            kept.append(x)
    return kept
