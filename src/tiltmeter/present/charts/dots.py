"""Dots: estimates with their intervals on one scale, row under row (a forest plot)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.present.blocks import Place
from tiltmeter.present.charts.frame import (
    LETTER,
    ROW,
    WIDE,
    Frame,
    Row,
    Spec,
    Style,
    Y,
    clean,
    inset,
    nothing,
    series_of,
    shades,
)
from tiltmeter.present.charts.scales import FAINT, INK, PAPER, Axis, colours_of, finite, scale_of, shape

_MANY = 20
"""Estimates from which on a chart is so long that its scale is needed at its top too."""


@dataclass(frozen=True, slots=True)
class Dot:
    """An estimate: its numbers, whose it is, how it is written, and where its texts are."""

    value: float | None
    low: float | None = None
    high: float | None = None
    series: str = ""
    text: str = ""
    """The value in words; without a value, why."""
    interval: str = ""
    """The interval in words, shown where there is room."""
    tip: str = ""
    place: Place = field(default_factory=dict)
    repeats: tuple[float, ...] = ()
    """The values of independent repetitions, shown as ticks."""


@dataclass(frozen=True, slots=True)
class DotRow:
    """A label and the estimates below it."""

    label: str
    dots: tuple[Dot, ...]
    heading: str = ""
    """Of the block that the row belongs to, such as "Instrument checks"."""
    summary: bool = False
    """Whether this is the mean over other rows, which has a mark of its own."""


def dots(rows: Sequence[DotRow], axis: Axis, colours: Mapping[str, str] | None = None, *, head: bool = False) -> Spec:
    """Estimates with intervals, each row below its label; open marks have no interval. `head`: the axis is on top."""
    every = [dot for row in rows for dot in row.dots]
    if not every:
        return nothing()
    series = series_of((dot.series for dot in every), colours)
    drawing = _Dots(every, series, axis)
    own = colours_of(series, colours)
    shapes = [shape(position) for position, _ in enumerate(series)]
    if len(series) > 1:
        drawing.frame.key(series, own, shapes)
    if head:
        drawing.frame.head(axis)
        axis = Axis(neutral=axis.neutral)
    drawing.frame.neutral(axis)
    if head or len(every) > _MANY:
        drawing.frame.numbers()
    top = drawing.frame.height
    for row, before in zip(rows, (None, *rows), strict=False):
        if row.heading != (before.heading if before else ""):
            drawing.frame.heading(row.heading)
        drawing.row(row)
    drawing.marks(own, shapes)
    drawing.frame.ticks(top, axis)
    return drawing.frame.spec()


class _Dots:
    """The rows so far, in a frame with room for words at the right."""

    def __init__(self, every: Sequence[Dot], series: Sequence[str], axis: Axis) -> None:
        numbers = [number for dot in every for number in (dot.value, dot.low, dot.high, *dot.repeats)]
        self.scale = scale_of(axis, numbers)
        self.series = series
        self.room = min(110, 14 + LETTER * max(len(dot.text) for dot in every))
        self.wide = min(310, 10 + LETTER * max(len(dot.interval) for dot in every))
        both = f"width > {WIDE} ? {self.room + self.wide:.0f} : {self.room:.0f}"
        self.frame = Frame(self.scale, inset(self.scale, 0), f"{inset(self.scale, -1)} + ({both})")
        self.points: list[Row] = []
        self.intervals: list[Row] = []
        self.repeats: list[Row] = []

    def row(self, row: DotRow) -> None:
        self.frame.label(row.label, weight=600 if row.summary else 400)
        for dot in row.dots:
            self._dot(dot, self.frame.height + ROW / 2, row)
            self.frame.height += ROW
        self.frame.height += 5

    def _dot(self, dot: Dot, y: float, row: DotRow) -> None:
        series = self.series.index(dot.series)
        own = {"y": y, "series": series, "tip": dot.tip, "place": dict(dot.place)}
        ends = finite((dot.low, dot.high))
        known = bool(finite((dot.value,)))
        if known:
            assert dot.value is not None
            shown = "summary" if row.summary else "sure" if len(ends) == 2 else "open"
            numbers = {"value": dot.value, "low": dot.low, "high": dot.high} if len(ends) == 2 else {"value": dot.value}
            self.points.append({**own, **numbers, "x": self.scale.place(dot.value), "kind": shown})
            if len(ends) == 2:
                low, high = (self.scale.place(end) for end in ends)
                self.intervals.append({**own, "x": low, "x2": high, "wide": 3.2 if row.summary else 1.8})
        self.repeats += ({**own, "x": self.scale.place(value)} for value in finite(dot.repeats))
        weight = 600 if row.summary else 400
        # Where there is room for intervals, values are aligned beside them.
        at = f"width - (width > {WIDE} ? {self.wide:.0f} : 0)"
        value = Style(at, "right", INK if known else FAINT, weight, room=f"{self.room:.0f}")
        self.frame.text(clean(dot.text), y, value)
        interval = Style(f"width - {self.wide - 10:.0f}", colour=FAINT, room=f"{self.wide:.0f}", only="wide")
        self.frame.text(clean(dot.interval), y, interval)

    def marks(self, colours: Sequence[str], shapes: Sequence[str]) -> None:
        """Intervals, repetitions and points over the rows."""
        shade, form = shades(colours), shades(shapes)
        place = {"x": self.frame.x(), "y": Y}
        width = {"field": "wide", "type": "quantitative", "scale": None, "legend": None}
        interval = {**place, "x2": {"field": "x2"}, "color": shade, "strokeWidth": width}
        self.frame.layer(self.intervals, {"type": "rule", "strokeCap": "round"}, interval)
        self.frame.layer(
            self.repeats, {"type": "tick", "size": 9, "thickness": 1.2, "opacity": 0.55, "orient": "vertical"},
            {**place, "color": shade},
        )  # fmt: skip
        point = {"type": "point", "opacity": 1, "strokeWidth": 1.8, "size": 62}
        for kind, mark, encoding in (
            ("sure", {"filled": True}, {"color": shade, "shape": form}),
            ("open", {"fill": PAPER}, {"stroke": shade, "shape": form}),
            ("summary", {"filled": True, "shape": "diamond", "size": 150}, {"color": shade}),
        ):
            chosen = [one for one in self.points if one["kind"] == kind]
            self.frame.layer(chosen, {**point, **mark}, {**place, **encoding})
