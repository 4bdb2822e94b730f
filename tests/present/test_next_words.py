"""Sections on next words: their figures are those of the summary, and sentences are no stronger than the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.present.next_words import PROFESSIONS, make_asked_run, toward_he
from tests.present.synthetic import HOSTILE, make_run
from tiltmeter.present.blocks import (
    Block,
    Chart,
    Document,
    Examples,
    Notice,
    Prose,
    Section,
    Table,
    TableCell,
    each,
    plain,
)
from tiltmeter.present.html import page
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.asked import topics
from tiltmeter.present.sections.next_words.answers import answers
from tiltmeter.present.sections.next_words.charts import perturbed_chart
from tiltmeter.present.sections.next_words.examples import example_prompts
from tiltmeter.present.sections.next_words.section import next_words
from tiltmeter.present.sections.next_words.tables import missing_table
from tiltmeter.present.shading import shaded
from tiltmeter.present.tables import sort_key
from tiltmeter.records import Estimate
from tiltmeter.results import summarise_run
from tiltmeter.results.findings.findings import Findings
from tiltmeter.results.summary.next_word_cells import NextWordCell
from tiltmeter.sources.labour_files import Occupation
from tiltmeter.sources.word_sets import BUILT_IN
from tiltmeter.store import Run

pytestmark = pytest.mark.slow

LABOUR = tuple(Occupation(name.title(), number / 25, 100.0) for number, name in enumerate(PROFESSIONS[1:9]))


def reported(*runs: Run) -> Reported:
    """Runs without findings, which take long and are not shown here."""
    return Reported.of([(run, summarise_run(run)) for run in runs], Findings((), 0))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    words = {"pronouns": BUILT_IN["pronouns"], "he-she": BUILT_IN["he-she"]}
    folder = tmp_path_factory.mktemp("run")
    return reported(make_asked_run(folder, words=words, bounded=(False, True), labour=LABOUR, silent=("beta-1b",)))


@pytest.fixture(scope="module")
def shown(found: Reported) -> list[Section]:
    return next_words(found)


@pytest.fixture(scope="module")
def cell(found: Reported) -> NextWordCell:
    [(_, summary)] = found.runs
    assert summary.next_words
    return summary.next_words.cells[0]


def part(blocks: list[Section], title: str) -> Section:
    return next(one for one in each(blocks, Section) if one.title.startswith(title))


def sorts(block: Block) -> set[str]:
    """What the cells of all tables sort by, which is their whole number."""
    return {one.sort for one in cells(block)}


def cells(block: Block) -> Iterator[TableCell]:
    for table in each([block], Table):
        for row in table.rows:
            yield from row


def rows_of(chart: Chart) -> list[dict[str, Any]]:
    """The rows of a chart that have a place."""
    return [row for layer in chart.spec["layer"] for row in layer["data"]["values"] if row.get("place")]


def said(lean: float, habit: float, folder: Path, **options: Any) -> str:
    options = {"perturbations": ["original", "person"], "sources": {"templates": "template"}, **options}
    run = make_asked_run(folder, chance=toward_he(lean, habit), saliency=False, **options)
    [topic] = topics(reported(run))
    first = next(answers(topic, topic.labels[0]))
    assert isinstance(first, Prose)
    return plain(first.text)


def test_tables_have_the_figures_of_the_summary(shown: list[Section], cell: NextWordCell) -> None:
    perturbed = sorts(part(shown, "Does the test word"))
    for name, found in cell.summary.perturbations.items():
        measures = found.overall.pairs["male/female"]
        assert {sort_key(measures["share"].value), sort_key(measures["absolute_difference"].value)} <= perturbed
        if name != "original":
            change = cell.summary.contrasts[name]["male/female"]["share"].value
            assert change is not None
            assert sort_key(100 * change) in perturbed
    overall = cell.summary.perturbations["original"].overall.pairs["male/female"]
    assert {sort_key(one.value) for one in overall.values()} <= sorts(part(shown, "Every measure"))
    templates = sorts(part(shown, "By template"))
    for one in cell.summary.perturbations["original"].by_template.values():
        assert sort_key(one.pairs["male/female"]["ratio"].value) in templates
        assert sort_key(one.certainty["highest"].value) in templates
    assert {sort_key(one.value) for one in cell.saliency.values()} <= sorts(part(shown, "Which words influence"))


def test_charts_have_the_figures_of_the_summary_and_places_that_open_texts(
    shown: list[Section], cell: NextWordCell
) -> None:
    [chart] = each(part(shown, "Does the test word").blocks, Chart)
    own = [row for row in rows_of(chart) if row["place"]["source"] == cell.source and "value" in row]
    values = {row["place"]["perturbation"]: row["value"] for row in own}
    share = {name: one.overall.pairs["male/female"]["share"].value for name, one in cell.summary.perturbations.items()}
    assert values == share
    assert {row["place"]["view"] for row in own} == {"next-words"}
    assert {(row["place"]["model"], row["place"]["bias"]) for row in own} == {(cell.model, cell.bias)}
    [strip] = each(part(shown, "Test word by test word").blocks, Chart)
    origins = {row["place"]["origin"] for row in rows_of(strip) if row["place"].get("origin")}
    assert origins == {*PROFESSIONS}


def test_a_group_has_one_colour_in_every_chart(found: Reported) -> None:
    topic = topics(found)[0]
    assert list(topic.colours) == [topic.group(name) for name, _ in topic.sets]
    assert len(set(topic.colours.values())) == 3


def test_histograms_count_every_prompt_once_for_each_group(shown: list[Section], cell: NextWordCell) -> None:
    chart = next(each(part(shown, "Probabilities by group").blocks, Chart))
    asked = [item for item in cell.items if item.perturbation == "original"]
    assert sum(row["count"] for row in rows_of(chart)) == 2 * len(asked)
    # Several words stand for a group: no list of prompts can be filtered by their sum.
    assert not any("word" in row["place"] for row in rows_of(chart))


def test_a_group_of_one_word_opens_the_prompts_of_a_bar(tmp_path: Path) -> None:
    run = make_asked_run(tmp_path, words={"he-she": BUILT_IN["he-she"]}, saliency=False, perturbations=["original"])
    chart = next(each(part(next_words(reported(run)), "Probabilities by group").blocks, Chart))
    assert {row["place"]["word"] for row in rows_of(chart)} == {"he", "she"}
    assert all(float(row["place"]["low"]) < float(row["place"]["high"]) for row in rows_of(chart))


def test_the_most_tilted_test_word_is_first(shown: list[Section]) -> None:
    [table] = each(part(shown, "Every test word: templates").blocks, Table)
    shares = [abs(float(row[1].sort) - 0.5) for row in table.rows]
    assert len(shares) == len(PROFESSIONS)
    assert shares == sorted(shares, reverse=True)


def test_every_two_of_three_groups_are_compared(shown: list[Section]) -> None:
    [table] = each(part(shown, "Every measure").blocks, Table)
    assert len({row[0].text for row in table.rows}) == 3
    # Two sources of prompts, and the model's habit.
    assert len(table.rows) == 9


def test_the_habit_has_the_probability_of_every_group(shown: list[Section], found: Reported) -> None:
    [(_, summary)] = found.runs
    assert summary.next_words
    habit = next(one for one in summary.next_words.cells if one.of_habit)
    without = part(shown, "Without context")
    for one in habit.summary.perturbations.values():
        assert {sort_key(each.value) for each in one.overall.groups.values()} <= sorts(without)
    [chart] = each(without.blocks, Chart)
    assert {row["place"]["perturbation"] for row in rows_of(chart)} == {"start", "openers"}


def test_labour_statistics_are_compared_and_drawn(shown: list[Section], cell: NextWordCell) -> None:
    compared = part(shown, "Compared with labour statistics")
    labour = cell.summary.labour
    assert labour
    assert sort_key(labour["spearman"]["value"]) in sorts(compared)
    chart = next(each(compared.blocks, Chart))
    assert {row["place"]["origin"] for row in rows_of(chart)} == {line["profession"] for line in labour["matched"]}


def test_choices_on_opposite_sides_are_marked(tmp_path: Path) -> None:
    sets = (("male", ("he", "his")), ("female", ("she", "her")))

    def chance(word: str, profession: str, perturbation: str) -> float:
        return {"he": 0.05, "his": 0.3, "she": 0.15, "her": 0.05}[word]

    run = make_asked_run(tmp_path, words={"some": sets}, chance=chance, combine=("sum", "first"), saliency=False)
    [table] = each(part(next_words(reported(run)), "Other words").blocks, Table)
    assert [column.label for column in table.columns[2:]] == ["some, all words", "some, first word"]
    assert [row[1].mark for row in table.rows] == ["opposed"] * 3


def test_what_is_missing_is_counted_by_reason(shown: list[Section], cell: NextWordCell) -> None:
    [table] = each(part(shown, "What is missing").blocks, Table)
    reasons = {row[0].text for row in table.rows}
    assert any(HOSTILE in reason for reason in reasons)
    expected = sum(
        sum(reasons.values()) for one in cell.summary.perturbations.values() for reasons in one.unscored.values()
    )
    own = [row for row in table.rows if row[1].text == cell.source and "pronouns, beginnings" in row[3].text]
    assert sum(int(row[4].sort) for row in own) == expected


def test_examples_mark_the_test_word_and_give_every_share(shown: list[Section]) -> None:
    found = list(each(part(shown, "Which words influence").blocks, Examples))
    assert len(found) == 2
    for _, (prompt, _) in found[0].entries:
        assert any(span.kind == "attribute" for span in prompt.text)
        assert plain(prompt.text).startswith("The ")


def test_hostile_text_stays_text(shown: list[Section]) -> None:
    pytest.importorskip("vl_convert")
    written = page(Document("t", "", (), tuple(shown)))
    assert "<img" not in written
    assert all(re.fullmatch("[a-z0-9-]+", one.name) for one in each(shown, Chart))


def test_models_without_answers_and_unfinished_runs_are_named(shown: list[Section], tmp_path: Path) -> None:
    assert any("beta-1b" in plain(one.text) for one in each(shown, Notice))
    run = make_asked_run(tmp_path, saliency=False, unfinished=True, sources={"templates": "template"})
    assert any("alpha-135m" in plain(one.text) for one in each(next_words(reported(run)), Notice))


def test_the_habit_alone_is_enough(tmp_path: Path) -> None:
    blocks = next_words(reported(make_asked_run(tmp_path, perturbations=["start", "openers"], saliency=False)))
    titles = {one.title for one in each(blocks, Section)}
    assert "Without context" in titles
    assert not titles & {"The prompts", "Does the test word matter?", "Probabilities by group"}


def test_a_run_without_next_words_has_no_section(tmp_path: Path) -> None:
    assert next_words(reported(make_run(tmp_path))) == []


def test_models_of_several_runs_are_side_by_side(tmp_path: Path) -> None:
    options: dict[str, Any] = {"saliency": False, "sources": {"templates": "template"}, "perturbations": ["original"]}
    first = make_asked_run(tmp_path / "one", models=("alpha-135m", "beta-1b"), **options)
    second = make_asked_run(tmp_path / "two", chance=toward_he(-1, 0), study="again", **options)
    [topic] = topics(reported(first, second))
    assert topic.labels == ["alpha-135m (next words, one)", "beta-1b", "alpha-135m (again, two)"]


def test_part_of_a_lean_remains_only_where_both_parts_are_significant(tmp_path: Path) -> None:
    both = said(1.0, 1.0, tmp_path)
    assert re.search(r"of the (\d+) points away from 50\s%, (\d+) remain", both)
    assert "remain" not in said(1.5, 0.0, tmp_path, noise=0.8)
    assert "larger without it" in said(-0.5, 1.5, tmp_path)
    assert "remain" not in said(-3.0, 1.0, tmp_path)
    assert "nothing to do with it" in said(0.0, 1.5, tmp_path)


def test_nothing_is_claimed_without_evidence(tmp_path: Path) -> None:
    for options in ({"noise": 1.0, "perturbations": ["original"]}, {"professions": PROFESSIONS[:3]}):
        sentence = said(0.0, 0.0, tmp_path, **options)
        assert "expects" not in sentence
        assert "more often" not in sentence


def test_a_lean_that_is_not_significant_after_correction_is_no_claim(tmp_path: Path) -> None:
    run = make_asked_run(tmp_path, sources={"templates": "template"}, perturbations=["original"], saliency=False)
    [topic] = topics(reported(run))
    [asked] = topic.every
    found = asked.cell.summary.perturbations["original"]
    pair = found.overall.pairs["male/female"]
    pairs = {"male/female": {**pair, "share": replace(pair["share"], p_adjusted=0.2)}}
    unsure = {"original": replace(found, overall=replace(found.overall, pairs=pairs))}
    changed = replace(asked.cell, summary=replace(asked.cell.summary, perturbations=unsure))
    first = next(answers(replace(topic, every=(replace(asked, cell=changed),)), asked.label))
    assert isinstance(first, Prose)
    assert "may expect" in plain(first.text)


def test_example_prompts_are_chosen_by_number_and_shown_once(tmp_path: Path) -> None:
    options: dict[str, Any] = {"sources": {"templates": "template"}, "saliency": False, "perturbations": ["original"]}
    run = make_asked_run(tmp_path, words={"he-she": BUILT_IN["he-she"]}, chance=toward_he(0, 0), **options)
    found = Reported.of([(run, summarise_run(run))])
    [one] = [one for one in found.findings if one.question.view == "next words"]
    [examples] = example_prompts(one, found)
    texts = [plain(example.text) for _, own in examples.entries for example in own]
    assert len(texts) == len(set(texts)) == 12
    assert all(any(span.kind == "attribute" for span in example.text) for _, own in examples.entries for example in own)
    toward, away, near = ([_share(example.number) for example in own] for _, own in examples.entries)
    assert toward == sorted(toward, reverse=True)
    assert away == sorted(away)
    assert min(toward) > max(near) > min(near) > max(away)


def test_example_prompts_are_the_extremes_of_all_sources(tmp_path: Path) -> None:
    options: dict[str, Any] = {"saliency": False, "perturbations": ["original"], "noise": 1.0}
    both = {"templates": "template", "written": "authored"}
    run = make_asked_run(tmp_path, words={"he-she": BUILT_IN["he-she"]}, sources=both, **options)
    found = Reported.of([(run, summarise_run(run))])
    [one] = [one for one in found.findings if one.question.view == "next words"]
    [examples] = example_prompts(one, found)
    [(_, first), *_] = examples.entries
    shares = [
        values[0] / sum(values)
        for topic in topics(found)
        for asked in topic.prompts
        for item in asked.cell.items
        for values in [[item.chances[group] or 0.0 for group in (one.question.first, one.question.second)]]
    ]
    assert len({asked.cell.source for topic in topics(found) for asked in topic.prompts}) == 2
    assert _share(first[0].number) == pytest.approx(max(shares), abs=0.01)


def test_what_could_not_be_asked_is_neither_drawn_nor_missing(tmp_path: Path) -> None:
    options: dict[str, Any] = {"saliency": False, "perturbations": ["original", "person"]}
    run = make_asked_run(tmp_path, words={"he-she": BUILT_IN["he-she"]}, sources={"templates": "template"}, **options)
    [topic] = topics(reported(run))
    [asked] = topic.prompts
    person = asked.cell.summary.perturbations["person"]
    bare = {pair: dict.fromkeys(each, Estimate(None)) for pair, each in person.overall.pairs.items()}
    unasked = replace(
        person,
        overall=replace(person.overall, pairs=bare),
        unscored={name: {"no subject": 4, "cut off": 1} for name, _ in topic.sets},
    )
    cell = replace(
        asked.cell,
        summary=replace(asked.cell.summary, perturbations={**asked.cell.summary.perturbations, "person": unasked}),
    )
    changed = replace(topic, every=(replace(asked, cell=cell),))
    chart, table = perturbed_chart(changed), missing_table(changed, {"no subject"})
    assert chart is not None and "as it is" in chart.alternative and "person" not in chart.alternative
    assert table is not None and {row[0].text for row in table.rows} == {"cut off"}
    assert {int(row[-1].sort) for row in table.rows} == {len(cell.items) - 4}


def _share(numbers: str) -> float:
    """The share of the first group, from the two probabilities beside a prompt."""
    first, second = (float(number) for number in re.findall(r"[0-9.]+", numbers))
    return first / (first + second)


def test_a_token_that_reaches_beyond_the_test_word_is_marked_in_part() -> None:
    pieces = shaded("A nurse, who", ((0, 1), (2, 8), (9, 12)), (0.1, 0.6, 0.3), ((2, 7),))
    assert [(one.text, one.level, one.subject) for one in pieces] == [
        ("A", 1, False),
        (" ", 0, False),
        ("nurse", 9, True),
        (",", 9, False),
        (" ", 0, False),
        ("who", 5, False),
    ]


def test_pieces_of_one_character_count_together() -> None:
    [piece] = shaded("é", ((0, 1), (0, 1)), (0.4, 0.6), ())
    assert (piece.text, piece.share, piece.level) == ("é", 1.0, 9)


def test_groups_that_nobody_explained_are_in_quotation_marks(tmp_path: Path) -> None:
    sets = {"places": (("urban", ("he",)), ("rural", ("she",)))}
    run = make_asked_run(tmp_path, words=sets, saliency=False, perturbations=["original"])
    [topic] = topics(reported(run))
    assert topic.called == ("“urban”", "“rural”")
    assert not re.search(
        r"(?<!“)\b(urban|rural)\b", " ".join(one.title for one in each(next_words(reported(run)), Chart))
    )
