"""Pages of every view become documents, with all their tables and figures, and these become files."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tiltmeter.report import make_page, write_formats
from tiltmeter.report.cells import Table
from tiltmeter.report.document import Figure
from tiltmeter.report.page_reader import read_page

from tests.report import test_structures, test_written
from tests.report.completions import DECODINGS, make_rated_run
from tests.report.next_words import make_asked_run
from tests.report.synthetic import HOSTILE, TILTS, make_written_run
from tests.report.test_next_words import LABOUR
from tests.report.test_page import Page as Parsed
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.store import Run

pytest.importorskip("vl_convert")
pytest.importorskip("typst")
pytestmark = pytest.mark.slow


def written(folder: Path) -> tuple[Run, RunSummary]:
    run = make_written_run(folder, tilts=TILTS[4:], models=("alpha", "beta"))
    return run, summarise_run(run, test_written.labels_of(run))


def summarised(make: Callable[[Path], Run]) -> Callable[[Path], tuple[Run, RunSummary]]:
    def made(folder: Path) -> tuple[Run, RunSummary]:
        run = make(folder)
        return run, summarise_run(run)

    return made


KINDS = {
    "written sentences": written,
    "texts of four groups, and pairs": summarised(
        lambda folder: make_rated_run(folder, pairs=True, biases=("gender", "religion"), decodings=DECODINGS[:2])
    ),
    "structures": summarised(test_structures.made),
    "next words": summarised(lambda folder: make_asked_run(folder, labour=LABOUR, silent=("beta-1b",))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_every_view_becomes_files(kind: str, tmp_path: Path) -> None:
    runs = [KINDS[kind](tmp_path / "run")]
    page = make_page(runs)
    document = read_page(page.html, page.figures)
    parsed = Parsed(page.html)
    blocks = document.shown(with_texts=True)
    assert sum(isinstance(block, Table) for block in blocks) >= len(parsed.all("table")) - _inside_examples(page.html)
    assert sum(isinstance(block, Figure) for block in blocks) == len(parsed.all("figure"))
    paths = write_formats(runs, tmp_path, ["pdf", "md", "latex", "card"], page=page, with_texts=True)
    assert all(path.stat().st_size > 1_000 for path in paths)
    told = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "<img" not in told and "<script" not in told
    assert HOSTILE not in told
    if shutil.which("pdflatex"):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:].decode(errors="replace")


def _inside_examples(html: str) -> int:
    """Tables that belong to single examples: shares of tokens."""
    return html.count("<summary>Shares in a table</summary>")
