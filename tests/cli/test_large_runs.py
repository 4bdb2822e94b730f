"""`tiltmeter run` on more than a report can hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tiltmeter.cli import app

pytestmark = pytest.mark.slow

STUDY = """
name = "t"
models = ["scripted"]
[pairs]
sources = ["pairs-file:pairs.csv"]
[next_words]
sources = ["prompts-file:open.csv"]
perturbations = ["original"]
"""


def test_a_run_with_too_many_items_ends_without_a_report_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = "".join(f"he saw house {n},she saw house {n}\n" for n in range(30))
    (tmp_path / "pairs.csv").write_text(f"sentence_1,sentence_2\n{pairs}", encoding="utf-8")
    (tmp_path / "open.csv").write_text("text\nThe cook said that\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILTMETER_CACHE_LIMIT", "0")
    monkeypatch.setattr("tiltmeter.store.rows.HELD", 20)
    done = CliRunner().invoke(app, ["run", "study.toml", "--out", "run"])
    assert (done.exit_code, done.stdout) == (0, "run: run\n")
    assert "30 scored pairs are too many for a report" in done.stderr
    assert "`tiltmeter export run` writes them as Parquet" in done.stderr
    assert not (tmp_path / "run" / "report.html").exists()
    # Whoever asks for figures gets them.
    asked = CliRunner().invoke(app, ["run", "study.toml", "--out", "run", "--json"])
    assert json.loads(asked.stdout)["cells"][0]["source"] == "pairs-file[pairs]"
