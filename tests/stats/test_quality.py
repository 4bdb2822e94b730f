from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shared import shared
from tiltmeter.records import Rating
from tiltmeter.sources.datasets import stereoset
from tiltmeter.stats.views.quality import low_yield, near_duplicates, quality, unique_tokens, words_of


def test_words_are_counted_without_punctuation() -> None:
    found = quality("x", ["He likes math.", "She — she! — likes well-known art.", "Yes?"])
    assert found.words == pytest.approx((3 + 5 + 1) / 3)
    assert found.words_sd == pytest.approx(2.0)
    assert (found.sentences, found.unique_tokens) == (3, None)


def test_unique_tokens_do_not_grow_with_the_number_of_sentences() -> None:
    texts = [f"a b w{number}" for number in range(400)]
    assert unique_tokens(texts) == 202
    assert unique_tokens(texts + texts, seed=1) == pytest.approx(202 - 200 * 199 / 2 / 799, abs=5)
    assert unique_tokens(texts[:199]) is None
    assert unique_tokens(texts, seed=1, draws=1) == unique_tokens(texts, seed=1, draws=1)


def test_sentences_and_templates_are_told_apart() -> None:
    names = [f"Name{number} is kind" for number in range(200)]
    found = quality("x", names, templates=["[T] is kind"] * 200)
    assert found.unique_tokens == 202
    assert found.unique_tokens_of_templates == 3


def test_figures_over_sets_are_those_of_each_set() -> None:
    texts = ["one two", "one two three four", "one two three", "one", "one two three"]
    tones = [Rating("r", value) for value in (0.5, 0.5, -0.5, 0.0, None)]
    found = quality("x", texts, ratings={"sentiment": tones}, sets=[0, 0, 1, 1, 1])
    # Words: 3 and 7/3; all sentences together 13/5. Positive: 1 and 0; the last one has no rating.
    assert found.words == pytest.approx(13 / 5)
    assert found.over_sets["words"].values == pytest.approx((3, 7 / 3))
    assert found.over_sets["words"].sd == pytest.approx((3 - 7 / 3) / 2**0.5)
    assert found.over_sets["positive"].values == (1.0, 0.0) and found.over_sets["negative"].values == (0.0, 0.5)
    assert found.over_sets["near_duplicates"].values == pytest.approx((0, 1 / 3))
    assert found.over_sets["unique_tokens"].values == () and found.over_sets["fog"].values == ()
    assert quality("x", texts).over_sets == {}
    alone = quality("x", texts, sets=["only"] * 5).over_sets["words"]
    assert (alone.mean, alone.sd) == (pytest.approx(13 / 5), None)


def test_the_words_of_stereoset_are_those_that_the_paper_prints() -> None:
    """AutoBiasTest, section 3: 7.95 ± 3.18 words."""
    examples = stereoset.read(shared("stereoset/dev.json"))
    texts = [one.text for item in examples if item.task == "intrasentence" for one in item.sentences[:2]]
    found = quality("StereoSet", texts)
    assert (found.words, found.words_sd) == (pytest.approx(7.95, abs=0.005), pytest.approx(3.18, abs=0.005))


def test_different_words_are_counted_in_each_set_that_is_large_enough() -> None:
    texts = [f"a b w{number}" for number in range(400)]
    found = quality("x", texts, sets=[0] * 200 + [1] * 200, templates=["[T] b"] * 400)
    assert found.over_sets["unique_tokens"].values == (202, 202) and found.over_sets["unique_tokens"].sd == 0
    assert found.over_sets["unique_tokens_of_templates"].values == (2, 2)
    assert quality("x", texts, sets=[0] * 201 + [1] * 199).over_sets["unique_tokens"].values == ()


def test_near_duplicates_nearly_repeat_an_earlier_sentence() -> None:
    base = "one two three four five six seven eight nine ten"
    assert near_duplicates([base, f"{base} eleven", base.replace("ten", "zehn"), "other words"]) == 1
    assert near_duplicates([base, base.upper(), base]) == 2
    assert near_duplicates(["", "…", "a"]) == 0


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12).map(" ".join), max_size=12))
def test_near_duplicates_are_those_that_comparing_all_finds(texts: list[str]) -> None:
    sets = [set(words_of(text)) for text in texts]
    slow = sum(
        any(len(sets[place] & other) / len(sets[place] | other) >= 0.9 for other in sets[:place])
        for place in range(len(sets))
    )
    assert near_duplicates(texts) == slow


def test_many_sentences_take_no_time_to_compare() -> None:
    source = random.Random(0)
    words = [f"w{number}" for number in range(3000)]
    assert near_duplicates([" ".join(source.sample(words, 10)) for _ in range(5000)]) == 0


def test_ratings_become_shares_and_means_and_unrated_is_counted() -> None:
    sentiment = [Rating("s", value) for value in (-0.05, -0.6, 0.049, 0.05, 0.9)] + [Rating("s", None, "empty")]
    found = quality("x", ["a"], ratings={"sentiment": sentiment, "fog": [Rating("f", 6.0), Rating("f", 8.0)]})
    assert (found.negative, found.neutral, found.positive) == (0.4, 0.2, 0.4)
    assert (found.fog, found.ari, found.unrated) == (7.0, None, 1)


def test_no_sentences_have_no_figures() -> None:
    found = quality("x", [])
    assert (found.words, found.words_sd, found.near_duplicates, found.negative) == (None, None, None, None)


def test_low_yield_is_below_half_of_the_median() -> None:
    assert low_yield({"a": (4, 10), "b": (8, 10), "c": (8, 10)}) == {}
    assert low_yield({"a": (3, 10), "b": (8, 10), "c": (8, 10), "d": (0, 0)}) == {"a": 0.3}
    assert low_yield({}) == {}
