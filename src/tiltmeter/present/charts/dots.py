"""Dots: estimates with their intervals on one scale, row under row (a forest plot)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tiltmeter.present.blocks import Place
from tiltmeter.present.charts.frame import (
    LETTER,
    LETTERS,
    ON_SCALE,
    ROW,
    WIDE,
    Frame,
    Row,
    Spec,
    Style,
    Y,
    clean,
    nothing,
    series_of,
    wrapped,
)
from tiltmeter.present.charts.scales import FAINT, INK, LINE, PAPER, Axis, colours_of, finite, scale_of, shape


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


def dots(rows: Sequence[DotRow], axis: Axis, colours: Mapping[str, str] | None = None) -> Spec:
    """Estimates with intervals, each row below its label; open marks have no interval."""
    every = [dot for row in rows for dot in row.dots]
    if not every:
        return nothing()
    series = series_of((dot.series for dot in every), colours)
    drawing = _Dots(every, series, axis)
    shades = colours_of(series, colours)
    shapes = [shape(position) for position, _ in enumerate(series)]
    if len(series) > 1:
        drawing.frame.key(series, shades, shapes)
    drawing.neutral(axis)
    for row, before in zip(rows, (None, *rows), strict=False):
        if row.heading != (before.heading if before else ""):
            drawing.heading(row.heading)
        drawing.row(row)
    drawing.marks(shades, shapes)
    drawing.frame.ticks(drawing.top, axis)
    if axis.neutral is not None:
        x = drawing.scale.place(axis.neutral)
        line = {"x": x, "x2": x, "y": drawing.top, "y2": drawing.bottom}
        drawing.frame.rules([line], FAINT, strokeDash=[3, 3])
    drawing.frame.layer(
        drawing.bands,
        {"type": "rect", "color": PAPER},
        {"x": {"value": 0}, "x2": {"value": "width"}, "y": Y, "y2": {"field": "y2"}},
        below=True,
    )
    drawing.frame.rules(drawing.lines, LINE)
    return drawing.frame.spec()


class _Dots:
    """The rows so far, in a frame with room for words at the right."""

    def __init__(self, every: Sequence[Dot], series: Sequence[str], axis: Axis) -> None:
        numbers = [number for dot in every for number in (dot.value, dot.low, dot.high, *dot.repeats)]
        self.scale = scale_of(axis, numbers)
        self.series = series
        self.room = min(110, 14 + LETTER * max(len(dot.text) for dot in every))
        self.wide = min(240, 10 + LETTER * max(len(dot.interval) for dot in every))
        both = f"width > {WIDE} ? {self.room + self.wide:.0f} : {self.room:.0f}"
        self.frame = Frame(self.scale, left=14, right=f"14 + ({both})")
        self.points: list[Row] = []
        self.intervals: list[Row] = []
        self.repeats: list[Row] = []
        self.bands: list[Row] = []
        self.lines: list[Row] = []
        self.top = self.bottom = 0.0

    def neutral(self, axis: Axis) -> None:
        """Name the neutral line above it."""
        if axis.neutral is not None and axis.neutral_name:
            part = self.scale.part(axis.neutral)
            align = "left" if part < 0.3 else "right" if part > 0.7 else "center"
            label = wrapped(axis.neutral_name, LETTERS // 2)
            style = replace(ON_SCALE, align=align)
            self.frame.text(label, self.frame.height + 8, style, self.scale.place(axis.neutral))
            self.frame.height += ROW * (label.count("\n") + 1) + 2
        self.top = self.frame.height

    def heading(self, words: str) -> None:
        frame = self.frame
        self.bands.append({"y": frame.height, "y2": frame.height + 30})
        frame.text(wrapped(words, LETTERS, lines=1), frame.height + 18, Style(weight=600, size=13))
        frame.height += 30 if words else 12

    def row(self, row: DotRow) -> None:
        frame = self.frame
        label = wrapped(row.label)
        head = ROW * (label.count("\n") + 1) + 7
        self.lines.append({"y": frame.height})
        self.bands.append({"y": frame.height, "y2": frame.height + head})
        frame.text(label, frame.height + ROW / 2 + 5, Style(weight=600 if row.summary else 400))
        frame.height += head
        for dot in row.dots:
            self._dot(dot, frame.height + ROW / 2, row)
            frame.height += ROW
        frame.height += 7
        self.bottom = frame.height

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
        interval = Style(f"width - {self.wide - 10:.0f}", colour=FAINT, room=f"{self.wide:.0f}", wide_only=True)
        self.frame.text(clean(dot.interval), y, interval)

    def marks(self, shades: Sequence[str], shapes: Sequence[str]) -> None:
        """Intervals, repetitions and points over the rows."""
        numbers = list(range(len(self.series)))
        shade = {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": numbers, "range": list(shades)},
            "legend": None,
        }
        place = {"x": self.frame.x(), "y": Y}
        width = {"field": "wide", "type": "quantitative", "scale": None, "legend": None}
        interval = {**place, "x2": {"field": "x2"}, "color": shade, "strokeWidth": width}
        self.frame.layer(self.intervals, {"type": "rule", "strokeCap": "round"}, interval)
        self.frame.layer(
            self.repeats, {"type": "tick", "size": 9, "thickness": 1.2, "opacity": 0.55, "orient": "vertical"},
            {**place, "color": shade},
        )  # fmt: skip
        form = {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": numbers, "range": list(shapes)},
            "legend": None,
        }
        point = {"type": "point", "opacity": 1, "strokeWidth": 1.8, "size": 62}
        for kind, mark, encoding in (
            ("sure", {"filled": True}, {"color": shade, "shape": form}),
            ("open", {"fill": PAPER}, {"stroke": shade, "shape": form}),
            ("summary", {"filled": True, "shape": "diamond", "size": 150}, {"color": shade}),
        ):
            chosen = [one for one in self.points if one["kind"] == kind]
            self.frame.layer(chosen, {**point, **mark}, {**place, **encoding})
