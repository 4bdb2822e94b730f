"""Strips: one mark for each structure, or for each profession, so that a finding that hangs on few of them shows."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.web.charts import LABELS, PERCENT, SERIES, Row, Spec, chart, line_at, tooltip


def strips(points: Sequence[Row], wholes: Sequence[Row], title: str, neutral: float) -> Spec:
    """A line for each comparison: a tick for each structure, and a diamond with interval for all of them together.

    A point has `label`, `kind` and `value`; a whole has `label`, `value`, `low` and `high`.
    """
    kinds = list(dict.fromkeys(point["kind"] for point in points))
    across = {"type": "quantitative", "title": title, "scale": {"zero": False, "nice": True}}
    down = _rows_of("label")
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
    return chart(
        points, line_at(neutral), tick, interval, whole, height=42 * max(1, len({point["label"] for point in points}))
    )


def professions(rows: Sequence[Row], title: str) -> Spec:
    """A tick for each profession: the share of the first group after prompts about it."""
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
            "y": _rows_of("series"),
            "opacity": {"condition": {"param": "one", "empty": False, "value": 1}, "value": 0.55},
            "tooltip": tooltip(),
        },
    }
    return chart(rows, line_at(0.5), tick, height=44 * len({row["series"] for row in rows}))


def _rows_of(field: str) -> Spec:
    return {
        "field": field,
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelLimit": LABELS, "ticks": False, "domain": False},
    }
