"""What the charts of the results share: how a specification begins, and marks that many of them have.

Each chart is a function from rows to a Vega-Lite specification. Colours are names that the page resolves for light and
dark. A row has `tip`, the words beside the pointer, and `open`, the address of the texts behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Spec = dict[str, Any]
Row = Mapping[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
SERIES = tuple(f"--series-{number}" for number in range(6))
_SHAPES = ("circle", "triangle-up", "square", "diamond")
_LETTERS, _MOST = 34, 72
"""Letters of a line of a name, and of the whole: of a longer one the middle goes, since names differ at their ends."""
_LINE = 14
"""Pixels of a line of a name."""
_BROKEN = (
    f"split(slice(replace(length(datum.label) > {_MOST} ? slice(datum.label, 0, 38) + '…' + slice(datum.label, -33) : "
    f"datum.label, regexp('(.{{1,{_LETTERS}}}$|.{{0,{_LETTERS - 1}}}[ ,/:_-])|(.{{{_LETTERS}}})', 'g'), '$1$2\\n'), "
    "0, -1), '\\n')"
)
_LINES = f"length(datum.label) > {_LETTERS} ? {_BROKEN} : ['', datum.label]"
"""A name on up to three lines, the second of them in the middle of its row. No name is ever part of the expression."""
PERCENT = ".0%"
_LONG = 20
"""Letters of a name in a legend beyond which names stand below one another."""


def names_axis(names: Iterable[str], **more: Any) -> Spec:
    """The names of rows, those that are too long for a line on several."""
    plain = {"labelLimit": 260, "ticks": False, "domain": False, **more}
    broken = {"labelExpr": _LINES, "labelLineHeight": _LINE, "labelOffset": -_LINE}
    return {**plain, **broken} if any(len(name) > _LETTERS for name in names) else plain


def room_for(names: Iterable[str], least: int) -> int:
    """Pixels of a row in which the longest of some names has room.

    >>> room_for(["women"], 26), room_for(["women", "a name of some length, model " * 3], 26)
    (26, 48)
    """
    return max(least, 3 * _LINE + 6) if any(len(name) > _LETTERS for name in names) else least


def chart(rows: Sequence[Row], *layers: Spec, height: int, **more: Any) -> Spec:
    """A chart of layers over the same rows, as wide as its place."""
    return {
        "$schema": SCHEMA,
        "width": "container",
        "height": height,
        "data": {"values": list(rows)},
        "layer": list(layers),
        **more,
    }


def tooltip() -> Spec:
    """The words beside the pointer."""
    return {"field": "tip", "type": "nominal"}


def line_at(value: float, *, axis: str = "x") -> Spec:
    """A line where there is no bias."""
    return {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": "--faint"},
        "encoding": {axis: {"datum": value}},
    }


@dataclass(frozen=True, slots=True)
class Dots:
    """How a chart of estimates looks: a row for each label, a mark with its interval for each series."""

    title: str
    """Of the axis."""
    neutral: float | None = None
    format: str = ".2f"
    logarithmic: bool = False
    domain: tuple[float, float] | None = None


def dots(rows: Sequence[Row], look: Dots) -> Spec:
    """Estimates with intervals; open marks have none. A row has `label`, `series`, `value`, `low` and `high`."""
    known = [row for row in rows if row["value"] is not None]
    sure = sum(row["low"] is not None for row in known)
    series = list(dict.fromkeys(row["series"] for row in known))
    labels = {row["label"] for row in known}
    scale: Spec = {"type": "log"} if look.logarithmic else {"zero": False, "nice": True}
    if look.domain:
        scale |= {"domain": list(look.domain)}
    across = {"type": "quantitative", "title": look.title, "scale": scale, "axis": _axis(look)}
    down: Spec = {
        "y": {
            "field": "label",
            "type": "nominal",
            "sort": None,
            "title": None,
            "axis": names_axis(labels, grid=True),
        },
        "color": {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": series, "range": _colours(series)},
            "legend": _legend(series) if len(series) > 1 else None,
        },
        "tooltip": tooltip(),
    }
    if len(series) > 1:
        down["yOffset"] = {"field": "series", "type": "nominal", "sort": series}
        # A click on a name in the legend leaves that series alone.
        down["opacity"] = {"condition": {"param": "picked", "value": 1}, "value": 0.12}
    interval: Spec = {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {**down, "x": {**across, "field": "low"}, "x2": {"field": "high"}},
    }
    place = {**down, "x": {**across, "field": "value"}, **_shapes(series)}
    hovered = {"name": "hovered", "select": {"type": "point", "on": "pointerover", "clear": "pointerout"}}
    point: Spec = {
        "params": [hovered],
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "point", "filled": True, "opacity": 1, "cursor": "pointer"},
        "encoding": {
            **place,
            "size": {"condition": {"param": "hovered", "empty": False, "value": 190}, "value": 90},
        },
    }
    bare: Spec = {
        "transform": [{"filter": "!isValid(datum.low)"}],
        "mark": {"type": "point", "size": 80, "strokeWidth": 2, "cursor": "pointer"},
        "encoding": place,
    }
    lines = [] if look.neutral is None else [line_at(look.neutral)]
    layers: list[Spec] = [*lines, *([interval, point] if sure else []), *([bare] if sure < len(known) else [])]
    picked = {"name": "picked", "select": {"type": "point", "fields": ["series"]}, "bind": "legend"}
    if len(series) > 1:
        layers[-1] = {**layers[-1], "params": [*layers[-1].get("params", []), picked]}
    return chart(known, *layers, height=max(60, len(labels) * room_for(labels, 15 * len(series) + 11)))


def _axis(look: Dots) -> Spec:
    return {"format": look.format, "tickCount": 3 if look.logarithmic else 6, "labelFlush": False}


def _colours(series: Sequence[str]) -> list[str]:
    return [SERIES[place % len(SERIES)] for place, _ in enumerate(series)]


def _shapes(series: Sequence[str]) -> Spec:
    """Colours come round again: series of the same colour differ in the shape of their marks."""
    if len(series) <= len(SERIES):
        return {}
    shapes = [_SHAPES[place // len(SERIES) % len(_SHAPES)] for place, _ in enumerate(series)]
    scale = {"domain": list(series), "range": shapes}
    return {"shape": {"field": "series", "type": "nominal", "scale": scale, "legend": _legend(series)}}


def _legend(series: Sequence[str]) -> Spec:
    columns = 1 if max(map(len, series)) > _LONG else 4
    symbol = {} if len(series) > len(SERIES) else {"symbolType": "circle"}
    return {"orient": "top", "title": None, "columns": columns, "labelLimit": 520, **symbol}
