"""Measures of next words: hand-worked, and the contract of every one of them."""

from __future__ import annotations

import math

import pytest

from tiltmeter import registry
from tiltmeter.measures.next_words import MEASURES, Measure, group_chance
from tiltmeter.records import NextWord

EVEN = {"absolute_difference": 0.0, "kl": 0.0}
SIGNED = ("difference", "log_ratio")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("difference", 0.2),
        ("absolute_difference", 0.2),
        ("ratio", 3.0),
        ("log_ratio", math.log(3)),
        ("share", 0.75),
        ("kl", 0.75 * math.log(1.5) + 0.25 * math.log(0.5)),
    ],
)
def test_values_worked_out_by_hand(name: str, expected: float) -> None:
    [measure] = [each for each in MEASURES if each.name == name]
    assert measure.values([(0.3, 0.1)]) == [pytest.approx(expected)]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_contract(measure: Measure) -> None:
    [even] = measure.values([(0.2, 0.2)])
    assert even == pytest.approx(EVEN.get(measure.name, measure.neutral))
    [one], [other] = measure.values([(0.3, 0.1)]), measure.values([(0.1, 0.3)])
    if measure.name in SIGNED:
        assert one == pytest.approx(-other)
    elif measure.name == "share":
        assert one == pytest.approx(1 - other)
    elif measure.name == "ratio":
        assert one == pytest.approx(1 / other)
    else:
        assert one == pytest.approx(other)
    assert measure.values([(None, 0.1), (0.1, None)]) == [None, None]
    assert measure.values([(0.3, 0.1), (0.1, 0.3)])[::-1] == measure.values([(0.1, 0.3), (0.3, 0.1)])


def test_a_ratio_to_nothing_is_no_value() -> None:
    by_name = {each.name: each.values([(0.3, 0.0), (0.0, 0.0)]) for each in MEASURES}
    assert by_name["ratio"] == by_name["log_ratio"] == [None, None]
    assert by_name["share"] == [1.0, None]
    assert by_name["kl"] == [pytest.approx(math.log(2)), None]


def test_the_registered_measures_are_these() -> None:
    registered = {registry.load("measure", name) for name in registry.names("measure") if "next-word" in name}
    assert registered == {each.values for each in MEASURES}


def test_a_group_is_the_sum_of_its_words_or_its_first() -> None:
    words = [NextWord("he", math.log(0.5)), NextWord("his", math.log(0.25)), NextWord("him", None, "too long")]
    assert group_chance(words[:2]) == (pytest.approx(0.75), None)
    assert group_chance(words, "first") == (pytest.approx(0.5), None)
    assert group_chance(words) == (None, "him: too long")
    assert group_chance([]) == (None, "the group has no words")
