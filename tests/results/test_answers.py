"""Accuracy where the stereotype is right and where it is wrong, held against a count by hand."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import pytest

import tiltmeter as tm
from tests.results.test_bbq_by_hand import Somebody, by_hand, published, row_of, run_of
from tests.shared import shared
from tests.sources.datasets import question_samples, winobias_lines
from tiltmeter.results.summary.answers import answers
from tiltmeter.store import read_run


def wino(path: Path, out: Path) -> tm.Run:
    study = tm.Study(
        name="wino",
        models=[tm.wrap(Somebody(), name="somebody")],
        choices={"sources": [f"winobias:{path}"], "scorers": ["choice.text"]},
    )
    return study.run(out, progress=False, report=False)


def compare(path: Path, out: Path) -> int:
    """Pro- and anti-stereotype accuracy of every type and occupation against a count from the files themselves."""
    run = wino(path, out)
    counts: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for row in run.measurements():
        if row["measure"] == "correct":
            kind, number, gender = row["item"].rsplit("/", 3)[1:]
            side, person = winobias_lines.expected(path, kind, int(number), gender)
            right = row["label"].casefold() == person
            counts[row["bias"], "", side].append(right)
            counts[row["bias"], row["origin"], side].append(right)
    compared = 0
    for found in answers(read_run(out)):
        every = {"": (found.fitting, found.unfitting), **found.by_attribute}
        for name, both in every.items():
            for side, figure in zip(("pro", "anti"), both, strict=True):
                right = counts[found.cell.bias, name, side]
                assert figure is not None and figure.n == len(right)
                assert figure.value == pytest.approx(sum(right) / len(right)), (found.cell.bias, name, side)
                compared += 1
    return compared


def test_pro_and_anti_stereotype_accuracy_are_those_of_a_count_by_hand(tmp_path: Path) -> None:
    assert compare(question_samples.winobias(tmp_path / "w"), tmp_path / "run") == 2 * (1 + 2 + 1 + 1)


def test_the_published_files_give_the_same_by_hand(tmp_path: Path) -> None:
    assert compare(shared("winobias"), tmp_path / "run") == 2 * (1 + 40) * 2


def test_scores_of_bbq_are_in_the_report(tmp_path: Path) -> None:
    folder = question_samples.bbq(tmp_path / "bbq")
    run_of(folder, tmp_path / "run", {"category": "Religion"})
    found = {one.cell.condition: one for one in answers(read_run(tmp_path / "run"))}
    rows = published(folder)
    told = [one for one in tm.read_run(tmp_path / "run").measurements() if one["measure"] == "correct"]
    counted = by_hand((rows[row_of(one)], one["label"]) for one in told)
    for condition, key in (("ambiguous", "ambig"), ("disambiguated", "disambig")):
        accuracy, score = counted["Religion", key]
        assert found[condition].right.value == pytest.approx(accuracy)
        assert found[condition].score is not None and found[condition].score.value == pytest.approx(score)
    assert found["ambiguous"].fitting is None and found["disambiguated"].fitting is not None
    page = tm.read_run(tmp_path / "run").report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "How often it answers right" in page and "Bias score" in page


class Stereotyping(Somebody):
    """Expects men where wizards are, women where jugglers are."""

    def next_words(self, prompts: list[str], words: list[str]) -> list[list[float]]:
        usual = [
            {"him", "he"} if prompt.rfind("wizard") > prompt.rfind("juggler") else {"her", "she"} for prompt in prompts
        ]
        return [[0.4 if word in fits else 0.1 for word in words] for fits in usual]


def test_views_of_a_data_set_are_held_against_one_another_by_the_stereotypes_that_it_tells(tmp_path: Path) -> None:
    wino, winogender = question_samples.winobias(tmp_path / "w"), question_samples.winogender(tmp_path / "g")
    sources = [f"winobias:{wino}", f"winogender:{winogender}"]
    study = tm.Study(
        name="wino",
        models=[tm.wrap(Stereotyping(), name="somebody")],
        pairs={"sources": sources, "scorers": ["sum"]},
        next_words={"sources": sources},
        choices={"sources": sources, "scorers": ["choice.text"]},
    )
    run = study.run(tmp_path / "run", progress=False, report=False)
    views = run.summary.views
    assert views is not None
    found = {(one.view, one.bias): one.found.value for one in views.readings}
    assert {view for view, bias in found if bias == "winogender"} == {"pairs", "next words", "choices"}
    assert found["next words", "winogender"] == pytest.approx(math.log(0.4 / 0.1))
    told = read_run(tmp_path / "run").meta["resolved"]["told"]["winogender"]
    assert [(one["terms"], one["stereotype_of"]) for one in told["attributes"]] == [
        (["wizard"], ["male"]),
        (["juggler"], ["female"]),
    ]
    by_stereotype = [one.question for one in run.findings() if one.question.by_stereotype]
    assert ("next words", "winogender") in {(one.view, one.bias) for one in by_stereotype}
