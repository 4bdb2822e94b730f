"""Judges of nouns: the trained one for professions, and the one that goes by examples."""

from __future__ import annotations

import importlib.util
import json
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from tiltmeter.raters.noun_classes import NAME, ExampleJudge, WorkJudge
from tiltmeter.sources.natural import lexicon

pytestmark = pytest.mark.slow
TRAINING = Path(__file__).resolve().parents[2] / "training"


@pytest.fixture(autouse=True, scope="module")
def _network_is_here() -> None:
    pytest.importorskip("torch")


def test_nouns_that_were_not_trained_on_are_told_apart() -> None:
    asked = [
        ("vexillographer", "a person who designs flags for towns and clubs"),
        ("chimney doctor", "someone who repairs chimneys"),
        ("homeschooler", "a child who learns at home rather than at school"),
        ("wisecracker", "someone who makes clever remarks"),
    ]
    assert [score >= 0.7 for score in WorkJudge()(asked)] == [True, True, False, False]


def test_what_ships_was_trained_on_the_files_that_ship(monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", [str(TRAINING), *sys.path])
    spec = importlib.util.spec_from_file_location("train_professions", TRAINING / "professions.py")
    assert spec and spec.loader
    training = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(training)
    stored = json.loads(files("tiltmeter.raters").joinpath("weights", f"{NAME}.json").read_text())
    assert stored["trained_on_sha256"] == WorkJudge().trained_on == training.trained_on(training.rows())


@pytest.mark.parametrize(
    ("name", "examples", "members", "strangers"),
    [
        ("nationality", "Kenyan Chilean Thai Canadian", "Portuguese Nigerian Peruvian Finn", "Sikh nurse widow"),
        ("religion", "Muslim Sikh Christian Buddhist Jew", "Hindu Catholic Baptist", "Norwegian widow Marxist"),
        ("family role", "mother uncle niece grandparent", "father aunt nephew cousin", "nurse tourist patient"),
    ],
)  # fmt: skip
def test_a_class_is_known_by_a_few_examples(name, examples, members, strangers) -> None:
    others = sorted(lexicon.words_of("occupations.txt") | lexicon.words_of("roles.txt"))
    judge = ExampleJudge(name, examples.split(), others)
    assert all(score >= 0.5 for score in judge([(one, "") for one in members.split()]))
    assert all(score < 0.5 for score in judge([(one, "") for one in strangers.split()]))


def test_what_is_said_of_a_noun_tells_its_class_where_the_noun_does_not() -> None:
    others = sorted(lexicon.words_of("occupations.txt") | lexicon.words_of("roles.txt"))
    judge = ExampleJudge("religion", ["Muslim", "Christian", "Buddhist", "Jew"], others)
    alone, defined, elsewhere = judge(
        [
            ("Zoroastrian", ""),
            ("Zoroastrian", "a person who follows the teachings of Zarathustra and honours fire"),
            ("Zoroastrian", "a person who comes from a city in the east of Iran"),
        ]
    )
    assert alone < 0.5 <= defined
    assert elsewhere < 0.5
