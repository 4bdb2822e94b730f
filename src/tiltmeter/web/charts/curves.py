"""The specification curve: every cell of a question in the order of its effect, with its choices below it."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.web.charts.common import Row, Spec, chart, names_axis, room_for, tooltip

DRAWN = 600
"""Cells in one chart; of more, so many from the lowest to the highest."""
_CURVE = 230
"""Pixels that the effects take; the choices stand below."""
_GAP = 26
_ROW = 19
_NEITHER = "neither"
_FIELDS = ("at", "effect", "effect_low", "effect_high", "firm", "chosen", "tip", "open")


def curve(rows: Sequence[Row], settings: Sequence[str], claims: Sequence[str]) -> Spec:
    """A column for each cell: above its effect with the interval, below a mark for each choice that it is made of.

    A row has `at`, `effect`, `effect_low`, `effect_high`, `sign`, `firm` and `chosen`, which of the settings are its.
    """
    row = room_for(settings, _ROW)
    bottom = _CURVE + _GAP + row * len(settings)
    drawn = [
        {**{name: row[name] for name in _FIELDS}, "side": {1: claims[0], -1: claims[1]}.get(row["sign"], _NEITHER)}
        for row in rows
    ]
    across = {"field": "at", "type": "ordinal", "axis": None, "scale": {"type": "band", "paddingInner": 0.2}}
    effects = {
        "type": "quantitative",
        "title": "effect in standard deviations",
        "scale": {"range": [_CURVE, 0], "zero": True, "nice": True},
        "axis": {"grid": True, "format": ".2~f", "tickCount": 5, "orient": "left"},
    }
    colour: Spec = {
        "field": "side",
        "type": "nominal",
        "scale": {
            "domain": [*claims, _NEITHER],
            "range": ["--above-strong", "--below-strong", "--faint"],
        },
    }
    colour["legend"] = {"orient": "top", "title": None, "columns": 1, "labelLimit": 600, "values": list(claims)}
    column = {
        "params": [
            {"name": "cell", "select": {"type": "point", "fields": ["at"], "on": "pointerover", "clear": "pointerout"}}
        ],
        "mark": {"type": "rect", "cursor": "pointer", "color": "--ink"},
        "encoding": {
            "x": across,
            "y": {"value": 0},
            "y2": {"value": bottom},
            "opacity": {"condition": {"param": "cell", "empty": False, "value": 0.12}, "value": 0.001},
            "tooltip": tooltip(),
        },
    }
    interval = {
        "transform": [{"filter": "isValid(datum.effect_low)"}],
        "mark": {"type": "rule", "opacity": 0.55, "tooltip": None},
        "encoding": {
            "x": across,
            "y": {**effects, "field": "effect_low"},
            "y2": {"field": "effect_high"},
            "color": colour,
        },
    }
    points = [
        {
            "transform": [{"filter": f"{'' if filled else '!'}datum.firm && isValid(datum.effect)"}],
            "mark": {
                "type": "point",
                "filled": filled,
                "size": 42,
                "strokeWidth": 1.6,
                "opacity": 1,
                "cursor": "pointer",
            },
            "encoding": {"x": across, "y": {**effects, "field": "effect"}, "color": colour, "tooltip": tooltip()},
        }
        for filled in (True, False)
        if any(row["firm"] == filled and row["effect"] is not None for row in drawn)
    ]
    zero = {"data": {"values": [{}]}, "mark": {"type": "rule", "color": "--faint"}, "encoding": {"y": {"datum": 0}}}
    # The effects share one scale, the choices below them have their own.
    intervals = [interval] if any(row["effect_low"] is not None for row in drawn) else []
    above = {"layer": [zero, *intervals, *points]}
    below = [_choices(settings, across, bottom - row / 2)] if settings else []
    return chart(drawn, column, above, *below, height=bottom, resolve={"scale": {"y": "independent"}})


def _choices(settings: Sequence[str], across: Spec, last: float) -> Spec:
    """A line for each setting, the last one at `last`, with a mark under every cell that has it."""
    return {
        "transform": [{"flatten": ["chosen"], "as": ["setting"]}],
        "mark": {"type": "tick", "thickness": 11, "cursor": "pointer"},
        "encoding": {
            "x": across,
            "y": {
                "field": "setting",
                "type": "ordinal",
                "title": None,
                "scale": {"type": "point", "domain": list(settings), "range": [_CURVE + _GAP, last]},
                "axis": names_axis(settings, orient="left", grid=True),
            },
            "size": {"value": 5},
            "color": {"value": "--ink"},
            "opacity": {"condition": {"param": "cell", "empty": False, "value": 1}, "value": 0.6},
            "tooltip": tooltip(),
        },
    }
