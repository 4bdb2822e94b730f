"""Specs of three groups, of which two share their attributes: every pair that can be told apart is looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiltmeter.engine import carry_out
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.feasibility import Feasibility, feasibility_of_run, unanswerable
from tiltmeter.results.findings.findings import questions
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
TABLE = '[weights]\n"Dutchman" = 4\n"Greek" = 2\n"Finn" = 3\n"the" = 5\n"a" = 5\nother = 60\n'
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
    model = f'model = "scripted:{folder / "table.toml"}"\n' + "".join(parts if delta else ())
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
