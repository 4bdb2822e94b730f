"""Reports as notebooks: what Jupyter takes, and charts that are drawn again from what the cells hold."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.present.every_block import document_of
from tests.present.hostile import STRINGS
from tests.present.realistic import report
from tiltmeter.present import formats
from tiltmeter.present.blocks import Chart, each
from tiltmeter.present.formats import Named
from tiltmeter.present.notebook import write_notebook

pytestmark = pytest.mark.usefixtures("tiny_drawings")
_VEGA = "application/vnd.vegalite.v5+json"


def cells_of(text: str, kind: str) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("document", [report(), document_of(*STRINGS)])
def test_a_notebook_has_the_form_of_nbformat(document: Any) -> None:
    text = write_notebook(document, ["."])
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"[\w-]{1,64}", name) for name in names)
    for cell in notebook["cells"]:
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"id", "cell_type", "metadata", "source", *code}
    assert len(cells_of(text, "code")) == 1 + len(list(each(document.everything, Chart)))


def test_a_chart_is_drawn_again_by_the_line_that_its_cell_hides() -> None:
    text = write_notebook(report(), ["."])
    opening, *charts = cells_of(text, "code")
    shown: list[dict[str, Any]] = []
    code = ast.parse(opening["source"])
    # All but the imports, which need a kernel.
    code.body = [one for one in code.body if isinstance(one, ast.FunctionDef)]
    found: dict[str, Any] = {"display": lambda data, raw: shown.append(data)}
    exec(compile(code, "opening", "exec"), found)
    assert charts
    for cell in charts:
        exec(cell["source"], found)
        [output] = cell["outputs"]
        assert shown[-1] == {_VEGA: output["data"][_VEGA]}
        assert output["data"]["image/svg+xml"].startswith("<svg") and output["data"]["text/plain"]
        assert "--ink" not in json.dumps(output["data"][_VEGA]["config"])
        assert output["data"][_VEGA]["$schema"].endswith("/v5.json")


@pytest.mark.parametrize("names", [["run"], ["a", "b"], ['it\'s "x" {1}']])
def test_the_first_code_cell_opens_the_runs_from_where_the_notebook_is(names: list[str], tmp_path: Path) -> None:
    runs = tuple(tmp_path / name for name in names)
    [path] = formats.write(report(), tmp_path / "out", ["notebook"], named=Named(runs=runs))
    opening, *_ = cells_of(path.read_text(encoding="utf-8"), "code")
    read = [
        ast.literal_eval(one.args[0])
        for one in ast.walk(ast.parse(opening["source"]))
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "read_run"
    ]
    assert [(path.parent / name).resolve() for name in read] == [run.resolve() for run in runs]
