"""`tiltmeter report --format`: what is written where, and that a refusal writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tiltmeter.cli.report import Format
from tiltmeter.present.formats import FORMATS

pytest.importorskip("typst")

STUDY = """\
name = "formats"
models = ["scripted"]
specs = ["gender-professions"]
[pairs]
sources = [{ templates = { per_attribute = 2 } }]
scorers = ["sum"]
"""


@pytest.fixture
def run(tiltmeter: Command, tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    done = tiltmeter("run", "study.toml", "--out", "r")
    assert done.status == 0, done.err
    return tmp_path / "r"


def test_the_command_knows_the_formats_of_the_report() -> None:
    assert [str(one) for one in Format] == [*FORMATS, "card"]


@pytest.mark.slow
@pytest.mark.drawings
def test_formats_lie_in_the_run_folder(tiltmeter: Command, run: Path) -> None:
    done = tiltmeter("report", "r", "--format", "pdf", "--format", "md", "--format", "latex", "--format", "card")
    assert done.status == 0, done.err
    names = [
        "report: r/report.pdf",
        "report: r/report.md",
        "report: r/report.tex",
        "card: r/card.md",
        "card: r/card.html",
    ]
    assert done.out.split("\n")[:-1] == names
    assert (run / "report.bib").is_file()
    assert {path.suffix for path in (run / "figures").iterdir()} == {".svg", ".png", ".pdf"}
    assert "Content warning" not in (run / "report.md").read_text(encoding="utf-8")
    texts = tiltmeter("report", "r", "--format", "md", "--with-texts", "--json")
    assert texts.json == {"files": ["r/report.md"]}
    assert "Content warning" in (run / "report.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_out_gives_folder_and_name(tiltmeter: Command, run: Path, tmp_path: Path) -> None:
    done = tiltmeter("report", "r", "--out", "paper/bias.html", "--format", "md", "--format", "html", "--json")
    assert done.json == {"report": "paper/bias.html", "files": ["paper/bias.html", "paper/bias.md"]}
    assert sorted(path.name for path in (tmp_path / "paper").iterdir()) == ["bias-figures", "bias.html", "bias.md"]


@pytest.mark.slow
def test_a_refusal_writes_nothing(tiltmeter: Command, run: Path, tmp_path: Path) -> None:
    assert tiltmeter("report", "r", "--out", "new/x.html", "--format", "docx").status == 2
    (tmp_path / "typst.py").write_text("raise ImportError\n")
    refused = tiltmeter("report", "r", "--out", "new/x.html", "--format", "html", "--format", "pdf", PYTHONPATH=".")
    assert refused.status == 2
    assert "Reports as PDF need the package typst: pip install 'tiltmeter[report]'" in refused.err
    assert not (tmp_path / "new").exists()
