from __future__ import annotations

from xml.etree import ElementTree

import pytest
from tiltmeter.report.figures import (
    NARROW,
    WIDE,
    Bar,
    Block,
    Curve,
    CurvePanel,
    HeatCell,
    HeatKey,
    HeatRow,
    Panel,
    Part,
    Row,
    Strip,
    Swarm,
    SwarmKey,
    bars,
    colour,
    curves,
    forest,
    heat,
    shape,
    strips,
    swarms,
    to_png,
    to_svg,
    wrapped,
)

from tests.report.synthetic import HOSTILE
from tiltmeter.records import Estimate

pytest.importorskip("vl_convert")

SURE = Estimate(0.6, 0.55, 0.65, n=10, origins=10)
UNSURE = Estimate(0.7, n=3, origins=3, note="no interval: fewer than 5 origins")


def texts(svg: str) -> list[str]:
    return ["".join(found.itertext()) for found in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_a_hostile_label_is_text_and_nothing_else(layout):
    svg = to_svg(forest([Block((Row(HOSTILE, (SURE,)),), HOSTILE)], [HOSTILE], layout))
    assert "<img" not in svg
    assert "<script" not in svg
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg).iter()}
    assert tags <= {"svg", "g", "path", "text", "tspan", "line", "rect"}
    assert any("</script></style><img" in text for text in texts(svg))


def test_a_value_without_interval_is_an_open_mark_with_its_reason():
    svg = to_svg(forest([Block((Row("short", (UNSURE,)), Row("long", (SURE,))))], ["model"]))
    assert "fewer than 5 origins" in texts(svg)
    marks = [
        element
        for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
        if element.get("stroke") == colour(0)
    ]
    assert [mark.get("fill") for mark in marks] == ["#fffffe", colour(0)]


def test_several_series_have_a_key_and_marks_of_their_own():
    labels = [f"model {number}" for number in range(8)]
    svg = to_svg(forest([Block((Row("bias", (SURE,) * 8),))], labels))
    assert set(labels) <= set(texts(svg))
    assert len({(colour(place), shape(place)) for place in range(30)}) == 30


def test_the_axis_is_centred_on_neutral_and_holds_every_interval():
    ticks = [text for text in texts(to_svg(forest([Block((Row("bias", (SURE,)),))], ["m"]))) if text.endswith("\xa0%")]
    assert {"30\xa0%", "50\xa0%", "70\xa0%"} <= set(ticks)
    far = forest([Block((Row("bias", (Estimate(0.97, 0.9, 1.0),)),))], ["m"])
    assert {"0\xa0%", "100\xa0%"} <= set(texts(to_svg(far)))


def test_signs_that_a_drawing_cannot_hold_are_replaced():
    svg = to_svg(forest([Block((Row("nul \x00 bell \x07 turned \u202e end", (SURE,)),))], ["m"]))
    assert any("nul \ufffd bell \ufffd turned \ufffd end" in text for text in texts(svg))


def test_a_long_label_is_cut_and_an_empty_one_is_harmless():
    assert wrapped("word " * 100, 20).endswith("…")
    assert to_svg(forest([Block((Row("", (SURE,)),))], ["m"]))


def test_a_figure_can_be_had_as_pixels():
    assert to_png(to_svg(forest([Block((Row("bias", (SURE,)),))], ["m"]))).startswith(b"\x89PNG")


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_hostile_labels_stay_text_in_bars_and_strips(layout):
    bar = Bar(HOSTILE, (Part(0.4, 0), Part(0.6, 1)), HOSTILE, (0.3, 0.5))
    for figure in (
        bars([Panel(HOSTILE, (bar, Bar("empty", (), "not known")), 1.0, ((0, HOSTILE),))], layout),
        strips([Strip(HOSTILE, (0.4, None, 0.6), HOSTILE)], [HOSTILE, "b", "c"], layout),
    ):
        svg = to_svg(figure)
        assert "<img" not in svg
        assert any("</script></style><img" in text for text in texts(svg))


def test_bars_of_nothing_and_strips_without_values_can_be_drawn():
    assert "not known" in texts(to_svg(bars([Panel("empty", (Bar("one", (), "not known"),))])))
    assert to_svg(strips([Strip("bias", (None, None))], ["a", "b"]))


def test_the_length_of_a_bar_is_its_share_of_the_scale():
    figure = bars([Panel("shares", (Bar("a", (Part(0.25, 0),), ""), Bar("b", (Part(0.5, 0),), "")), 1.0)])
    lengths = [part["x2"] - part["x"] for one in figure["layer"] for part in one["data"]["values"] if "x2" in part]
    assert lengths == [WIDE.plot / 4, WIDE.plot / 2]


def test_repeated_values_are_ticks_beside_the_mark():
    figure = forest([Block((Row("bias", (SURE,), repeats=((0.55, 0.65),)),))], ["m"])
    ticks = next(one for one in figure["layer"] if one["mark"]["type"] == "tick")
    assert [one["value"] for one in ticks["data"]["values"]] == pytest.approx([55, 65])


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_hostile_labels_stay_text_in_heat_maps_and_curves(layout):
    key = HeatKey(HOSTILE, HOSTILE, HOSTILE)
    cells = (
        HeatCell("+0.1", 0.5, firm=True),
        HeatCell("–"),
        HeatCell("−0.2≈", -0.9),
        HeatCell("+0.3", 1.0, sided=False),
    )
    points = ((1.0, SURE), (2.0, UNSURE), (3.0, Estimate(None)))
    for figure in (
        heat([HeatRow(HOSTILE, cells, heading=HOSTILE)], [HOSTILE, "b", "c", "d"], key, layout),
        curves([CurvePanel(HOSTILE, (Curve(0, points), Curve(1, points)))], [HOSTILE, "b"], HOSTILE, layout),
    ):
        svg = to_svg(figure)
        assert "<img" not in svg
        assert any("</script></style><img" in text for text in texts(svg))


def test_the_colour_of_a_heat_map_is_none_at_zero_and_grows_with_the_difference():
    cells = tuple(HeatCell(str(strength), strength) for strength in (-1.0, -0.5, 0.0, 0.5, 1.0, 3.0))
    figure = heat([HeatRow("row", cells)], list("abcdef"), HeatKey())
    fills = next(one["data"]["values"] for one in figure["layer"] if "fillOpacity" in one["encoding"])
    assert [(fill["color"], fill["opacity"]) for fill in fills] == [
        (colour(1), 0.55),
        (colour(1), 0.275),
        (colour(0), 0.275),
        (colour(0), 0.55),
        (colour(0), 0.55),
    ]


def test_columns_that_do_not_fit_go_on_below():
    cells = tuple(HeatCell(f"value {number}", 0.1) for number in range(14))
    svg = to_svg(heat([HeatRow("row", cells)], [f"rater {number}" for number in range(14)], HeatKey(), NARROW))
    assert {f"value {number}" for number in range(14)} <= set(texts(svg))


def test_curves_hold_the_line_of_no_difference_and_every_interval():
    panel = CurvePanel("rater", (Curve(0, ((10.0, Estimate(0.2, 0.1, 0.3)), (20.0, Estimate(0.25, 0.2, 0.55)))),))
    shown = texts(to_svg(curves([panel], ["one"], "new tokens")))
    assert {"0", "0.2", "0.4", "0.6", "10", "20", "new tokens"} <= set(shown)
    same = CurvePanel("rater", (Curve(0, ((1.0, Estimate(0.4)), (2.0, Estimate(0.4)))),))
    assert to_svg(curves([same], ["one"], "k", zero=False))
    assert to_svg(curves([CurvePanel("none", (Curve(0, ((1.0, Estimate(None)),)),))], ["one"], "k"))


SWARM_KEY = SwarmKey(("declarative", "interrogative"), "all together", "the plain prompt", "worse", "better")


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_a_swarm_has_a_dot_for_each_value_and_one_for_all_together(layout):
    row = Swarm(HOSTILE, ((0.1, 0), (0.1, 1), (-0.2, 1)), Estimate(0.0, -0.1, 0.1), apart=0.3, text="2 of 3")
    figure = swarms([row], SWARM_KEY, layout)
    dots = next(found for found in figure["layer"] if found["mark"]["type"] == "point")["data"]["values"]
    small = [dot for dot in dots if dot["size"] < 20]
    assert len(small) == 3
    assert len({(dot["x"], dot["y"]) for dot in small}) == 3, "equal values lie beside one another"
    assert len(dots) == 3 + 2 + 4, "all together, the one apart, and the four marks of the key"
    assert {"2 of 3", "all together", "the plain prompt", "worse", "better"} <= {*texts(to_svg(figure))}


def test_a_swarm_without_values_is_drawn_all_the_same():
    assert texts(to_svg(swarms([Swarm("nothing", (), Estimate(None))], SwarmKey(("a",), "all"))))
