"""Histograms of two groups: the first upward, the second downward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.present.blocks import Place
from tiltmeter.present.charts.frame import ROW, Frame, Row, Spec, Style, Y, nothing, shades, wrapped
from tiltmeter.present.charts.scales import FAINT, Axis, colours_of, finite, round_ends, scale_of, written

_TALL = 84
"""The height of either half."""
_NUMBERS = 40


@dataclass(frozen=True, slots=True)
class Bin:
    """How many values of a group are between two ends."""

    low: float
    high: float
    count: float
    group: str
    tip: str = ""
    place: Place = field(default_factory=dict)


def histogram(
    bins: Sequence[Bin], groups: tuple[str, str], axis: Axis, counted: str, colours: Mapping[str, str] | None = None
) -> Spec:
    """Counts of the first group upward and of the second downward; `counted` says what is counted."""
    known = [one for one in bins if len(finite((one.low, one.high, one.count))) == 3 and one.group in groups]
    if not known:
        return nothing()
    scale = scale_of(axis, [end for one in known for end in (one.low, one.high)])
    _, most, step = round_ends([0.0, max(2.0, *(one.count for one in known))], ticks=2)
    frame = Frame(scale, left=_NUMBERS, right="18")
    own = colours_of(groups, colours)
    for arrow, group, colour in zip("↑↓", groups, own, strict=True):
        frame.text(wrapped(f"{arrow} {counted}: {group}", lines=1), frame.height + 8, Style(colour=colour, weight=600))
        frame.height += ROW
    top = frame.height + 8
    middle = top + _TALL
    rows: list[Row] = []
    for one in known:
        side = groups.index(one.group)
        end = middle + (1 if side else -1) * one.count / most * _TALL
        gap = (one.high - one.low) * 0.02
        place = {"x": scale.place(one.low + gap), "x2": scale.place(one.high - gap), "y": middle, "y2": round(end, 2)}
        rows.append({**place, "count": one.count, "side": side, "tip": one.tip, "place": dict(one.place)})
    _numbers(frame, middle, most, step)
    ends = {"x": frame.x(), "x2": {"field": "x2"}, "y": Y, "y2": {"field": "y2"}}
    bar = {"type": "rect", "opacity": 0.85}
    frame.layer(rows, bar, {**ends, "color": shades(own, "side")})
    frame.rules([{"y": middle, "x": scale.low, "x2": scale.high}], FAINT, below=False)
    frame.height = middle + _TALL
    frame.ticks(top, axis)
    return frame.spec()


def _numbers(frame: Frame, middle: float, most: float, step: float) -> None:
    """Lines and counts on either side of zero."""
    assert frame.scale is not None
    for number in range(round(most / step) + 1):
        away = number * step / most * _TALL
        for y in sorted({middle - away, middle + away}):
            frame.rules([{"y": y, "x": frame.scale.low, "x2": frame.scale.high}])
            frame.text(written(number * step, step, "number"), y, Style(_NUMBERS - 8, "right", FAINT))
