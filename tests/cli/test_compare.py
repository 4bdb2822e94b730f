"""`tiltmeter compare` as a user types it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.analysis.planted_studies import BOOKS, TOOLS, pairs_run, texts_run
from tests.cli.conftest import Command

pytestmark = pytest.mark.slow

SHE, HE = ("she", "woman"), ("he", "man")


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pairs_run(tmp_path_factory.mktemp("before"), [(HE, TOOLS, 1.0), (SHE, BOOKS, 1.0)]).folder


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pairs_run(tmp_path_factory.mktemp("after"), [(HE, TOOLS[:4], 1.0), (SHE, BOOKS[:4], 1.0)]).folder


def test_a_sentence_comes_first_and_the_table_after_it(tiltmeter: Command, before: Path, after: Path) -> None:
    done = tiltmeter("compare", before, after, "--margin", 0.1)
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("A: planted:")
    assert lines[1].startswith("B: planted:")
    assert lines[4].strip().startswith("B prefers stereotyped sentences less often than A by 25.0 points (")
    assert "It may be more than 10.0 points." in lines[4]
    assert "tools-books, causal.sum.v1" in done.out
    assert "8 comparisons: p adjusted is Benjamini and Hochberg's" in done.out


def test_json_and_files_are_the_same_and_a_finding_stops_a_pipeline(
    tiltmeter: Command, before: Path, after: Path, tmp_path: Path
) -> None:
    condition = "pairs.overall.difference.low > 0.05"
    done = tiltmeter("compare", before, after, "--json", "--out", "out", "--fail-if", condition)
    assert done.status == 1
    found = done.json
    assert json.loads((tmp_path / "out" / "comparison.json").read_text(encoding="utf-8")) == found
    assert found["n_comparisons"] == 8
    [overall] = found["views"]["pairs"]["overall"]
    assert overall["difference"]["value"] == 0.25
    assert overall["minimum_detectable"] > 0
    assert set(overall["difference"]) == {
        "value", "low", "high", "level", "p", "p_adjusted", "n", "n_unscored", "origins"
    }  # fmt: skip
    with (tmp_path / "out" / "comparison.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1 + 8
    assert float(rows[0]["difference"]) == 0.25
    assert rows[1]["p_holm"]


def test_a_condition_may_name_a_bias_and_a_scorer(tiltmeter: Command, before: Path, after: Path) -> None:
    path = "pairs.tools-books.causal.sum.preference.p_holm"
    assert tiltmeter("compare", before, after, "--fail-if", f"{path} < 0.05").status == 1
    assert tiltmeter("compare", before, after, "--fail-if", f"{path} > 0.05").status == 0


def test_texts_are_tabled_before_and_after(tiltmeter: Command, tmp_path: Path) -> None:
    one, other = (texts_run(tmp_path / str(share), women=share, men=0.3).folder for share in (0.8, 0.4))
    done = tiltmeter("compare", one, other, "--view", "continuations")
    assert done.status == 0, done.err
    assert "own-prompts/gender, sentiment.vader.v1, female − male: the gap is " in done.out
    for heading in ("ratings by group", "change, %", "gaps between groups", "ratio, %"):
        assert heading in done.out


def test_the_page_is_one_file_that_says_what_the_table_says(
    tiltmeter: Command, before: Path, after: Path, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    done = tiltmeter("compare", before, after, "--no-more-than", 0.1, "--html", "page.html")
    assert done.status == 0, done.err
    assert "page: page.html" in done.err
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "B prefers stereotyped sentences less often than A by 25.0 points (" in html
    assert "no more than 0.1 either way was shown" in html
    assert not any(sign in html for sign in ("http://www.w3.org/1999/xhtml", "<link", "<img", " src="))


def test_a_report_of_two_runs_says_what_differs_where_they_can_be_compared(
    tiltmeter: Command, before: Path, after: Path, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    done = tiltmeter("report", before, after, "--out", "both.html", "--json")
    assert done.status == 0, done.err
    assert done.json == {"report": "both.html", "differences": "both-differences.html"}
    assert "less often than A by 25.0 points" in (tmp_path / "both-differences.html").read_text(encoding="utf-8")
    texts = texts_run(tmp_path / "texts", women=0.8, men=0.3).folder
    apart = tiltmeter("report", before, texts, "--out", "apart.html", "--json")
    assert apart.json == {"report": "apart.html"}
    assert "note: nothing is said of differences between the runs: there is nothing in common" in apart.err


def test_bad_input_is_one_sentence_and_nothing_is_written(
    tiltmeter: Command, before: Path, after: Path, tmp_path: Path
) -> None:
    for arguments, sentence in (
        ((before, after, "--view", "next-words"), "has no next words of"),
        ((before,), "of one run, two models are compared: name them with --model A --model B"),
        ((before, after, "--margin", "0"), "--margin 0: a margin is more than 0"),
        ((before, after, "--model", "nobody"), "there is no model `nobody`"),
        ((before, tmp_path), "is not a run folder"),
        ((before, after, "--fail-if", "p is small"), "write PATH SIGN NUMBER"),
    ):
        done = tiltmeter("compare", *arguments, "--out", "out", "--html", "page.html")
        assert (done.status, done.out) == (2, ""), arguments
        assert sentence in done.err
        assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "page.html").exists()
