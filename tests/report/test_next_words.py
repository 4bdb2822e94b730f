"""The files of a run on next words."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.present.next_words import PROFESSIONS, make_asked_run
from tiltmeter.parquet import parquet_rows
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.results.files.next_words import NextWordColumns, summarise_next_word_file
from tiltmeter.results.summary.next_word_cells import NextWordCell
from tiltmeter.results.summary.next_words import NextWordSettings
from tiltmeter.results.tables import write_parquet, write_tables
from tiltmeter.sources.labour_files import Occupation
from tiltmeter.sources.word_sets import BUILT_IN
from tiltmeter.store import Run

pytestmark = pytest.mark.slow

LABOUR = tuple(Occupation(name.title(), number / 25, 100.0) for number, name in enumerate(PROFESSIONS[1:9]))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run")
    words = {"pronouns": BUILT_IN["pronouns"], "he-she": BUILT_IN["he-she"]}
    return make_asked_run(folder, words=words, bounded=(False, True), labour=LABOUR)


@pytest.fixture(scope="module")
def summary(run: Run) -> RunSummary:
    found = summarise_run(run)
    write_tables(run, found, run.folder)
    return found


@pytest.fixture(scope="module")
def cell(summary: RunSummary) -> NextWordCell:
    assert summary.next_words
    return summary.next_words.cells[0]


def test_the_file_of_words_gives_the_same_figures(run: Run, summary: RunSummary):
    file = run.folder / "tables" / "next_words.csv"
    assert summary.next_words
    seed = run.meta["resolved"]["seed"]
    chosen = [
        one for one in summary.next_words.cells if (one.bounded, one.words) in ((False, "pronouns"), (True, "he-she"))
    ]
    assert len(chosen) == 6
    for cell in chosen:
        where = {"source": cell.source, "words": cell.words, "bounded": str(int(cell.bounded))}
        again = summarise_next_word_file(file, NextWordColumns(where=where), NextWordSettings(seed=seed))
        kept = cell.summary.as_json()
        for part in ("overall", "perturbations", "contrasts", "n_comparisons"):
            assert again[part] == kept[part]


def test_what_is_unscored_is_blank_in_the_file_and_never_zero(run: Run, summary: RunSummary):
    with (run.folder / "tables" / "next_words.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    blank = [row for row in rows if row["unscored"]]
    assert blank
    assert all(row["probability"] == row["logprob"] == "" for row in blank)
    assert all(float(row["probability"]) > 0 for row in rows if not row["unscored"])
    unmade = [row for row in blank if "does not say where its subject" in row["unscored"]]
    assert {row["perturbation"] for row in unmade} == {"person", "deleted", "hidden", "man", "woman"}


def test_the_file_of_estimates_holds_every_part(run: Run, cell: NextWordCell):
    with (run.folder / "tables" / "next_word_estimates.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    parts = {row["part"] for row in rows}
    assert parts == {"overall", "template", "profession", "contrast", "certainty", "group", "saliency"}
    [share] = [
        row
        for row in rows
        if (row["source"], row["words"], row["bounded"], row["part"]) == ("templates", "pronouns", "0", "contrast")
        and (row["perturbation"], row["pair"], row["measure"]) == ("person", "male/female", "share")
    ]
    found = cell.summary.contrasts["person"]["male/female"]["share"]
    assert (float(share["value"]), float(share["low"]), int(share["n"])) == (found.value, found.low, found.n)


def test_parquet_has_the_same_tables(run: Run, summary: RunSummary, tmp_path: Path):
    names = [path.name for path in write_parquet(run, summary, tmp_path)]
    assert names == ["dropped.parquet", "next_words.parquet", "next_word_estimates.parquet"]
    assert list(parquet_rows(tmp_path / "next_words.parquet"))
