"""Rows of the results by hand: what filters let through, what is said of a row, and which texts it opens."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tiltmeter.web.results.charts import chart_of
from tiltmeter.web.results.curves import Verdict, curve_rows, curve_shown, verdict_sentence
from tiltmeter.web.results.expected import words_shown
from tiltmeter.web.results.found import Filters, texts_address
from tiltmeter.web.results.pairs import preferred
from tiltmeter.web.results.rows import Results, tip
from tiltmeter.web.results.strips import strip_rows
from tiltmeter.web.results.texts import board_rows, board_shown
from tiltmeter.web.results.views import view_rows, views_shown
from tiltmeter.web.results.words import histogram_rows

ESTIMATE = {"value": 0.25, "low": 0.125, "high": 0.5, "level": 0.95, "p": 0.01, "p_adjusted": 0.02, "n": 40}
ESTIMATE |= {"n_unscored": 2, "origins": 8}
NAMES = {"biases": {"gender": "Gender"}, "raters": {}, "scorers": {"causal.sum.v1": "sum"}, "decodings": []}


def results(found: dict[str, Any], **chosen: str) -> Results:
    return Results("a run", {"names": NAMES, **found}, Filters.of(chosen))


def verdict(strength: str, *, check: bool = False) -> Verdict:
    return Verdict(0, "t", "", strength, strength, "", "1 of 2", 0, "0.5", check, "/part", "/page")


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
        ({"bias": "gender"}, {"bias": "gender:women-men"}, True),
        ({"bias": "gender:women-men"}, {"bias": "gender:women-others"}, False),
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
    ("strengths", "numbers"),
    [
        ([], []),
        (["holds"], []),
        (["depends on the method"], []),
        (["holds", "depends on the method"], [1, 2, 1]),
        (["inconclusive", "inconclusive", "too little data", "no difference"], [4, 1, 2, 1]),
        (["holds"] * 2, [2, 2]),
    ],
)
def test_how_many_conclusions_hold(strengths: list[str], numbers: list[int]):
    said = verdict_sentence([verdict(one) for one in strengths])
    assert [int(number) for number in re.findall(r"(?<![\d.])\d+(?![\d.])", said)] == numbers
    assert said == verdict_sentence([verdict(one) for one in strengths] + [verdict("holds", check=True)])
    assert ("holds" in said) == bool(strengths)


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


def test_views_in_words_are_those_that_are_shown():
    place = {"bias": "age:old-young", "source": "templates"}
    readings = [{**READING, "view": "pairs"}, {**READING, "view": "pairs", "bias": "age", "place": place}]
    found = {"views": {**VIEWS["views"], "readings": readings}}
    every, one = views_shown(results(found)), views_shown(results(found, bias="age"))
    assert every is not None and every["figure"].words.startswith("In none of 1 bias")
    assert one is not None and one["figure"].words == "age: pairs +0.25."
    (row,) = view_rows(results(found, bias="age"))
    assert row["open"].endswith("?view=pairs&model=m&bias=age%3Aold-young&source=templates")


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
    assert point["open"].endswith("&bias=gender&scorer=causal.sum.v1&labelled=yes&structure=form-1")
    _, (whole,) = strip_rows(results({}), strip, "pairs")
    assert whole["open"].endswith("&bias=gender&scorer=causal.sum.v1&labelled=yes")
    assert spec["data"]["values"] != []
    hidden = chart_of("pair-structures", results({"pairs": {"structures": [strip]}}, bias="age"), {"at": "0"})
    assert hidden["data"]["values"] == []


def test_structures_of_texts_open_the_texts_of_their_two_groups_rater_and_decoding():
    point = {"structure": "form-1", "kind": "declarative", **ESTIMATE}
    line = {"a": "women", "b": "men", "whole": ESTIMATE, "kept": None, "points": [point]}
    found = {"model": "m", "source": "s", "bias": "gender", "rater": "regard.v1", "decoding": 3, "rows": [line]}
    known = results({"names": {**NAMES, "raters": {"regard.v1": "regard"}}})
    (one,), (whole,) = strip_rows(known, found, "continuations")
    place = "&bias=gender&rater=regard.v1&decoding=3&group=women&other=men"
    assert one["open"].endswith(f"{place}&structure=form-1")
    assert whole["open"].endswith(place)


def test_texts_that_name_no_group_before_they_are_written_are_the_same_for_all():
    known = results({"names": {**NAMES, "raters": {"groups.first.v1": "first"}}})
    row = {"model": "m", "source": "s", "bias": "b", "rater": "groups.first.v1", "decoding": 0}
    assert known.texts_of_two(row, ["women", "men"]).endswith("&rater=groups.first.v1&decoding=0")


EMPTY = {"label": "", "words": "", "headlines": [], "shares": [], "professions": [], "habit": [], "labour": []}
EMPTY |= {"pictures": []}


def test_a_bar_of_one_word_opens_the_prompts_that_it_counts():
    group = {"bias": "b", "groups": [["male", "“he”"], ["female", "“she” or “her”"]]}
    one = {"model": "m", "source": "s", "perturbation": "original", "counts": [[0, 2], [1, 0]], "top": 0.5}
    first, second = histogram_rows(results({}), group, one)
    (figure,) = words_shown(results({"words": [{**EMPTY, **group, "histograms": [one]}]}), 0)["histograms"]
    assert figure.words == (
        "s, m: the chance of male most often 0.250–0.500 (2 prompts), that of female most often 0.000–0.250 (1 prompt)."
    )
    assert first["open"].endswith("&perturbation=original&word=he&low=0.25&high=0.5")
    assert second["open"].endswith("&perturbation=original") and "the prompts of all bars" in second["tip"]


PAIRED = {"model": "m", "source": "s", "scorer": "causal.sum.v1", "leading": True, "check": False, **ESTIMATE}


def test_a_forest_in_words_is_of_the_biases_that_are_shown_and_counts_no_mean():
    rows = [
        {**PAIRED, "bias": "", "label": "Mean over biases", "value": 0.9, "low": 0.8, "high": 1.0},
        {**PAIRED, "bias": "age", "label": "Age", "value": 0.7, "low": 0.6, "high": 0.8},
        {**PAIRED, "bias": "gender", "label": "Gender", "value": 0.4, "low": 0.3, "high": 0.6},
        {**PAIRED, "bias": "bugs", "label": "Bugs", "value": 0.8, "low": 0.7, "high": 0.9, "check": True},
    ]
    found = {"pairs": {"estimates": rows, "headlines": []}}
    (every,) = preferred(results(found))
    assert "m: of 2 biases, 1 with an interval wholly above 50" in every.figure.words
    assert "highest: Age, 70.0" in every.figure.words and "instrument checks: Bugs (check), 80.0" in every.figure.words
    (one,) = preferred(results(found, bias="gender"))
    assert "m: of 1 bias, 0 with" in one.figure.words and "Age" not in one.figure.words


def test_a_heat_map_in_words_is_of_the_squares_that_are_shown_and_opens_their_two_groups():
    cell = {"source": "s", "row": "greedy", "a": "women", "b": "men", "favour": 1, "deviations": 0.1, **ESTIMATE}
    cell |= {"firm": True, "within_tilt": False, "note": None}
    cells = [{**cell, "rater": "regard.v1", "decoding": 0}, {**cell, "rater": "regard.v1", "decoding": 1, "value": 0.5}]
    board = {"model": "m", "bias": "gender", "label": "Gender", "a": "women", "b": "men", "caption": "", "cells": cells}
    names = {**NAMES, "raters": {"regard.v1": "regard"}, "decodings": ["greedy", "hot"]}
    found = {"texts": {"boards": [board], "full": 0.5, "groups": []}, "names": names}
    title = "Mean rating of texts about women minus that of texts about men. regard: "
    assert board_shown(results(found), 0)["heat"].words == f"{title}+0.250 to +0.500, 2 of 2 outlined."
    assert board_shown(results(found, decoding="0"), 0)["heat"].words == f"{title}+0.250 to +0.250, 1 of 1 outlined."
    (first, _) = board_rows(results(found), board)
    assert first["open"].endswith("&rater=regard.v1&decoding=0&group=women&other=men")


def test_a_curve_in_words_is_of_the_cells_that_are_shown():
    cell = {
        "choices": {"structure": "declarative"},
        "sign": 1,
        "firm": True,
        "effect": 0.5,
        "effect_low": None,
        "effect_high": None,
        **ESTIMATE,
    }
    cells = [{**cell, "source": "s"}, {**cell, "source": "t", "sign": -1, "firm": False, "effect": -0.2}]
    question = {"view": "continuations", "model": "m", "groups": ["women", "men"], "claims": ["worse", "better"]}
    question |= {"settings": [], "cells": cells, "words": "all of it", "caption": ""}
    found = {"survives": {"questions": [question]}}
    assert curve_shown(results(found), 0)["figure"].words == "all of it"
    words = curve_shown(results(found, source="t"), 0)["figure"].words
    assert "curve of 1 cell in" in words and "worse in 0 (0 significant after correction), better in 1 (0" in words
    assert curve_rows(results(found), question)[0]["open"].endswith("source=s&group=women&other=men&kind=declarative")


def test_what_people_rate_opens_texts_without_naming_a_rater_that_no_tool_is():
    row = {"model": "m", "source": "s", "bias": "b", "rater": "people.regard"}
    assert "rater" not in results({}).texts("continuations", row, "rater")
    known = {"names": {**NAMES, "raters": {"regard.v1": "regard"}}}
    assert "rater=regard.v1" in results(known).texts("continuations", {**row, "rater": "regard.v1"}, "rater")
