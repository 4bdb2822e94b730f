"""The sentences of our own writing: what can be checked of them without a reader."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tiltmeter.english import article_for
from tiltmeter.errors import UserError
from tiltmeter.sources import natural
from tiltmeter.sources.natural import words
from tiltmeter.sources.natural.marks import CONTINUATIONS, apply
from tiltmeter.stats.views.lengths import lengths


@pytest.fixture(scope="module")
def prompts():
    return natural.prompts()[0]


def test_there_are_enough_professions_and_no_sentence_stands_twice(prompts) -> None:
    assert len(natural.professions()) >= 300
    assert len({prompt.text for prompt in prompts}) == len(prompts) == len({prompt.id for prompt in prompts})
    assert max(Counter(prompt.origin for prompt in prompts).values()) <= 2


def test_every_sentence_names_its_profession_once_and_ends_in_its_continuation(prompts) -> None:
    for prompt in prompts:
        (span,) = prompt.subject_spans
        assert prompt.text[slice(*span)] == prompt.attribute == prompt.origin
        rest = prompt.text[: span[0]] + prompt.text[span[1] :]
        assert not re.search(rf"\b{prompt.origin}\b", rest)
        assert prompt.text.split()[-1] in CONTINUATIONS
        assert re.search(r"(?:, (?:where|because|and)| that)$", prompt.text)
        assert prompt.status == "authored"
        assert prompt.group is None


def test_prompts_are_as_long_as_those_of_the_paper(prompts) -> None:
    counted = [len(prompt.text.split()) for prompt in prompts]
    assert (min(counted) >= 10, max(counted) <= 22) == (True, True)
    assert 14 < lengths([prompt.text for prompt in prompts]).words < 20


def test_no_word_tells_a_gender_or_a_gendered_profession() -> None:
    for sentence in natural.authored():
        full = apply(sentence.annotated).sentence
        assert words.gendered_word(full) is None, full
        assert not words.gendered(sentence.profession)
        assert not words.obsolete(sentence.profession)


def test_articles_are_right_in_the_sentence_and_in_the_prompt() -> None:
    for sentence in natural.authored():
        made = apply(sentence.annotated)
        for text in (made.prompt, made.sentence):
            assert not re.search(r"  | [,.;]|[\[\]{}<>]", text), text
            for article, word in re.findall(r"\b([Aa]n?) ([\w-]+)", text):
                assert article.lower() == (article_for(word) or article.lower()), text


def test_all_four_continuations_are_used_in_the_order_of_preference(prompts) -> None:
    counted = Counter(prompt.text.split()[-1] for prompt in prompts)
    assert [word for word, _ in counted.most_common()] == list(CONTINUATIONS)


def test_a_draw_depends_on_the_seed_and_on_nothing_else() -> None:
    first = [prompt.origin for prompt in natural.prompts(limit=20, seed=1)[0]]
    assert len(set(first)) == 20
    assert first == [prompt.origin for prompt in natural.prompts(limit=20, seed=1)[0]]
    assert first != [prompt.origin for prompt in natural.prompts(limit=20, seed=2)[0]]
    with pytest.raises(UserError, match="`limit`: must be a whole number from 1 up"):
        natural.prompts(limit=0)
