"""The bidimensional heat map: settings by raters."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.web.charts.common import Row, Spec, chart, names_axis, room_for, tooltip

_CELL = 34


def heat(rows: Sequence[Row], *, sided: bool) -> Spec:
    """A square for each setting and rater; the page says beside it what either end of the colours means.

    A row has `setting`, `column`, `shade` from −1 to 1 (from 0 where it has no sides), `text` and `firm`.
    """
    settings = {row["setting"] for row in rows}
    place = {
        "x": {
            "field": "column",
            "type": "nominal",
            "sort": None,
            "title": None,
            "axis": {"orient": "top", "labelAngle": 0, "labelLimit": 130, "ticks": False, "domain": False},
        },
        "y": {
            "field": "setting",
            "type": "nominal",
            "sort": None,
            "title": None,
            "axis": names_axis(settings),
        },
        "tooltip": tooltip(),
    }
    ends = ["--above-strong", "--paper", "--below-strong"] if sided else ["--paper", "--series-3"]
    square = {
        "mark": {"type": "rect", "cursor": "pointer", "opacity": 0.62},
        "encoding": {
            **place,
            "color": {
                "field": "shade",
                "type": "quantitative",
                "scale": {
                    "domain": [-1, 0, 1] if sided else [0, 1],
                    "range": ends,
                    "clamp": True,
                    "interpolate": "rgb",
                },
                "legend": None,
            },
        },
    }
    outline = {
        "transform": [{"filter": "datum.firm"}],
        "mark": {"type": "rect", "fill": None, "stroke": "--ink", "strokeWidth": 2, "cursor": "pointer"},
        "encoding": place,
    }
    number = {
        "mark": {"type": "text", "cursor": "pointer", "color": "--ink", "fontSize": 12},
        "encoding": {**place, "text": {"field": "text"}},
    }
    return chart(
        rows,
        square,
        *([outline] if any(row["firm"] for row in rows) else []),
        number,
        height=len(settings) * room_for(settings, _CELL),
    )
