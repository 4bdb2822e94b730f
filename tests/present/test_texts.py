"""The section on what a model writes about each group."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.present.completions import DECODINGS, MadeUp, make_rated_run
from tiltmeter.parquet import parquet_rows
from tiltmeter.present.blocks import Chart, Listing, Notice, Section, Table, TableCell, as_json, each, from_json
from tiltmeter.present.html import fragment
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.texts.examples import _about_others
from tiltmeter.present.sections.texts.groups import wider
from tiltmeter.present.sections.texts.of_run import texts_of
from tiltmeter.present.sections.texts.section import texts
from tiltmeter.present.words import p_value, percent, signed
from tiltmeter.records import Decoding, Estimate, Prompt, Rating
from tiltmeter.results import RunSummary, boards, summarise_run
from tiltmeter.results.findings.findings import Findings
from tiltmeter.results.summary.refusals import GroupRefusals
from tiltmeter.results.tables import write_parquet, write_tables
from tiltmeter.results.texts import RatedText
from tiltmeter.store import Run

pytestmark = pytest.mark.slow

FEW = DECODINGS[:2]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run")
    return make_rated_run(folder, biases=("gender", "religion"), sources=("own-prompts", "bold"), decodings=FEW)


@pytest.fixture(scope="module")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)


@pytest.fixture(scope="module")
def shown(run: Run, summary: RunSummary) -> list[Section]:
    return texts(reported((run, summary)))


def reported(*runs: tuple[Run, RunSummary]) -> Reported:
    return Reported.of(runs, Findings((), 0))


def sections_of(run: Run) -> list[Section]:
    return texts(reported((run, summarise_run(run))))


def table(shown: Sequence[Section], caption: str) -> Table:
    [found] = [one for one in each(shown, Table) if caption in one.caption]
    return found


def charts(shown: Sequence[Section], name: str) -> list[Chart]:
    return [one for one in each(shown, Chart) if one.name.startswith(f"{name} ")]


def rows_of(chart: Chart) -> list[dict[str, Any]]:
    """The data of all layers of a chart."""

    def found(part: Any) -> Iterator[dict[str, Any]]:
        if isinstance(part, Mapping):
            yield from part.get("values", ()) if "values" in part else ()
            for one in part.values():
                yield from found(one)
        elif isinstance(part, list | tuple):
            for one in part:
                yield from found(one)

    return [row for row in found(chart.spec) if isinstance(row, dict)]


def cells_of(found: Table) -> list[TableCell]:
    return [cell for row in found.rows for cell in row]


def test_the_table_has_the_numbers_of_the_summary(shown: list[Section], summary: RunSummary):
    found = {cell.sort: cell for cell in cells_of(table(shown, "“women” minus that of texts about “men”"))}
    assert summary.continuations
    cells = [cell for cell in summary.continuations.cells if cell.bias == "gender"]
    assert len(cells) == 2 * 2 * 6
    for cell in cells:
        pair = cell.summary.pair("women", "men")
        shown_cell = found[repr(pair.difference.value)]
        assert f"{signed(pair.difference.low, 3)} to {signed(pair.difference.high, 3)}" in shown_cell.small
        assert ("ratio" in shown_cell.small) == bool(pair.ratio and pair.ratio.value is not None)
        assert f"{pair.difference.n_unscored} not rated" in shown_cell.small
        assert ("≈" in shown_cell.text) == bool(cell.within_tilt)
        assert shown_cell.place == {
            "view": "continuations",
            "model": cell.model,
            "source": cell.source,
            "bias": "gender",
            "rater": cell.rater,
            "decoding": str(FEW.index(cell.decoding)),
            "group": "women",
            "other": "men",
        }


def test_raters_that_point_to_opposite_groups_are_marked_and_their_quality_is_beside_them(shown: list[Section]):
    found = table(shown, "“women” minus that of texts about “men”")
    assert any(cell.mark == "opposed" for cell in cells_of(found))
    heads = {one.label: one.small for one in found.columns}
    assert "59" in heads["regard minilm"] and "55–63" in heads["regard minilm"]
    assert "lower is worse" in heads["regard minilm"]
    assert "not measured" in heads["readability fog"]


def test_more_than_three_pairs_of_groups_show_the_widest_and_name_it(shown: list[Section], summary: RunSummary):
    assert "“Christians” − “Muslims”" in str(table(shown, "The largest difference between two groups"))
    assert summary.continuations
    [board] = [one for one in boards(summary.continuations, {}) if one.bias == "religion"]
    assert board.widest
    for reading in board.readings.values():
        largest = max(abs(pair.difference.value or 0) for pair in reading.cell.summary.pairs)
        assert abs(reading.pair.difference.value or 0) == largest


def test_the_comparisons_of_a_spec_have_a_table_each(summary: RunSummary):
    assert summary.continuations
    named = [("Muslims", "Christians"), ("Jews", "Muslims")]
    found = [one for one in boards(summary.continuations, {"religion": named}) if one.bias == "religion"]
    assert [(one.a, one.b) for one in found] == named
    for reading in found[0].readings.values():
        own = reading.cell.summary.pair("Christians", "Muslims").difference
        assert reading.pair.difference.value == -(own.value or 0.0)
        assert (reading.pair.difference.low, reading.pair.difference.high) == (-(own.high or 0), -(own.low or 0))


def test_every_chart_says_in_words_what_it_shows(shown: list[Section]):
    found = list(each(shown, Chart))
    assert {one.name.split()[0] for one in found} >= {"raters", "new", "samples", "groups", "highest", "refusals"}
    assert all(one.title and one.alternative and one.spec["layer"] for one in found)


def test_refusals_and_empty_texts_are_counted_by_group(shown: list[Section], summary: RunSummary):
    assert summary.continuations
    refusals = next(one for one in summary.continuations.refusals if one.bias == "gender")
    assert refusals.groups["women"].share.value == 0.25 and refusals.groups["men"].share.value == 0
    counts = {row[0].text: row for row in reversed(table(shown, "Refused and missing texts, by group").rows)}
    assert counts["“women”"][3].sort == "0.25"
    assert int(counts["“women”"][4].sort) == sum(refusals.groups["women"].missing.values()) > 0
    tests = table(shown, "Is one group refused more often?")
    assert any(row[1].sort == "0.25" for row in tests.rows)


def test_where_fewer_refusals_have_the_wider_interval_the_page_says_so() -> None:
    def refused(value: float, high: float) -> GroupRefusals:
        return GroupRefusals(96, round(96 * value), Estimate(value, 0.0, high), {})

    none, one, two = refused(0.0, 0.194), refused(1 / 96, 0.210), refused(2 / 96, 0.127)
    assert wider([none, one, two]) and wider([none, two]) and not wider([none, one]) and not wider([one, one])


def test_texts_without_a_rating_are_counted_by_reason_and_group(shown: list[Section], summary: RunSummary):
    assert summary.continuations
    found = table(shown, "by reason, group and rater")
    raters = [one.label for one in found.columns[2:]]
    other = {row[1].text: row for row in found.rows if row[0].text == "The label is other"}
    lost = sum(
        cell.summary.groups["women"].unrated["the label is other"]
        for cell in summary.continuations.cells
        if (cell.bias, cell.rater) == ("gender", "regard.minilm.v2")
    )
    assert int(other["“women”"][2 + raters.index("regard minilm")].sort) == lost > 0
    assert other["“women”"][1].place and other["“women”"][1].place["reason"] == "the label is other"


def test_means_have_label_shares_and_bounds(shown: list[Section]):
    found = table(shown, "Mean rating of each group under every choice")
    at = {one.label: place for place, one in enumerate(found.columns)}
    regard = [row for row in found.rows if row[at["Rater"]].text == "regard minilm"]
    assert regard and all("negative" in row[at["Labels"]].text for row in regard)
    assert all(row[at["Mean if all were rated"]].text for row in regard if row[at["Not rated"]].sort != "0")


def test_sections_can_be_kept_and_read_again(shown: list[Section]):
    assert from_json(as_json(shown[0])) == shown[0]
    written = str(fragment(shown))
    assert "&lt;img src=x" in written and "<img" not in written, "a name is data, whatever it holds"


def test_beams_and_temperature_have_curves_of_their_own(tmp_path: Path):
    decodings = [Decoding(temperature=0.0, beams=beams, max_new_tokens=10) for beams in (1, 2, 4)]
    shown = sections_of(make_rated_run(tmp_path, decodings=decodings, raters=("toxicity.linear.v1",)))
    assert len(charts(shown, "beams")) == 1 and not charts(shown, "temperature")


def test_one_beam_is_greedy_search_and_not_sampling(tmp_path: Path):
    decodings = [
        Decoding(temperature=0.0, max_new_tokens=10),
        Decoding(temperature=1.0, max_new_tokens=10),
        Decoding(temperature=0.0, beams=4, max_new_tokens=10),
    ]
    run = make_rated_run(tmp_path, decodings=decodings, raters=("sentiment.vader.v1",))
    summary = summarise_run(run)
    assert summary.continuations
    greedy = summary.continuations.cells[0]
    assert greedy.decoding == decodings[0]
    [chart] = charts(texts(reported((run, summary))), "beams")
    assert f"{signed(greedy.summary.pairs[0].difference.value, 3)} at 1," in chart.alternative


def test_the_k_highest_are_shown_where_the_first_decoding_has_one_sample(tmp_path: Path):
    decodings = [Decoding(temperature=heat, max_new_tokens=10) for heat in (0.0, 1.0)]
    shown = sections_of(make_rated_run(tmp_path, decodings=decodings, raters=("toxicity.linear.v1",)))
    names = {chart.name.split(" alpha")[0] for chart in charts(shown, "highest")}
    assert names == {"highest", "highest difference", "highest ratio"}


def test_ratios_are_curves_with_intervals_where_ratings_have_a_ratio(tmp_path: Path):
    decodings = [Decoding(temperature=heat, top_p=cut, max_new_tokens=10) for heat in (0.6, 1.0) for cut in (0.9, 1.0)]
    run = make_rated_run(tmp_path, decodings=decodings, raters=("toxicity.linear.v1", "sentiment.vader.v1"))
    summary = summarise_run(run)
    assert summary.continuations
    shown = texts(reported((run, summary)))
    pairs = {cell.decoding: cell.summary.pairs[0] for cell in summary.continuations.cells if "linear" in cell.rater}
    for axis in ("temperature", "top p"):
        [chart] = charts(shown, f"ratio by {axis}")
        drawn = {row["value"] for row in rows_of(chart) if "value" in row}
        assert drawn == {pair.ratio.value for pair in pairs.values() if pair.ratio}, "each of the four once"
        assert "sentiment vader" not in chart.alternative
        assert "No ratio for sentiment vader" in "".join(span.text for span in chart.caption)
        assert sum("low" in row and "segment" in row for row in rows_of(chart)) > 0, "with intervals"


def test_several_groups_against_one_are_lines_of_one_chart(tmp_path: Path):
    made = make_rated_run(
        tmp_path, biases=("religion",), decodings=FEW, raters=("toxicity.linear.v1", "sentiment.vader.v1")
    )
    resolved = {**made.meta["resolved"], "continuations": {"reference": ["Muslims"]}}
    run = replace(made, meta={**made.meta, "resolved": resolved})
    shown = sections_of(run)
    assert not charts(shown, "top k")
    [ratios] = [one for one in charts(shown, "ratio by new tokens") if " against " in one.name]
    assert len({row["series"] for row in rows_of(ratios) if "value" in row}) == 3
    [differences] = [one for one in charts(shown, "new tokens") if " against " in one.name]
    assert "toxicity" not in differences.alternative, "what has a ratio is not shown twice"
    [own] = [one for one in charts(shown, "ratio by new tokens") if " against " not in one.name]
    assert own.name.endswith("Christians Muslims"), "the first pair has curves of its own, under every other setting"


def test_the_setting_that_is_varied_alone_has_its_chart_against_the_reference(tmp_path: Path):
    decodings = [Decoding(0.6, max_new_tokens=10), Decoding(max_new_tokens=10), Decoding(top_k=40, max_new_tokens=10)]
    made = make_rated_run(tmp_path, biases=("religion",), decodings=decodings, raters=("toxicity.linear.v1",))
    resolved = {**made.meta["resolved"], "continuations": {"reference": ["Muslims"]}}
    shown = sections_of(replace(made, meta={**made.meta, "resolved": resolved}))
    [chart] = [one for one in charts(shown, "ratio by top k") if " against " in one.name]
    assert {row["x"] for row in rows_of(chart) if "value" in row} == {0, 40}, "at temperature 1, where both are"


def test_the_threshold_stands_beside_what_is_above_it(tmp_path: Path):
    run = make_rated_run(tmp_path, decodings=FEW[:1], raters=("toxicity.linear.v1", "toxicity.tiny.v1"))
    found = table(sections_of(run), "The highest ratings")
    assert {(row[1].text, row[2].text) for row in found.rows} == {("toxicity linear", "0.5"), ("toxicity tiny", "0.7")}


def test_refusals_stand_beside_every_result_on_chat_models(tmp_path: Path):
    ways = [replace(FEW[0], form=form) for form in ("text", "chat")]
    run = make_rated_run(tmp_path, decodings=ways, raters=("sentiment.vader.v1", "refusal.v5"))
    summary = summarise_run(run)
    assert summary.continuations
    shown = texts(reported((run, summary)))
    notes = ["".join(span.text for span in line) for one in each(shown, Listing) for line in one.items]
    said = [note for note in notes if "Refused" in note]
    assert len(said) == 2, "one for each way of asking"
    for note, found in zip(said, summary.continuations.refusals, strict=True):
        [pair] = found.pairs
        assert f"asked as {found.asking['form']}" in note
        assert percent(found.groups["women"].share.value) in note
        assert signed(100 * (pair.difference.value or 0.0), 1) in note and p_value(pair.difference.p_adjusted) in note


def test_bad_texts_that_are_about_others_are_shown(tmp_path: Path):
    """Table 2 of Akyürek et al.: what is toxic need not be about those whom the prompt names."""
    run = make_rated_run(tmp_path, decodings=FEW[:1], raters=("toxicity.linear.v1", "sentiment.vader.v1"))
    [*texts_found] = texts_of(reported((run, summarise_run(run))))
    assert run.continuations
    [one, *_] = [each for each in run.continuations.texts("alpha-135m", FEW[0]) if each.text.strip()]

    def rated(toxicity: float, tone: float, about: float) -> RatedText:
        values = {"toxicity.linear.v1": toxicity, "sentiment.vader.v1": tone, "about.parse.v1": about}
        return RatedText("alpha-135m", one, {name: Rating(name, value) for name, value in values.items()})

    every = [rated(0.9, 0.5, 1.0), rated(0.8, 0.5, 0.5), rated(0.4, -0.5, 0.0), rated(0.95, -0.9, 0.0)]
    [found] = _about_others(every, texts_found[0])
    titles = [title for title, _ in found.entries]
    assert titles == ["toxicity linear: 2 such texts", "sentiment vader: 2 such texts"]
    numbers = [[example.number for example in shown] for _, shown in found.entries]
    assert numbers[0] == ["toxicity linear 0.95; about parse 0.00", "toxicity linear 0.80; about parse 0.50"]
    assert [number.split(";")[0] for number in numbers[1]] == ["sentiment vader −0.90", "sentiment vader −0.50"]
    without = [each._replace(ratings={"toxicity.linear.v1": each.ratings["toxicity.linear.v1"]}) for each in every]
    assert not list(_about_others(without, texts_found[0])), "nobody said what the texts are about"


def test_every_bias_has_its_curve_over_samples(shown: list[Section], summary: RunSummary):
    assert summary.continuations
    assert {curve.cell.bias for curve in summary.continuations.sizes} == {"gender", "religion"}
    assert len(charts(shown, "samples")) == len(charts(shown, "ratio by samples")) == 2


def test_runs_are_told_apart_by_study_and_folder(tmp_path: Path):
    runs = [
        make_rated_run(tmp_path / name, decodings=FEW[:1], raters=("sentiment.vader.v1",), samples=1) for name in "ab"
    ]
    shown = texts(reported(*((run, summarise_run(run)) for run in runs)))
    assert [one.anchor for one in shown] == ["texts", "texts-1"]
    assert ["synthetic, a" in shown[0].title, "synthetic, b" in shown[1].title] == [True, True]


def test_a_run_without_any_rating_shows_no_table_of_ratings(tmp_path: Path):
    [shown] = sections_of(make_rated_run(tmp_path, raters=(), decodings=FEW[:1]))
    assert not list(each([shown], Table)) and not list(each([shown], Chart))


def test_a_group_of_which_nothing_was_rated_has_no_number(tmp_path: Path):
    run = make_rated_run(tmp_path, decodings=FEW[:1], raters=("sentiment.vader.v1",), openers=1, samples=1)
    found = table(sections_of(run), "“women” minus")
    assert found.rows[0][1].text == "–" and "2 not rated" in found.rows[0][1].small


def test_what_is_not_finished_is_a_notice(run: Run, tmp_path: Path):
    own = make_rated_run(tmp_path, decodings=FEW[:1], raters=("sentiment.vader.v1",), samples=1)
    assert not list(each(sections_of(own), Notice))
    half = replace(own, meta={**own.meta, "all_rated": False})
    assert len(list(each(sections_of(half), Notice))) == 1
    more = {**own.meta, "resolved": {**own.meta["resolved"], "models": ["alpha-135m", "hf:bert"]}}
    [notice] = each(sections_of(replace(own, meta=more)), Notice)
    assert "hf:bert" in str(notice)


def test_prompts_that_cannot_be_masked_are_counted_where_regard_is_rated(tmp_path: Path):
    class Bare(MadeUp):
        @cached_property
        def prompts(self) -> tuple[Prompt, ...]:
            return tuple(replace(prompt, term="", group_spans=()) for prompt in super().prompts)

    for rater, noticed in (("regard.minilm.v2", 1), ("sentiment.vader.v1", 0)):
        run = make_rated_run(tmp_path / rater, decodings=FEW[:1], raters=(rater,))
        bare = replace(run, continuations=Bare(decodings=FEW[:1], raters=(rater,)))
        found = list(each(sections_of(bare), Notice))
        assert len(found) == noticed and all("24 of 24 prompts" in str(one) for one in found)


def test_tables_as_files_hold_every_comparison(run: Run, summary: RunSummary, tmp_path: Path):
    assert summary.continuations
    names = [path.name for path in write_parquet(run, summary, tmp_path)]
    assert names == [
        f"{name}.parquet" for name in ("dropped", "groups", "comparisons", "refusals", "words", "completions")
    ]
    assert len(list(parquet_rows(tmp_path / "comparisons.parquet"))) == sum(
        len(cell.summary.pairs) for cell in summary.continuations.cells
    )
    write_tables(run, summary, tmp_path)
    [path] = tmp_path.rglob("comparisons.csv")
    rows = list(csv.DictReader(path.open(newline="")))
    cell = summary.continuations.cells[0]
    assert float(rows[0]["value"]) == cell.summary.pairs[0].difference.value
    assert rows[0]["within_tilt"] == str(int(bool(cell.within_tilt)))
