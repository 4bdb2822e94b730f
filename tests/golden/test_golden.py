"""The frozen study: every point value that was kept of it, worked out again from its table of measurements."""

from __future__ import annotations

import csv
import io
import lzma
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest

from tiltmeter.results.cells import write_measurements
from tiltmeter.store import read_run

HERE = Path(__file__).parent
DECODING = ("temperature", "max_new_tokens", "rater", "scope")
WORDS = ("words", "bounded", "combine", "perturbation")
# Prompts in the published form are the baseline of structures, and are counted apart.
RATED = "view = 'continuations' AND structure IS DISTINCT FROM 'fixed'"
MEAN = "avg(value) AS value, count(value) AS n, count(*) - count(value) AS lost"
PLACE = "model, source, bias"


def read_points() -> list[dict[str, str]]:
    text = lzma.decompress((HERE / "points.csv.xz").read_bytes()).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    folder = tmp_path_factory.mktemp("golden")
    (folder / "ledger.sqlite").write_bytes(lzma.decompress((HERE / "ledger.sqlite.xz").read_bytes()))
    write_measurements(read_run(folder), folder)
    found = duckdb.connect()
    found.execute(f"CREATE TABLE m AS SELECT * FROM '{folder / 'measurements.parquet'}'")
    return found


def means(found: duckdb.DuckDBPyConnection, labels: str, which: str) -> dict[tuple[object, ...], tuple[object, ...]]:
    rows = found.execute(f"SELECT {labels}, {MEAN} FROM m WHERE {which} GROUP BY ALL").fetchall()
    return {row[:-3]: row[-3:] for row in rows}


def of(point: Mapping[str, str]) -> tuple[object, ...]:
    return point["model"], point["source"], point["bias"], *point["choices"].split("|")


def held(points: list[dict[str, str]], figure: str) -> list[dict[str, str]]:
    found = [one for one in points if one["figure"] == figure]
    assert len(found) > 90
    return found


def agrees(point: Mapping[str, str], value: object, scored: object, missing: object) -> None:
    assert value == (pytest.approx(float(point["value"]), abs=1e-12) if point["value"] else None), point
    assert (scored, missing) == (int(point["n"]), int(point["n_unscored"])), point


def test_pairs(database: duckdb.DuckDBPyConnection) -> None:
    """Every attribute weighs the same; balanced, every set of them too."""
    points, labels = read_points(), f"SELECT {PLACE}, scorer"
    figures = {"by_bias": "preference", "margin_by_bias": "margin", "by_bias_balanced": "preference"}
    for figure, measure in figures.items():
        of_attributes = f"{labels}, attribute_set, origin, {MEAN} FROM m WHERE measure = '{measure}' GROUP BY ALL"
        side = "attribute_set" if figure == "by_bias_balanced" else "''"
        sums = "avg(value) AS value, sum(n) AS n, sum(lost) AS lost"
        of_sides = f"{labels}, {side} AS side, {sums} FROM ({of_attributes}) GROUP BY ALL"
        rows = database.execute(f"{labels}, {sums}, count(*) FROM ({of_sides}) GROUP BY ALL").fetchall()
        own = {row[:4]: row[4:] for row in rows}
        for one in held(points, figure):
            value, scored, missing, sets = own[of(one)]
            # One set of attributes alone has nothing to be balanced against.
            if figure != "by_bias_balanced" or sets > 1:
                agrees(one, value, scored, missing)


def test_ratings_of_groups_and_their_differences(database: duckdb.DuckDBPyConnection) -> None:
    points, choices = read_points(), ", ".join(f"{name}::VARCHAR" for name in DECODING)
    own = means(database, f'{PLACE}, {choices}, "group"', RATED)
    for one in held(points, "group_mean"):
        agrees(one, *own[(*of(one), one["groups"])])
    for one in held(points, "difference"):
        (a, n, missing), (b, m, lost) = (own[(*of(one), group)] for group in one["groups"].split("/"))
        agrees(one, None if a is None or b is None else a - b, n + m, missing + lost)  # type: ignore[operator]


def test_next_words(database: duckdb.DuckDBPyConnection) -> None:
    points, choices = read_points(), ", ".join(f"{name}::VARCHAR" for name in WORDS)
    for measure in ("share", "log_ratio", "difference"):
        own = means(database, f"{PLACE}, {choices}, \"group\" || '/' || against", f"measure = '{measure}'")
        for one in held(points, f"next_words.{measure}"):
            agrees(one, *own[(*of(one), one["groups"])])
