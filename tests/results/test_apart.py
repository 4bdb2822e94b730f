"""How far apart texts are whose prompts differ in the group alone."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import tiltmeter as tm
from tiltmeter.records import Group
from tiltmeter.results.measurements import apart
from tiltmeter.results.measurements.columns import APART, BETWEEN, WITHIN

PROMPTS = [f"On day {number}, [T] was" for number in range(1, 9)]
TOPICS = {
    "kitchen": [" stirring the soup with a spoon.", " baking bread in the oven.", " peeling onions for the stew."],
    "machine": [" repairing the engine of the truck.", " welding steel pipes.", " oiling the gears of the machine."],
}


class Writer:
    """Writes about kitchens and machines at random; a tilted one about kitchens where an aunt is named."""

    def __init__(self, *, tilted: bool) -> None:
        self._tilted, self._draw = tilted, random.Random(5)

    def complete(self, prompts: list[str]) -> list[str]:
        every = [*TOPICS["kitchen"], *TOPICS["machine"]]
        return [
            self._draw.choice(TOPICS["kitchen" if "aunt" in one else "machine"] if self._tilted else every)
            for one in prompts
        ]


def run_of(folder: Path, *, tilted: bool, samples: int = 6) -> tm.Run:
    spec = tm.Spec(
        "kin",
        "Kin",
        (Group("aunts", ("my aunt",)), Group("uncles", ("my uncle",))),
        templates=("[T] is [A]",),
    )
    study = tm.Study(
        name="kin",
        models=[tm.wrap(Writer(tilted=tilted), name="writer")],
        specs=[spec],
        continuations={
            "sources": [{"counterfactual": {"templates": PROMPTS}}],
            "raters": ["sentiment.vader"],
            "decoding": {"temperature": [1], "max_new_tokens": [12]},
            "samples": samples,
        },
    )
    return study.run(folder, progress=False, report=False)


def means(run: tm.Run) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for row in run.measurements():
        if row["measure"] in (APART, BETWEEN, WITHIN):
            assert {row["group"], row["against"]} == {"aunts", "uncles"}
            found[row["measure"]].append(row["value"])
    assert all(len(values) == len(PROMPTS) for values in found.values())
    return {name: math.fsum(values) / len(values) for name, values in found.items()}


def test_texts_that_depend_on_the_group_are_apart_and_others_are_not(tmp_path: Path) -> None:
    told, same = (means(run_of(tmp_path / str(tilted), tilted=tilted)) for tilted in (True, False))
    assert told[APART] > 0.2 and told[WITHIN] - told[BETWEEN] == pytest.approx(told[APART])
    assert abs(same[APART]) < 0.1


def test_one_text_of_a_prompt_says_nothing_of_how_alike_two_are(tmp_path: Path) -> None:
    rows = [row for row in run_of(tmp_path / "one", tilted=True, samples=1).measurements() if row["measure"] == APART]
    assert len(rows) == len(PROMPTS)
    assert {(row["value"], row["reason"]) for row in rows} == {(None, apart.TOO_FEW)}


def test_similarity_within_a_prompt_leaves_out_each_text_with_itself() -> None:
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    assert apart._within(vectors) == pytest.approx((0.0 + 0.6 + 0.8) / 3)


def test_the_report_has_them(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", tilted=True, samples=3)
    page = run.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "How far apart the texts about two groups are" in page
