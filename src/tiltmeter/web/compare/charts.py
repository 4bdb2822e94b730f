"""The charts of the compare page: figures with their intervals. Data in, spec out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate

SERIES = ("--series-0", "--series-1", "--series-2", "--series-3", "--series-4", "--series-5")
_NAME, _ROOM = 48, 300
"""Letters and pixels of the name of a row: what is wider would make the chart narrower."""
_LABEL, _STEP = 30, 16
"""Pixels for the name of a row, and for each mark below it."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart: its specification, and what it shows for those who cannot see it."""

    title: str
    spec: dict[str, Any]
    label: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A figure of a row: whose it is, and where the texts behind it are."""

    series: str
    found: Estimate
    tooltip: str
    open: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a forest: what it is called, and its figures."""

    label: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """What the figures count in: its title, where neutral is, and whether they are shares."""

    title: str
    neutral: float
    share: bool
    factor: float = 1.0
    """100 where differences of shares are told in points."""


def forest(rows: Sequence[Row], axis: Axis) -> dict[str, Any]:
    """Figures with their intervals, row under row, each row under its own name, so that names have room on a phone."""
    series = list(dict.fromkeys(mark.series for row in rows for mark in row.marks))
    height = _LABEL + _STEP * max(1, max((len(row.marks) for row in rows), default=1))
    values = list(_values(rows, axis, height))
    place = {
        "field": "y",
        "type": "quantitative",
        "scale": {"domain": [0, height * len(rows)], "reverse": True, "nice": False},
        "axis": None,
    }
    x = {
        "field": "value",
        "type": "quantitative",
        "title": axis.title,
        "scale": {"zero": False, "nice": True},
        "axis": {"format": ".0%" if axis.share else ",.3~f", "grid": True, "tickCount": 5, "titleLimit": _ROOM},
    }
    colour = {
        "field": "series",
        "type": "nominal",
        "title": None,
        "scale": {"domain": series, "range": [SERIES[at % len(SERIES)] for at in range(len(series))]},
        "legend": {"orient": "top"} if len(series) > 1 else None,
    }
    tooltip = {"field": "tooltip", "type": "nominal"}
    shared = {"y": place, "color": colour, "tooltip": tooltip}
    names = [{"label": _shortened(row.label), "y": at * height + _LABEL - 4} for at, row in enumerate(rows)]
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": [{"neutral": axis.neutral}]},
            "mark": {"type": "rule", "color": "--faint", "strokeDash": [4, 4]},
            "encoding": {"x": {"field": "neutral", "type": "quantitative"}},
        },
        {
            "data": {"values": [one for one in values if one["low"] is not None]},
            "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55, "cursor": "pointer"},
            "encoding": {**shared, "x": {**x, "field": "low"}, "x2": {"field": "high"}},
        },
        {
            "data": {"values": [one for one in values if one["value"] is not None]},
            "mark": {"type": "point", "filled": True, "size": 75, "opacity": 1, "cursor": "pointer"},
            "encoding": {
                **shared,
                "x": x,
                "shape": {"condition": {"test": "isValid(datum.low)", "value": "circle"}, "value": "diamond"},
            },
        },
        {
            "data": {"values": names},
            "mark": {
                "type": "text",
                "align": "left",
                "baseline": "bottom",
                "color": "--ink",
                "fontSize": 12,
                "limit": _ROOM,
            },
            "encoding": {"y": place, "x": {"value": 0}, "text": {"field": "label", "type": "nominal"}},
        },
    ]
    return {
        "width": "container",
        "height": height * len(rows),
        # A layer without data has no scale, which the library complains of.
        "layer": [layer for layer in layers if layer["data"]["values"]],
    }


def _shortened(name: str) -> str:
    """A name that has room above its row: of a long one the middle goes, since names differ at their ends.

    >>> _shortened("hf:a/model"), len(_shortened("x" * 90))
    ('hf:a/model', 48)
    """
    return name if len(name) <= _NAME else f"{name[:25]}…{name[-(_NAME - 26) :]}"


def _values(rows: Sequence[Row], axis: Axis, height: int) -> Iterable[Mapping[str, Any]]:
    for at, row in enumerate(rows):
        for place, mark in enumerate(row.marks):
            found = mark.found
            yield {
                "y": at * height + _LABEL + _STEP * place + _STEP // 2 - 2,
                "series": mark.series,
                **{
                    name: None if number is None else number * axis.factor
                    for name, number in (("value", found.value), ("low", found.low), ("high", found.high))
                },
                "tooltip": mark.tooltip,
                "open": mark.open,
            }
