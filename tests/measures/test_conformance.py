"""The contract of every scorer and of the measures of pairs, checked on each registered name."""

from __future__ import annotations

import dataclasses
import random

import pytest

from tests.examples import NURSE, scored, tokens
from tiltmeter import registry
from tiltmeter.measures.pairs import TIE, margin, preference, preferred
from tiltmeter.measures.scorers import Scorer
from tiltmeter.records import Pair, PairScore, Query, TokenScores

SCORERS = registry.names("scorer")


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
    return tokens(query.text, *(generator.uniform(-8, -0.1) for _ in range(5)))


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
    same = {query: tokens(query.text, *[-1.5] * 5) for query in scorer.queries(NURSE)}
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
