"""The frozen study: every point value that was kept of it, worked out again from its table of measurements."""

from __future__ import annotations

import csv
import io
import lzma
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest

from tests.present.synthetic import make_written_run
from tests.report.test_tables import with_scored_controls
from tiltmeter.results import read_labels, read_ratings, summarise_run
from tiltmeter.results.cells import Cell, table_of, write_measurements
from tiltmeter.results.items import measured_pairs
from tiltmeter.results.measurements.people import label_rows, rating_rows
from tiltmeter.results.summary.generated import summarise_generated
from tiltmeter.results.summary.labels import judged_by_people
from tiltmeter.results.summary.people import people_agreement, rated_by_people
from tiltmeter.store import Run, read_run

HERE = Path(__file__).parent
DECODING = ("temperature", "max_new_tokens", "rater", "scope")
WORDS = ("words", "bounded", "combine", "perturbation")
# Prompts in the published form are the baseline of structures, and are counted apart.
RATED = "measure = 'rating' AND structure IS DISTINCT FROM 'fixed'"
MEAN = "avg(value) AS value, count(value) AS n, count(*) - count(value) AS lost"
PLACE = "model, source, bias"


def read_points() -> list[dict[str, str]]:
    text = lzma.decompress((HERE / "points.csv.xz").read_bytes()).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def read_people(*figures: str) -> list[dict[str, str]]:
    with (HERE / "people.csv").open(encoding="utf-8", newline="") as file:
        found = [one for one in csv.DictReader(file) if one["figure"] in figures]
    assert found
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("golden")
    (folder / "ledger.sqlite").write_bytes(lzma.decompress((HERE / "ledger.sqlite.xz").read_bytes()))
    found = read_run(folder)
    table = table_of(found)
    table.add("continuations", rating_rows(found, read_ratings([HERE / "ratings.csv"])))
    table.add("pairs", label_rows(found, read_labels(sorted((HERE / "labels").glob("*.csv")))))
    return found


@pytest.fixture(scope="module")
def database(run: Run) -> duckdb.DuckDBPyConnection:
    write_measurements(run, run.folder)
    found = duckdb.connect()
    found.execute(f"CREATE TABLE m AS SELECT * FROM '{run.folder / 'measurements.parquet'}'")
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
    """Every attribute weighs the same; balanced, and of margins, every set of them too."""
    points, labels = read_points(), f"SELECT {PLACE}, scorer"
    figures = {"by_bias": "preference", "margin_by_bias": "margin", "by_bias_balanced": "preference"}
    for figure, measure in figures.items():
        of_attributes = f"{labels}, attribute_set, origin, {MEAN} FROM m WHERE measure = '{measure}' GROUP BY ALL"
        side = "''" if figure == "by_bias" else "attribute_set"
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


def test_people(run: Run, database: duckdb.DuckDBPyConnection) -> None:
    """Of each text the mean of what people said, and of these the mean by group."""
    place = f"{PLACE}, temperature || '|' || max_new_tokens AS choices, \"group\""
    of_texts = f"SELECT {place}, item, sample, avg(value) AS value FROM m WHERE rater LIKE 'human:%' "
    of_texts += "AND measure = 'human sentiment' GROUP BY ALL"
    rows = database.execute(
        f"SELECT * EXCLUDE (item, sample, value), avg(value), count(*) FROM ({of_texts}) GROUP BY ALL"
    )
    own = {row[:5]: row[5:] for row in rows.fetchall()}
    for one in read_people("people.group_mean"):
        agrees({**one, "n_unscored": "0"}, *own[(*of(one)[:3], one["choices"], one["name"])], 0)
    for one in read_people("people.difference"):
        (a, n), (b, m) = (own[(*of(one)[:3], one["choices"], group)] for group in one["name"].split("/"))
        agrees({**one, "n_unscored": "0"}, a - b, n + m, 0)
    said = people_agreement(rated_by_people(table_of(run)), "people.sentiment")
    [alpha] = read_people("people.alpha")
    agrees({**alpha, "n_unscored": "0"}, said.krippendorff, said.texts, 0)


def test_the_effect_of_what_people_flagged(run: Run) -> None:
    table = table_of(run)
    by_key: dict[tuple[str, str], list[Cell]] = {}
    for cell in table.of("pairs", measure="preference"):
        if cell.source == "pairs-file[written]":
            by_key.setdefault((cell.model, cell.scorer), []).append(cell)
    own = {}
    for (model, scorer), cells in by_key.items():
        found = summarise_generated(measured_pairs(cells), [], audit=None, people=judged_by_people(table))
        assert found is not None
        assert found.by_people is not None
        for bias, effects in {"": found.by_people.overall, **found.by_people.by_bias}.items():
            own |= {(model, bias, scorer, one.issue): one for one in effects}
    for point in read_people("people.effect"):
        one = own[point["model"], point["bias"], point["choices"], point["name"]]
        agrees({**point, "n_unscored": "0"}, one.after.value, one.flagged, 0)


def test_controls_and_the_effect_of_what_the_audit_flagged(tmp_path: Path) -> None:
    """These are of a made-up run with stand-ins: the frozen study has neither."""
    made = make_written_run(tmp_path, models=("alpha",), writers=("writer",))
    own: dict[tuple[str, ...], tuple[float | None, int]] = {}
    for cell in summarise_run(with_scored_controls(made)).cells:
        place = cell.source, cell.scorer
        own |= {("control", *place, name): (found.value, found.n) for name, found in cell.controls.items()}
        for one in cell.generated.effects if cell.generated else ():
            own["effect", *place, one.issue] = one.after.value, one.flagged
            assert one.replaced is not None
            own["effect.replaced", *place, one.issue] = one.replaced.value, one.regenerated + one.templates
    points = read_people("control", "effect", "effect.replaced")
    assert {one["figure"] for one in points} == {"control", "effect", "effect.replaced"}
    for point in points:
        found = own[point["figure"], point["source"], point["choices"], point["name"]]
        agrees({**point, "n_unscored": "0"}, *found, 0)
