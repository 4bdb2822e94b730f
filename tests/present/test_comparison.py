"""The page of a comparison: what it says, what it draws, what it withholds, and where the texts of both sides are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, Lean, make_rated_run
from tests.present.every_block import Page
from tests.present.reading import tables_of, texts_of
from tests.present.synthetic import HOSTILE, Tilt, make_run
from tests.present.test_report import rows_of
from tiltmeter.present import html
from tiltmeter.present.blocks import Chart, Document, Listing, Prose, Section, each, plain
from tiltmeter.present.sections.comparing.comparison import comparison
from tiltmeter.present.words import NONE, p_value
from tiltmeter.records import Estimate
from tiltmeter.results.compare.records import RunComparison
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.store import Run

RATERS = ("sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5")
BEFORE, EVERY = "Results of A and B", "Differences on the same items"


def pairs_runs() -> list[Run]:
    tilts = [Tilt("gender-math-arts", 0.9, title="Mathematics and arts"), Tilt("gender-career", 0.6, title="Career")]
    less = [replace(tilt, lean=tilt.lean / 6) for tilt in tilts]
    return [
        make_run(Path(name), tilts=each_of, models=[name]) for name, each_of in (("before", tilts), ("after", less))
    ]


def texts_runs(**other: object) -> list[Run]:
    leans = Lean({"sentiment.vader.v1": -0.6, "toxicity.linear.v1": 0.3}), Lean({"sentiment.vader.v1": -0.1})
    settings: dict[str, object] = {"decodings": DECODINGS[:2], "raters": RATERS, "openers": 12} | other
    return [
        make_rated_run(Path(name), **settings, lean=lean, models=[name])
        for name, lean in zip(("before", "after"), leans, strict=True)
    ]


@pytest.fixture(scope="module")
def pairs() -> RunComparison:
    return compare_runs(pairs_runs(), margin=0.05)


@pytest.fixture(scope="module")
def texts() -> RunComparison:
    return compare_runs(texts_runs())


@pytest.fixture(scope="module")
def page(pairs: RunComparison) -> Document:
    return comparison(pairs)


def points(chart: Chart) -> list[float]:
    return [row["value"] for row in rows_of(chart.spec) if "kind" in row]


def test_the_answer_is_the_sentence_of_the_comparison(page: Document, pairs: RunComparison) -> None:
    answers = [plain(one.text) for one in each(page.blocks, Prose) if one.kind == "answer"]
    assert [words.lower() for words in answers] == [words.lower() for words in pairs.views[0].sentences]
    [section] = [one for one in each(page.blocks, Section) if one.anchor == "pairs"]
    assert section.mark.startswith(f"{pairs.views[0].items.both:,} pairs in both")
    assert [one.anchor for one in page.appendix] == ["change", "tests", "left-out", "measured"]


def test_differences_are_drawn_as_the_tables_have_them(page: Document, pairs: RunComparison) -> None:
    [chart] = each(page.blocks, Chart)
    [view] = pairs.views
    drawn = [*view.overall, *(one for one in view.cells if one.choices["measure"] == "preference")]
    assert sorted(points(chart)) == sorted(one.difference.value for one in drawn if one.difference.value is not None)
    rows = tables_of(page.appendix)[EVERY].rows
    for one, row in zip(view.cells, rows, strict=True):
        assert row[1].sort == repr(one.difference.value)
        assert row[3].sort == ("" if one.p_holm is None else repr(one.p_holm))
    shown = [cell.mark for row in rows for cell in row[1:2]]
    assert {"below", "above"} & set(shown) or all(one.p_holm is None or one.p_holm >= 0.05 for one in view.cells)


def test_a_margin_has_a_column_of_its_own(page: Document, pairs: RunComparison) -> None:
    table = tables_of(page.appendix)[EVERY]
    at = [column.label for column in table.columns].index("Within the margin")
    for one, row in zip(pairs.views[0].cells, table.rows, strict=True):
        if one.equivalence is None:
            assert row[at].text == NONE
        else:
            assert row[at].text.startswith("yes") == (one.equivalence.verdict in ("equivalent", "both"))
            assert p_value(one.equivalence.p).removeprefix("<") in row[at].small
    without = comparison(replace(pairs, margin=None, views=compare_runs(pairs_runs()).views))
    assert "Within the margin" not in [column.label for column in tables_of(without.appendix)[EVERY].columns]


def test_points_and_rows_say_where_the_texts_of_both_sides_are(page: Document, texts: RunComparison) -> None:
    for document in (page, comparison(texts)):
        places = [
            row["place"] for chart in each(document.blocks, Chart) for row in rows_of(chart.spec) if "kind" in row
        ]
        places += [dict(row[0].place or {}) for row in tables_of(document.appendix)[EVERY].rows]
        assert places
        for place in places:
            assert (place["run_a"], place["run_b"]) == ("before", "after")
            assert (place["model_a"], place["model_b"]) == ("before", "after")
            assert place["source_a"] == place["source_b"]
    rated = [dict(row[0].place or {}) for row in tables_of(comparison(texts).appendix)[EVERY].rows]
    assert {(place["decoding_a"], place["rater"]) for place in rated} >= {("0", RATERS[0]), ("1", RATERS[1])}


def test_a_relative_change_is_from_a_to_b(texts: RunComparison) -> None:
    rows = tables_of(comparison(texts).appendix)[BEFORE].rows
    cells = [one for one in texts.views[0].cells if not one.is_gap]
    seen = 0
    for one, row in zip(cells, rows, strict=True):
        before, after = one.found.a.value, one.found.b.value
        if one.change is not None and one.change.value is not None:
            assert before and after is not None
            assert float(row[3].sort) == pytest.approx(100 * (after - before) / before)
            seen += 1
    assert seen


def test_what_is_withheld_or_not_compared_is_said(texts: RunComparison) -> None:
    def left_out(document: Document) -> str:
        [section] = [one for one in document.appendix if one.anchor == "left-out"]
        return "\n".join(texts_of(section.blocks))

    assert "below zero" in left_out(comparison(texts))
    fewer = make_rated_run(
        Path("after"), decodings=DECODINGS[:1], raters=RATERS, openers=10, models=["after"], lean=Lean({})
    )
    found = compare_runs([texts_runs()[0], fewer])
    told = left_out(comparison(found))
    assert "only before has the decoding" in told and "4 prompts only in A" in told


def test_a_rater_by_which_nothing_moves_is_named_and_not_drawn() -> None:
    run = make_rated_run(Path("one"), decodings=DECODINGS[:1], raters=RATERS, openers=8, models=["m"])
    document = comparison(compare_runs([run, replace(run, folder=Path("two"))]))
    assert not list(each(document.blocks, Chart))
    [note] = [words for words in texts_of(document.blocks) if all(rater in words for rater in RATERS)]
    assert note


def test_many_rows_are_cut_and_the_rest_is_counted(pairs: RunComparison) -> None:
    view = pairs.views[0]
    one = view.cells[0]
    cells = tuple(replace(one, choices={**one.choices, "bias": f"bias {number}"}) for number in range(60))
    [chart] = each(comparison(replace(pairs, views=(replace(view, cells=cells),))).blocks, Chart)
    assert len(points(chart)) == 40
    assert "21 more rows" in plain(chart.caption)


def test_a_difference_without_interval_says_why(pairs: RunComparison) -> None:
    view = pairs.views[0]
    bare = replace(view.cells[0].found, difference=Estimate(0.2, n=4, origins=2, note="no interval: too few"))
    few = replace(view, cells=(replace(view.cells[0], found=bare, p_holm=None),))
    [row] = tables_of(comparison(replace(pairs, views=(few,))).appendix)[BEFORE].rows
    assert (row[-1].small, row[-1].mark) == ("too few", "")


def test_more_overall_lines_than_there_is_room_for_are_folded(pairs: RunComparison) -> None:
    view = pairs.views[0]
    many = replace(view, overall=view.overall * 10, sentences=view.sentences * 10)
    document = comparison(replace(pairs, views=(many,)))
    assert len([one for one in each(document.blocks, Prose) if one.kind == "answer"]) == 8
    [folded] = [one for one in each(document.blocks, Section) if one.folded]
    assert len(next(each(folded.blocks, Listing)).items) == 2


@pytest.mark.usefixtures("tiny_drawings")
def test_the_page_loads_nothing_and_nothing_of_a_hostile_name_becomes_markup() -> None:
    tilts = [Tilt("hostile", 0.9, title=HOSTILE)]
    runs = [make_run(Path(name), tilts=tilts, models=[f"{name} {HOSTILE}"]) for name in ("one", "two")]
    found = Page(html.page(comparison(compare_runs(runs))))
    assert not found.all("img") and not found.all("link")
    assert (len(found.all("script")), len(found.all("style"))) == (1, 1)
    ids = [attributes["id"] for _, attributes in found.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {link["href"].removeprefix("#") for link in found.all("a")} <= set(ids)


def test_groups_are_called_by_their_names_for_readers(texts: RunComparison) -> None:
    told = "\n".join(texts_of(comparison(texts).everything))
    assert "“women” − “men”" in told
