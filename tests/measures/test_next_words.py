"""Measures of next words: hand-worked, and the contract of every one of them."""

from __future__ import annotations

import math

import pytest

from tiltmeter import registry
from tiltmeter.measures.next_words import MEASURES, group_probability
from tiltmeter.records import NextWord


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


def test_a_ratio_to_nothing_is_no_value() -> None:
    by_name = {each.name: each.values([(0.3, 0.0), (0.0, 0.0)]) for each in MEASURES}
    assert by_name["ratio"] == by_name["log_ratio"] == [None, None]
    assert by_name["share"] == [1.0, None]
    assert by_name["kl"] == [pytest.approx(math.log(2)), None]


def test_the_registered_measures_are_these() -> None:
    registered = [registry.load("measure", name) for name in registry.names("measure") if "next-word" in name]
    assert {each.name for each in registered} == {each.name for each in MEASURES}


def test_a_group_is_the_sum_of_its_words_or_its_first() -> None:
    words = [NextWord("he", math.log(0.5)), NextWord("his", math.log(0.25)), NextWord("him", None, "too long")]
    assert group_probability(words[:2]) == (pytest.approx(0.75), None)
    assert group_probability(words, "first") == (pytest.approx(0.5), None)
    assert group_probability(words) == (None, "him: too long")
    assert group_probability([]) == (None, "the group has no words")


def chances(**given: float) -> list[NextWord]:
    return [NextWord(word.replace("_", " "), math.log(chance)) for word, chance in given.items()]


def test_a_word_that_begins_with_another_of_the_group_is_not_counted_twice() -> None:
    york = chances(York=0.9, York_City=0.5, York_State=0.3)
    assert group_probability(york) == (pytest.approx(0.9), None)
    assert group_probability(york[::-1]) == (pytest.approx(0.9), None)
    # Neither of these two begins with the other.
    assert group_probability(york[1:]) == (pytest.approx(0.8), None)
    assert group_probability([NextWord("York", -1.0), NextWord("York’s", -2.0)])[0] == pytest.approx(math.exp(-1))
    # It is another word where letters go on; what pieces share is for the model to say.
    assert group_probability(chances(her=0.5, hers=0.25))[0] == pytest.approx(0.75)


def test_what_a_model_says_is_shared_counts_once() -> None:
    her = NextWord("her", math.log(0.5), shared=())
    hers = NextWord("hers", math.log(0.25), shared=((("her", "h"), math.log(0.2)),))
    assert group_probability([her, hers])[0] == pytest.approx(0.55)
    assert group_probability([hers])[0] == pytest.approx(0.25)
    # The model knows: this one is read off another blank, say.
    city = NextWord("her own", math.log(0.25), shared=())
    assert group_probability([her, city])[0] == pytest.approx(0.75)


def test_chances_that_add_up_to_more_than_one_are_no_chance() -> None:
    assert group_probability(chances(a=0.9, b=0.4)) == (
        None,
        "the probabilities of its words add up to 1.3, so they are not those of one place",
    )
    assert group_probability(chances(a=0.6, b=0.4 + 1e-7)) == (1.0, None)
