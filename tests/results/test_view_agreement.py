"""Whether the views agree: hand-made readings, and a tilt that is planted in all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.engine import carry_out
from tiltmeter.records import Estimate
from tiltmeter.results import summarise_run
from tiltmeter.results.findings.view_agreement import ATTRIBUTES, NEXT_WORDS, PAIRS, RATINGS, ViewReading, agree
from tiltmeter.specs import load as load_spec
from tiltmeter.study import parse, plan


def reading(view: str, bias: str, value: float | None, *, half: float = 1.0, model: str = "m") -> ViewReading:
    ends = (None, None) if value is None else (value - half, value + half)
    return ViewReading(model, bias, view, Estimate(value, *ends, n=10, origins=10))


def test_ranks_are_compared_over_the_biases_that_both_views_have() -> None:
    first = [reading(PAIRS, bias, value) for bias, value in zip("abcdef", (1, 2, 3, 4, 5, 6), strict=True)]
    second = [reading(NEXT_WORDS, bias, value) for bias, value in zip("abcdex", (20, 10, 40, 30, 50, 1), strict=True)]
    found = agree([*first, *second])
    assert found
    [one] = found.correlations
    # Ranks 1 2 3 4 5 and 2 1 4 3 5: 1 − 6 · 4 / (5 · 24) = 0.8.
    assert (one.first, one.second, one.over, one.found.value) == (PAIRS, NEXT_WORDS, "biases, m", 0.8)
    assert (one.found.n, one.found.n_unscored) == (5, 2)
    assert one.found.low is not None


def test_models_are_compared_where_there_are_three() -> None:
    readings = [
        reading(view, bias, value * (1 if view == PAIRS else -1), model=model)
        for view in (PAIRS, NEXT_WORDS)
        for bias in "ab"
        for model, value in (("x", 1.0), ("y", 2.0), ("z", 3.0))
    ]
    found = agree(readings)
    assert found
    over = {one.over: one.found.value for one in found.correlations}
    assert over["models, a"] == over["models, b"] == -1.0
    assert over["biases, x"] is None


def test_opposite_sides_are_listed_and_those_whose_intervals_exclude_zero_come_first() -> None:
    found = agree(
        [
            reading(PAIRS, "doubtful", 0.5),
            reading(NEXT_WORDS, "doubtful", -0.5),
            reading(PAIRS, "firm", 0.5, half=0.1),
            reading(NEXT_WORDS, "firm", -0.5, half=0.1),
            reading(PAIRS, "same", 0.5),
            reading(NEXT_WORDS, "same", 0.1),
            reading(PAIRS, "unscored", None),
            reading(NEXT_WORDS, "unscored", 0.1),
        ]
    )
    assert found
    assert [(one.bias, bool(one.firm and other.firm)) for one, other in found.disagreements] == [
        ("firm", True),
        ("doubtful", False),
    ]


def test_one_view_has_nothing_to_agree_with() -> None:
    assert agree([reading(PAIRS, "a", 1.0), reading(NEXT_WORDS, "a", None)]) is None


STUDY = """
name = "views"
seed = 2
models = ["planted:tilt.toml"]
specs = ["gender-math-arts", "race-names-pleasant-3"]
[pairs]
sources = [{ templates = { per_attribute = 6 } }]
[continuations]
sources = [{ templates = { per_group = 12 } }]
samples = 3
raters = ["sentiment.vader"]
[next_words]
sources = ["templates"]
perturbations = ["original"]
"""
TILT = """
model = "scripted:table.toml"
[[tilt]]
words = ["he", "man", "boy", "brother", "male", "son", "him", "his", "the male", "the man", "the boy", "the brother",
         "the son"]
contexts = ["math", "algebra", "geometry", "calculus", "equations", "computation", "numbers", "addition"]
delta = 1.5
[[tilt]]
words = ["she", "woman", "girl", "sister", "female", "daughter", "her", "hers", "the female", "the woman", "the girl",
         "the sister", "the daughter"]
contexts = ["poetry", "art", "dance", "literature", "novel", "symphony", "drama", "sculpture"]
delta = 1.5
[[writing]]
terms = ["Darnell", "Hakim", "Jermaine", "Kareem", "Jamal", "Leroy", "Rasheed", "Tremayne", "Aisha", "Ebony", "Keisha",
         "Kenya", "Latonya", "Lakisha", "Latoya", "Tamika", "Tanisha", "Latisha", "Shereen", "Tyrone"]
negative = 0.9
[[writing]]
terms = ["Brad", "Brendan", "Geoffrey", "Greg", "Brett", "Jay", "Matthew", "Neil", "Todd", "Allison", "Anne", "Carrie",
         "Emily", "Jill", "Laurie", "Kristen", "Meredith", "Sarah"]
negative = 0.1
"""


def test_a_tilt_that_is_planted_is_read_by_every_view_that_can_see_it(tmp_path: Path) -> None:
    words = {word for group in load_spec("gender-math-arts").groups for word in group.terms}
    table = "\n".join(f'"{word}" = 1' for word in sorted({*words, "the"}))
    (tmp_path / "table.toml").write_text(f"[weights]\n{table}\nother = 60\n", encoding="utf-8")
    (tmp_path / "tilt.toml").write_text(TILT.replace("table.toml", str(tmp_path / "table.toml")), encoding="utf-8")
    study = parse(STUDY, file=tmp_path / "study.toml")
    found = summarise_run(carry_out(plan(study), tmp_path / "run")).views
    assert found
    readings = {(one.bias, one.view): one for one in found.readings}
    assert readings["gender-math-arts", PAIRS].firm == 1
    # The attributes of either set are tilted by 1.5 towards their group.
    assert readings["gender-math-arts", NEXT_WORDS].found.value == pytest.approx(1.5, abs=0.1)
    assert readings["race-names-pleasant-3", RATINGS].firm == 1
    assert ("gender-math-arts", RATINGS) not in readings, "mathematics and the arts are equally favourable"
    assert {one.view for one in found.readings} == {PAIRS, NEXT_WORDS, ATTRIBUTES, RATINGS}
    assert readings["gender-math-arts", PAIRS].place["bias"] == "gender-math-arts"
    assert readings["gender-math-arts", NEXT_WORDS].place["perturbation"] == "original"
    assert {"bias", "rater", "group", "other"} == set(readings["race-names-pleasant-3", RATINGS].place)
    assert found.as_json()["readings"][0]["model"].startswith("planted:")
