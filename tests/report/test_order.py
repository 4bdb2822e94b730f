"""Agreement of sources and models, as a list and as a matrix."""

from __future__ import annotations

from typing import Any, cast

from tiltmeter.report.order import order_view

from tiltmeter.records import Estimate
from tiltmeter.results.summary.sources_compared import Correlation, Correlations, Models, Reading, correlate

BIASES = ("a", "b", "c", "d")


def reading(model: str, source: str, *values: float) -> Reading:
    return Reading(model, source, False, dict(zip(BIASES, values, strict=True)))


def test_three_sources_and_three_models_have_matrices() -> None:
    found = correlate(
        [
            reading("m1", "templates", 0.1, 0.2, 0.3, 0.4),
            reading("m2", "templates", 0.4, 0.3, 0.2, 0.1),
            reading("m3", "templates", 0.1, 0.3, 0.2, 0.4),
            reading("m1", "g1", 0.4, 0.3, 0.2, 0.1),
            reading("m1", "g2", 0.1, 0.3, 0.2, 0.4),
        ]
    )
    view = order_view(cast(Any, None), found)
    squares = [table for table in view.tables if "matrix" in table.caption]
    assert [[column.label for column in table.columns[1:]] for table in squares] == [
        ["templates", "g1", "g2"],
        ["m1", "m2", "m3"],
    ]
    for table in squares:
        cells = [[cell.text for cell in row[1:]] for row in table.rows]
        assert cells == [list(column) for column in zip(*cells, strict=True)]
    assert found.as_json()["sources_matrix"]["values"][0] == [1.0, -1.0, 0.8]
    assert found.as_json()["models"]["templates"]["matrix"]["values"][0] == [1.0, -1.0, 0.8]


def test_two_have_the_list_alone() -> None:
    pair = Correlation("a", "b", (), Estimate(0.5, n=5))
    view = order_view(cast(Any, None), Correlations((pair,), {"templates": Models((pair,), {}, {})}))
    assert len(view.tables) == 2
