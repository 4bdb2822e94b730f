"""Charts as specifications: what draws them takes them, and every point has words and opens texts."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tiltmeter.web.charts.common import Dots, dots
from tiltmeter.web.charts.curves import DRAWN, curve
from tiltmeter.web.charts.heat import heat
from tiltmeter.web.charts.strips import strips
from tiltmeter.web.results.curves import thinned

from tests.report.synthetic import HOSTILE
from tests.web.bench import opened
from tests.web.found_runs import keep, make_whole_run

vl_convert = pytest.importorskip("vl_convert")
KINDS = {
    *("curve", "forest", "heat", "groups", "text-structures", "shares", "professions", "habit", "histogram", "labour"),
    *("raters", "scorers"),
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    home: Path = tmp_path_factory.mktemp("bench")
    keep(make_whole_run(home / "runs" / "whole"))
    return opened(home)


@pytest.fixture(scope="module")
def specs(browser: TestClient) -> dict[str, dict[str, Any]]:
    """One chart of each kind that the page shows."""
    page = browser.get("/runs/whole/results").text
    addresses = [unescape(one) for one in re.findall(r'data-chart="([^"]+)"', page)]
    by_kind = {one.partition("/charts/")[2].partition("?")[0]: one for one in reversed(addresses)}
    return {kind: browser.get(address).json() for kind, address in by_kind.items()}


def row(**more: Any) -> dict[str, Any]:
    plain = {"label": "women", "series": "m", "value": 0.2, "low": 0.1, "high": 0.3, "tip": "t", "open": "/x"}
    return {**plain, **more}


def marks(spec: dict[str, Any]) -> list[str]:
    layers = spec.get("layer", [])
    return [one["mark"]["type"] for one in layers if "mark" in one] + [m for one in layers for m in marks(one)]


def test_the_page_has_every_kind_of_chart(specs: dict[str, dict[str, Any]]):
    assert set(specs) == KINDS


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_chart_can_be_drawn_and_its_points_have_words_and_open_texts(specs: dict[str, dict[str, Any]], kind: str):
    spec = specs[kind]
    assert vl_convert.vegalite_to_vega(json.dumps(spec))["marks"]
    rows = spec["data"]["values"]
    assert rows
    for one in rows:
        assert one["tip"].strip()
        assert one["open"].startswith("/runs/whole/texts/part?view=")


def test_the_texts_that_a_point_opens_are_of_it(specs: dict[str, dict[str, Any]]):
    for one in specs["groups"]["data"]["values"]:
        assert f"&rater={one['rater']}&decoding={one['decoding']}&group={one['group']}" in one["open"]
    structures = {one["structure"]: one["open"] for one in specs["text-structures"]["data"]["values"]}
    assert all(address.endswith(f"&structure={name}") for name, address in structures.items())


def test_hostile_names_are_data_and_no_part_of_an_expression(specs: dict[str, dict[str, Any]]):
    assert HOSTILE in [one["profession"] for one in specs["professions"]["data"]["values"]]
    for spec in specs.values():
        for text in expressions(spec):
            assert HOSTILE not in text


def expressions(value: Any) -> list[str]:
    """Everything in a specification that is worked out rather than shown."""
    if isinstance(value, dict):
        own = [str(value[key]) for key in ("labelExpr", "filter", "test", "expr", "calculate") if key in value]
        return own + [text for key, one in value.items() if key != "data" for text in expressions(one)]
    return [text for one in value for text in expressions(one)] if isinstance(value, list) else []


def test_a_chart_loads_nothing_and_colours_are_names_of_the_page(specs: dict[str, dict[str, Any]]):
    for spec in specs.values():
        bare = json.dumps({key: value for key, value in spec.items() if key != "$schema"})
        assert '"url"' not in bare
        assert not re.search(r"#[0-9a-f]{6}\b", bare)


def test_estimates_without_an_interval_are_open_marks():
    spec = dots([row(), row(label="men", low=None, high=None)], Dots("rating"))
    points = [layer for layer in spec["layer"] if layer["mark"]["type"] == "point"]
    filters = [(one["mark"].get("filled", False), one["transform"][0]["filter"]) for one in points]
    assert filters == [(True, "isValid(datum.low)"), (False, "!isValid(datum.low)")]
    assert "rule" not in marks(dots([row(low=None, high=None)], Dots("rating")))


def test_series_of_the_same_colour_differ_in_shape():
    spec = dots([row(series=f"model {number}") for number in range(13)], Dots("t"))
    encoding = next(layer["encoding"] for layer in spec["layer"] if "shape" in layer["encoding"])
    looks = list(zip(encoding["color"]["scale"]["range"], encoding["shape"]["scale"]["range"], strict=True))
    assert len(set(looks)) == 13
    assert vl_convert.vegalite_to_svg(spec).count(">model 12<") == 1
    few = dots([row(series=f"model {number}") for number in range(6)], Dots("t"))
    assert not any("shape" in layer["encoding"] for layer in few["layer"])


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("women", ["women"]),
        (
            "The start token alone, hf:somebody/a-model-with-a-name-7b-instruct",
            ["The start token alone, hf:", "somebody/a-model-with-a-name-7b-", "instruct"],
        ),
        ("x" * 200 + "end", ["x" * 34, "x" * 4 + "…" + "x" * 29, "xend"]),
        (HOSTILE[:30], [HOSTILE[:30]]),
    ],
)
def test_names_of_rows_stand_on_several_lines_and_keep_their_ends(name: str, lines: list[str]):
    spec = dots([row(label=name)], Dots("t"))
    axis = spec["layer"][-1]["encoding"]["y"]["axis"]
    assert name not in axis.get("labelExpr", "")
    drawn = unescape(vl_convert.vegalite_to_svg({**spec, "width": 300}))
    texts = [drawn.index(f">{line}<") for line in lines]
    assert texts == sorted(texts)


def test_estimates_without_a_value_are_not_drawn_as_zero():
    spec = dots([row(value=None, low=None, high=None)], Dots("rating"))
    assert spec["data"]["values"] == []
    assert "point" not in marks(spec)


def test_a_line_stands_where_there_is_no_bias():
    assert "rule" in marks(dots([row(low=None)], Dots("share", neutral=0.5)))
    assert "rule" not in marks(dots([row(low=None)], Dots("rating")))


def test_a_curve_fills_marks_that_are_significant_and_has_a_tick_for_each_choice():
    cells = [
        {"at": at, "effect": at / 10, "effect_low": None, "effect_high": None, "sign": 1, "firm": at == 1,
         "chosen": ["rater: a"], "tip": "t", "open": "/x"}
        for at in range(2)
    ]  # fmt: skip
    spec = curve(cells, ["rater: a", "rater: b"], ["worse", "better"])
    above, below = spec["layer"][1:]
    points = [one for one in above["layer"] if one["mark"]["type"] == "point"]
    assert [(one["mark"]["filled"], one["transform"][0]["filter"][:10]) for one in points] == [
        (True, "datum.firm"),
        (False, "!datum.fir"),
    ]
    assert below["transform"] == [{"flatten": ["chosen"], "as": ["setting"]}]
    assert below["encoding"]["y"]["scale"]["domain"] == ["rater: a", "rater: b"]
    assert vl_convert.vegalite_to_vega(json.dumps(spec))


def test_of_very_many_cells_the_first_and_the_last_are_drawn():
    kept = thinned([{"at": at, "effect": at} for at in range(5 * DRAWN)])
    assert len(kept) == DRAWN
    assert (kept[0]["effect"], kept[-1]["effect"]) == (0, 5 * DRAWN - 1)
    assert [one["at"] for one in kept] == list(range(DRAWN))


@pytest.mark.parametrize(("sided", "colours"), [(True, 3), (False, 2)])
def test_a_heat_map_has_two_sides_only_where_one_can_be_worse(sided: bool, colours: int):
    square = {"setting": "s", "column": "c", "shade": 0.5, "text": "0.1", "firm": False, "tip": "t", "open": "/x"}
    spec = heat([square], sided=sided)
    assert len(spec["layer"][0]["encoding"]["color"]["scale"]["range"]) == colours
    assert len(spec["layer"]) == 2
    assert len(heat([{**square, "firm": True}], sided=sided)["layer"]) == 3


def test_a_strip_has_a_mark_for_each_structure_and_one_for_all():
    points = [row(kind="declarative", value=value) for value in (0.1, 0.4)]
    spec = strips(points, [row()], "difference", 0)
    assert marks(spec) == ["rule", "tick", "rule", "point"]
    assert len(spec["data"]["values"]) == 2
