"""Agreement of sources and models, as a list, as a matrix, and as a chart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.present.synthetic import make_run
from tiltmeter.present.blocks import Chart, Table, each
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.order import order_blocks
from tiltmeter.records import Estimate
from tiltmeter.results.findings.findings import Findings
from tiltmeter.results.summary.sources_compared import Correlation, Correlations, Models, Reading, correlate

BIASES = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def about() -> Reported:
    return Reported((make_run(Path("nowhere"), tilts=[], scorers=[]),), Findings((), 0))


def reading(model: str, source: str, *values: float) -> Reading:
    return Reading(model, source, False, dict(zip(BIASES, values, strict=True)))


def test_three_sources_and_three_models_have_matrices(about: Reported) -> None:
    found = correlate(
        [
            reading("m1", "templates", 0.1, 0.2, 0.3, 0.4),
            reading("m2", "templates", 0.4, 0.3, 0.2, 0.1),
            reading("m3", "templates", 0.1, 0.3, 0.2, 0.4),
            reading("m1", "g1", 0.4, 0.3, 0.2, 0.1),
            reading("m1", "g2", 0.1, 0.3, 0.2, 0.4),
        ]
    )
    blocks = list(order_blocks(about, found))
    squares = [table for table in each(blocks, Table) if table.columns[0].label == "Name"]
    assert [[column.label for column in table.columns[1:]] for table in squares] == [
        ["templates", "g1", "g2"],
        ["m1", "m2", "m3"],
    ]
    for table in squares:
        cells = [[cell.text for cell in row[1:]] for row in table.rows]
        assert cells == [list(column) for column in zip(*cells, strict=True)]
    assert found.as_json()["sources_matrix"]["values"][0] == [1.0, -1.0, 0.8]
    assert found.as_json()["models"]["templates"]["matrix"]["values"][0] == [1.0, -1.0, 0.8]
    (chart,) = each(blocks, Chart)
    assert "4 biases over 3 models" in chart.alternative


def test_two_have_the_list_alone(about: Reported) -> None:
    pair = Correlation("a", "b", (), Estimate(0.5, n=5))
    blocks = list(order_blocks(about, Correlations((pair,), {"templates": Models((pair,), {}, {})})))
    assert len(list(each(blocks, Table))) == 2


def test_nothing_to_compare_is_nothing_to_show(about: Reported) -> None:
    assert list(order_blocks(about, Correlations())) == []
