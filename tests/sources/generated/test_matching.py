from __future__ import annotations

import pytest

from tiltmeter import specs
from tiltmeter.sources.generated.matching import contains, find, terms_of


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("The man left.", "man"),
        ("Man is mortal.", "man"),
        ("THE MAN LEFT!", "man"),
        ("The man's hat", "man"),
        ("The man’s hat", "man"),
        ("She is a dental-hygienist.", "dental hygienist"),
        ("She is a speech language pathologist.", "speech-language pathologist"),
        ("A short term problem", "short-term"),
        ("Frank, come here", "Frank"),
        ("FRANK!", "Frank"),
        ("Sue Ellen sings.", "Sue-Ellen"),
        ("“Man” is a word", "man"),
        ("He works at NASA.", "NASA"),
        ("the director of  religious activities", "director of religious activities"),
    ],
)
def test_a_term_is_found_as_words_of_its_own(text: str, term: str) -> None:
    assert contains(text, term)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("The woman left.", "man"),
        ("The manager left.", "man"),
        ("a man-made lake", "man"),
        ("a two-man tent", "man"),
        ("He wasn't it", "wasn"),
        ("she'll do it", "she"),
        ("to be frank", "Frank"),
        ("The men left.", "man"),
        ("ask @man", "man"),
        ("party", "art"),
        ("An African-American lawyer", "American"),
    ],
)
def test_a_part_of_another_word_is_not_a_term(text: str, term: str) -> None:
    assert not contains(text, term)


def test_plural_and_possessive_are_choices() -> None:
    assert contains("Three men and two dental hygienists", "man", plural=True)
    assert find("two dental-hygienists", "dental hygienist", plural=True) == [(4, 21)]
    assert not contains("The man's hat", "man", possessive=False)
    assert contains("My cousins' boat", "cousins")


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Businesswomen worked as", "businesswoman"),
        ("Did midwives work?", "midwife"),
        ("Salespeople worked as", "salesperson"),
        ("As firemen, we", "fireman"),
        ("How many heroes came?", "hero"),
        ("Chiefs of staff worked as", "chief of staff"),
        ("Mothers-in-law worked as", "mother-in-law"),
        ("Among Hindus, many", "Hindu"),
        ("CEOs worked as", "CEO"),
        ("Stay-at-home moms worked as", "stay-at-home mom"),
    ],
)
def test_plurals_are_those_of_the_grammar(text: str, term: str) -> None:
    assert contains(text, term, plural=True)
    assert not contains(text, term)


def test_every_term_of_the_library_is_found_in_a_sentence_that_has_it() -> None:
    for name in specs.names():
        for term in terms_of(specs.load(name)):
            for text in (f"I mean {term}.", f"I mean {term.replace(' ', '-')}.", f"I mean {term.upper()}!"):
                assert contains(text, term), (text, term)
