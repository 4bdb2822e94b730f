"""Lines: how a value with its interval changes along a setting, in panels below one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.present.blocks import Place
from tiltmeter.present.charts.frame import (
    QUIET,
    Frame,
    Row,
    Spec,
    Style,
    Y,
    nothing,
    series_of,
    shades,
)
from tiltmeter.present.charts.scales import PAPER, Axis, Scale, colours_of, finite, scale_of, shape

_TALL = 112
_NUMBERS = 50


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A value at a setting."""

    x: float
    value: float | None
    low: float | None = None
    high: float | None = None
    tip: str = ""
    place: Place = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Line:
    """The values of a series; a missing value interrupts its line."""

    series: str
    points: tuple[LinePoint, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines that share a vertical scale."""

    title: str
    lines: tuple[Line, ...]


def lines(panels: Sequence[Panel], title: str, axis: Axis, colours: Mapping[str, str] | None = None) -> Spec:
    """Panels of lines over a setting; `title` names the setting, `axis` is that of the values."""
    every = [line for panel in panels for line in panel.lines]
    settings = sorted({point.x for line in every for point in line.points})
    if not finite(settings):
        return nothing()
    series = series_of((line.series for line in every), colours)
    frame = Frame(_settings_scale(settings), left=_NUMBERS, right="10")
    drawing = _Lines(frame, series, colours_of(series, colours))
    if len(series) > 1:
        frame.key(series, drawing.colours, drawing.shapes)
    if axis.title:
        frame.height += frame.fitted(axis.title, frame.height + 8, QUIET) + 4
    for panel in panels:
        drawing.panel(panel, axis)
    frame.height += frame.fitted(title, frame.height + 8, Style(_NUMBERS, colour=QUIET.colour), 0.85)
    return frame.spec()


class _Lines:
    """The panels so far."""

    def __init__(self, frame: Frame, series: Sequence[str], colours: Sequence[str]) -> None:
        self.frame, self.series, self.colours = frame, series, colours
        self.shapes = [shape(position) for position, _ in enumerate(series)]

    def panel(self, panel: Panel, axis: Axis) -> None:
        frame = self.frame
        top = frame.height + frame.fitted(panel.title, frame.height + 10, Style(weight=600), 0.95) + 12
        every = [point for line in panel.lines for point in line.points]
        scale = scale_of(axis, [end for point in every for end in (point.value, point.low, point.high)], ticks=3)

        def down(value: float) -> float:
            return round(top + (1 - scale.part(value)) * _TALL, 2)

        frame.left_numbers(scale, down, axis.neutral)
        points: list[Row] = []
        segment = 0
        for line in panel.lines:
            segment += 1
            for point in line.points:
                if not finite((point.value,)):
                    segment += 1
                    continue
                assert point.value is not None
                own: Row = {"x": point.x, "y": down(point.value), "value": point.value, "segment": segment}
                own |= {"series": self.series.index(line.series), "tip": point.tip, "place": dict(point.place)}
                ends = finite((point.low, point.high))
                points.append(own | ({"low": down(ends[0]), "high": down(ends[1])} if len(ends) == 2 else {}))
        self._draw(points)
        frame.height = top + _TALL
        frame.numbers()
        frame.height += 6

    def _draw(self, points: list[Row]) -> None:
        frame, shade = self.frame, shades(self.colours)
        place = {"x": frame.x(), "y": Y}
        one_line: Spec = {"detail": {"field": "segment", "type": "nominal"}}
        sure = [
            {key: point[key] for key in ("x", "low", "high", "series", "segment")} for point in points if "low" in point
        ]
        ends = {"x": frame.x(), "y": {**Y, "field": "low"}, "y2": {"field": "high"}}
        frame.layer(sure, {"type": "area", "opacity": 0.13}, {**ends, "color": shade, **one_line})
        # A band alone would not show the interval of a point without neighbours.
        frame.layer(sure, {"type": "rule", "opacity": 0.45}, {**ends, "color": shade})
        bare = [{key: point[key] for key in ("x", "y", "series", "segment")} for point in points]
        frame.layer(bare, {"type": "line", "strokeWidth": 1.8}, {**place, "color": shade, **one_line})
        mark = {"type": "point", "opacity": 1, "size": 42, "strokeWidth": 1.6}
        for filled in (True, False):
            chosen = [point for point in points if ("low" in point) is filled]
            look = {"color": shade} if filled else {"stroke": shade}
            fill: Spec = {"filled": True} if filled else {"fill": PAPER}
            frame.layer(chosen, {**mark, **fill}, {**place, **look, "shape": shades(self.shapes)})


def _settings_scale(settings: Sequence[float]) -> Scale:
    """The settings themselves are the ticks, as far as their numbers do not touch."""
    low, high = settings[0], settings[-1]
    margin = (high - low) * 0.03 or 1.0
    kept: list[float] = []
    for value in settings:
        if not kept or value - kept[-1] >= (high - low) / 9:
            kept.append(value)
    return Scale(low - margin, high + margin, tuple((value, f"{value:g}".replace("-", "−")) for value in kept))
