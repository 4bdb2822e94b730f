"""Charts of next words that are no rows of estimates: histograms of chances, and who works where."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.web.charts import PERCENT, SERIES, Row, Spec, chart, tooltip


def histogram(rows: Sequence[Row], groups: tuple[str, str]) -> Spec:
    """How many prompts give which chance: the first group upward, the second downward.

    A row has `low` and `high`, the ends of its bin, `count`, negative for the second group, and `group`.
    """
    bar = {
        "mark": {"type": "rect", "cursor": "pointer"},
        "encoding": {
            "x": {"field": "low", "type": "quantitative", "title": "chance of the group’s words"},
            "x2": {"field": "high"},
            "y": {
                "field": "count",
                "type": "quantitative",
                "title": "prompts",
                "axis": {"labelExpr": "abs(datum.value)", "tickMinStep": 1},
            },
            "y2": {"datum": 0},
            "color": {
                "field": "group",
                "type": "nominal",
                "scale": {"domain": list(groups), "range": list(SERIES[:2])},
                "legend": {"orient": "top", "title": None},
            },
            "tooltip": tooltip(),
        },
    }
    zero = {"mark": {"type": "rule", "color": "--faint"}, "encoding": {"y": {"datum": 0}}}
    return chart(rows, bar, zero, height=180)


def labour(rows: Sequence[Row], group: str, line: tuple[float, float] | None) -> Spec:
    """The model's share of a group in each occupation against the world's; dashed: both the same.

    A row has `world` and `share`; `line` is the slope and the height of the line through the points.
    """

    def share(field: str, title: str) -> Spec:
        return {
            "field": field,
            "type": "quantitative",
            "title": title,
            "scale": {"domain": [0, 1]},
            "axis": {"format": PERCENT},
        }

    def through(slope: float, height: float, **mark: object) -> Spec:
        ends = [{"world": end, "share": height + slope * end} for end in (0.0, 1.0)]
        return {
            "data": {"values": ends},
            "mark": {"type": "line", "clip": True, **mark},
            "encoding": {"x": share("world", x), "y": share("share", y)},
        }

    x, y = f"world: share of {group}", f"model: share of {group}"
    points = {
        "mark": {"type": "point", "filled": True, "size": 60, "cursor": "pointer", "color": SERIES[0]},
        "encoding": {"x": share("world", x), "y": share("share", y), "tooltip": tooltip()},
    }
    lines = [through(1.0, 0.0, strokeDash=[4, 3], color="--faint")]
    lines += [through(*line, color=SERIES[1])] if line else []
    return chart(rows, *lines, points, height=320)
