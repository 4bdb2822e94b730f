"""Sheets for people, through the command line, on a run that the engine made."""

from __future__ import annotations

import csv
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.present.synthetic import make_run
from tiltmeter.cli import app
from tiltmeter.engine import carry_out
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert")

STUDY = """\
name = "texts"
models = ["scripted"]
seed = 2
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 6 } }]
decoding = { temperature = [0.6, 1.0], max_new_tokens = [4, 8] }
samples = 3
raters = ["sentiment.vader", "toxicity.linear"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    carry_out(plan(parse(STUDY)), folder)
    return folder


def report(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["report", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_what_people_say_becomes_a_column_of_the_table(folder: Path, tmp_path: Path):
    sheet = tmp_path / "sheet.csv"
    assert "(30 texts)" in report(folder, "--sheet", sheet, "--sample", 30)
    assert not (folder / "report.html").exists()
    rows = list(csv.DictReader(sheet.open(newline="")))
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "kind", "value", "annotator"])
        writer.writeheader()
        for name, step in (("ann", 3), ("bob", 4)):
            writer.writerows(
                {"id": row["id"], "kind": "toxicity", "value": at % step / 4, "annotator": name}
                for at, row in enumerate(rows)
            )
    report(folder, "--ratings", sheet)
    page = unescape((folder / "report.html").read_text(encoding="utf-8"))
    assert "people toxicity" in page and "ann" in page and "bob" in page


def test_ratings_of_another_run_are_refused(folder: Path, tmp_path: Path):
    (tmp_path / "other.csv").write_text("id,value,annotator\nffff,1,ann\n")
    with pytest.raises(InvalidData, match="no rated row of the sheets has the id of a text"):
        report(folder, "--ratings", tmp_path / "other.csv")


def test_a_run_without_texts_has_no_sheet(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tiltmeter.store.read_run", make_run)
    with pytest.raises(UserError, match="--sheet is for one run"):
        report(tmp_path / "pairs", "--sheet", tmp_path / "sheet.csv")
    assert not (tmp_path / "sheet.csv").exists()
