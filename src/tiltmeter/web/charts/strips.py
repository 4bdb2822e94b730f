"""Strips: one mark for each structure, or for each profession, so that a finding that hangs on few of them shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tiltmeter.web.charts.common import PERCENT, SERIES, Row, Spec, chart, line_at, names_axis, room_for, tooltip


def strips(points: Sequence[Row], wholes: Sequence[Row], title: str, neutral: float) -> Spec:
    """A line for each comparison: a tick for each structure, and a diamond with interval for all of them together.

    A point has `label`, `kind` and `value`; a whole has `label`, `value`, `low` and `high`.
    """
    kinds = list(dict.fromkeys(point["kind"] for point in points))
    across = {"type": "quantitative", "title": title, "scale": {"zero": False, "nice": True}}
    labels = {point["label"] for point in points}
    down = _rows_of("label", labels)
    tick = {
        "mark": {"type": "tick", "thickness": 2, "cursor": "pointer", "opacity": 0.75, "size": 20},
        "encoding": {
            "x": {**across, "field": "value"},
            "y": down,
            "color": {
                "field": "kind",
                "type": "nominal",
                "scale": {"domain": kinds, "range": list(SERIES[: len(kinds)])},
                "legend": {"orient": "top", "title": None, "symbolType": "square", "symbolOpacity": 1}
                if len(kinds) > 1
                else None,
            },
            "tooltip": tooltip(),
        },
    }
    interval = {
        "data": {"values": [row for row in wholes if row["low"] is not None]},
        "mark": {"type": "rule", "strokeWidth": 3, "color": "--ink"},
        "encoding": {"x": {**across, "field": "low"}, "x2": {"field": "high"}, "y": down, "tooltip": tooltip()},
    }
    whole = {
        "data": {"values": [row for row in wholes if row["value"] is not None]},
        "mark": {"type": "point", "shape": "diamond", "size": 150, "filled": True, "color": "--ink"},
        "encoding": {"x": {**across, "field": "value"}, "y": down, "tooltip": tooltip()},
    }
    height = room_for(labels, 42) * max(1, len(labels))
    return chart(points, line_at(neutral), tick, interval, whole, height=height)


def professions(rows: Sequence[Row], title: str) -> Spec:
    """A tick for each profession: the share of the first group after prompts about it."""
    series = {row["series"] for row in rows}
    tick = {
        "params": [{"name": "one", "select": {"type": "point", "on": "pointerover", "clear": "pointerout"}}],
        "mark": {"type": "tick", "thickness": 2, "cursor": "pointer", "size": 24, "color": SERIES[0]},
        "encoding": {
            "x": {
                "field": "value",
                "type": "quantitative",
                "title": title,
                "scale": {"domain": [0, 1]},
                "axis": {"format": PERCENT},
            },
            "y": _rows_of("series", series),
            "opacity": {"condition": {"param": "one", "empty": False, "value": 1}, "value": 0.55},
            "tooltip": tooltip(),
        },
    }
    return chart(rows, line_at(0.5), tick, height=room_for(series, 44) * len(series))


def _rows_of(field: str, names: Iterable[str]) -> Spec:
    return {
        "field": field,
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": names_axis(names),
    }
