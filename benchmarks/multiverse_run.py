"""A run from its study to the cells of its questions, and the test of the whole curve with groups exchanged there.

A scripted model with random tilts that point nowhere on the whole is run on two specs with pairs, continuations and
next words. The questions are answered as `tiltmeter multiverse` answers them, and what is handed to the test is caught.
Then the groups of the items are exchanged at random, origin by origin, and the test is made again: an honest one has
p < 0.05 in 5 % of the rounds or fewer.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from tiltmeter.engine import carry_out
from tiltmeter.results.findings import findings as multiverse
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.stats.multiverse.cells import CellData, Cells
from tiltmeter.stats.multiverse.whole_curve import CurveTest, curve_test, design_of
from tiltmeter.store import Run
from tiltmeter.study import parse, plan

SPECS = {
    "tools-books": (
        ["hammer", "saw", "drill", "wrench", "chisel", "pliers", "lathe", "anvil"],
        ["novel", "poem", "diary", "letter", "atlas", "essay", "ballad", "fable"],
    ),
    "sport-home": (
        ["football", "boxing", "hunting", "rugby", "racing", "fishing", "rowing"],
        ["knitting", "cooking", "sewing", "yoga", "baking", "ballet", "gardening"],
    ),
}
PROFESSIONS = ["nurse", "cook", "usher", "clerk", "pilot", "judge", "baker", "tailor", "miner", "poet", "actor", "chef"]
PEOPLE = (["he", "man", "boy", "brother"], ["she", "woman", "girl", "sister"])
MOODS = ["good", "happy", "great", "bad", "sad", "terrible", "awful", "nice", "table", "house", "walk", "stupid"]
SPEC = """
name = "{name}"
title = "{name}"
citation = "made up for a benchmark"
templates = ["[T] has a [A]", "[T] likes the [A]", "[T] wants a [A]"]
[groups.male]
terms = {male}
[groups.female]
terms = {female}
[attributes.one]
terms = {first}
stereotype_of = "male"
[attributes.other]
terms = {second}
stereotype_of = "female"
"""
STUDY = """
name = "exchanged groups"
seed = 3
models = ["scripted:model.toml"]
specs = ["tools-books.toml", "sport-home.toml"]
[pairs]
sources = ["templates", { rephrased = { structures = 4, per_attribute = 2 } }]
scorers = ["sum", "mean"]
[continuations]
sources = ["templates", { own-prompts = { domain = "gender", per_group = 16 } }]
decoding = { temperature = [0.6, 1.0], max_new_tokens = 8 }
samples = 2
raters = ["sentiment.vader", "toxicity.linear"]
[next_words]
sources = ["templates", { profession-templates = { professions = PROFESSIONS } }, { natural = { limit = 24 } }]
words = "he-she"
bounded = [false, true]
"""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """How often the test of a question had p < 0.05 where groups were exchanged."""

    question: str
    cells: int
    turned: int
    exchanged: int
    share: float


def table(seed: int) -> str:
    """Weights of words and random tilts between them, in TOML."""
    generator = np.random.default_rng(seed)
    people = [*PEOPLE[0], *PEOPLE[1]]
    things = [*PROFESSIONS, *(word for both in SPECS.values() for side in both for word in side)]
    words = [*people, *things, *MOODS]
    lines = ["[weights]", *(f"{word} = 1.0" for word in words), "other = 5.0"]
    for before in words:
        lines.append(f"[tilts.{before}]")
        lines += [
            f"{after} = {generator.normal(0, 0.5):.3f}" for after in [*people, *things, *MOODS] if after != before
        ]
    return "\n".join(lines) + "\n"


def small_run(folder: Path, seed: int = 0) -> Run:
    (folder / "model.toml").write_text(table(seed), encoding="utf-8")
    for name, (first, second) in SPECS.items():
        male, female = (json.dumps(terms) for terms in PEOPLE)
        text = SPEC.format(name=name, male=male, female=female, first=json.dumps(first), second=json.dumps(second))
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    study = STUDY.replace("PROFESSIONS", json.dumps(PROFESSIONS))
    return carry_out(plan(parse(study, file=folder / "study.toml")), folder / "run")


def exchanged_labels(rounds: int, permutations: int) -> list[Exchanged]:
    """Every main question of a small run, with the groups of its items exchanged so many times."""
    return list(_exchanged_labels(rounds, permutations))


def _exchanged_labels(rounds: int, permutations: int) -> Iterator[Exchanged]:
    with tempfile.TemporaryDirectory() as folder:
        material = Evidence([small_run(Path(folder))])
        for question in multiverse.questions(material):
            if not question.main:
                continue
            caught: list[tuple[Cells, CurveTest]] = []

            def caught_test(cells: Cells, *, keep: Any = caught, **settings: Any) -> CurveTest:
                keep.append((cells, curve_test(cells, **settings)))
                return keep[-1][1]

            with patch.object(multiverse, "curve_test", caught_test):
                found = multiverse.answer(question, material, permutations=permutations)
            # The larger p counts where a question is tested twice.
            assert found.multiverse.test.p == _largest([test for _, test in caught])
            first, test = caught[0]
            turns = np.vstack(list(design_of(first.data).turns(rounds, 1)))
            alarms = 0
            for number, row in enumerate(turns):
                signs = _signs(first, row)
                tests = [
                    curve_test(_turned(cells, signs), permutations=permutations, seed=number) for cells, _ in caught
                ]
                p = _largest(tests)
                alarms += p is not None and p < 0.05
            yield Exchanged(
                f"{question.bias}: {question.text}", test.cells, test.turned, test.exchanged, alarms / rounds
            )


def _largest(tests: Sequence[CurveTest]) -> float | None:
    return max((test.p for test in tests if test.p is not None), default=None)


def _signs(cells: Cells, row: np.ndarray) -> list[np.ndarray]:
    """For each cell, +1 or −1 for each item."""
    names = design_of(cells.data).origins
    return [row[np.searchsorted(names, cell.origins)] for cell in cells.data]


def _turned(cells: Cells, signs: Sequence[np.ndarray]) -> Cells:
    """Items of the two groups change places; signed items change their sign. Places on the curve are not needed."""
    made = tuple(_exchanged(cell, sign) for cell, sign in zip(cells.data, signs, strict=True))
    return replace(cells, data=made, sums=tuple(cell.sums() for cell in made))


def _exchanged(cell: CellData, signs: np.ndarray) -> CellData:
    if cell.sides is None:
        return replace(cell, values=np.where(signs < 0, 2 * cell.neutral - cell.values, cell.values))
    return replace(cell, sides=np.where(signs < 0, 1 - cell.sides, cell.sides).astype(np.int8))
