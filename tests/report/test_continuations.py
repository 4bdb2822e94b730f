"""The part of the report on what a model writes about each group."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, GROUPS, Lean, MadeUp, make_rated_run
from tests.present.synthetic import HOSTILE
from tests.report.test_page import Page, page_of
from tiltmeter.parquet import count_rows
from tiltmeter.records import Decoding, Prompt
from tiltmeter.report import write_parquet, write_run
from tiltmeter.report.decoding_curves import board_curves
from tiltmeter.report.texts_by_rater_words import board_headline
from tiltmeter.report.words import signed
from tiltmeter.results import RunSummary, boards, summarise_run
from tiltmeter.store import Run

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert")

FEW = DECODINGS[:2]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run")
    return make_rated_run(folder, biases=("gender", "religion"), sources=("own-prompts", "bold"), decodings=FEW)


@pytest.fixture(scope="module")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)


@pytest.fixture(scope="module")
def page(run: Run, summary: RunSummary) -> Page:
    return Page(write_run(run, summary).read_text(encoding="utf-8"))


def tables(page: Page, caption: str) -> list[str]:
    found = re.findall(r"<table.*?</table>", page.html, re.DOTALL)
    return [table for table in found if caption in table]


def test_the_table_has_the_numbers_of_the_summary(page: Page, summary: RunSummary):
    [table] = tables(page, "texts about women minus that of texts about men")
    assert summary.continuations
    cells = [cell for cell in summary.continuations.cells if cell.bias == "gender"]
    assert len(cells) == 2 * 2 * 6
    for cell in cells:
        found = cell.summary.pair("women", "men").difference
        assert f'data-sort="{found.value!r}"' in table
        assert f"{signed(found.low, 3)} to {signed(found.high, 3)}" in table
        assert f"{found.n:,} texts, {found.n_unscored} unrated" in table


def test_a_ratio_stands_only_where_it_means_something(page: Page, summary: RunSummary):
    assert summary.continuations
    for cell in summary.continuations.cells:
        ratio = cell.summary.pairs[0].ratio
        if cell.bias == "gender" and ratio:
            assert cell.rater.startswith(("toxicity", "readability"))
            assert f"ratio {ratio.value:.2f}" in page.text


def test_differences_within_the_raters_own_tilt_are_marked(page: Page, summary: RunSummary):
    [table] = tables(page, "texts about women minus that of texts about men")
    assert summary.continuations
    within = [cell for cell in summary.continuations.cells if cell.bias == "gender" and cell.within_tilt]
    assert within
    assert table.count(" ≈</bdi>") == len(within)
    assert "The raters’ own tilt" in page.text


def test_choices_that_point_to_opposite_groups_are_marked(page: Page):
    [table] = tables(page, "texts about women minus that of texts about men")
    assert table.count('class="opposed"') >= 1
    [agreement] = tables(page, "Raters of the same kind on the same texts")
    assert "sentiment vader and sentiment minilm" in agreement
    assert "toxicity linear and toxicity tiny" in agreement
    assert "sentiment vader and toxicity" not in agreement
    assert "gender: women and men" in agreement


def test_more_than_three_pairs_of_groups_show_the_widest_and_name_it(page: Page, run: Run, summary: RunSummary):
    [table] = tables(page, "The largest difference between two groups")
    assert "Christians − Muslims" in table
    assert summary.continuations
    [board] = [one for one in boards(summary.continuations, {}) if one.bias == "religion"]
    assert board.widest
    for reading in board.readings.values():
        largest = max(abs(pair.difference.value or 0) for pair in reading.cell.summary.pairs)
        assert abs(reading.pair.difference.value or 0) == largest


def test_the_comparisons_of_a_spec_have_a_table_each(run: Run, summary: RunSummary):
    assert summary.continuations
    named = [("Muslims", "Christians"), ("Jews", "Muslims")]
    found = [one for one in boards(summary.continuations, {"religion": named}) if one.bias == "religion"]
    assert [(one.a, one.b) for one in found] == named
    for reading in found[0].readings.values():
        own = reading.cell.summary.pair("Christians", "Muslims").difference
        assert reading.pair.difference.value == -(own.value or 0.0)
        assert (reading.pair.difference.low, reading.pair.difference.high) == (-(own.high or 0), -(own.low or 0))


def test_nothing_of_a_hostile_text_becomes_markup(page: Page):
    assert not page.all("img")
    assert len(page.all("script")) == 1
    assert not [attributes for _, attributes in page.elements if any(name.startswith("on") for name in attributes)]
    assert HOSTILE in page.text
    assert "</script><script>alert(2)</script>" in page.text


def test_texts_are_closed_behind_a_warning_and_nowhere_else(page: Page):
    start = page.html.index('<details class="warning">')
    assert "Content warning." in page.html[start : start + 200]
    assert "would be late" not in page.html[:start]
    for title in (
        "Rated lowest by sentiment vader",
        "Rated highest by toxicity tiny",
        "sentiment minilm disagree most",
    ):
        assert title in page.html[start:]
    assert '<mark class="group">women</mark>' in page.html[start:]


def test_refusals_and_empty_texts_are_counted_by_group(page: Page, summary: RunSummary):
    [table] = tables(page, "Refused and missing texts, by group")
    [gaps] = tables(page, "Is one group refused more often?")
    assert summary.continuations
    refusals = next(one for one in summary.continuations.refusals if one.bias == "gender")
    assert refusals.groups["men"].share.value == 0
    assert refusals.groups["women"].share.value == 0.25
    assert refusals.pairs[0].difference.value == 0.25
    assert "25.0\xa0%" in table and "+0.250" in gaps
    assert sum(refusals.groups["women"].missing.values()) > 0


def test_texts_without_a_rating_are_counted_by_reason(page: Page):
    [table] = tables(page, "Texts without a rating, by reason, group and rater")
    assert "women" in table and "men" in table
    assert "the label is other" in table
    assert "the text is empty &lt;/script&gt;" in table


def test_figures_are_files_and_say_in_words_what_they_show(run: Run, page: Page):
    names = {path.stem for path in (run.folder / "figures").glob("*.svg")}
    assert {
        "raters-alpha-135m-gender-women-men",
        "new-tokens-alpha-135m-gender-women-men",
        "samples-alpha-135m-gender",
    } <= names
    charts = [found["aria-label"] or "" for found in page.all("div") if found.get("role") == "img"]
    assert len(charts) == 2 * len(names)
    assert any("sentiment vader: −" in words for words in charts)


def test_only_choices_that_vary_have_a_curve(tmp_path: Path):
    run = make_rated_run(
        tmp_path / "run", decodings=[Decoding(max_new_tokens=10)], samples=1, raters=("sentiment.vader.v1",)
    )
    summary = summarise_run(run)
    write_run(run, summary)
    assert {path.stem for path in (tmp_path / "run" / "figures").glob("*.svg")} == {
        "raters-alpha-135m-gender-women-men"
    }


def test_beams_and_temperature_have_curves_of_their_own(tmp_path: Path):
    decodings = [Decoding(temperature=0.0, beams=beams, max_new_tokens=10) for beams in (1, 2, 4)]
    run = make_rated_run(tmp_path / "run", decodings=decodings, raters=("toxicity.linear.v1",))
    write_run(run, summarise_run(run))
    assert (tmp_path / "run" / "figures" / "beams-alpha-135m-gender-women-men.svg").is_file()


def test_tables_as_files_hold_every_comparison(run: Run, page: Page, summary: RunSummary):
    assert summary.continuations
    rows = list(csv.DictReader((run.folder / "tables" / "comparisons.csv").open(newline="")))
    assert len(rows) == sum(len(cell.summary.pairs) for cell in summary.continuations.cells)
    cell = summary.continuations.cells[0]
    assert float(rows[0]["value"]) == cell.summary.pairs[0].difference.value
    assert rows[0]["within_tilt"] == str(int(bool(cell.within_tilt)))
    kept = json.loads((run.folder / "summary.json").read_text())["continuations"]
    assert kept["cells"][0]["pairs"][0]["difference"]["value"] == cell.summary.pairs[0].difference.value
    assert not (run.folder / "tables" / "pairs.csv").exists()
    for name in ("raters.md", "raters.tex"):
        assert "women" in (run.folder / "tables" / name).read_text()
    assert "<img" not in (run.folder / "tables" / "raters.md").read_text()


def test_every_bias_has_its_curve_over_samples(tmp_path: Path):
    run = make_rated_run(
        tmp_path / "run",
        biases=("gender", "religion"),
        decodings=FEW[:1],
        raters=("sentiment.vader.v1", "toxicity.linear.v1"),
    )
    summary = summarise_run(run)
    assert summary.continuations
    assert [curve.cell.bias for curve in summary.continuations.sizes] == ["gender", "religion"]
    page = page_of([(run, summary)], tmp_path)
    assert page.text.count("when only the first samples of each prompt count") == 2


def test_parquet_has_the_same_tables(run: Run, summary: RunSummary, tmp_path: Path):
    names = [path.name for path in write_parquet(run, summary, tmp_path)]
    tables = ("dropped", "groups", "comparisons", "refusals", "completions")
    assert names == [f"{name}.parquet" for name in tables]
    assert count_rows(tmp_path / "comparisons.parquet")


def test_a_run_of_texts_alone_has_no_part_on_pairs(page: Page):
    assert "What the model writes about each group" in page.text
    assert "stereotyped sentence" not in page.text
    assert "Every pair was scored" not in page.text
    assert "not finished" not in page.text
    places = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    assert {(found["href"] or "").removeprefix("#") for found in page.all("a")} <= places


def test_pairs_and_texts_stand_on_one_page(tmp_path: Path):
    run = make_rated_run(tmp_path / "run", pairs=True, decodings=FEW[:1], raters=("sentiment.vader.v1",))
    page = page_of([(run, summarise_run(run))], tmp_path)
    assert "prefers the stereotyped sentence in" in page.text
    assert "What the model writes about each group" in page.text
    places = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    assert {(found["href"] or "").removeprefix("#") for found in page.all("a")} <= places


def test_runs_are_told_apart_by_study_and_folder(tmp_path: Path):
    choices = {"decodings": FEW[:1], "raters": ("sentiment.vader.v1",), "samples": 1}
    runs = [make_rated_run(tmp_path / name, **choices) for name in "ab"]
    page = page_of([(run, summarise_run(run)) for run in runs], tmp_path)
    assert "synthetic, a" in page.text
    assert "synthetic, b" in page.text


def test_a_run_without_any_rating_says_so(tmp_path: Path):
    run = make_rated_run(tmp_path / "run", raters=(), decodings=FEW[:1])
    page = page_of([(run, summarise_run(run))], tmp_path)
    assert "No text has a rating yet." in page.text


def test_a_group_of_which_nothing_was_rated_has_no_number(tmp_path: Path):
    run = make_rated_run(tmp_path / "run", decodings=FEW[:1], raters=("sentiment.vader.v1",), openers=1, samples=1)
    page = page_of([(run, summarise_run(run))], tmp_path)
    assert "No rater has a number for texts about women and about men." in page.text


def test_a_model_that_wrote_nothing_is_named(run: Run, tmp_path: Path):
    meta = {**run.meta, "resolved": {**run.meta["resolved"], "models": ["alpha-135m", "hf:bert"]}}
    again = make_rated_run(tmp_path / "run", decodings=FEW[:1], raters=("sentiment.vader.v1",), samples=1)
    again = replace(again, meta=meta)
    assert "hf:bert has written nothing" in page_of([(again, summarise_run(again))], tmp_path).text


def test_a_run_that_is_not_finished_says_so(tmp_path: Path):
    run = make_rated_run(tmp_path / "run", decodings=FEW[:1], raters=("sentiment.vader.v1",), samples=1)
    half = replace(run, meta={**run.meta, "all_rated": False})
    assert "Not all texts are rated yet" in page_of([(half, summarise_run(half))], tmp_path).text
    assert "Not all texts are rated yet" not in page_of([(run, summarise_run(run))], tmp_path).text


def test_the_same_run_gives_the_same_page(tmp_path: Path):
    choices = {"decodings": FEW[:1], "raters": ("sentiment.vader.v1", "refusal.v5"), "lean": Lean({})}
    run = make_rated_run(tmp_path / "run", **choices)
    pages = [page_of([(run, summarise_run(run))], tmp_path / name).html for name in ("one", "two")]
    assert pages[0] == pages[1]
    assert GROUPS["gender"][0] in pages[0]


def test_one_beam_is_greedy_search_and_not_sampling(tmp_path: Path):
    decodings = [
        Decoding(temperature=0.0, max_new_tokens=10),
        Decoding(temperature=1.0, max_new_tokens=10),
        Decoding(temperature=0.0, beams=4, max_new_tokens=10),
    ]
    made = make_rated_run(tmp_path, decodings=decodings, raters=("sentiment.vader.v1",))
    summary = summarise_run(made)
    assert summary.continuations
    greedy = summary.continuations.cells[0]
    assert greedy.decoding == decodings[0]
    [board] = boards(summary.continuations, {})
    [figure] = [one for one in board_curves(board, "") if one.name.startswith("beams")]
    assert f"{signed(greedy.summary.pairs[0].difference.value, 3)} at 1," in figure.alternative


def test_the_k_highest_are_shown_where_the_first_decoding_has_one_sample(tmp_path: Path):
    decodings = [Decoding(temperature=heat, max_new_tokens=10) for heat in (0.0, 1.0)]
    made = make_rated_run(tmp_path, decodings=decodings, raters=("toxicity.linear.v1",))
    summary = summarise_run(made)
    write_run(made, summary)
    names = {path.stem for path in (tmp_path / "figures").glob("highest-*.svg")}
    assert {name.split("-alpha")[0] for name in names} == {"highest", "highest-difference", "highest-ratio"}


def test_nothing_is_said_of_a_tilt_that_was_not_measured(tmp_path: Path):
    run = make_rated_run(tmp_path, decodings=FEW[:1], raters=("sentiment.vader.v1",), lean=Lean({}))
    found = summarise_run(run).continuations
    assert found
    unmeasured = replace(found, cells=tuple(replace(cell, tilt_measured=False) for cell in found.cells))
    [known], [unknown] = boards(found, {}), boards(unmeasured, {})
    assert "beyond the raters’ own tilt" in board_headline(known).reading
    assert "beyond" not in board_headline(unknown).reading
    assert "own tilt was not measured" in board_headline(unknown).reading


def test_prompts_that_cannot_be_masked_are_counted_where_regard_is_rated(tmp_path: Path):
    class Bare(MadeUp):
        @cached_property
        def prompts(self) -> tuple[Prompt, ...]:
            return tuple(replace(prompt, term="", group_spans=()) for prompt in super().prompts)

    for rater, noticed in (("regard.minilm.v2", True), ("sentiment.vader.v1", False)):
        run = make_rated_run(tmp_path / rater, decodings=FEW[:1], raters=(rater,))
        bare = replace(run, continuations=Bare(decodings=FEW[:1], raters=(rater,)))
        html = write_run(bare, summarise_run(bare)).read_text(encoding="utf-8")
        assert ("24 of 24 prompts do not say which words name it" in html) is noticed
