"""Words by construction: they are there, the text is the same each time, and what was thrown away is counted."""

from __future__ import annotations

import math
import random
import re

import numpy
import pytest

from tests.models.conftest import SENTENCES
from tiltmeter.errors import UserError
from tiltmeter.models import as_writer, load
from tiltmeter.models.decoding import required_terms, terms
from tiltmeter.records import Decoding

WANTED = [["nurse", "engineer"], ["she", "secretary"], ["The", "men"]]
PROMPTS = [f"{SENTENCES[0]}\n{' '.join(words)}:" for words in WANTED]


@pytest.fixture
def writer(checkpoint):
    pytest.importorskip("torch")
    return as_writer(load(str(checkpoint("gpt2"))))


@pytest.mark.slow
def test_every_word_is_there_as_a_word_of_its_own(writer) -> None:
    found = writer.complete_with(PROMPTS, WANTED, Decoding(temperature=1.0, max_new_tokens=40), samples=4, seed=1)
    assert [len(texts) for texts in found] == [4, 4, 4]
    for words, texts in zip(WANTED, found, strict=True):
        for completion in texts:
            for word in words:
                assert re.search(rf"(?<!\w){word}(?!\w)", completion.text, re.IGNORECASE), (word, completion.text)


@pytest.mark.slow
def test_a_text_depends_on_its_prompt_sample_and_seed_alone(writer) -> None:
    decoding = Decoding(temperature=1.0, max_new_tokens=40)
    together = writer.complete_with(PROMPTS, WANTED, decoding, samples=2, seed=3)
    alone = [
        writer.complete_with([prompt], [words], decoding, samples=2, seed=3)[0]
        for prompt, words in zip(PROMPTS, WANTED, strict=True)
    ]
    assert [[one.text for one in texts] for texts in together] == [[one.text for one in texts] for texts in alone]
    other = writer.complete_with(PROMPTS, WANTED, decoding, samples=2, seed=4)
    assert together != other


@pytest.mark.slow
def test_attempts_that_were_given_up_are_counted(writer) -> None:
    [texts] = writer.complete_with(PROMPTS[:1], WANTED[:1], Decoding(max_new_tokens=40), samples=6, seed=1)
    assert all(one.attempts >= 1 and one.tokens >= one.attempts for one in texts)
    assert any(one.attempts > 1 for one in texts), "random weights never hold both words by chance"


def test_lists_that_do_not_fit_the_prompts_are_refused() -> None:
    model = as_writer(load("scripted"))
    with pytest.raises(UserError, match="each prompt"):
        model.complete_with(["She is"], [], Decoding(), samples=1, seed=0)
    with pytest.raises(UserError, match="empty or has white space"):
        model.complete_with(["She is"], [[" nurse"]], Decoding(), samples=1, seed=0)


class Terms:
    """Two words of one token each, at the places where a sampler of words would put them."""

    def __init__(self) -> None:
        sampler = load("scripted")._sampler(["nurse", "Nurse", "calm", "Calm"])
        self.both = [terms.Term(word, sampler, "") for word in ("nurse", "calm")]
        self.tokens = {term.text: term.inside[0] for term in self.both}


def logprobs(places: Terms, **chances: float) -> numpy.ndarray:
    made = numpy.full(64, -20.0, dtype=numpy.float32)
    for word, value in chances.items():
        made[places.tokens[word]] = value
    return made


def test_a_draft_goes_back_to_where_a_word_was_most_expected() -> None:
    words = Terms()
    nurse, calm = words.both
    places = terms.Places(words.both)
    places.note(0, logprobs(words, nurse=-4.0, calm=-9.0), "")
    places.note(1, logprobs(words, nurse=-2.0, calm=-5.0), " The tall")
    places.note(2, logprobs(words, nurse=-3.0, calm=-3.5), " The tall man is")
    assert places.best([nurse], kept_from=0, floor=-6.0) == (1, nurse)
    assert places.best([nurse, calm], kept_from=0, floor=-6.0) == (1, nurse)
    assert places.best([nurse], kept_from=2, floor=-6.0) == (2, nurse), "a nat is not worth the other word"
    assert places.best([calm], kept_from=0, floor=-3.0) is None
    places.take_back(1, nurse)
    assert places.best([nurse], kept_from=0, floor=-30.0) == (0, nurse), "not the same place twice"


def test_no_place_is_offered_where_a_word_would_clash() -> None:
    words = Terms()
    places = terms.Places(words.both)
    places.note(0, logprobs(words, nurse=-0.1), " She is an")
    assert places.best([words.both[0]], kept_from=0, floor=-math.inf) is None


@pytest.mark.slow
def test_what_was_taken_back_or_begun_anew_counts_as_a_sequence(writer) -> None:
    found = writer.complete_with(PROMPTS, WANTED, Decoding(max_new_tokens=40), samples=6, seed=2)
    most = required_terms._ATTEMPTS * (1 + required_terms._REWINDS)
    assert all(1 <= one.attempts <= most for texts in found for one in texts)
    greedy = writer.complete_with(PROMPTS, WANTED, Decoding(temperature=0, max_new_tokens=40))
    for words, [one] in zip(WANTED, greedy, strict=True):
        assert one.attempts <= 1 + required_terms._REWINDS, "greedy attempts would all be the same"
        assert all(re.search(rf"(?<!\w){word}(?!\w)", one.text, re.IGNORECASE) for word in words)


def test_a_word_that_only_the_last_full_stop_completes_is_no_place_to_go_back_to() -> None:
    model = load("scripted")
    sampler = model._sampler(["nurse", "Nurse", "Ph", "D", "."])
    words = [terms.Term(text, sampler, "") for text in ("nurse", "Ph.D.")]
    draft = required_terms.TermsDraft(
        sampler, sampler.read("Words:"), words, Decoding(max_new_tokens=60), random.Random(1)
    )
    draft._written = list(words[1].inside[:-1])
    assert draft._kept_from([words[0]]) == len(draft._written)
