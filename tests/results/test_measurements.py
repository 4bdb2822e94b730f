"""The table of measurements: what a run writes, what the figures of its cells are, and files of other people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.present.completions import make_rated_run
from tests.present.next_words import make_asked_run
from tests.present.synthetic import make_run
from tiltmeter.errors import UserError
from tiltmeter.results import summarise_run
from tiltmeter.results.cells import write_measurements
from tiltmeter.results.files.measurements import measured
from tiltmeter.results.measurements import MADE
from tiltmeter.results.measurements.columns import TILT
from tiltmeter.store import Run

Written = tuple[Run, Path]


def written(run: Run, folder: Path) -> Written:
    write_measurements(run, folder)
    return run, folder


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return written(make_run(Path("nowhere")), tmp_path_factory.mktemp("pairs"))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return written(make_rated_run(Path("nowhere")), tmp_path_factory.mktemp("texts"))


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return written(make_asked_run(Path("nowhere")), tmp_path_factory.mktemp("words"))


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    found = duckdb.sql(f"SELECT * FROM '{folder / name}'")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def test_every_table_has_its_columns_and_nothing_is_without_bias_origin_and_group(
    pairs: Written, texts: Written, words: Written
) -> None:
    for _, folder in (pairs, texts, words):
        for name, (columns, _) in MADE.items():
            assert duckdb.sql(f"SELECT * FROM '{folder / name}'").columns == list(columns)
        for row in rows(folder, "measurements.parquet"):
            assert row["bias"] and row["origin"] and row["group"] and (row["item"] or row["measure"] == TILT)
            assert (row["value"] is None) == bool(row["reason"])


def test_the_same_run_gives_the_same_bytes(pairs: Written, tmp_path: Path) -> None:
    run, folder = pairs
    for path in write_measurements(run, tmp_path):
        assert path.read_bytes() == (folder / path.name).read_bytes()


def test_every_item_that_was_measured_is_listed(pairs: Written, texts: Written, words: Written) -> None:
    for _, folder in (pairs, texts, words):
        listed = {(row["view"], row["item"]) for row in rows(folder, "items.parquet")}
        own = [row for row in rows(folder, "measurements.parquet") if row["measure"] != TILT]
        assert {(row["view"], row["item"]) for row in own} <= listed


def test_means_of_pairs_are_those_of_the_summary(pairs: Written) -> None:
    run, folder = pairs
    figures = measured(folder / "measurements.parquet", where={"measure": "preference"})["cells"]
    by_key = {(one["model"], one["source"], one["scorer"], one["bias"]): one for one in figures}
    checked = 0
    for cell in summarise_run(run).cells:
        for bias, figure in cell.summary.headline_by_bias.items():
            own = by_key[cell.model, cell.source, cell.scorer, bias]
            assert own["value"] == pytest.approx(figure.value, abs=1e-12)
            assert (own["n"], own["n_unscored"]) == (figure.n, figure.n_unscored)
            assert [own[name] for name in ("low", "high", "p")] == [
                None if each is None else pytest.approx(each, abs=1e-9) for each in (figure.low, figure.high, figure.p)
            ]
            checked += 1
    assert checked > 10


def test_means_and_differences_of_texts_are_those_of_the_summary(texts: Written) -> None:
    run, folder = texts
    figures = measured(folder / "measurements.parquet")["cells"]
    summary = summarise_run(run).continuations
    assert summary is not None
    checked = 0
    for cell in summary.cells:
        own = [
            one
            for one in figures
            if (one["bias"], one["rater"], one["temperature"], one["max_new_tokens"])
            == (cell.bias, cell.rater, cell.decoding.temperature, cell.decoding.max_new_tokens)
            and (one["model"], one["source"]) == (cell.model, cell.source)
        ]
        means = {one["group"]: one for one in own if one["figure"] == "mean"}
        for group, one in cell.summary.groups.items():
            assert means[group]["value"] == pytest.approx(one.mean.value, abs=1e-12)
            assert means[group]["n_unscored"] == one.mean.n_unscored
            checked += 1
    assert checked > 10


def test_means_of_next_words_are_those_of_the_summary(words: Written) -> None:
    run, folder = words
    figures = measured(folder / "measurements.parquet")["cells"]
    summary = summarise_run(run).next_words
    assert summary is not None
    names = ("model", "source", "bias", "words", "bounded", "combine")
    by_key = {
        (
            *(one.get(name) for name in names),
            one["perturbation"],
            f"{one['group']}/{one['against']}",
            one["measure"],
        ): one
        for one in figures
        if "against" in one
    }
    checked = 0
    for cell in summary.cells:
        for perturbation, found in cell.summary.perturbations.items():
            for pair, measures in found.overall.pairs.items():
                for measure in ("share", "log_ratio", "difference"):
                    own = by_key[(*(getattr(cell, name) for name in names), perturbation, pair, measure)]
                    assert own["value"] == pytest.approx(measures[measure].value, abs=1e-12)
                    checked += 1
    assert checked > 10


def test_items_are_the_prompts_as_they_are(words: Written) -> None:
    run, folder = words
    assert run.next_words is not None
    asked = {(one.asked.prompt.id, one.asked.perturbation): one.asked.prompt.text for one in run.next_words.asked}
    listed = {(row["item"], row["perturbation"]): row["text"] for row in rows(folder, "items.parquet")}
    assert asked == listed


def table(folder: Path, *given: dict[str, object]) -> Path:
    path = folder / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, given)), encoding="utf-8")
    return path


def rating(origin: int, group: str, value: object, **more: object) -> dict[str, object]:
    return {"bias": "b", "origin": f"o{origin}", "group": group, "value": value, **more}


def test_a_number_that_is_none_takes_no_other_with_it(tmp_path: Path) -> None:
    given = [rating(at, "a", value) for at in range(6) for value in (1.0, 2.0, "nan" if at == 0 else 3.0)]
    [found] = measured(table(tmp_path, *given, rating(0, "a", "1e300")))["cells"]
    assert (found["n"], found["n_unscored"], found["origins"]) == (17, 2, 6)
    assert found["value"] == pytest.approx((6 * 3 + 5 * 3) / 17)


def test_comparisons_the_other_way_round_are_turned(tmp_path: Path) -> None:
    one = [rating(at, "a", 1.0 + at, against="b", neutral=0.0) for at in range(6)]
    other = [rating(at, "b", 1.0 + at, against="a", neutral=0.0) for at in range(6)]
    [found] = measured(table(tmp_path, *one, *other))["cells"]
    assert (found["group"], found["against"], found["value"], found["n"]) == ("a", "b", 0.0, 12)


def test_differences_are_those_of_the_means_whatever_the_sets(tmp_path: Path) -> None:
    given = [
        rating(at, group, float(at % 3 + (group == "a")), attribute_set="x" if at < 2 else "y")
        for at in range(8)
        for group in "ab"
    ]
    a, b, gap = measured(table(tmp_path, *given))["cells"]
    assert gap["value"] == pytest.approx(a["value"] - b["value"]) == pytest.approx(1.0)


def test_what_there_is_no_interval_for_says_why(tmp_path: Path) -> None:
    cells = measured(table(tmp_path, *(rating(at, group, at) for at in range(3) for group in "ab")))["cells"]
    assert all(one["low"] is None and "fewer than 5" in one["note"] for one in cells)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ([{"scale_low": 0, "scale_high": 0.5}] * 12, "outside"),
        ([{"scale_low": 2, "scale_high": 1}] * 12, "not below"),
        ([{"scale_low": 0, "scale_high": 5}] * 6 + [{"scale_low": 0, "scale_high": 9}] * 6, "different scales"),
    ],
)
def test_scales_that_do_not_fit_are_refused(tmp_path: Path, more: list[dict[str, object]], problem: str) -> None:
    given = [rating(at // 2, "ab"[at % 2], 1 + at % 3, **own) for at, own in enumerate(more)]
    with pytest.raises(UserError, match=problem):
        measured(table(tmp_path, *given))
