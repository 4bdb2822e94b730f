"""The part of the report on whom a model expects."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.next_words import PROFESSIONS, make_asked_run, toward_he
from tests.present.synthetic import HOSTILE, make_run
from tests.report.test_page import Page, page_of
from tiltmeter.parquet import count_rows
from tiltmeter.records import Estimate
from tiltmeter.report import write_parquet, write_run
from tiltmeter.report.figures import (
    NARROW,
    WIDE,
    DotBlock,
    DotRow,
    HistogramPanel,
    ScatterPanel,
    ScatterPoint,
    dots,
    histograms,
    scatter,
    share_axis,
    to_svg,
)
from tiltmeter.report.next_word_readings import reading_groups
from tiltmeter.report.next_word_words import next_word_headline
from tiltmeter.report.saliency_pictures import shaded
from tiltmeter.report.series import make_series
from tiltmeter.report.words import decimals_for, percent, percent_range
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.results.files.next_words import NextWordColumns, summarise_next_word_file
from tiltmeter.results.summary.next_word_cells import NextWordCell
from tiltmeter.results.summary.next_words import NextWordSettings
from tiltmeter.sources.labour_files import Occupation
from tiltmeter.sources.word_sets import BUILT_IN
from tiltmeter.store import Run

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert")

LABOUR = tuple(Occupation(name.title(), number / 25, 100.0) for number, name in enumerate(PROFESSIONS[1:9]))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run")
    words = {"pronouns": BUILT_IN["pronouns"], "he-she": BUILT_IN["he-she"]}
    return make_asked_run(folder, words=words, bounded=(False, True), labour=LABOUR, silent=("beta-1b",))


@pytest.fixture(scope="module")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)


@pytest.fixture(scope="module")
def page(run: Run, summary: RunSummary) -> Page:
    return Page(write_run(run, summary).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def cell(summary: RunSummary) -> NextWordCell:
    assert summary.next_words
    return summary.next_words.cells[0]


def tables(page: Page, caption: str) -> list[str]:
    return [table for table in re.findall(r"<table.*?</table>", page.html, re.DOTALL) if caption in table]


def headlines(run: Run) -> list[str]:
    """What is said of the first model: sentence and reading of each set of prompts, and of its habit."""
    group = reading_groups(make_series([(run, summarise_run(run))]))[0]
    return [f"{said.sentence} {said.reading}" for said in next_word_headline(group, group.labels[0]).findings]


def said(chance: object, folder: Path, **options: object) -> str:
    sources = {"templates": "template"}
    run = make_asked_run(folder, chance=chance, sources=sources, saliency=False, **options)  # type: ignore[arg-type]
    return headlines(run)[0].replace("\xa0", " ")


def test_the_headline_says_what_the_summary_says(page: Page, cell: NextWordCell):
    found = cell.summary.perturbations["original"].overall.pairs["male/female"]["share"]
    decimals = decimals_for(found)
    interval = percent_range(found.low, found.high, decimals)
    figure = f"the share of male is {percent(found.value, decimals)} ({interval})"
    assert (
        "After templates, alpha-135m expects “he”, “his” or “him” more often than “she”, “her” or “hers”: "
        f"{figure}.".replace("\xa0", " ")
    ) in page.text
    assert "After sentences written for the test, alpha-135m expects" in page.text
    assert "The habit of alpha-135m with no sentence about anybody: the share of male is after openers" in page.text
    assert "72 prompts scored, 0 unscored, 12 professions and 6 templates" in page.text


def test_part_of_a_lean_is_called_habit_only_where_both_parts_are_beyond_chance(tmp_path: Path):
    both = said(toward_he(1.0, 1.0), tmp_path)
    assert re.search(r"of the (\d+) points away from 50 %, (\d+) are there without it, as habit", both)
    alone = said(toward_he(1.5, 0.0), tmp_path, noise=0.8)
    assert "without it no side can be told" in alone
    assert "habit" not in alone
    against = said(toward_he(-0.5, 1.5), tmp_path)
    assert "the profession moves it toward female" in against
    assert "against the lean, which is larger without it: habit" in against
    turned = said(toward_he(-3.0, 1.0), tmp_path)
    assert "without it the model leans the other way" in turned


def test_where_the_profession_is_not_shown_to_matter_the_lean_may_be_habit(tmp_path: Path):
    text = said(toward_he(0.0, 1.5), tmp_path)
    assert "that the profession changes anything is not shown (" in text
    assert "what lean there is may be habit alone" in text


def test_where_the_interval_includes_one_half_no_side_is_told(tmp_path: Path):
    text = said(toward_he(0.0, 0.0), tmp_path, noise=1.0, perturbations=["original"])
    assert "no side can be told" in text
    assert "which includes 50 %" in text
    assert "habit" not in text


def test_without_an_interval_the_reason_stands_and_nothing_is_claimed(tmp_path: Path):
    text = said(toward_he(2.0, 0.0), tmp_path, professions=PROFESSIONS[:3])
    assert "how sure that is cannot be said" in text
    assert "more often than" not in text
    assert "what the profession does cannot be said" in text


def test_the_tables_have_the_numbers_of_the_summary(page: Page, cell: NextWordCell):
    [share] = tables(page, "Share of male beside female, P(male)")
    [absolute] = tables(page, "|P(male) − P(female)|, by what becomes")
    for name, found in cell.summary.perturbations.items():
        measures = found.overall.pairs["male/female"]
        assert f'data-sort="{measures["share"].value!r}"' in share
        assert f'data-sort="{measures["absolute_difference"].value!r}"' in absolute
        if name != "original":
            change = cell.summary.contrasts[name]["male/female"]["share"]
            assert f"original − this: {100 * (change.value or 0):+.1f}".replace("-", "−") in share
    [distance] = tables(page, "How far the chances of male and female lie apart")
    overall = cell.summary.perturbations["original"].overall.pairs["male/female"]
    for name in ("kl", "emd", "kl_histograms", "kl_vectors"):
        assert f'data-sort="{overall[name].value!r}"' in distance
    [templates] = tables(page, "Every template, over the professions")
    for part in cell.summary.perturbations["original"].by_template.values():
        assert f'data-sort="{part.pairs["male/female"]["ratio"].value!r}"' in templates
        assert f'data-sort="{part.certainty["highest"].value!r}"' in templates


def test_prompts_are_counted_and_their_kind_is_said(page: Page, cell: NextWordCell):
    [table] = tables(page, "The prompts; lengths")
    assert "made from templates" in table
    assert "written for this test, not found in nature" in table
    assert f"{cell.lengths.words:.2f} ± {cell.lengths.words_sd:.2f}" in table
    assert "whoever wrote them chose what they say" in page.text


def test_the_most_tilted_profession_stands_first(page: Page, cell: NextWordCell):
    [table] = [one for one in tables(page, "the farthest from 50 % first") if "(templates)" in one]
    shares = [
        float(row)
        for row in re.findall(r'<th scope="row".*?data-sort="(.*?)"', table.partition("<tbody>")[2], re.DOTALL)
    ]
    assert len(shares) == len(PROFESSIONS)
    assert [abs(one - 0.5) for one in shares] == sorted((abs(one - 0.5) for one in shares), reverse=True)


def test_every_two_of_three_groups_are_compared(page: Page):
    [table] = tables(page, "Every two groups, over all prompts")
    for pair in ("male and female", "male and neutral", "female and neutral"):
        assert table.count(f"<bdi>{pair}</bdi>") == 3


def test_the_habit_has_the_chance_of_every_group(page: Page, run: Run, summary: RunSummary):
    [table] = tables(page, "What the model expects with no sentence to go by")
    assert summary.next_words
    habit = next(one for one in summary.next_words.cells if one.of_habit)
    for found in habit.summary.perturbations.values():
        for group in ("male", "female", "neutral"):
            assert f'data-sort="{found.overall.groups[group].value!r}"' in table
    assert (run.folder / "figures" / "next-words-habit.svg").is_file()


def test_labour_statistics_are_counted_and_drawn(page: Page, run: Run, cell: NextWordCell):
    assert cell.summary.labour
    assert "8 of 12 professions were found in the statistics" in page.text
    [table] = tables(page, "The model’s share of female beside that of who works")
    assert f'data-sort="{cell.summary.labour["spearman"]["value"]!r}"' in table
    assert (run.folder / "figures" / "next-words-labour.svg").is_file()
    [professions] = [one for one in tables(page, "the farthest from 50 % first") if "(templates)" in one]
    assert "Share of female: world" in professions


def test_choices_on_opposite_sides_are_marked(tmp_path: Path):
    sets = (("male", ("he", "his")), ("female", ("she", "her")))

    def chance(word: str, profession: str, perturbation: str) -> float:
        return {"he": 0.05, "his": 0.3, "she": 0.15, "her": 0.05}[word]

    run = make_asked_run(tmp_path, words={"some": sets}, chance=chance, combine=("sum", "first"), saliency=False)
    page = page_of([(run, summarise_run(run))], tmp_path)
    [table] = tables(page, "by the words asked for and how they are counted")
    assert "some, all words" in table
    assert "some, first word" in table
    assert table.count('class="opposed"') == 3
    assert "each beyond chance" in table
    assert "on both sides of 50 %" in page.text


def test_nothing_of_a_hostile_text_becomes_markup(page: Page):
    assert not page.all("img")
    assert len(page.all("script")) == 1
    assert not [found for _, found in page.elements if any(name.startswith("on") or name == "style" for name in found)]
    assert HOSTILE in page.text


def test_prompts_are_shaded_with_the_profession_underlined(page: Page):
    found = [one["class"] or "" for one in page.all("span") if (one.get("class") or "").startswith("shade")]
    assert any(re.fullmatch(r"shade s9 subject", one) for one in found)
    assert all(re.fullmatch(r"shade s\d( subject)?", one) for one in found)
    assert "“he”, expected with" in page.text
    assert tables(page, "Share of each token:")
    assert "on the profession, " in page.text


def test_a_token_that_reaches_beyond_the_profession_is_underlined_in_part():
    pieces = shaded("A nurse, who", ((0, 1), (2, 8), (9, 12)), (0.1, 0.6, 0.3), ((2, 7),))
    assert [(one.text, one.level, one.subject) for one in pieces] == [
        ("A", 1, False),
        (" ", 0, False),
        ("nurse", 9, True),
        (",", 9, False),
        (" ", 0, False),
        ("who", 5, False),
    ]
    assert "".join(one.text for one in pieces) == "A nurse, who"


def test_pieces_of_one_character_count_together():
    [piece] = shaded("é", ((0, 1), (0, 1)), (0.4, 0.6), ())
    assert (piece.text, piece.share, piece.level) == ("é", 1.0, 9)


def test_what_is_unscored_is_counted_with_its_reason(page: Page, cell: NextWordCell):
    [table] = tables(page, "after which a group has no chance, by reason")
    assert cell.summary.perturbations["original"].unscored["neutral"]
    assert "theirs: cannot be joined &lt;/script&gt;" in table
    assert "the prompt does not say where its subject stands" in table
    assert "Notes on the estimates of next words" in page.text


def test_a_model_without_answers_is_named(page: Page):
    assert "beta-1b has said nothing about next words" in page.text


def test_an_unfinished_run_says_so(tmp_path: Path):
    run = make_asked_run(tmp_path, saliency=False, unfinished=True, sources={"templates": "template"})
    assert "has not been asked everything yet" in page_of([(run, summarise_run(run))], tmp_path).text


def test_one_source_without_perturbations_is_enough(tmp_path: Path):
    run = make_asked_run(
        tmp_path,
        perturbations=["original"],
        sources={"sentences": "natural"},
        saliency=False,
        professions=PROFESSIONS[:3],
    )
    page = page_of([(run, summarise_run(run))], tmp_path)
    assert "After sentences from a corpus" in page.text
    assert "Tokens shaded" not in page.text
    assert "no sentence to go by" not in page.text
    assert "not found in nature" not in page.text
    [table] = tables(page, "Share of male beside female, P(male)")
    assert "fewer than 5" in table


def test_the_habit_alone_is_enough(tmp_path: Path):
    run = make_asked_run(tmp_path, perturbations=["start", "openers"], saliency=False)
    page = page_of([(run, summarise_run(run))], tmp_path)
    assert "The habit of alpha-135m" in page.text
    assert not tables(page, "The prompts; lengths")


def test_models_and_runs_stand_side_by_side(tmp_path: Path):
    options = {"saliency": False, "sources": {"templates": "template"}, "perturbations": ["original", "person"]}
    first = make_asked_run(tmp_path / "one", models=("alpha-135m", "beta-1b"), **options)  # type: ignore[arg-type]
    second = make_asked_run(tmp_path / "two", chance=toward_he(-1, 0), study="again", **options)  # type: ignore[arg-type]
    page = page_of([(one, summarise_run(one)) for one in (first, second)], tmp_path)
    [table] = tables(page, "Share of male beside female, P(male)")
    for label in ("alpha-135m (next words, one)", "beta-1b", "alpha-135m (again, two)"):
        assert f"<small><bdi>{label}</bdi></small>" in table
        assert f"After templates, {label} expects" in page.text


def test_a_run_of_next_words_alone_has_no_part_on_pairs(page: Page, run: Run):
    assert "stereotyped sentence" not in page.text
    assert "Every pair was scored" not in page.text
    assert not (run.folder / "tables" / "pairs.csv").exists()
    assert "pronouns (male: he, his, him;" in page.text


def test_a_run_of_pairs_alone_has_no_part_on_next_words(tmp_path: Path):
    run = make_run(tmp_path)
    assert "Whom the model expects" not in page_of([(run, summarise_run(run))], tmp_path).text


def test_the_file_of_words_gives_the_same_figures(page: Page, run: Run, summary: RunSummary):
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


def test_what_is_unscored_is_blank_in_the_file_and_never_zero(page: Page, run: Run):
    with (run.folder / "tables" / "next_words.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    blank = [row for row in rows if row["unscored"]]
    assert blank
    assert all(row["probability"] == row["logprob"] == "" for row in blank)
    assert all(float(row["probability"]) > 0 for row in rows if not row["unscored"])
    unmade = [row for row in blank if "does not say where its subject" in row["unscored"]]
    assert {row["perturbation"] for row in unmade} == {"person", "deleted", "hidden", "man", "woman"}


def test_the_file_of_estimates_holds_every_part(page: Page, run: Run, cell: NextWordCell):
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
    assert count_rows(tmp_path / "next_words.parquet")


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_hostile_labels_in_figures_are_text(layout):
    found = Estimate(0.6, 0.5, 0.7, n=9)
    axis = share_axis(lambda found: (HOSTILE, HOSTILE), HOSTILE, HOSTILE)
    drawings = [
        dots(
            [DotBlock((DotRow(HOSTILE, (found, replace(found, low=None, high=None), None)),), HOSTILE)],
            [HOSTILE] * 3,
            axis,
            layout,
        ),
        histograms([HistogramPanel(HOSTILE, ((1, 2), (0, 3)), 0.4)], (HOSTILE, HOSTILE), HOSTILE, layout),
        scatter([ScatterPanel(HOSTILE, (ScatterPoint(HOSTILE, 0.2, 0.9),), (2.0, -0.2))], HOSTILE, HOSTILE, layout),
    ]
    for drawing in drawings:
        svg = to_svg(drawing)
        assert "<img" not in svg
        assert "&lt;/script&gt;" in svg


def test_saliency_names_its_method_and_what_it_leaves_over(page: Page, cell: NextWordCell):
    [table] = tables(page, "Share of the saliency (integrated-gradients)")
    assert "Residue" in table
    for found in cell.saliency.values():
        assert f'data-sort="{found.value!r}"' in table


def test_a_lean_that_is_not_beyond_chance_after_correction_is_no_finding(tmp_path: Path):
    run = make_asked_run(tmp_path, sources={"templates": "template"}, perturbations=["original"], saliency=False)
    [group] = reading_groups(make_series([(run, summarise_run(run))]))
    [reading] = group.of_prompts
    found = reading.cell.summary.perturbations["original"]
    share = replace(found.overall.pairs["male/female"]["share"], p_adjusted=0.2)
    pairs = {"male/female": {**found.overall.pairs["male/female"], "share": share}}
    unsure = replace(
        reading.cell.summary,
        perturbations={"original": replace(found, overall=replace(found.overall, pairs=pairs))},
    )
    changed = replace(group, of_prompts=(replace(reading, cell=replace(reading.cell, summary=unsure)),))
    [first] = next_word_headline(changed, "alpha-135m").findings
    assert "may expect" in first.sentence
    assert "not beyond chance" in first.sentence
