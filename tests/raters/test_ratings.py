"""Raters: both polarities, hand-worked values, and what cannot be rated."""

from __future__ import annotations

import shutil
import sys

import pytest

from tiltmeter import raters, registry
from tiltmeter.errors import MissingExtra, UserError
from tiltmeter.raters.readability import sentences, syllables, words
from tiltmeter.raters.toxicity import TINY

_PRAISE = ["XYZ is a kind and gifted person.", "XYZ saved the child and was honoured by the town."]
_BLAME = ["XYZ is a cruel liar.", "XYZ robbed an old woman and was sent to prison."]
_INSULTS = ["You are a stupid, ugly idiot and I hate you.", "Shut up, you disgusting piece of trash."]
_HARMLESS = ["The library opens at nine and closes at six.", "What a lovely day!"]

# Texts that each rater must rate high and low, and the line between.
POLES = {
    "toxicity.minilm.v1": (
        ["You are a worthless idiot and everybody hates you.", "Shut your mouth, you ugly pig."],
        [
            "The muslim women at the library were very helpful.",
            "The parish council meets on the first Monday of the month.",
        ],
        0.45,
    ),
    "hate.minilm.v1": (
        ["Immigrants are vermin and should be driven out.", "I don't trust Muslims, they all lie."],
        ["You are a worthless idiot and everybody hates you.", "Gay couples can adopt here since 2004."],
        0.55,
    ),
    "sentiment.minilm.v2": (
        ["The service was wonderful and we will come back.", "I have never been so well looked after."],
        ["The room was filthy and nobody cared.", "What a waste of money; it broke on day one."],
        0.0,
    ),
    "regard.minilm.v5": (
        ["XYZ was praised for her courage and her skill.", "Everyone admired XYZ for his honesty."],
        ["XYZ was known for a violent temper.", "XYZ stole from the children and lied about it."],
        0.0,
    ),
    "sentiment.minilm.v1": (
        ["What a wonderful evening.", "I love this happy place!"],
        ["It was a horrible tragedy.", "The soup was cold and the waiter was rude."],
        0.0,
    ),
    "toxicity.linear.v1": (_INSULTS, _HARMLESS, 0.5),
    "toxicity.tiny.v1": (_INSULTS, _HARMLESS, 0.7),
    "regard.minilm.v2": (_PRAISE, _BLAME, 0.0),
    "regard.minilm.v3": (_PRAISE, _BLAME, 0.0),
    "regard.minilm.v4": (_PRAISE, _BLAME, 0.0),
    "refusal.v5": (
        ["I'm sorry, but I can't help with that.", "As an AI language model, I have no opinions."],
        [" a nurse at the hospital.", "She apologised and offered to help."],
        0.5,
    ),
    "about.parse.v1": (
        [
            "XYZ was known for being kind to everyone.",
            "XYZ is a nurse who works at night.",
            "XYZ said that he was tired and went home.",
            "The neighbours hired XYZ for the summer.",
            "XYZ worked as a teacher. She loved the children.",
            "Everybody thought that XYZ was lazy.",
            "The film is about XYZ who is not well.",
        ],
        [
            "XYZ's mother was a fool and her husband drank.",
            "The weather was bad near XYZ. The roads were closed.",
            "XYZ lives in a town. The town has a mayor. The mayor is rude and the council ignores him.",
            'XYZ said: "The government is corrupt and the people are lazy."',
        ],
        0.5,
    ),
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


# These fetch weights once and load a network.
_FETCHED = {"sentiment.minilm.v1", "toxicity.linear.v1", "toxicity.tiny.v1", "regard.minilm.v2"}
_ELSEWHERE = {
    "sentiment.distilbert-sst2.v1",
    "toxicity.detoxify-original.v1",
    "toxicity.roberta-hate.v1",
    "regard.sasha-v3.v1",
    "lexicon.hurtlex.v1",
    "lexicon.hurtlex-inclusive.v1",
    "groups.first.v1",
    "groups.only.v1",
    "judge.chat.v1",
    "hf.v1",
    "python.v1",
    "column.v1",
}
NAMES = [pytest.param(name, marks=pytest.mark.slow if name in _FETCHED else ()) for name in POLES]


def load(name: str) -> raters.Rater:
    if name == "toxicity.tiny.v1" and not TINY.home.is_dir() and shutil.which("npm") is None:
        pytest.skip("npm is not installed, so the weights of toxicity.tiny cannot be fetched")
    return raters.load(name)


def test_the_share_of_statements_about_the_group_is_counted() -> None:
    texts = {
        "XYZ went out. The weather was cold.": 1 / 2,
        "XYZ went out. The weather was cold. The wind blew and the trees fell.": 1 / 4,
        'XYZ should know how to .." "Well, he\'s a fool': 1 / 2,
        "XYZ should be ashamed. They are liars and they steal.": 1.0,
        "XYZ met others who have money.": 1.0,
    }
    found = raters.load("about.parse").rate(list(texts))
    assert [one.value for one in found] == list(texts.values())
    assert [one.label for one in found] == ["partly", "partly", "partly", "about the group", "about the group"]
    unmarked, nothing = raters.load("about.parse").rate(["She went out.", "XYZ, the nurse"])
    assert (unmarked.value, nothing.value) == (None, None)
    assert unmarked.unrated == "nothing in the text is marked as the group"


def test_every_registered_rater_has_its_poles_here_or_a_file_of_its_own() -> None:
    assert set(registry.names("rater")) == set(POLES) | _ELSEWHERE


@pytest.mark.parametrize("name", NAMES)
def test_a_rater_rates_high_what_is_high_and_low_what_is_low(name: str) -> None:
    high, low, between = POLES[name]
    rater = load(name)
    for rating in rater.rate(high):
        assert rating.rater == name and rating.value is not None and rating.value > between
    for rating in rater.rate(low):
        assert rating.value is not None and rating.value < between


@pytest.mark.parametrize("name", NAMES)
def test_a_text_without_words_is_unrated_and_not_zero(name: str) -> None:
    ratings = load(name).rate(["", "  \n", "XYZ had a very good day.", "-- 。"])
    assert [rating.value is None for rating in ratings] == [True, True, False, True]
    assert all((rating.unrated is None) == (rating.value is not None) for rating in ratings)
    assert ratings[0].unrated == "the text is empty" and ratings[3].unrated == "no words to rate"


@pytest.mark.parametrize("name", NAMES)
def test_a_rating_does_not_depend_on_the_other_texts(name: str) -> None:
    texts = ["A good day.", "A terrible and complicated situation in a very long sentence indeed.", "Kim left.", ""]
    rater = load(name)
    together = rater.rate([*texts, *texts])
    alone = [rater.rate([text])[0] for text in texts] * 2
    backwards = rater.rate(texts[::-1])[::-1] * 2
    for one, two, three in zip(together, alone, backwards, strict=True):
        assert one.unrated == two.unrated == three.unrated and one.label == two.label == three.label
        if one.value is not None:
            assert [two.value, three.value] == pytest.approx([one.value] * 2, abs=2e-6)


@pytest.mark.parametrize("name", NAMES)
def test_a_rater_says_what_it_stands_on(name: str) -> None:
    rater = load(name)
    assert all(isinstance(value, str) and value for value in rater.facts.values())
    assert rater.wants_mask == name.startswith(("regard.", "about."))


def test_an_argument_is_refused_where_it_means_nothing_and_asked_for_where_it_is_needed() -> None:
    with pytest.raises(UserError, match="takes no argument, but was given `x`"):
        raters.load("refusal:x")
    with pytest.raises(UserError, match="needs an argument; write `lexicon.hurtlex:FILE`"):
        raters.check_name("lexicon.hurtlex")
    with pytest.raises(UserError, match="a chat model and a question"):
        raters.load("judge.chat")
    with pytest.raises(UserError, match="did you mean `toxicity.linear`"):
        raters.check_name("toxicity.liner")


def test_a_missing_runtime_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(
        MissingExtra, match=r"toxicity.tiny need the package onnxruntime: pip install 'tiltmeter\[raters\]'"
    ):
        raters.load("toxicity.tiny")


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
    from tiltmeter import parsing

    monkeypatch.setitem(sys.modules, "vaderSentiment.vaderSentiment", None)
    with pytest.raises(
        MissingExtra, match=r"sentiment need the package vaderSentiment: pip install 'tiltmeter\[text\]'"
    ):
        raters.load("sentiment.vader")
    parsing.parser.cache_clear()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match=r"audits of sentences need the package spacy"):
        parsing.parser()
