"""Scatter plots: two values of each item against one another, with the items that differ most by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tiltmeter.present.blocks import Place
from tiltmeter.present.charts.frame import (
    QUIET,
    Frame,
    Row,
    Spec,
    Style,
    Y,
    clean,
    nothing,
    series_of,
    shades,
    wrapped,
)
from tiltmeter.present.charts.scales import FAINT, INK, Axis, Scale, colours_of, finite, scale_of, shape

_TALL = 280
_NUMBERS = 46
_NAMED = 6
_APART = 15
"""How many pixels apart two names are at the least."""
_LONGEST = 22
"""Letters of a name."""


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """An item and its two values."""

    x: float
    y: float
    name: str = ""
    series: str = ""
    tip: str = ""
    place: Place = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Guides:
    """Lines to read points by: where both values are the same, and the line through the points."""

    diagonal: bool = False
    slope: float | None = None
    intercept: float = 0.0

    def off(self, point: ScatterPoint) -> float:
        """How far a point is from what the lines would have it be."""
        if self.diagonal or self.slope is None:
            return abs(point.y - point.x) if self.diagonal else 0.0
        return abs(point.y - self.intercept - self.slope * point.x)


def scatter(
    points: Sequence[ScatterPoint],
    across: Axis,
    upward: Axis,
    guides: Guides | None = None,
    colours: Mapping[str, str] | None = None,
) -> Spec:
    """Points on two scales; both are the same where a diagonal is drawn."""
    known = [point for point in points if len(finite((point.x, point.y))) == 2]
    if not known:
        return nothing()
    lines = guides or Guides()
    numbers = [point.x for point in known], [point.y for point in known]
    both = [*numbers[0], *numbers[1]]
    scales = (
        scale_of(across, both if lines.diagonal else numbers[0]),
        scale_of(upward, both if lines.diagonal else numbers[1]),
    )
    series = series_of((point.series for point in known), colours)
    own = colours_of(series, colours)
    shapes = [shape(position) for position, _ in enumerate(series)]
    frame = Frame(scales[0], left=_NUMBERS, right="18")
    if len(series) > 1:
        frame.key(series, own, shapes)
    top = frame.height + frame.fitted(f"↑ {upward.title}", frame.height + 8, QUIET) + 8
    drawing = _Scatter(frame, scales[1], top)
    frame.height = top + _TALL
    frame.left_numbers(scales[1], drawing.down, None)
    frame.ticks(top, Axis(f"{across.title} →" if across.title else "", left=across.left, right=across.right))
    if lines.diagonal:
        drawing.line(1.0, 0.0, FAINT, strokeDash=[4, 3])
    if lines.slope is not None:
        drawing.line(lines.slope, lines.intercept, INK, strokeWidth=1.4)
    place = {"x": frame.x(), "y": Y, "color": shades(own), "shape": shades(shapes)}
    rows = [drawing.row(point, series.index(point.series)) for point in known]
    frame.layer(rows, {"type": "point", "filled": True, "size": 46, "opacity": 0.75}, place)
    drawing.names(sorted((one for one in known if one.name), key=lines.off, reverse=True))
    return frame.spec()


class _Scatter:
    """Where points and lines are in the frame."""

    def __init__(self, frame: Frame, scale: Scale, top: float) -> None:
        assert frame.scale is not None
        self.frame, self.across, self.upward, self.top = frame, frame.scale, scale, top

    def down(self, value: float) -> float:
        return round(self.top + (1 - self.upward.part(value)) * _TALL, 2)

    def row(self, point: ScatterPoint, series: int) -> Row:
        own = {"x": self.across.place(point.x), "y": self.down(point.y), "values": [point.x, point.y]}
        return {**own, "series": series, "tip": point.tip or point.name, "place": dict(point.place)}

    def line(self, slope: float, intercept: float, colour: str, **mark: Any) -> None:
        """The part of a line that is within both scales."""
        low, high = self.across.low, self.across.high
        if slope:
            sides = sorted((end - intercept) / slope for end in (self.upward.low, self.upward.high))
            low, high = max(low, sides[0]), min(high, sides[1])
        if low < high and self.upward.low <= intercept + slope * (low + high) / 2 <= self.upward.high:
            y, y2 = self.down(intercept + slope * low), self.down(intercept + slope * high)
            self.frame.rules([{"x": low, "x2": high, "y": y, "y2": y2}], colour, **mark)

    def names(self, points: Sequence[ScatterPoint]) -> None:
        """Name some points, those that differ most first, where names do not touch."""
        taken: list[float] = []
        for point in points:
            y = self.down(point.y)
            if len(taken) < _NAMED and all(abs(y - other) >= _APART for other in taken):
                right = self.across.part(point.x) < 0.5
                name = wrapped(clean(point.name), _LONGEST, lines=1)
                style = Style(None, "left" if right else "right", INK, size=11, shift=7 if right else -7)
                self.frame.text(name, y, style, self.across.place(point.x))
                taken.append(y)
