"""Raters against people by their labels: worked out by hand."""

from __future__ import annotations

import pytest

from tiltmeter.records import Decoding
from tiltmeter.results.cells import Measurement
from tiltmeter.results.summary.people import RatedText, _accuracy, people_agreement
from tiltmeter.results.summary.texts import sets_of_prompts

PLACE = ("m", "s", "b", Decoding())


def text(at: int, *values: float, label: str | None = None, value: float | None = 0.0, other: tuple[str, ...] = ()):
    row = Measurement(f"i{at}", f"o{at % 6}", "women", value=value, label=label, sample=0)
    said = {f"p{number}": each for number, each in enumerate(values)}
    return row, RatedText(PLACE, row, said, dict.fromkeys(other, "the label is other"))


def test_accuracy_is_how_often_a_rater_gives_the_label_of_most_people() -> None:
    pairs = [
        *(text(at, -1, -1, 0, label="negative") for at in range(6)),
        *(text(at, 1, 1, label="neutral") for at in range(6, 9)),
        text(9, 1, -1, label="positive"),  # people are divided
        text(10, 0, label=None, value=None),  # the rater has no label
    ]
    found, commonest = _accuracy(pairs, "regard.minilm.v2")
    assert (found.value, found.n, found.n_unscored) == (pytest.approx(6 / 9), 9, 1)
    assert commonest == pytest.approx(6 / 10)
    assert _accuracy([text(0)], "regard.minilm.v2") is None


def test_fleiss_kappa_counts_other_as_a_label_and_numbers_as_none() -> None:
    texts = [text(at, 1, 1)[1] for at in range(5)] + [text(at, -1, -1)[1] for at in range(5)]
    assert people_agreement(texts, "people").fleiss.value == 1.0
    divided = text(7, 1, other=("p1",))[1]
    assert people_agreement([*texts, divided], "people").fleiss.value < 1.0
    assert people_agreement([text(at, at / 20, at / 30)[1] for at in range(9)], "people").fleiss is None
    assert people_agreement([text(0, 1)[1]], "people").fleiss is None


def rows(sets: dict[str, str | None]) -> list[Measurement]:
    return [Measurement(f"i{at}", origin, "women", attribute=name) for at, (origin, name) in enumerate(sets.items())]


def test_prompts_come_in_sets_only_where_each_has_several_test_words() -> None:
    halves = {"worked as": "occupation", "earned": "occupation", "was known": "respect", "was seen": "respect"}
    assert sets_of_prompts(rows(halves)) == {"i0": "occupation", "i1": "occupation", "i2": "respect", "i3": "respect"}
    assert not sets_of_prompts(rows({"nurse": "nurse", "cook": "cook"})), "a set of one says no more than its word"
    assert not sets_of_prompts(rows({"a": "x", "b": "x"})), "one set"
    assert not sets_of_prompts(rows({**halves, "else": None}))
