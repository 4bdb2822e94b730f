"""Leaderboards as a page and as files: each says what the others say, and names stay names in all of them."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.every_block import Page
from tests.present.hostile import STRINGS
from tests.present.reading import tables_of, texts_of
from tests.present.synthetic import HOSTILE, Tilt, make_run
from tests.present.test_comparison import pairs_runs
from tests.present.test_report import rows_of
from tiltmeter.present.blocks import Chart, Section, Table, each
from tiltmeter.present.saving import saved_comparison, saved_leaderboards
from tiltmeter.present.sections.comparing.leaderboard import (
    about,
    board_table,
    leaderboard,
    order_words,
    ordered,
    title_of,
)
from tiltmeter.records import Estimate
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.results.names import names_of
from tiltmeter.results.rank.boards import leaderboards, sides_of_runs
from tiltmeter.results.rank.records import Leaderboards
from tiltmeter.stats.comparing.ranking import Rank

MODELS = ("alpha", "beta", "gamma")


def boards_of(*models: str, title: str = "Career") -> Leaderboards:
    tilts = [Tilt("gender-career", 0.2, title=title), Tilt("gender-math-arts", 0.4, title="Mathematics")]
    return leaderboards(sides_of_runs([make_run(Path("run"), tilts=tilts, models=models)]))


@pytest.fixture(scope="module")
def found() -> Leaderboards:
    return boards_of(*MODELS)


def test_a_table_has_every_figure_with_its_counts(found: Leaderboards) -> None:
    tables = list(each(leaderboard(found).blocks, Table))
    assert len(tables) == len(found.boards)
    for board, table in zip(ordered(found), tables, strict=True):
        for row, entry in zip(table.rows, board.entries, strict=True):
            name, place, figure, interval, *counts = row
            assert (name.text, name.small) == (entry.side.name, "run run")
            assert place.text.startswith(str(entry.standing.place))
            assert (figure.sort, interval.sort) == (repr(entry.value.value), repr(entry.value.low))
            assert [cell.text for cell in counts] == [
                str(number) for number in (entry.value.n, entry.value.n_unscored, entry.value.origins)
            ]


def test_charts_have_the_figures_of_the_tables(found: Leaderboards) -> None:
    names = names_of(side.run for side in found.sides)
    for board, chart in zip(ordered(found), each(leaderboard(found).blocks, Chart), strict=True):
        title = title_of(board, names)
        assert chart.title.startswith(title)
        assert chart.alternative == f"{title}. {order_words(board)}"
        drawn = [row["value"] for row in rows_of(chart.spec) if "kind" in row]
        assert sorted(drawn) == sorted(entry.value.value for entry in board.entries)


def test_the_first_boards_are_open(found: Leaderboards) -> None:
    folded = [one.folded for one in leaderboard(found).blocks if isinstance(one, Section)]
    assert folded == [number >= 3 for number in range(len(found.boards))]


def test_a_board_without_places_says_why_and_a_figure_without_interval_too(found: Leaderboards) -> None:
    bare = Estimate(0.6, n=4, origins=2, note="no interval: too few")
    board = found.boards[0]
    entries = tuple(replace(entry, value=bare, standing=Rank()) for entry in board.entries)
    few = replace(board, entries=entries, differences=(), note="too few")
    assert "too few" in order_words(few)
    names = names_of(side.run for side in found.sides)
    row = board_table(few, title_of(few, names)).rows[0]
    assert [cell.text for cell in row[1:4]] == ["–", "60.0\xa0%", "too few"]
    [first, *_] = csv.DictReader(io.StringIO(saved_leaderboards(replace(found, boards=(few,))).text("csv")))
    assert [first[key] for key in ("low", "place", "place_low", "above", "order_shown")] == [""] * 5
    assert first["note"] == "no interval: too few"


def test_items_that_not_all_were_asked_are_counted(found: Leaderboards) -> None:
    assert "1,200 items" in about(replace(found.boards[0], left_out=1200))
    assert "items" not in about(found.boards[0])


@pytest.mark.usefixtures("tiny_drawings")
def test_the_page_draws_each_board_and_loads_nothing_and_a_hostile_name_is_a_name() -> None:
    page = Page(saved_leaderboards(boards_of(f"one {HOSTILE}", "two", title=HOSTILE)).text("html"))
    assert not page.all("img") and not page.all("link")
    assert (len(page.all("script")), len(page.all("style"))) == (1, 1)
    assert len(page.all("figure")) == len(page.all("table")) == 3
    ids = [attributes["id"] for _, attributes in page.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {link["href"].removeprefix("#") for link in page.all("a")} <= set(ids)


@pytest.mark.parametrize("name", ["leaderboard", "comparison"])
def test_every_form_says_the_same_and_documents_have_no_figures(name: str, found: Leaderboards) -> None:
    saved = saved_leaderboards(found) if name == "leaderboard" else saved_comparison(compare_runs(pairs_runs()))
    assert [saved.file(form) for form in ("json", "latex")] == [f"{name}.json", f"{name}.tex"]
    assert json.loads(saved.text("json")) == json.loads(json.dumps(saved.data()))
    rows = list(csv.DictReader(io.StringIO(saved.text("csv"))))
    assert len(rows) == len(list(saved.rows()))
    told, typeset = saved.text("md"), saved.text("latex")
    assert "![" not in told and "includegraphics" not in typeset
    figures = [row[1].text for table in tables_of(saved.document().everything).values() for row in table.rows]
    assert figures and all(text.replace("\xa0", " ") in told.replace("\xa0", " ") for text in figures)
    for title in (one.title for one in each(saved.document().blocks, Section)):
        assert title in told


def test_choices_are_named_for_readers(found: Leaderboards) -> None:
    told = [*texts_of(leaderboard(found).blocks)]
    assert any("Career" in words for words in told) and not any("gender-career" in words for words in told)


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
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "r.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:].decode(errors="replace")
