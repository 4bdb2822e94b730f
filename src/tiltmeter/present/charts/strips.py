"""Strips: one tick for each item, and all of them together, so that a finding that hangs on a few items shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tiltmeter.present.blocks import Place
from tiltmeter.present.charts.dots import Dot
from tiltmeter.present.charts.frame import (
    LETTER,
    LETTERS,
    ROW,
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
    wrapped,
)
from tiltmeter.present.charts.scales import FAINT, INK, PAPER, Axis, colours_of, finite, scale_of

_BAND = 20
"""The height of the ticks."""


@dataclass(frozen=True, slots=True)
class Item:
    """One of the items of a strip, such as a structure or a profession."""

    value: float
    name: str
    series: str = ""
    tip: str = ""
    place: Place = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Strip:
    """Items under a label, and their estimate together."""

    label: str
    items: tuple[Item, ...]
    whole: Dot | None = None


def strips(rows: Sequence[Strip], axis: Axis, colours: Mapping[str, str] | None = None) -> Spec:
    """A strip for each row: ticks for items, a diamond with interval for all of them, the extreme items by name."""
    items = [item for row in rows for item in row.items]
    wholes = [row.whole for row in rows if row.whole is not None]
    if not items and not wholes:
        return nothing()
    numbers = [item.value for item in items]
    scale = scale_of(axis, [*numbers, *(end for whole in wholes for end in (whole.value, whole.low, whole.high))])
    room = min(110, 14 + LETTER * max((len(whole.text) for whole in wholes), default=0)) if wholes else 0
    frame = Frame(scale, inset(scale, 0), f"{inset(scale, -1) + room:.0f}")
    series = series_of((item.series for item in items), colours)
    own = colours_of(series, colours)
    if len(series) > 1:
        frame.key(series, own, ["square"] * len(series))
    frame.neutral(axis)
    top = frame.height
    ticks: list[Row] = []
    diamonds: list[Row] = []
    for row in rows:
        frame.label(row.label)
        known = [item for item in row.items if finite((item.value,))]
        for item in known:
            place = {"x": scale.place(item.value), "y": frame.height + _BAND / 2, "value": item.value}
            ticks.append(
                {**place, "series": series.index(item.series), "tip": item.tip or item.name, "place": dict(item.place)}
            )
        frame.height += _BAND + 2
        if row.whole is not None:
            diamonds += _whole(frame, row.whole)
            frame.height += ROW
        _extremes(frame, known)
        frame.height += 6
    frame.ticks(top, axis)
    encoding = {"x": frame.x(), "y": Y, "color": shades(own)}
    tick = {"type": "tick", "orient": "vertical", "size": _BAND - 4, "thickness": 1.8, "opacity": 0.6}
    frame.layer(ticks, tick, encoding)
    intervals = [row for row in diamonds if "low" in row]
    ends = {"x": frame.x("low"), "x2": {"field": "high"}, "y": Y}
    frame.layer(intervals, {"type": "rule", "strokeWidth": 2.2, "color": INK}, ends)
    point = {"type": "point", "shape": "diamond", "size": 110, "opacity": 1, "stroke": INK}
    for sure, fill in ((True, INK), (False, PAPER)):
        chosen = [row for row in diamonds if ("low" in row) is sure]
        frame.layer(chosen, {**point, "fill": fill}, {"x": frame.x(), "y": Y})
    return frame.spec()


def _whole(frame: Frame, whole: Dot) -> list[Row]:
    """The diamond of all items together, and its value in words."""
    y = frame.height + ROW / 2
    if not finite((whole.value,)) or frame.scale is None or whole.value is None:
        frame.text(clean(whole.text), y, Style("width", "right", FAINT))
        return []
    frame.text(clean(whole.text), y, Style("width", "right", INK, 600))
    row: Row = {"x": frame.scale.place(whole.value), "y": y, "value": whole.value, "tip": whole.tip}
    ends = finite((whole.low, whole.high))
    sure = {"low": frame.scale.place(ends[0]), "high": frame.scale.place(ends[1])} if len(ends) == 2 else {}
    return [{**row, **sure, "place": dict(whole.place)}]


def _extremes(frame: Frame, items: Sequence[Item]) -> None:
    """Name the lowest and the highest item, each at its end of the chart, where they cannot touch."""
    if len(items) < 2:
        return
    lowest, highest = min(items, key=lambda item: item.value), max(items, key=lambda item: item.value)
    half = Style(colour=FAINT, size=11, room="width / 2 - 4")
    y = frame.height + ROW / 2
    frame.cover(ROW + 6)
    words = wrapped(lowest.name, LETTERS // 2 - 8, lines=1), wrapped(highest.name, LETTERS // 2 - 8, lines=1)
    frame.text(f"lowest: {words[0]}", y, half)
    frame.text(f"highest: {words[1]}", y, replace(half, at="width", align="right"))
    frame.height += ROW
