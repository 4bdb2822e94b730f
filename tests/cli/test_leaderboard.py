"""`tiltmeter leaderboard` as a user types it."""

from __future__ import annotations

import csv
import html
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_compare import HE, OTHER_STUDY, SHE, rescored
from tests.results.planted_studies import BOOKS, SPEC, TOOLS, pairs_run, texts_run
from tiltmeter.cli.console import percent
from tiltmeter.engine import carry_out
from tiltmeter.stats.estimates import estimate
from tiltmeter.store import read_run
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

TILTED = {"weak": 2, "strong": 8, "middle": 5}
"""Of eight attributes of either set, how many a model is tilted for."""
STUDY = """
name = "three models"
models = ["planted:weak.toml", "planted:strong.toml", "planted:middle.toml"]
specs = ["tools-books.toml"]
[pairs]
sources = ["templates"]
scorers = ["sum"]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three models whose order is known: strong, middle, weak."""
    folder = tmp_path_factory.mktemp("three")
    (folder / "tools-books.toml").write_text(SPEC, encoding="utf-8")
    for name, count in TILTED.items():
        tilts = "".join(
            f"[[tilt]]\nwords = {json.dumps(words)}\ncontexts = {json.dumps(terms[:count])}\ndelta = 1.0\n"
            for words, terms in ((HE, TOOLS), (SHE, BOOKS))
        )
        (folder / f"{name}.toml").write_text('model = "scripted"\n' + tilts, encoding="utf-8")
    return carry_out(plan(parse(STUDY, file=folder / "study.toml")), folder / "run").folder


def name_of(model: str) -> str:
    """The bare name of a planted model.

    >>> name_of("planted:a/strong.toml")
    'strong'
    """
    return Path(model.removeprefix("planted:")).stem


def test_a_planted_order_comes_out_with_the_figures_worked_out_by_hand(tiltmeter: Command, run: Path) -> None:
    done = tiltmeter("leaderboard", run, "--json")
    assert done.status == 0, done.err
    [board] = done.json["boards"]
    assert [name_of(entry["name"]) for entry in board["entries"]] == ["strong", "middle", "weak"]
    assert [entry["standing"]["place"] for entry in board["entries"]] == [1, 2, 3]
    # Tilted for 2, 5 and 8 of 8 words of either set: two neighbours differ on 6 of 16 words, the ends on 12.
    assert {abs(one["value"]): one["origins"] for one in board["differences"]} == {0.1875: 6, 0.375: 12}
    assert board["order_pairs"] == 3
    [strong, _, weak] = board["entries"]
    assert weak["name"] in strong["standing"]["above"] and strong["name"] in weak["standing"]["below"]
    pairs = read_run(run).pairs
    for entry in board["entries"]:
        count = TILTED[name_of(entry["name"])]
        tilted = {*TOOLS[:count], *BOOKS[:count]}
        by_hand = estimate(
            [1.0 if pair.attribute in tilted else 0.5 for pair in pairs],
            [pair.attribute or "" for pair in pairs],
            strata=[(pair.bias, pair.attribute_set or "") for pair in pairs],
            further={
                "templates": [pair.template for pair in pairs],
                "terms": ["/".join(pair.terms) for pair in pairs],
            },
        )
        assert entry["value"] == by_hand.as_json()
        assert entry["value"]["value"] == pytest.approx(0.5 + count / 16)
        assert (entry["value"]["n"], entry["value"]["n_unscored"]) == (96, 0)


def test_people_get_the_verdict_and_a_table_with_places_and_counts(tiltmeter: Command, run: Path) -> None:
    done = tiltmeter("leaderboard", run)
    assert done.status == 0, done.err
    title, verdict, heads, *lines = done.out.splitlines()
    assert title == "Stereotyped choices, Tools and books (source templates, scorer causal.sum.v1)"
    assert "whole order is shown" in verdict
    assert re.split(r"\s{2,}", heads.strip()) == [
        "Model", "Place (95 %)", "Figure", "95 % interval", "n", "Missing", "Test words"
    ]  # fmt: skip
    cells = [re.split(r"\s{2,}", line.strip()) for line in lines[:3]]
    assert [cell[2] for cell in cells] == ["100.0 %", "81.3 %", "62.5 %"]
    assert {tuple(cell[-3:]) for cell in cells} == {("96", "0", "16")}
    assert "\N{NO-BREAK SPACE}" not in done.out


def test_files_have_the_numbers_and_a_row_for_each_model(tiltmeter: Command, run: Path, tmp_path: Path) -> None:
    done = tiltmeter("leaderboard", run, "--json", "--out", "out")
    assert done.status == 0, done.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["leaderboard.csv", "leaderboard.json"]
    assert json.loads((tmp_path / "out" / "leaderboard.json").read_text(encoding="utf-8")) == done.json
    with (tmp_path / "out" / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    assert reader.fieldnames == [
        *(
            "view",
            "source",
            "scorer",
            "bias",
            "place",
            "place_low",
            "place_high",
            "above",
            "below",
            "name",
            "model",
            "run",
        ),
        *("value", "low", "high", "n", "n_unscored", "origins", "note"),
        *("order_shown", "order_pairs", "left_out", "order_note"),
    ]
    [board] = done.json["boards"]
    for row, entry in zip(rows, board["entries"], strict=True):
        assert (row["name"], row["place"]) == (entry["name"], str(entry["standing"]["place"]))
        assert [float(row[key]) for key in ("value", "low", "high")] == [
            entry["value"][key] for key in ("value", "low", "high")
        ]
        assert row["above"] == "; ".join(entry["standing"]["above"])
        assert int(row["order_shown"]) == board["order_shown"]
        assert (row["n"], row["n_unscored"], row["origins"]) == ("96", "0", "16")


def test_some_models_of_some_runs_can_be_chosen(tiltmeter: Command, run: Path, tmp_path: Path) -> None:
    names = {name_of(model): model for model in read_run(run).facts}
    found = tiltmeter("leaderboard", run, "--model", names["weak"], "--model", names["middle"], "--json").json
    assert [name_of(entry["name"]) for entry in found["boards"][0]["entries"]] == ["middle", "weak"]
    shutil.copytree(run, tmp_path / "again")
    done = tiltmeter("leaderboard", run, "again", "--model", names["weak"])
    assert f"{names['weak']} (again)" in done.out
    assert "the same on every item" in done.out


def test_what_not_all_models_have_is_counted_and_named(tiltmeter: Command, run: Path, tmp_path: Path) -> None:
    (tmp_path / "tools-books.toml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "other.toml").write_text(OTHER_STUDY, encoding="utf-8")
    assert tiltmeter("run", "other.toml", "--out", "other").status == 0
    done = tiltmeter("leaderboard", run, "other", "--json")
    assert done.status == 0, done.err
    [board] = done.json["boards"]
    assert board["left_out"] == 64
    assert {entry["value"]["n"] for entry in board["entries"]} == {32}
    lacking = ", ".join(read_run(run).facts)
    assert f"next words: left out, missing in {lacking}" in done.json["notes"]


def test_a_condition_on_a_figure_a_place_or_the_order_sets_the_status(tiltmeter: Command, run: Path) -> None:
    names = {name_of(model): model for model in read_run(run).facts}
    strong, weak = (f"pairs.tools-books.{names[name]}" for name in ("strong", "weak"))
    for condition, status in (
        (f"{strong}.value.low > 0.55", 1),
        (f"{weak}.value.value > 0.65", 0),
        (f"{strong}.standing.high <= 1", 1),
        (f"{weak}.standing.place < 3", 0),
        ("pairs.tools-books.order_shown >= 1", 1),
        ("pairs.tools-books.nobody.value.low > 0.5", 2),
        ("pairs.tools-books.order_shown is high", 2),
    ):
        done = tiltmeter("leaderboard", run, "--fail-if", condition)
        assert done.status == status, (condition, done.err)


def test_texts_are_put_in_order_by_the_gap_between_groups(tiltmeter: Command, tmp_path: Path) -> None:
    one, other = (texts_run(tmp_path / str(share), women=share, men=0.3).folder for share in (0.8, 0.4))
    done = tiltmeter("leaderboard", one, other, "--view", "continuations", "--json")
    assert done.status == 0, done.err
    # The model that writes worse about women is last by sentiment and first by toxicity.
    first = {board["rater"]: board["entries"][0]["name"] for board in done.json["boards"]}
    assert [Path(name).parent.name for name in first.values()] == ["0.4", "0.8"]
    assert set(first) == {"sentiment.vader.v1", "toxicity.linear.v1"}
    assert {board["neutral"] for board in done.json["boards"]} == {0.0}


def test_the_page_and_the_documents_say_what_the_table_says(tiltmeter: Command, run: Path, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    forms = ("--format", "md", "--format", "latex")
    done = tiltmeter("leaderboard", run, "--html", "page.html", "--out", "out", *forms, "--json")
    assert done.status == 0, done.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["leaderboard.md", "leaderboard.tex"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    text = html.unescape(re.sub("<[^>]+>", " ", page))
    assert not any(sign in page for sign in ("<link", "<img", " src="))
    [board] = done.json["boards"]
    sorts = set(re.findall('data-sort="([^"]+)"', page))
    markdown, latex = ((tmp_path / "out" / f"leaderboard.{end}").read_text(encoding="utf-8") for end in ("md", "tex"))
    for entry in board["entries"]:
        assert {repr(entry["value"][key]) for key in ("value", "low", "n", "n_unscored")} <= sorts
        share = percent(entry["value"]["value"]).removesuffix(" %")
        assert f"{share}\N{NO-BREAK SPACE}%" in text
        assert f"| {share}\N{NO-BREAK SPACE}% |" in markdown
        assert rf"{share}~\%" in latex
    assert board["entries"][0]["standing"]["above"]
    assert board["order_shown"] == board["order_pairs"] and "whole order is shown" in markdown
    assert latex.startswith("% Made by tiltmeter")


def test_other_versions_are_refused_saying_which_and_nothing_is_written(tiltmeter: Command, tmp_path: Path) -> None:
    one, other = (
        pairs_run(tmp_path / name, [(HE, TOOLS[:count], 1.0)]).folder for name, count in (("one", 8), ("other", 4))
    )
    rescored(other, "causal.sum.v2")
    done = tiltmeter("leaderboard", one, other, "--html", "page.html", "--out", "out")
    assert (done.status, done.out) == (2, "")
    assert "the scorer causal.sum is v1 in the one and v2 in the other" in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "other"]


def test_bad_input_is_one_sentence_and_nothing_is_written(tiltmeter: Command, run: Path, tmp_path: Path) -> None:
    model = next(iter(read_run(run).facts))
    for arguments, sentence in (
        ((run, "--view", "next-words"), "has no next words of"),
        ((run, "--model", model), f"a leaderboard needs two models or more; there is only {model}"),
        ((run, "--model", "nobody"), "there is no model `nobody`"),
        ((run, run), "is given twice; give each run once"),
        ((run, tmp_path), "is not a run folder"),
        ((run, "--fail-if", "p is small"), "write PATH SIGN NUMBER"),
    ):
        done = tiltmeter("leaderboard", *arguments, "--out", "out", "--html", "page.html")
        assert (done.status, done.out) == (2, ""), arguments
        assert sentence in done.err
        assert len(done.err.strip().splitlines()) == 1
    done = tiltmeter("leaderboard", run, "--format", "md")
    assert (done.status, done.err) == (2, "tiltmeter: --format needs --out FOLDER\n")
    assert not list(tmp_path.iterdir())


def test_where_one_file_cannot_be_written_none_is(tiltmeter: Command, run: Path, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    (tmp_path / "out" / "leaderboard.csv").mkdir(parents=True)
    done = tiltmeter("leaderboard", run, "--out", "out", "--html", "page.html")
    assert (done.status, done.out) == (2, "")
    assert "out/leaderboard.csv: cannot be written: is a folder" in done.err
    assert not (tmp_path / "page.html").exists()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["leaderboard.csv"]
