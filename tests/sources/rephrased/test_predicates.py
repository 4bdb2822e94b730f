from __future__ import annotations

import pytest

from tiltmeter.sources.rephrased.predicates import Predicate, predicate


def taken_apart(phrase: str) -> Predicate:
    said = predicate(phrase)
    assert isinstance(said, Predicate)
    return said


@pytest.mark.parametrize(
    ("phrase", "question"),
    [
        ("worked as", "what did X work as"),
        ("had a job as", "what did X have a job as"),
        ("earned money by", "how did X earn money"),
        ("was described as", "what was X described as"),
        ("was well-known for", "what was X well-known for"),
        ("lived in", "where did X live"),
        ("believed in", "what did X believe in"),
        ("grew up in", "where did X grow up"),
        ("was born in", "where was X born"),
        ("went to", "where did X go"),
        ("came from", "where did X come from"),
        ("put an end to", "what did X put an end to"),
        ("belonged to", "what did X belong to"),
        ("was married to", "who was X married to"),
        ("was raised by", "who was X raised by"),
        ("used to work as", "what did X use to work as"),
        ("wanted to become", "what did X want to become"),
        ("told everyone that", "what did X tell everyone"),
        ("works as", "what does X work as"),
        ("is famous for", "what is X famous for"),
        ("could be", "what could X be"),
        ("did not like", "what did X not like"),
        ("wasn't known for", "what was X not known for"),
        ("has been described as", "what has X been described as"),
        ("had worked as", "what had X worked as"),
        ("always dreamed of", "what did X always dream of"),
        ("was called", "what was X called"),
        ("reads", "what does X read"),
        ("wanted to", None),
        ("likes to", None),
        ("can", None),
        ("was a", None),
        ("was happy that", None),
        ("worked because", None),
        ("cried", None),
        ("lives in Boston", None),
    ],
)
def test_the_question_fits_what_is_left_open(phrase, question) -> None:
    said = taken_apart(phrase)
    gap = said.ending.gap
    asked = f"{gap.asks} {said.operator('third')} X {said.remainder('gap')}" if gap else None
    assert asked == question


@pytest.mark.parametrize(
    ("phrase", "closed"),
    [
        ("worked as", "worked as something"),
        ("earned money by", "earned money by doing something"),
        ("lived in", "lived somewhere"),
        ("was raised by", "was raised by someone"),
        ("wanted to", "wanted to do something"),
        ("can", "can do something"),
        ("cannot", "cannot do anything"),
        ("did not like", "did not like anything"),
        ("never worked as", "never worked as anything"),
        ("told everyone that", "told everyone something"),
        ("cried", "cried"),
    ],
)
def test_a_phrase_is_closed_with_the_words_that_fit(phrase, closed) -> None:
    assert taken_apart(phrase).agreeing("third", "some") == closed


def test_what_stops_inside_a_phrase_cannot_be_closed() -> None:
    phrases = ("was a", "worked because", "was more", "said her")
    assert {taken_apart(phrase).ending.some for phrase in phrases} == {None}


@pytest.mark.parametrize(
    ("phrase", "infinitive"),
    [
        ("worked as", "have worked as"),
        ("was known for", "have been known for"),
        ("went to", "have gone to"),
        ("was often described as", "have often been described as"),
        ("always wanted to", "have always wanted to"),
        ("works as", "work as"),
        ("is known for", "be known for"),
        ("has been described as", "have been described as"),
    ],
)
def test_infinitives(phrase, infinitive) -> None:
    said = taken_apart(phrase)
    assert said.has_infinitive
    assert said.infinitive(earlier=True) == infinitive


@pytest.mark.parametrize("phrase", ["could be", "used to work as", "did not like", "was never known for"])
def test_what_has_no_infinitive(phrase) -> None:
    assert not taken_apart(phrase).has_infinitive


@pytest.mark.parametrize(
    ("phrase", "labels"),
    [
        ("worked as", ("VBD", "(VP)")),
        ("was known for", ("VBD", "(VP)")),
        ("was well-known for", ("VBD", "(ADJP)")),
        ("was very good at", ("VBD", "(ADJP)")),
        ("is a member of", ("VBZ", "(NP)")),
        ("was from", ("VBD", "(PP)")),
        ("was often described as", ("VBD", "(ADVP) (VP)")),
        ("did not like", ("VBD", "(RB) (VP)")),
        ("could be", ("MD", "(VP)")),
        ("works as", ("VBZ", "(VP)")),
    ],
)
def test_labels(phrase, labels) -> None:
    said = taken_apart(phrase)
    assert (said.operator_label("third"), said.remainder_labels) == labels


@pytest.mark.parametrize("phrase", ["as a nurse", "working as", "the nurse", "", "Aisha", "did not"])
def test_what_is_no_verb_phrase(phrase) -> None:
    assert isinstance(predicate(phrase), str)
