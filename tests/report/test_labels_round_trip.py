"""From the sentences of a run to the sheet of an annotator, and back into its report."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tests.sources.generated.fakes import FakeGenerator
from tiltmeter import models
from tiltmeter.cli.report import report
from tiltmeter.cli.sentences import sheet
from tiltmeter.engine import carry_out
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert")

STUDY = """
name = "labels"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = ["templates", { generated = { by = "hf:./writer", judge = false } }]
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "writer").mkdir()
    monkeypatch.chdir(tmp_path)
    load = models.load
    writer = FakeGenerator(lambda source, *_: f"The {{term}} wrote about {{attribute}} {source.randint(1, 999)} times.")
    monkeypatch.setattr("tiltmeter.models.load", lambda name, *more: writer if "writer" in name else load(name, *more))
    monkeypatch.setattr("tiltmeter.raters.issues.audit", lambda found, *, explain=True: [() for _ in found])
    carry_out(plan(parse(STUDY)), tmp_path / "run")
    return tmp_path / "run"


def call(command, *words: object) -> str:
    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def test_labels_of_a_run_come_back_into_its_report(run: Path, tmp_path: Path) -> None:
    call(sheet, run, "--out", tmp_path / "ann.csv")
    with (tmp_path / "ann.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows[:-3]):
        row["I4" if number % 2 else "none"] = "x"
    with (tmp_path / "ann.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    call(report, run, "--labels", tmp_path / "ann.csv")
    data = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    cell = next(cell for cell in data["cells"] if cell["source"].startswith("generated"))
    effects = cell["generated"]["effects_by_people"]
    assert (effects["judged"], effects["unjudged"]) == (len(rows) - 3, 3)
    by_issue = {one["issue"]: one for one in effects["overall"]}
    assert by_issue["I4"]["flagged"] == by_issue["any"]["flagged"] == (len(rows) - 3) // 2
    people = data["sentences"]["people"]["generated[by=hf:./writer]"]
    assert people["annotators"] == {"ann": len(rows) - 3}
    assert people["unjudged"] == 3
    assert "The effect of the issues" in (run / "report.html").read_text(encoding="utf-8")
