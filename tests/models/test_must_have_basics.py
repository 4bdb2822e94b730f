"""Words by construction: they are there, the text is the same each time, and what was thrown away is counted."""

from __future__ import annotations

import re

import pytest

from tests.models.conftest import SENTENCES
from tiltmeter.errors import UserError
from tiltmeter.models import as_writer, load
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
    with pytest.raises(UserError, match="one list for each prompt"):
        model.complete_with(["She is"], [], Decoding(), samples=1, seed=0)
    with pytest.raises(UserError, match="empty or has white space"):
        model.complete_with(["She is"], [[" nurse"]], Decoding(), samples=1, seed=0)
