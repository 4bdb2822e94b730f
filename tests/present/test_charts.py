"""Every chart: its rows are in the data, its scale covers them, and it can be drawn narrow and wide."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tiltmeter.present import drawing
from tiltmeter.present.charts import (
    Axis,
    Bar,
    Bin,
    CurveKey,
    Dot,
    DotRow,
    Guides,
    HeatCell,
    HeatKey,
    HeatRow,
    Item,
    Line,
    LinePoint,
    Method,
    Panel,
    Part,
    ScatterPoint,
    Strip,
    bars,
    curve,
    dots,
    group_colours,
    heat,
    histogram,
    lines,
    scatter,
    strips,
)

Spec = dict[str, Any]
HOSTILE = (
    "</text><script>alert(1)</script><image href='http://x.test/'/> \x00\x1b[31m \u202e ${datum} --ink \\ \" ' % {{a}}"
)
AXIS = Axis("share of pairs", "share", 0.5, "no preference", "prefers the other", "prefers the stereotyped")
PLACE = {"view": "pairs", "model": "m"}


def _values(count: int) -> list[float]:
    return [0.3 + 0.4 * math.sin(number) ** 2 for number in range(count)]


def _dots(count: int, name: str) -> Spec:
    rows = [
        DotRow(f"{name} {number}", (Dot(value, value - 0.05, value + 0.05, name, name, name, name, PLACE, (value,)),))
        for number, value in enumerate(_values(count))
    ]
    return dots(rows, AXIS)


def _curve(count: int, name: str) -> Spec:
    methods = [
        Method({name: name}, 1, value > 0.5, value, value - 0.1, value + 0.1, name, PLACE) for value in _values(count)
    ]
    return curve(methods, [(name, [name])], CurveKey(name, name, name, name, name))


def _heat(count: int, name: str) -> Spec:
    rows = [HeatRow(name, (HeatCell(name, value, True, tip=name, place=PLACE), None)) for value in _values(count)]
    return heat(rows, [name, "b"], HeatKey(name, name, name, name))


def _lines(count: int, name: str) -> Spec:
    points = tuple(
        LinePoint(number, value, value - 0.1, value + 0.1, name, PLACE) for number, value in enumerate(_values(count))
    )
    return lines([Panel(name, (Line(name, points), Line("b", points[1:])))], name, AXIS)


def _strips(count: int, name: str) -> Spec:
    rows = [
        Strip(name, (Item(value, name, name, name, PLACE), Item(0.2, "b", "b")), Dot(value)) for value in _values(count)
    ]
    return strips(rows, AXIS)


def _bars(count: int, name: str) -> Spec:
    return bars(
        [
            Bar(name, (Part(value, name, name, name, PLACE), Part(0.1, "b")), name, 0.1, 0.6, name)
            for value in _values(count)
        ]
    )


def _scatter(count: int, name: str) -> Spec:
    points = [ScatterPoint(value, value**2, name, name, name, PLACE) for value in _values(count)]
    return scatter(points, AXIS, Axis(name), Guides(diagonal=True, slope=0.5, intercept=0.1))


def _histogram(count: int, name: str) -> Spec:
    bins = [Bin(number, number + 1, value, name, name, PLACE) for number, value in enumerate(_values(count))]
    return histogram(bins, (name, "b"), Axis(name), name)


MAKERS: dict[str, Callable[[int, str], Spec]] = {
    "dots": _dots,
    "curve": _curve,
    "heat": _heat,
    "lines": _lines,
    "strips": _strips,
    "bars": _bars,
    "scatter": _scatter,
    "histogram": _histogram,
}
every_chart = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def _rows(spec: Spec) -> Iterator[dict[str, Any]]:
    for layer in spec["layer"]:
        yield from layer["data"]["values"]


def _texts(spec: Spec) -> list[str]:
    return [row["text"] for row in _rows(spec) if "text" in row]


def _domain(spec: Spec) -> list[float]:
    places = [layer["encoding"].get("x", {}) for layer in spec["layer"]]
    return next(place["scale"]["domain"] for place in places if "scale" in place)


@every_chart
@pytest.mark.parametrize("count", [0, 1, 50])
@pytest.mark.parametrize("width", [320, 720])
def test_draws_at_every_size(make: Callable[[int, str], Spec], count: int, width: int) -> None:
    spec = make(count, "a")
    drawn = drawing.svg(spec, width)
    assert f'width="{width}"' in drawn
    assert '"--' not in drawn
    json.dumps(spec, allow_nan=False)


@every_chart
def test_is_as_wide_as_its_place_and_rows_have_tips_and_places(make: Callable[[int, str], Spec]) -> None:
    spec = make(7, "a name")
    assert spec["width"] == "container"
    assert sum(row.get("place") == PLACE and row["tip"] == "a name" for row in _rows(spec)) >= 7


@every_chart
def test_same_rows_same_bytes(make: Callable[[int, str], Spec]) -> None:
    assert drawing.svg(make(5, "a"), 500) == drawing.svg(make(5, "a"), 500)


@every_chart
def test_every_mark_is_on_the_scale(make: Callable[[int, str], Spec]) -> None:
    spec = make(20, "a")
    low, high = _domain(spec)
    for layer in spec["layer"]:
        fields = [one["field"] for side, one in layer["encoding"].items() if side in ("x", "x2") and "field" in one]
        assert all(low <= row[name] <= high for name in fields for row in layer["data"]["values"])


@every_chart
def test_text_of_data_is_data_only(make: Callable[[int, str], Spec]) -> None:
    spec = make(3, HOSTILE)
    without = [{**layer, "data": None} for layer in spec["layer"]]
    assert "script" not in json.dumps(without)
    drawn = drawing.svg(spec, 320)
    assert "<script" not in drawn
    assert "<image" not in drawn
    assert "\u202e" not in drawn
    assert "\x1b" not in drawn


def test_rows_of_the_same_chart_differ_only_in_their_data() -> None:
    one, other = _dots(4, "a"), _dots(4, HOSTILE)
    # A longer label is set in two ways, for wide and for narrow charts.
    assert {(*sorted(layer["encoding"]),) for layer in one["layer"]} == {
        (*sorted(layer["encoding"]),) for layer in other["layer"]
    }


def test_dots_mark_neutral_directions_and_what_has_no_interval() -> None:
    sure, bare = Dot(0.6, 0.55, 0.65, text="60 %"), Dot(0.4, text="40 %")
    spec = dots([DotRow("a", (sure,)), DotRow("b", (bare, Dot(None, text="refused")), "Instrument checks")], AXIS)
    dashed = [layer for layer in spec["layer"] if "strokeDash" in layer["mark"]]
    assert [row["x"] for layer in dashed for row in layer["data"]["values"]] == [0.5]
    kinds = {row["value"]: row["kind"] for row in _rows(spec) if "kind" in row}
    assert kinds == {0.6: "sure", 0.4: "open"}
    texts = " ".join(_texts(spec))
    for words in ("no preference", "←", "→", "60 %", "40 %", "refused", "Instrument checks"):
        assert words in texts


def test_dots_without_numbers_are_not_zero() -> None:
    rows = [DotRow("a", (Dot(None, text="not rated"), Dot(math.nan, text="?"), Dot(math.inf, text="beyond")))]
    spec = dots(rows, AXIS)
    assert not [row for row in _rows(spec) if "kind" in row]
    assert {"not rated", "?", "beyond"} <= set(_texts(spec))
    assert _domain(spec)[0] < 0.5 < _domain(spec)[1]


def test_a_scale_covers_intervals_and_repeats() -> None:
    spec = dots([DotRow("a", (Dot(0.6, -3.0, 12.0, repeats=(40.0,)),))], Axis("effect"))
    low, high = _domain(spec)
    assert low <= -3
    assert high >= 40


def test_a_group_has_its_colour_whatever_is_drawn() -> None:
    colours = group_colours(["women", "men", "nonbinary people"])
    spec = bars([Bar("a", (Part(1.0, "nonbinary people"),)), Bar("b", (Part(1.0, "men"),))], colours)
    scales = [layer["encoding"]["color"]["scale"] for layer in spec["layer"] if "color" in layer["encoding"]]
    assert scales[0]["range"] == [colours["men"], colours["nonbinary people"]]


def test_effects_beyond_bounds_are_on_their_side() -> None:
    methods = [Method({}, -1), Method({}, 1, True, 0.5, 0.1, 0.9), Method({}, 1)]
    points = [row for row in _rows(curve(methods, [], CurveKey("up", "down"))) if "beyond" in row]
    by_key = {row["x"]: row for row in points}
    assert [by_key[number]["beyond"] for number in range(3)] == [-1, 0, 1]
    assert by_key[2]["y"] < by_key[1]["y"] < by_key[0]["y"]


def test_a_missing_value_interrupts_a_line() -> None:
    points = tuple(LinePoint(x, value) for x, value in ((0, 0.1), (1, None), (2, 0.3)))
    spec = lines([Panel("p", (Line("a", points),))], "temperature", Axis("rating"))
    segments = {row["x"]: row["segment"] for row in _rows(spec) if "segment" in row}
    assert set(segments) == {0, 2}
    assert segments[0] != segments[2]


def test_bars_start_at_zero_and_keep_their_proportions() -> None:
    parts = (Part(2.0, "a"), Part(6.0, "b"))
    ends = [
        (row["x"], row["x2"])
        for row in _rows(bars([Bar("one", parts), Bar("two", (Part(4.0, "a"),))]))
        if "size" in row
    ]
    assert ends == [(0, 0.25), (0.25, 1.0), (0, 0.5)]


def test_many_columns_of_a_heat_map_go_on_below() -> None:
    row = HeatRow("a", tuple(HeatCell(str(number), 0.1) for number in range(14)))
    spec = heat([row], [f"rater {number}" for number in range(14)], HeatKey())
    cells = [one for one in _rows(spec) if "strength" in one]
    assert len(cells) == 14
    assert len({one["y"] for one in cells}) == 3


def test_pictures_and_pages_are_drawn() -> None:
    spec = _dots(2, "a")
    assert drawing.png(spec, 320).startswith(b"\x89PNG")
    assert drawing.pdf(spec, 320).startswith(b"%PDF")


def test_a_drawing_with_anything_but_shapes_and_text_is_refused() -> None:
    image = {
        "data": {"values": [{"u": "data:image/png;base64,AA=="}]},
        "mark": "image",
        "encoding": {"url": {"field": "u"}},
    }
    with pytest.raises((RuntimeError, ValueError)):
        drawing.svg({"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **image}, 320)
