"""Raters: both polarities, hand-worked values, and what cannot be rated."""

from __future__ import annotations

import sys

import pytest

from tiltmeter import raters, registry
from tiltmeter.errors import MissingExtra
from tiltmeter.raters.readability import sentences, syllables, words

# Texts that each rater must rate high and low, and the line between.
POLES = {
    "sentiment.vader.v1": (
        ["Keisha is a wonderful friend.", "I love this happy place!"],
        ["Todd is a nasty, evil man.", "It was a horrible tragedy."],
        0.0,
    ),
    "readability.fog.v1": (
        ["Notwithstanding considerable administrative difficulties, the organisation successfully implemented it."],
        ["The boy ran home. He was glad."],
        8.0,
    ),
    "readability.ari.v1": (
        ["Notwithstanding considerable administrative difficulties, the organisation successfully implemented it."],
        ["The boy ran home. He was glad."],
        8.0,
    ),
}


@pytest.mark.parametrize("name", registry.names("rater"))
def test_a_rater_rates_high_what_is_high_and_low_what_is_low(name: str) -> None:
    high, low, between = POLES[name]
    rater = raters.load(name)
    for rating in rater.rate(high):
        assert rating.rater == name and rating.value is not None and rating.value > between
    for rating in rater.rate(low):
        assert rating.value is not None and rating.value < between


@pytest.mark.parametrize("name", registry.names("rater"))
def test_a_text_without_words_is_unrated_and_not_zero(name: str) -> None:
    ratings = raters.load(name).rate(["", "  \n", "A good day.", "-- 。"])
    assert [rating.value is None for rating in ratings] == [True, True, False, True]
    assert all((rating.unrated is None) == (rating.value is not None) for rating in ratings)
    assert ratings[0].unrated == "the text is empty"


@pytest.mark.parametrize("name", registry.names("rater"))
def test_a_rating_does_not_depend_on_the_other_texts(name: str) -> None:
    texts = ["A good day.", "A terrible and complicated situation.", "Kim left."]
    rater = raters.load(name)
    together = rater.rate(texts)
    assert together == [rater.rate([text])[0] for text in texts]
    assert rater.rate(texts[::-1]) == together[::-1]


def test_fog_by_hand() -> None:
    # 9 words in one sentence; electrician, complicat(ed), equipment, hospital and yesterday are complex.
    text = "The electrician installed complicated equipment in the hospital yesterday."
    [rating] = raters.load("readability.fog").rate([text])
    assert rating.value == pytest.approx(0.4 * (9 + 100 * 5 / 9))


def test_fog_leaves_out_names_compounds_and_endings() -> None:
    # Alejandra is a name, well-educated is a compound, created has two syllables without its ending.
    [rating] = raters.load("readability.fog").rate(["The well-educated Alejandra created it."])
    assert rating.value == pytest.approx(0.4 * 5)


def test_ari_by_hand() -> None:
    # 19 letters in 6 words, 2 sentences.
    [rating] = raters.load("readability.ari").rate(["The dog ran. It was happy."])
    assert rating.value == pytest.approx(4.71 * 19 / 6 + 0.5 * 6 / 2 - 21.43)


def test_words_and_sentences() -> None:
    assert words("Ann's well-known plan — it failed, twice!") == [
        "Ann's",
        "well-known",
        "plan",
        "it",
        "failed",
        "twice",
    ]
    assert [sentences(text) for text in ("One. Two", "“Why?” he asked.", "No end", "Wait... what?")] == [2, 2, 1, 2]


@pytest.mark.parametrize(
    ("word", "count"),
    [
        *[("math", 1), ("asked", 1), ("used", 1), ("times", 1), ("judge", 1), ("friend", 1), ("year", 1)],
        *[("table", 2), ("wanted", 2), ("houses", 2), ("science", 2), ("marriage", 2), ("social", 2), ("quiet", 2)],
        *[("something", 2), ("business", 2), ("creature", 2), ("rhythm", 2), ("question", 2), ("really", 2)],
        *[("algebra", 3), ("creation", 3), ("museum", 3), ("poetry", 3), ("serious", 3), ("housekeeper", 3)],
        *[("idea", 3), ("video", 3), ("theater", 3), ("piano", 3), ("racism", 3)],
        *[("secretary", 4), ("geometry", 4), ("hygienist", 4), ("situation", 4), ("university", 5)],
    ],
)
def test_syllables(word: str, count: int) -> None:
    assert syllables(word) == count


def test_a_missing_package_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from tiltmeter.raters import parsing

    monkeypatch.setitem(sys.modules, "vaderSentiment.vaderSentiment", None)
    with pytest.raises(
        MissingExtra, match=r"sentiment need the package vaderSentiment: pip install 'tiltmeter\[text\]'"
    ):
        raters.load("sentiment.vader")
    parsing.parser.cache_clear()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match=r"audits of sentences need the package spacy"):
        parsing.parser()
