from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.synthetic import HOSTILE
from tiltmeter.parquet import parquet_rows
from tiltmeter.records import Pair, PairScore
from tiltmeter.results import Columns, RunSummary, summarise_file, summarise_run
from tiltmeter.results.tables import scored_cells, write_parquet, write_tables
from tiltmeter.store import Run

PAIR = Pair("1", "templates", "gender", "nurse", ("He nurses", "She nurses"), ("men", "women"), stereotyped=1)


@pytest.mark.parametrize(
    ("scores", "preferred", "stereotyped"),
    [((-1.0, -2.0), 1, 0), ((-2.0, -1.0), 2, 1), ((-1.0, -1.00005), "tie", 0.5), (None, None, None)],
)
def test_a_scored_pair_says_what_was_preferred_and_whether_that_is_the_stereotype(scores, preferred, stereotyped):
    found = scored_cells(PairScore(PAIR, "causal.sum.v1", scores, None if scores else "too long"))
    assert (found["preferred"], found["stereotyped"]) == (preferred, stereotyped)
    assert found["unscored"] == (None if scores else "too long")


@pytest.mark.parametrize("pair", [replace(PAIR, stereotyped=None), replace(PAIR, contrast="meaning", stereotyped=None)])
def test_a_pair_without_a_stereotyped_text_is_never_counted_as_a_stereotyped_choice(pair):
    found = scored_cells(PairScore(pair, "causal.sum.v1", (-1.0, -2.0)))
    assert found["preferred"] == 1
    assert found["stereotyped"] is None


def with_scored_controls(run: Run) -> Run:
    scores = {
        key: tuple(
            replace(one, scores=one.scores or (-1.0, -2.0), unscored=None) if control(one) else one for one in found
        )
        for key, found in run.scores.items()
    }
    return replace(run, scores=scores)


def control(score: PairScore) -> bool:
    return score.pair.stereotyped is None


def both_ways(run: Run, scorer: str, folder: Path) -> list[dict[str, object]]:
    """The estimates of a cell as the run gives them, and as its table of pairs does."""
    summary = summarise_run(run)
    write_tables(run, summary, folder)
    cell = next(cell for cell in summary.cells if (cell.model, cell.scorer) == ("beta-1b", scorer))
    chosen = Columns(where={"model": "beta-1b", "scorer": scorer})
    again = summarise_file(folder / "tables" / "pairs.csv", chosen)
    return [cell.summary.as_json(), again.summary.as_json()]


@pytest.mark.parametrize("scorer", ["causal.sum.v1", "causal.prior-corrected.v1"])
def test_the_table_of_pairs_alone_gives_the_same_estimates(run: Run, tmp_path: Path, scorer: str):
    of_run, of_table = both_ways(with_scored_controls(run), scorer, tmp_path)
    assert of_run == of_table


def test_the_table_gives_the_same_estimates_where_controls_are_unscored(run: Run, tmp_path: Path):
    of_run, of_table = both_ways(run, "causal.sum.v1", tmp_path)
    assert of_run == of_table


def test_pairs_without_an_attribute_vary_over_what_they_came_from(run: Run, tmp_path: Path):
    bare = {id(pair): replace(pair, attribute=None, attribute_set=None) for pair in run.pairs}
    scores = {key: tuple(replace(s, pair=bare[id(s.pair)]) for s in found) for key, found in run.scores.items()}
    changed = replace(run, pairs=tuple(bare.values()), scores=scores)
    of_run, of_table = both_ways(with_scored_controls(changed), "causal.sum.v1", tmp_path)
    assert of_run == of_table


def test_the_same_run_gives_the_same_bytes(run: Run, tmp_path: Path):
    for folder in ("one", "two"):
        write_tables(run, summarise_run(run), tmp_path / folder)
    names = ["tables/pairs.csv", "tables/estimates.csv", "tables/dropped.csv", "summary.json"]
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in names)


def test_numbers_are_written_in_full_and_the_json_agrees(run: Run, summary: RunSummary, tmp_path: Path):
    *_, path = write_tables(run, summary, tmp_path)
    rows = list(csv.DictReader((tmp_path / "tables/estimates.csv").open(newline="")))
    cell = summary.cells[0]
    overall = next(row for row in rows if row["table"] == "overall" and row["scorer"] == cell.scorer)
    assert float(overall["value"]) == cell.summary.overall.value
    assert int(overall["origins"]) == cell.summary.overall.origins
    assert json.loads(path.read_text())["cells"][0]["overall"]["value"] == cell.summary.overall.value
    own = [
        row for row in rows if (row["model"], row["source"], row["scorer"]) == (cell.model, cell.source, cell.scorer)
    ]
    headlines = {row["name"]: float(row["value"]) for row in own if row["table"] == "headline_by_bias"}
    assert headlines == {bias: found.value for bias, found in cell.summary.headline_by_bias.items()}
    assert {row["table"] for row in rows} == {
        *("headline", "headline_by_bias"),
        *("overall", "overall_cells", "overall_balanced", "by_bias", "by_bias_balanced", "margin_by_bias", "control"),
    }


def test_a_bias_without_interval_has_blank_cells_and_the_reason(run: Run, summary: RunSummary, tmp_path: Path):
    write_tables(run, summary, tmp_path)
    lines = (tmp_path / "tables/estimates.csv").read_text().splitlines()
    row = next(line for line in lines if "alpha-135m,templates,causal.sum.v1,by_bias,short-list," in line)
    assert row == (
        "alpha-135m,templates,causal.sum.v1,by_bias,short-list,0.6666666666666666,,,0.95,,,6,0,3,"
        "no interval: fewer than 5 origins"
    )


def test_what_was_dropped_is_listed_as_it_was(run: Run, summary: RunSummary, tmp_path: Path):
    write_tables(run, summary, tmp_path)
    rows = list(csv.DictReader((tmp_path / "tables/dropped.csv").open(newline="")))
    assert [row["origin"] for row in rows] == ["nurse", "midwife", HOSTILE]


def test_parquet_holds_the_same_rows(run: Run, summary: RunSummary, tmp_path: Path):
    write_tables(run, summary, tmp_path)
    written = write_parquet(run, summary, tmp_path / "tables")
    assert [path.name for path in written] == ["pairs.parquet", "estimates.parquet", "dropped.parquet"]
    table = list(parquet_rows(written[0]))
    rows = list(csv.DictReader((tmp_path / "tables/pairs.csv").open(newline="")))
    assert len(table) == len(rows)
    for found, row in zip(table, rows, strict=True):
        assert found["score_1"] == (float(row["score_1"]) if row["score_1"] else None)
        assert found["sentence_1"] == row["sentence_1"]
