"""Rows of the results by hand: what filters let through, what is said of a row, and which texts it opens."""

from __future__ import annotations

from typing import Any

import pytest

from tiltmeter.web.results.charts import chart_of
from tiltmeter.web.results.curves import Verdict, verdict_sentence
from tiltmeter.web.results.found import Filters, texts_address
from tiltmeter.web.results.rows import Results, of_all, tip
from tiltmeter.web.results.views import view_rows, views_shown

ESTIMATE = {"value": 0.25, "low": 0.125, "high": 0.5, "level": 0.95, "p": 0.01, "p_adjusted": 0.02, "n": 40}
ESTIMATE |= {"n_unscored": 2, "origins": 8}
NAMES = {"biases": {"gender": "Gender"}, "raters": {}, "scorers": {"causal.sum.v1": "sum"}, "decodings": []}


def results(found: dict[str, Any], **chosen: str) -> Results:
    return Results("a run", {"names": NAMES, **found}, Filters.of(chosen))


def verdict(strength: str, *, check: bool = False) -> Verdict:
    return Verdict(0, "t", "", strength, "", "1 of 2", 0, "0.5", check, "/part", "/page")


@pytest.mark.parametrize(
    ("chosen", "row", "fits"),
    [
        ({}, {"model": "a"}, True),
        ({"model": "b"}, {"model": "a"}, False),
        ({"model": "b"}, {"rater": "r"}, True),
        ({"decoding": "1"}, {"decoding": 1}, True),
        ({"decoding": "1"}, {"decoding": 10}, False),
        ({"bias": "bold/gender"}, {"bias": "gender"}, True),
        ({"bias": "gender"}, {"bias": "gender-math-arts"}, False),
        ({"view": "next-words"}, {"view": "next words"}, True),
        ({"scorer": "every"}, {"scorer": "causal.sum.v1"}, True),
        ({"scorer": "causal.mean.v1"}, {"scorer": "causal.sum.v1"}, False),
    ],
)
def test_a_row_fits_where_it_says_what_was_chosen_or_nothing_of_it(
    chosen: dict[str, str], row: dict[str, Any], fits: bool
):
    assert Filters.of(chosen).fit(row) is fits


def test_only_filters_are_taken_from_an_address():
    assert Filters.of({"model": "a", "page": "3", "bias": ""}).chosen == {"model": "a"}


def test_names_in_an_address_cannot_leave_it():
    address = texts_address("../a?b", "pairs", model="x&order=lowest", bias=None, source="")
    assert address == "/runs/..%2Fa%3Fb/texts/part?view=pairs&model=x%26order%3Dlowest"


def test_words_of_a_row_have_interval_p_n_and_unscored():
    words = tip(ESTIMATE, "women", "+0.250", "text")
    assert words.split("\n") == ["women", "+0.250 (+0.125 to +0.500)", "corrected p 0.020", "40 texts, 2 unscored"]


def test_words_of_a_row_say_why_there_is_no_interval():
    row = {**ESTIMATE, "low": None, "high": None, "p_adjusted": None, "note": "no interval: fewer than 5 origins"}
    assert "+0.250 (no interval: fewer than 5 origins)" in tip(row, "women", "+0.250", "text")


@pytest.mark.parametrize(
    ("strengths", "sentence"),
    [
        ([], "No question about a social bias could be asked of what is shown here."),
        (["survives"], "The one question has an answer that survives other choices."),
        (["mixed"], "The one question has no answer that survives other choices."),
        (["survives", "mixed"], "1 of 2 questions has an answer that survives other choices; 1 mixed."),
        (["no evidence"] * 2, "None of 2 questions have an answer that survives other choices; 2 without evidence."),
        (["survives"] * 2, "2 of 2 questions have an answer that survives other choices."),
    ],
)
def test_how_many_conclusions_survive(strengths: list[str], sentence: str):
    shown = [verdict(one) for one in strengths] + [verdict("survives", check=True)]
    assert verdict_sentence(shown) == sentence


READING = {"model": "m", "bias": "gender", **ESTIMATE, "note": None}
VIEWS = {
    "views": {
        "sentence": "In none of 1 bias do two views lie on opposite sides.",
        "readings": [{**READING, "view": "pairs"}, {**READING, "view": "writing, ratings", "value": None}],
        "apart": [],
    }
}


def test_views_of_a_bias_stand_side_by_side_and_open_their_own_texts():
    rows = view_rows(results(VIEWS))
    assert [(row["label"], row["series"]) for row in rows] == [("Gender", "pairs"), ("Gender", "writing, ratings")]
    assert [row["open"].partition("?")[2] for row in rows] == [
        "view=pairs&model=m&bias=gender",
        "view=continuations&model=m&bias=gender",
    ]
    assert len(chart_of("views", results(VIEWS), {})["data"]["values"]) == 1


def test_views_are_not_compared_where_one_is_chosen():
    assert views_shown(results(VIEWS)) is not None
    assert views_shown(results(VIEWS, view="pairs")) is None
    assert views_shown(results({"views": None})) is None


def test_structures_of_pairs_are_shares_and_open_the_pairs_of_one():
    line = {
        "bias": "gender",
        "label": "Gender",
        "whole": {**ESTIMATE, "value": 0.6},
        "kept": 0.75,
        "points": [
            {"structure": "form-1", "kind": "declarative", **ESTIMATE, "value": 0.7},
            {"structure": "form-2", "kind": "interrogative", **ESTIMATE, "value": None},
        ],
    }
    strip = {"model": "m", "source": "rephrased", "scorer": "causal.sum.v1", "words": "w", "rows": [line]}
    spec = chart_of("pair-structures", results({"pairs": {"structures": [strip]}}), {"at": "0"})
    (point,) = spec["data"]["values"]
    assert point["shown"].startswith("70.0")
    assert point["open"].endswith("&bias=gender&scorer=causal.sum.v1&structure=form-1")
    assert spec["data"]["values"] != []
    hidden = chart_of("pair-structures", results({"pairs": {"structures": [strip]}}, bias="age"), {"at": "0"})
    assert hidden["data"]["values"] == []


def test_a_sentence_on_everything_says_so_where_filters_hide_some_of_it():
    assert of_all(results({}), "A leans most.") == "A leans most."
    assert of_all(results({}, view="pairs"), "A leans most.") == "A leans most."
    assert of_all(results({}, rater="r"), "A leans most.") == "Of everything in the run: A leans most."


def test_what_people_rate_opens_texts_without_naming_a_rater_that_no_tool_is():
    row = {"model": "m", "source": "s", "bias": "b", "rater": "people.regard"}
    assert "rater" not in results({}).texts("continuations", row, "rater")
    known = {"names": {**NAMES, "raters": {"regard.v1": "regard"}}}
    assert "rater=regard.v1" in results(known).texts("continuations", {**row, "rater": "regard.v1"}, "rater")
