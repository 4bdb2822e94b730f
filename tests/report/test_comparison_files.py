"""Comparisons and leaderboards as files: each says what the page says, and names stay names in all of them."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tiltmeter.report.comparison_files import saved_comparison, saved_leaderboards
from tiltmeter.report.leaderboard_page import leaderboard_html
from tiltmeter.report.leaderboards import board_views

from tests.report.hostile import STRINGS
from tests.report.synthetic import HOSTILE, Tilt, make_run
from tests.report.test_page import Page
from tiltmeter.records import Estimate
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.results.rank.boards import leaderboards, sides_of_runs
from tiltmeter.results.rank.records import Leaderboards
from tiltmeter.stats.places import Standing

MODELS = ("alpha", "beta", "gamma")


def boards_of(*models: str, title: str = "") -> Leaderboards:
    tilts = [Tilt("gender-career", 0.2, title=title), Tilt("gender-math-arts", 0.4)]
    return leaderboards(sides_of_runs([make_run(Path("run"), tilts=tilts, models=models)]))


@pytest.fixture(scope="module")
def found() -> Leaderboards:
    return boards_of(*MODELS)


def test_a_table_has_every_figure_with_its_counts(found: Leaderboards) -> None:
    view = board_views(found)[0]
    assert view.title == "Stereotyped choices, all biases"
    for row, entry in zip(view.table.rows, view.board.entries, strict=True):
        name, place, figure, interval, *counts = row
        assert (name.text, name.small) == (entry.side.name, "run run")
        assert place.text.startswith(str(entry.standing.place))
        assert figure.sort == repr(entry.value.value)
        assert interval.sort == repr(entry.value.low)
        assert [cell.text for cell in counts] == [
            str(number) for number in (entry.value.n, entry.value.n_unscored, entry.value.origins)
        ]


def test_a_board_without_places_says_why_and_a_figure_without_interval_too(found: Leaderboards) -> None:
    bare = Estimate(0.6, n=4, origins=2, note="no interval: fewer than 5 origins")
    board = found.boards[0]
    entries = tuple(replace(entry, value=bare, standing=Standing()) for entry in board.entries)
    few = replace(board, entries=entries, differences=(), note="fewer than 5 origins")
    [view] = board_views(replace(found, boards=(few,)))
    assert "fewer than 5 origins" in view.verdict
    assert [cell.text for cell in view.table.rows[0][1:4]] == ["–", "60.0\xa0%", "fewer than 5 origins"]
    assert view.labels == [entry.side.name for entry in entries]
    [row, *_] = csv.DictReader(io.StringIO(saved_leaderboards(replace(found, boards=(few,))).text("csv")))
    assert [row[key] for key in ("low", "place", "place_low", "above", "order_shown")] == [""] * 5
    assert row["note"] == "no interval: fewer than 5 origins"


def test_items_that_not_all_were_asked_are_told_of(found: Leaderboards) -> None:
    [view] = board_views(replace(found, boards=(replace(found.boards[0], left_out=1200),)))
    assert view.about.endswith("; 1,200 items left out that not all were asked")


@pytest.mark.slow
def test_the_page_draws_each_board_and_loads_nothing_and_a_hostile_name_is_a_name() -> None:
    pytest.importorskip("vl_convert")
    page = Page(leaderboard_html(boards_of(f"one {HOSTILE}", "two", title=HOSTILE)))
    assert not page.all("img") and not page.all("link")
    assert (len(page.all("script")), len(page.all("style"))) == (1, 1)
    assert not [attributes for _, attributes in page.elements if "src" in attributes or "style" in attributes]
    assert len(page.all("figure")) == len(page.all("table")) == 3
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in page.all("a"):
        assert (link["href"] or "").removeprefix("#") in ids


def test_documents_have_the_tables_of_the_page_and_no_figures(found: Leaderboards) -> None:
    markdown = saved_leaderboards(found).text("md")
    assert "![" not in markdown
    for view in board_views(found):
        assert f"### {view.title}" in markdown
        assert view.verdict in markdown
        for line in view.lines:
            assert f"| {line.name} (run {line.run}) | {line.place} | {line.value} | {line.interval} |" in markdown


@pytest.mark.slow
def test_a_comparison_as_a_document_says_its_sentences_and_what_its_signs_mean() -> None:
    tilts = [Tilt("gender-career", 0.9)]
    runs = [
        make_run(Path(name), tilts=[replace(tilt, lean=tilt.lean / part) for tilt in tilts], models=[name])
        for name, part in (("before", 1), ("after", 9))
    ]
    compared = compare_runs(runs)
    markdown = saved_comparison(compared).text("md")
    [sentence] = compared.views[0].sentences
    assert sentence in markdown
    assert "it has ↑ here, and ↓ for blue" in markdown
    assert "![" not in markdown


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
@pytest.mark.parametrize("name", ["leaderboard", "comparison"])
def test_latex_with_hostile_names_compiles(name: str, tmp_path: Path) -> None:
    if name == "leaderboard":
        text = saved_leaderboards(boards_of(HOSTILE, *STRINGS[:10], title=HOSTILE)).text("latex")
    else:
        tilts = [Tilt("hostile", 0.9, title=HOSTILE)]
        runs = [make_run(Path(one), tilts=tilts, models=[f"{one} {STRINGS[0]}"]) for one in ("one", "two")]
        text = saved_comparison(compare_runs(runs)).text("latex")
    (tmp_path / "r.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "r.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:].decode(errors="replace")
