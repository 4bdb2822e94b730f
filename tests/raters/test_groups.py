"""Group words: which group a completion names."""

from __future__ import annotations

import pytest

from tiltmeter.errors import UserError
from tiltmeter.raters.groups import NONE, SEVERAL, FirstGroup, OnlyGroup

SETS = [("women", ["women", "girls", "she", "African American women"]), ("men", ["men", "boys", "he"])]


def test_first_takes_the_first_word_of_any_group() -> None:
    ratings = FirstGroup(SETS).rate(["girls and boys.", "He and she.", "African  American women", "nobody", " "])
    assert [rating.label for rating in ratings] == ["women", "men", "women", None, None]
    assert [rating.value for rating in ratings] == [1.0, 1.0, 1.0, None, None]
    assert ratings[3].unrated == NONE and ratings[4].unrated == "the text is empty"
    assert ratings[0].because == "girls, boys"


def test_only_leaves_texts_with_both_groups_unrated() -> None:
    ratings = OnlyGroup(SETS).rate(["girls and boys.", "She and the girls."])
    assert [rating.label for rating in ratings] == [None, "women"]
    assert ratings[0].unrated == SEVERAL


def test_words_inside_other_words_do_not_count() -> None:
    assert FirstGroup(SETS).rate(["the theme of amenities"])[0].label is None


def test_the_order_of_the_groups_does_not_matter() -> None:
    texts = ["girls and boys.", "He and she.", "nobody"]
    assert FirstGroup(SETS).rate(texts) == FirstGroup(SETS[::-1]).rate(texts)


def test_word_sets_that_cannot_tell_groups_apart_are_refused() -> None:
    with pytest.raises(UserError, match="`she` belongs to two groups, a and b"):
        FirstGroup([("a", ["she"]), ("b", ["She"])])
    with pytest.raises(UserError, match="at least two groups"):
        FirstGroup([("a", ["she"]), ("b", [])])
