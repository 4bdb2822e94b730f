"""The contract of every scorer and of the measures of pairs, checked on each registered name."""

from __future__ import annotations

import dataclasses
import random
import re
from typing import Any

import pytest

from tests.examples import NURSE, scored, tokens
from tiltmeter import registry
from tiltmeter.measures.choices import Chosen
from tiltmeter.measures.pairs import TIE, margin, preference, preferred
from tiltmeter.measures.scorers import Scorer
from tiltmeter.records import Pair, PairScore, Query, Question, TokenScores
from tiltmeter.symmetry import after_swap

SCORERS = [name for name in registry.names("scorer") if not name.startswith("choice.")]
"""Those of pairs; `test_choices` has the contract of the others."""
LEANS = ("choice", "bias-score", "correct", "unknown")


def swapped(pair: Pair) -> Pair:
    """The same pair with its two sides exchanged."""

    def turn(both):
        return None if both is None else (both[1], both[0])

    sides = ("texts", "groups", "terms", "group_spans", "scored_from", "neutral_texts", "attribute_spans")
    return dataclasses.replace(
        pair,
        stereotyped=None if pair.stereotyped is None else 1 - pair.stereotyped,
        **{side: turn(getattr(pair, side)) for side in sides if hasattr(pair, side)},
    )


def answer(query: Query) -> TokenScores:
    """A deterministic answer to any question: it depends on nothing but the text."""
    generator = random.Random(query.text)
    return tokens(query.text, *(generator.uniform(-8, -0.1) for _ in range(words(query))))


def words(query: Query) -> int:
    return len(re.findall(r"\w+|[^\w\s]", query.text))


def score(scorer: Scorer, pair: Pair) -> PairScore:
    return scorer.score(pair, {query: answer(query) for query in scorer.queries(pair)})


@pytest.mark.parametrize("name", SCORERS)
def test_swapping_the_groups_flips_the_sign(name: str) -> None:
    scorer = registry.load("scorer", name)
    first, second = score(scorer, NURSE), score(scorer, swapped(NURSE))
    assert first.scores is not None
    assert second.scores is not None
    assert first.scores == second.scores[::-1]
    # The stereotyped text is the same one, so the finding must be the same as well.
    assert preference([first]) == preference([second])
    assert margin([first]) == pytest.approx(margin([second]))
    mislabelled = dataclasses.replace(first, pair=dataclasses.replace(NURSE, stereotyped=1))
    assert preference([mislabelled]) == [1 - value for value in preference([first])]
    assert margin([mislabelled]) == pytest.approx([-value for value in margin([first])])


@pytest.mark.parametrize("name", SCORERS)
def test_identical_answers_give_the_neutral_value(name: str) -> None:
    scorer = registry.load("scorer", name)
    same = {query: tokens(query.text, *[-1.5] * words(query)) for query in scorer.queries(NURSE)}
    found = scorer.score(NURSE, same)
    assert preference([found]) == [0.5]
    assert margin([found]) == [0.0]


@pytest.mark.parametrize("name", SCORERS)
def test_unscored_is_none_and_says_why(name: str) -> None:
    scorer = registry.load("scorer", name)
    found = scorer.score(NURSE, {query: TokenScores(unscored="too long") for query in scorer.queries(NURSE)})
    assert (found.scores, found.unscored) == (None, "too long")
    assert preference([found]) == margin([found]) == [None]


@pytest.mark.parametrize("name", SCORERS)
def test_the_name_tells_the_family_and_the_version(name: str) -> None:
    scorer = registry.load("scorer", name)
    assert scorer.name == name
    assert name.startswith(f"{scorer.family}.")


def test_order_does_not_matter() -> None:
    found = [scored(NURSE, -1, -2), scored(NURSE, -2, -1), scored(NURSE, -1, -1)]
    assert preference(found) == [1.0, 0.0, 0.5]
    assert preference(found[::-1]) == [0.5, 0.0, 1.0]


def test_a_difference_of_at_most_the_tolerance_is_a_tie() -> None:
    assert preferred(scored(NURSE, -1.0, -1.0 - TIE / 2)) == "tie"
    assert preferred(scored(NURSE, -1.0, -1.0 - 2 * TIE)) == 1
    assert preferred(scored(NURSE, -1.0, -1.0 + 2 * TIE)) == 2


def test_a_control_has_a_preferred_text_but_no_value() -> None:
    control = scored(dataclasses.replace(NURSE, stereotyped=None), -1, -2)
    assert preferred(control) == 1
    assert preference([control]) == margin([control]) == [None]


def test_in_a_contrast_of_meaning_the_first_text_is_the_meaningful_one() -> None:
    pair = dataclasses.replace(NURSE, contrast="meaning", stereotyped=None)
    assert preference([scored(pair, -1, -2), scored(pair, -2, -1)]) == [1.0, 0.0]


MEASURES = registry.names("measure")
ASKED = Question("q", "s", "b", "o", "Who?", ("x", "y", "z"), groups=("x", "y", None), correct=2, unknown=2)


def both_ways(name: str, number: int) -> tuple[list[Any], list[Any]]:
    """Items of a measure, and the same with the two groups exchanged; every fourth is unscored or a tie."""
    generator = random.Random(number)
    numbers = [(generator.uniform(0.01, 0.6), generator.uniform(0.01, 0.4)) for _ in range(8)]
    numbers[0], numbers[1] = (0.2, 0.2), (numbers[1][1], numbers[1][0])
    if name.startswith("next-word"):
        chances: list[Any] = [*numbers, (None, 0.2), (0.2, None)]
        return chances, [(b, a) for a, b in chances]
    if name.startswith("stereoset"):
        scores: list[Any] = [(a, b, -5.0) for a, b in numbers] + [(None, 0.1, 0.2)]
        return scores, [(b, a, c) for a, b, c in scores]
    if name.startswith(LEANS):
        found: list[Any] = [Chosen(ASKED, (a, b, -1.0), (0, 1)) for a, b in numbers] + [Chosen(ASKED, None, (0, 1))]
        return found, [dataclasses.replace(one, sides=(1, 0)) for one in found]
    made = [scored(NURSE, a, b) for a, b in numbers] + [PairScore(NURSE, "causal.sum.v1", None, "too long")]
    # The groups are exchanged where the other text becomes the stereotyped one.
    other = [dataclasses.replace(one, pair=dataclasses.replace(one.pair, stereotyped=1)) for one in made]
    return made, other


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_keeps_the_symmetry_that_it_declares(name: str) -> None:
    measure = registry.load("measure", name)
    for number in range(20):
        items, exchanged = both_ways(name, number)
        before, after = measure.values(items), measure.values(exchanged)
        assert after == pytest.approx([after_swap(value, measure.symmetry, measure.neutral) for value in before])


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_is_neutral_where_the_groups_are_alike(name: str) -> None:
    measure = registry.load("measure", name)
    items, _ = both_ways(name, 1)
    assert measure.values(items)[0] == pytest.approx(measure.neutral)


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_leaves_the_unscored_unscored_and_every_item_to_itself(name: str) -> None:
    measure = registry.load("measure", name)
    items, _ = both_ways(name, 2)
    values = measure.values(items)
    assert values[-1] is None
    assert measure.values(items[::-1]) == values[::-1]
    assert [measure.values([item])[0] for item in items] == values
    for value in values[:-1]:
        if value is not None:
            assert measure.low is None or value >= measure.low
            assert measure.high is None or value <= measure.high
