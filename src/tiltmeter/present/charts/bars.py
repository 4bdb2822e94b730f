"""Bars: quantities that start at zero, of one part or of several, in blocks that each have their own scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.present.blocks import Place
from tiltmeter.present.charts.frame import (
    LETTER,
    ROW,
    Frame,
    Row,
    Spec,
    Style,
    Y,
    clean,
    nothing,
    series_of,
    shades,
)
from tiltmeter.present.charts.scales import FAINT, INK, PAPER, Scale, colours_of, finite

_BAR = 14
_LEAST_FOR_TEXT = 0.13
"""The part of the width from which on a number fits into a bar."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a bar."""

    size: float
    series: str = ""
    text: str = ""
    """Written into it where there is room."""
    tip: str = ""
    place: Place = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of one or more parts, what is written at its end, and the interval of its end."""

    label: str
    parts: tuple[Part, ...]
    text: str = ""
    low: float | None = None
    high: float | None = None
    heading: str = ""
    """Of its block; bars of one block share a scale."""

    @property
    def numbers(self) -> list[float]:
        """Where the bar reaches to, either way."""
        sizes = finite(part.size for part in self.parts)
        ends = [sum(size for size in sizes if size > 0), sum(size for size in sizes if size < 0)]
        return [*ends, *finite((self.low, self.high))]


def bars(rows: Sequence[Bar], colours: Mapping[str, str] | None = None, top: float = 0.0) -> Spec:
    """Bars below their labels; `top` is where every scale ends at the least, such as 1 for shares."""
    if not rows:
        return nothing()
    series = series_of((part.series for row in rows for part in row.parts), colours)
    own = colours_of(series, colours)
    room = min(130, 12 + LETTER * max(len(row.text) for row in rows))
    lowest = min((number for row in rows for number in row.numbers), default=0.0)
    frame = Frame(Scale(-1.0 if lowest < 0 else 0.0, 1.0, ()), left=0, right=f"{room:.0f}")
    if len(series) > 1:
        frame.key(series, own, ["square"] * len(series))
    drawing = _Bars(frame, series, room)
    heading = ""
    for row in rows:
        if row.heading != heading:
            frame.heading(row.heading)
        heading = row.heading
        block = [number for one in rows if one.heading == heading for number in one.numbers]
        drawing.bar(row, max([top, *map(abs, block)]) or 1.0)
    place = {"x": frame.x(), "x2": {"field": "x2"}, "y": Y}
    frame.layer(drawing.parts, {"type": "rect"}, {**place, "y2": {"field": "y2"}, "color": shades(own)})
    frame.layer(drawing.whiskers, {"type": "rule", "color": INK, "strokeWidth": 1.4}, place)
    frame.rules([{"x": 0.0, "x2": 0.0, "y": y, "y2": y + _BAR + 6} for y in drawing.starts], FAINT, below=False)
    return frame.spec()


class _Bars:
    """The bars so far; 1 is the end of each block's scale."""

    def __init__(self, frame: Frame, series: Sequence[str], room: float) -> None:
        self.frame, self.series, self.room = frame, series, room
        self.parts: list[Row] = []
        self.whiskers: list[Row] = []
        self.starts: list[float] = []

    def bar(self, row: Bar, unit: float) -> None:
        frame = self.frame
        frame.height += frame.fitted(row.label, frame.height + ROW / 2, low=True) + 2
        self.starts.append(frame.height - 3)
        middle = frame.height + _BAR / 2
        ends = {True: 0.0, False: 0.0}
        for part in row.parts:
            if not finite((part.size,)) or not part.size:
                continue
            start = ends[part.size > 0]
            end = ends[part.size > 0] = start + part.size / unit
            own = {"x": start, "x2": end, "y": frame.height, "y2": frame.height + _BAR, "size": part.size}
            self.parts.append(
                {**own, "series": self.series.index(part.series), "tip": part.tip, "place": dict(part.place)}
            )
            if part.text and abs(end - start) >= _LEAST_FOR_TEXT:
                frame.text(clean(part.text), middle, Style(None, "center", PAPER, 600, 11), (start + end) / 2)
        interval = finite((row.low, row.high))
        if len(interval) == 2:
            self.whiskers.append({"x": interval[0] / unit, "x2": interval[1] / unit, "y": middle})
        colour = INK if row.parts else FAINT
        frame.text(clean(row.text), middle, Style("width", "right", colour, room=f"{self.room:.0f}"))
        frame.height += _BAR + 10
