"""`tiltmeter compare` as a user types it."""

from __future__ import annotations

import csv
import html
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.results.planted_studies import BOOKS, PROFESSIONS, SPEC, TOOLS, pairs_run, texts_run
from tests.store.broken import rewritten

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
    assert "corrected for 8 comparisons" in done.out
    headings = [line.split("  ")[0] for line in done.out.splitlines()]
    assert headings.index("stereotyped choices") < headings.index("margins")


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
        "value", "low", "high", "level", "p", "p_adjusted", "n", "n_unscored", "origins", "method"
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
    assert "own-prompts/gender, sentiment.vader.v1, “female” − “male”: the gap is " in done.out
    for heading in ("ratings by group", "change, %", "gaps between groups", "ratio, %"):
        assert heading in done.out


@pytest.mark.drawings
def test_the_page_is_one_file_that_says_what_the_table_says(
    tiltmeter: Command, before: Path, after: Path, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    done = tiltmeter("compare", before, after, "--no-more-than", 0.1, "--html", "page.html")
    assert done.status == 0, done.err
    assert "page: page.html" in done.err
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "B prefers stereotyped sentences less often than A by 25.0 points (" in html
    assert "a margin of 0.1" in html and "Within the margin" in html
    assert not any(sign in html for sign in ("http://www.w3.org/1999/xhtml", "<link", "<img", " src="))


def test_a_page_is_replaced_whole_and_a_path_that_cannot_be_written_is_one_sentence(
    tiltmeter: Command, before: Path, after: Path, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    (tmp_path / "page.html").write_text("old", encoding="utf-8")
    assert tiltmeter("compare", before, after, "--html", "page.html").status == 0
    assert "old" not in (tmp_path / "page.html").read_text(encoding="utf-8").split()
    (tmp_path / "folder").mkdir()
    for path in ("folder", "page.html/inside.html"):
        done = tiltmeter("compare", before, after, "--html", path, "--out", "out")
        assert (done.status, done.out) == (2, ""), path
        assert f"{path}: cannot be written" in done.err
        assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "page.html"]


def test_where_one_file_cannot_be_written_none_is(
    tiltmeter: Command, before: Path, after: Path, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    (tmp_path / "out" / "comparison.csv").mkdir(parents=True)
    done = tiltmeter("compare", before, after, "--html", "page.html", "--out", "out")
    assert (done.status, done.out) == (2, "")
    assert "out/comparison.csv: cannot be written: is a folder" in done.err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["comparison.csv", "out"]


def test_a_comparison_can_be_written_as_documents(
    tiltmeter: Command, before: Path, after: Path, tmp_path: Path
) -> None:
    done = tiltmeter("compare", before, after, "--out", "out", "--format", "md", "--format", "latex")
    assert done.status == 0, done.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["comparison.md", "comparison.tex"]
    sentence = "B prefers stereotyped sentences less often than A by 25.0 points ("
    for path in (tmp_path / "out").iterdir():
        assert sentence in path.read_text(encoding="utf-8")
    alone = tiltmeter("compare", before, after, "--format", "md")
    assert (alone.status, alone.out) == (2, "")
    assert "--format needs --out FOLDER" in alone.err


def test_the_page_has_the_numbers_of_the_json(tiltmeter: Command, before: Path, after: Path, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    done = tiltmeter("compare", before, after, "--margin", 0.1, "--html", "page.html", "--json")
    [view] = done.json["views"].values()
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    text = html.unescape(re.sub("<[^>]+>", "", page))
    for sentence in view["sentences"]:
        assert sentence in text
    sorts = set(re.findall('data-sort="([^"]+)"', page))
    numbers = [
        number
        for cell in view["cells"]
        for number in (
            cell["a"]["value"],
            cell["b"]["value"],
            cell["difference"]["value"],
            cell["difference"]["p_adjusted"],
            cell["p_holm"],
            cell["p_permutation"],
            cell["minimum_detectable"],
            cell["standardised"]["value"],
            cell["superiority"]["value"],
            (cell["change_per_cent"] or {"value": None})["value"],
        )
        if number is not None
    ]
    assert len(numbers) > 60
    assert {repr(float(number)) for number in numbers} <= {repr(float(each)) for each in sorts}


def test_a_run_and_its_copy_do_not_differ_and_a_run_and_itself_are_refused(
    tiltmeter: Command, before: Path, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    shutil.copytree(before, tmp_path / "twin")
    found = tiltmeter("compare", before, "twin", "--margin", 0.1, "--json", "--html", "page.html").json
    view = found["views"]["pairs"]
    assert view["sentences"][0] == "A and B are the same on all 96 items."
    for cell in (*view["overall"], *view["cells"]):
        assert (cell["difference"]["value"], cell["p_holm"], cell["difference"]["p_adjusted"]) == (0, None, None)
        assert cell["p_permutation"] == 1
    assert found["n_comparisons"] == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "A and B are the same on all 96 items." in page
    assert "the same in every cluster" in page
    same = tiltmeter("compare", before, before)
    assert (same.status, same.out) == (2, "")
    assert "is the same run and the same model twice" in same.err


OTHER_STUDY = f"""
name = "another study"
models = ["scripted"]
specs = ["tools-books.toml"]
[pairs]
sources = [{{ templates = {{ per_attribute = 2 }} }}]
scorers = ["sum"]
[next_words]
sources = [{{ profession-templates = {{ professions = {json.dumps(PROFESSIONS)} }} }}]
words = "he-she"
perturbations = ["original"]
"""


def test_of_two_studies_what_both_have_is_compared_and_the_rest_is_listed(
    tiltmeter: Command, before: Path, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    (tmp_path / "tools-books.toml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "other.toml").write_text(OTHER_STUDY, encoding="utf-8")
    made = tiltmeter("run", "other.toml", "--out", "other")
    assert made.status == 0, made.err
    found = tiltmeter("compare", before, "other", "--json", "--html", "page.html").json
    assert set(found["views"]) == {"pairs"}
    view = found["views"]["pairs"]
    assert view["items"] == {"both": 32, "only_a": 64, "only_b": 0}
    assert {cell["scorer"] for cell in view["cells"]} == {"causal.sum.v1"}
    assert {cell["difference"]["n"] for cell in view["cells"]} == {32}
    page = html.unescape(re.sub("<[^>]+>", "", (tmp_path / "page.html").read_text(encoding="utf-8")))
    listed = page.rpartition("What was not compared")[2].partition("What was measured")[0]
    assert "64 pairs only in A" in listed
    for told in ("only scripted has next words", "the scorer causal.mean.v1", "the scorer causal.rest.v2"):
        assert any(told in note for note in found["notes"]), told
        assert told in listed


def rescored(folder: Path, version: str) -> None:
    """Make a run one of a release whose scorer of sums had another version."""
    with rewritten(folder / "ledger.sqlite") as ledger:
        tables = [name for (name,) in ledger.execute("select name from sqlite_master where type = 'table'")]
        for table in tables:
            if "scorer" in [row[1] for row in ledger.execute(f"pragma table_info({table})")]:
                ledger.execute(f"update {table} set scorer = ? where scorer = 'causal.sum.v1'", (version,))


def test_other_versions_are_refused_saying_which_and_nothing_is_written(
    tiltmeter: Command, before: Path, after: Path, tmp_path: Path
) -> None:
    shutil.copytree(after, tmp_path / "newer")
    rescored(tmp_path / "newer", "causal.sum.v2")
    done = tiltmeter("compare", before, "newer", "--html", "page.html", "--out", "out")
    assert (done.status, done.out) == (2, "")
    assert "the scorer causal.sum is v1 in the one and v2 in the other" in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["newer"]


@pytest.mark.parametrize(
    ("margin", "words"),
    [
        (0.3, "It is no more than 30.0 points either way, if there is one."),
        (0.02, "That it is no more than 2.0 points either way was not shown either."),
    ],
)
def test_a_small_difference_is_within_the_margin_or_that_is_not_shown(
    tiltmeter: Command, before: Path, tmp_path: Path, margin: float, words: str
) -> None:
    one_less = pairs_run(tmp_path / "less", [(HE, TOOLS, 1.0), (SHE, BOOKS[:7], 1.0)]).folder
    done = tiltmeter("compare", before, one_less, "--margin", margin, "--json")
    [sentence, *_] = done.json["views"]["pairs"]["sentences"]
    assert sentence.startswith("no difference is shown (")
    assert sentence.endswith(words)
    verdict: Any = done.json["views"]["pairs"]["overall"][0]["equivalence"]["verdict"]
    assert verdict == ("equivalent" if margin == 0.3 else "undecided")


def test_nothing_of_a_hostile_title_or_name_of_a_group_becomes_markup(tiltmeter: Command, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    for name, delta in (("one", 1.0), ("two", 0.2)):
        folder = tmp_path / name
        folder.mkdir()
        spec = SPEC.replace("Tools and books", hostile)
        (folder / "tools-books.toml").write_text(spec, encoding="utf-8")
        tilt = f'[[tilt]]\nwords = ["he"]\ncontexts = {json.dumps(TOOLS)}\ndelta = {delta}\n'
        (folder / "model.toml").write_text('model = "scripted"\n' + tilt, encoding="utf-8")
        study = f'name = "{hostile}"\nmodels = ["planted:model.toml"]\nspecs = ["tools-books.toml"]\n'
        (folder / "study.toml").write_text(study + '[pairs]\nsources = ["templates"]\n', encoding="utf-8")
        made = tiltmeter("run", f"{name}/study.toml", "--out", f"{name}/run<b>{name}")
        assert made.status == 0, made.err
    done = tiltmeter("compare", "one/run<b>one", "two/run<b>two", "--html", "page.html")
    assert done.status == 0, done.err
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<script") == 1
    assert "&lt;script&gt;alert(1)" in page
    assert not any(sign in page for sign in ("<img", "<b>one", "alert(1)</script>"))


def test_a_report_of_two_runs_says_what_differs_where_they_can_be_compared(
    tiltmeter: Command, before: Path, after: Path, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    done = tiltmeter("report", before, after, "--out", "both.html", "--json")
    assert done.status == 0, done.err
    assert done.json == {"report": "both.html", "differences": "both-differences.html"}
    assert "less often than A by 25.0 points" in (tmp_path / "both-differences.html").read_text(encoding="utf-8")
    assert {path.suffix for path in (tmp_path / "both-differences-figures").iterdir()} == {".svg"}
    texts = texts_run(tmp_path / "texts", women=0.8, men=0.3).folder
    apart = tiltmeter("report", before, texts, "--out", "apart.html", "--json")
    assert apart.json == {"report": "apart.html"}
    assert "note: the runs are not compared: there is nothing in common" in apart.err


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
