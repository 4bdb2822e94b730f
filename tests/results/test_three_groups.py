"""Specs of three groups, of which two share their attributes: every pair that can be told apart is looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiltmeter.engine import carry_out
from tiltmeter.results import summarise_run
from tiltmeter.results.compare.records import RunComparison
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.results.compare.sides import Side
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.feasibility import Feasibility, feasibility_of_run, unanswerable
from tiltmeter.results.findings.findings import questions
from tiltmeter.results.findings.view_agreement import ATTRIBUTES, NEXT_WORDS, PAIRS
from tiltmeter.results.plan_size.pilots import pilots_of
from tiltmeter.results.rank.boards import leaderboards
from tiltmeter.results.rank.records import Leaderboards
from tiltmeter.store import Run
from tiltmeter.study import parse, plan

CRAFTS = ["baker", "weaver", "potter", "smith", "cooper", "tanner"]
OFFICES = ["clerk", "notary", "mayor", "judge", "bailiff", "scribe"]
SPEC = f"""
name = "three"
title = "Three"
citation = "made up for a test"
templates = ["The [T] works as a [A]", "We met a [T] who is a [A]", "As a [A], the [T] earned a living"]
[groups.dutch]
terms = ["Dutchman"]
[groups.greek]
terms = ["Greek"]
[groups.finnish]
terms = ["Finn"]
[attributes.crafts]
terms = {json.dumps(CRAFTS)}
stereotype_of = "dutch"
[attributes.offices]
terms = {json.dumps(OFFICES)}
stereotype_of = ["greek", "finnish"]
"""
STUDY = """
name = "three"
models = ["planted:model.toml"]
specs = ["three.toml"]
[pairs]
sources = ["templates"]
[next_words]
sources = ["templates"]
perturbations = ["original"]
"""
TABLE = '[weights]\n"Dutchman" = 4\n"Greek" = 2\n"Finn" = 3\n"the" = 5\n"a" = 5\nother = 60000\n'
DELTA = 1.5


def made(folder: Path, spec: str = SPEC, delta: float = DELTA, study: str = STUDY) -> Run:
    """A run of a model that expects every group more by `delta` after prompts with its attributes."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "three.toml").write_text(spec, encoding="utf-8")
    (folder / "table.toml").write_text(TABLE, encoding="utf-8")
    tilts = [(["Dutchman"], CRAFTS), (["Greek", "Finn"], OFFICES)]
    parts = [
        f"[[tilt]]\nwords = {json.dumps(words)}\ncontexts = {json.dumps(contexts)}\ndelta = {delta}\n"
        for words, contexts in tilts
    ]
    model = f'model = "scripted:{folder / "table.toml"}"\n' + "".join(parts)
    (folder / "model.toml").write_text(model, encoding="utf-8")
    return carry_out(plan(parse(study, file=folder / "study.toml")), folder / "run")


def test_a_plan_speaks_of_no_question_that_the_run_does_not_ask(tmp_path: Path) -> None:
    run = made(tmp_path)
    asked = [one for one in questions(Evidence([run])) if one.view == "next words"]
    tied = {(one.first, one.second) for one in asked if one.by_stereotype}
    assert tied == {("dutch", "greek"), ("dutch", "finnish")}, "Greeks and Finns have the same attributes"
    planned = [one for one in feasibility_of_run(run) if one.view == "next words"]
    assert sorted(one.groups for one in planned) == sorted((one.first, one.second) for one in asked)
    assert unanswerable(planned) == []


@pytest.mark.parametrize(("view", "rates"), [("next words", False), ("pairs", False), ("continuations", True)])
def test_a_remedy_names_what_the_view_has(view: str, rates: bool) -> None:
    for cells in (0, 1):
        said = Feasibility(view, "b", ("x", "y"), cells, 20, False, "no method has a value").sentence()
        assert ("rater" in said) == rates


def compared_and_ranked(folder: Path, deltas: tuple[float, ...]) -> tuple[RunComparison, Leaderboards]:
    runs = [made(folder / str(number), delta=delta) for number, delta in enumerate(deltas)]
    sides = [Side(run, next(iter(run.facts)), f"m{number}") for number, run in enumerate(runs)]
    return compare_runs(runs[:2]), leaderboards(sides)


def test_models_are_compared_and_ranked_by_stereotype(tmp_path: Path) -> None:
    found, boards = compared_and_ranked(tmp_path, (0.0, 2.0, -2.0))
    [view] = [one for one in found.views if one.view == "next words"]
    leading = view.overall[:2]
    assert [(one.by_stereotype, one.groups) for one in view.overall] == [
        (True, ("dutch", "greek")),
        (True, ("dutch", "finnish")),
        (False, ("dutch", "greek")),
    ], "Greeks and Finns have the same attributes"
    for one in leading:
        # Both sets of attributes are tilted by 2 towards their group, which cancels out of the mean over prompts.
        assert one.found.a.value == pytest.approx(0.0, abs=1e-9)
        assert one.found.b.value == pytest.approx(2.0, abs=1e-3)
        assert one.difference.value == pytest.approx(-2.0, abs=1e-3)
        assert one.choices["measure"] == "expects the stereotyped group"
    plain = [one for one in view.cells if one.choices["measure"] == "log ratio"]
    assert plain[0].difference.value == pytest.approx(0.0, abs=1e-3)
    ranked = [one for one in boards.boards if one.view == "next words"]
    assert [one.by_stereotype for one in ranked] == [True, True, False]
    for one in ranked[:2]:
        assert [entry.side.name for entry in one.entries] == ["m1", "m0", "m2"]
        assert [entry.value.value for entry in one.entries] == pytest.approx([2.0, 0.0, -2.0], abs=1e-3)
        assert one.neutral == 0.0 and not one.is_share
        assert "stereotyped group" in one.words
        assert one.for_conditions()[0]["next_words"]["three"].keys() == {f"stereotype {one.choices['groups']}"}


AGREEING = """
name = "three"
models = ["planted:model.toml"]
specs = ["three.toml"]
[pairs]
sources = ["templates"]
[continuations]
sources = [{ templates = { per_group = 4 } }]
samples = 1
raters = ["sentiment.vader"]
[next_words]
sources = ["templates"]
perturbations = ["original"]
"""


def test_views_agree_or_not_on_every_two_groups(tmp_path: Path) -> None:
    found = summarise_run(made(tmp_path, study=AGREEING)).views
    assert found
    readings = {(one.bias, one.view): one for one in found.readings}
    both = {"three:dutch-greek", "three:dutch-finnish"}
    assert {bias for bias, _ in readings} == both, "Greeks and Finns have the same attributes"
    assert {view for _, view in readings} == {PAIRS, NEXT_WORDS, ATTRIBUTES}
    assert len(readings) == 6
    for bias in both:
        assert readings[bias, NEXT_WORDS].found.value == pytest.approx(DELTA, abs=1e-3)
        assert readings[bias, NEXT_WORDS].place["bias"] == "three", "as its measurements are labelled"


def test_a_first_pair_with_attributes_of_one_group_blocks_no_other(tmp_path: Path) -> None:
    spec = SPEC.replace('stereotype_of = ["greek", "finnish"]', 'stereotype_of = "finnish"')
    found = summarise_run(made(tmp_path, spec)).views
    assert found
    readings = {(one.bias, one.view): one for one in found.readings if one.found.value is not None}
    assert readings["three:dutch-finnish", NEXT_WORDS].found.value == pytest.approx(DELTA, abs=1e-3)
    assert ("three:dutch-greek", NEXT_WORDS) not in readings


def test_next_words_are_planned_for_every_two_groups(tmp_path: Path) -> None:
    found = [one.choices["groups"] for one in pilots_of(made(tmp_path), "next words", None)]
    assert found == ["dutch/greek", "dutch/finnish", "greek/finnish"]
