import re
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.shared import shared
from tiltmeter.english import article_for, gender, starts_sentence
from tiltmeter.files import read_csv
from tiltmeter.records import Group
from tiltmeter.sources.slots import fill
from tiltmeter.sources.swap import Swapped, Unswapped, swap


def swapped(text: str, term: str, counterpart: str, pronouns: Literal["along", "leave"] = "along") -> str:
    result = swap(text, term, counterpart, pronouns=pronouns)
    assert isinstance(result, Swapped), result
    return result.text


@pytest.mark.parametrize(
    ("text", "term", "counterpart", "expected"),
    [
        # whole words, every occurrence, possessives
        ("The man saw a woman's hat; the man left", "hat", "cap", "The man saw a woman's cap; the man left"),
        ("One man, two man-made things, a man.", "man", "woman", "One woman, two man-made things, a woman."),
        ("The postman is a man", "man", "woman", "The postman is a woman"),
        ("the man's brother", "man", "woman", "the woman's brother"),
        ("the man’s brother", "brother", "sister", "the man’s sister"),
        ("My mother-in-law met my mother.", "mother", "father", "My mother-in-law met my father."),
        ("A black person and a dog", "black person", "white person", "A white person and a dog"),
        ("my grown-up friend", "grown-up", "baby", "my baby friend"),
        # capitals
        ("Man is here. Man!", "man", "aunt", "Aunt is here. Aunt!"),
        ("THE MAN LEFT", "man", "woman", "THE WOMAN LEFT"),
        ("A Black Person spoke", "black person", "white person", "A White Person spoke"),
        ("Frank was frank with FRANK", "Frank", "Tyrone", "Tyrone was frank with TYRONE"),
        ("Hispanic patients? One Hispanic patient.", "Hispanic patient", "patient", "Hispanic patients? One patient."),
        ("I told the White man", "White", "young", "I told the young man"),
        ("White men. White men.", "White", "young", "Young men. Young men."),
        # a and an
        ("A man is an uncle", "man", "aunt", "An aunt is an uncle"),
        ("AN UNCLE LEFT", "uncle", "father", "A FATHER LEFT"),
        ("A MAN AND HIS DOG", "man", "aunt", "AN AUNT AND HER DOG"),
        ('a "man"', "man", "aunt", 'an "aunt"'),
        ("I am an FBI agent", "FBI agent", "CIA agent", "I am a CIA agent"),
        ("an European man", "European", "Asian", "an Asian man"),
        # pronouns as terms, in the case that the place needs
        ("Her sister gave her a book about math", "her", "him", "His sister gave him a book about math"),
        ("His algebra skills are exceptional.", "his", "hers", "Her algebra skills are exceptional."),
        ("The art is his.", "his", "hers", "The art is hers."),
        ("That book is HERS.", "hers", "his", "That book is HIS."),
        ("He told his mother", "he", "she", "She told her mother"),
        ("He’s late and he’ll run", "he", "she", "She’s late and she’ll run"),
        ("She hurt herself.", "she", "he", "He hurt himself."),
        ("Ask her why they like her.", "her", "him", "Ask him why they like him."),
        ("They made her go, not her mother", "her", "him", "They made him go, not his mother"),
        ("I met her first, at her first job", "her", "him", "I met him first, at his first job"),
        (
            "We love her family and her extremely good book",
            "her",
            "him",
            "We love his family and his extremely good book",
        ),
        ("He said so", "he", "they", "They said so"),
        # pronouns that go along
        ("The boy lost his first tooth", "boy", "girl", "The girl lost her first tooth"),
        ("The woman taught herself; the prize is hers", "woman", "man", "The man taught himself; the prize is his"),
        # somebody else's pronouns stay
        ("Her daughter is good", "daughter", "son", "Her son is good"),
        ("His younger brother reads", "brother", "sister", "His younger sister reads"),
        ("He told his mother", "mother", "father", "He told his father"),
        ("The man saw her", "man", "woman", "The woman saw her"),
        ("Adam loves his job", "Adam", "Alonzo", "Alonzo loves his job"),
    ],
)
def test_the_term_and_what_agrees_with_it_are_exchanged(text: str, term: str, counterpart: str, expected: str) -> None:
    assert swapped(text, term, counterpart) == expected


@pytest.mark.parametrize(
    ("text", "term", "counterpart", "says"),
    [
        ("", "man", "woman", "`man` does not occur"),
        ("The woman left", "man", "woman", "`man` does not occur"),
        ("To be frank", "Frank", "Tyrone", "`Frank` does not occur"),
        ("A man met a woman", "man", "woman", "`woman` is in the sentence already"),
        ("his and hers", "his", "hers", "`hers` is in the sentence already"),
        ("He and Her Majesty", "he", "she", "both `He` and `Her`"),
        ("Her son loves his job", "son", "daughter", "both `his` and `Her`"),
        ("Her sister gave her a book", "sister", "brother", "`her` may mean either person in `Her sister`"),
        ("I saw her dance", "her", "him", "`saw her dance` can be read in two ways"),
        ("The woman's job made her happy", "woman", "man", "`made her happy` can be read in two ways"),
        ("They sent her home", "her", "him", "can be read in two ways"),
        ("He is here", "he", "they", "`is` after `He` does not fit `they`"),
        ("He’s here", "he", "they", "does not fit `they`"),
        ("Mr. Man and the dog", "man", "woman", "the title `Mr.` before `Man` reveals the gender"),
        ("a man", "man", "Man", "are the same"),
    ],
)
def test_what_would_be_a_guess_is_refused_with_a_reason(text: str, term: str, counterpart: str, says: str) -> None:
    result = swap(text, term, counterpart)
    assert isinstance(result, Unswapped)
    assert says in result.reason


def test_pronouns_stay_when_left() -> None:
    assert swapped("He told his mother", "he", "she", "leave") == "She told his mother"
    assert swapped("The man and his dog", "man", "woman", "leave") == "The woman and his dog"
    assert swapped("His dog likes his house", "his", "hers", "leave") == "Her dog likes her house"


def test_names_take_their_gender_from_the_caller() -> None:
    result = swap("John loves his job", "John", "Amy", genders=("male", "female"))
    assert isinstance(result, Swapped)
    assert result.text == "Amy loves her job"
    title = swap("Mr. John left", "John", "Amy", genders=("male", "female"))
    assert isinstance(title, Unswapped)


def test_spans_name_every_stretch_that_differs_in_both_texts() -> None:
    result = swap("A man and his dog", "man", "aunt")
    assert isinstance(result, Swapped)
    assert [("A man and his dog"[a:b], result.text[c:d]) for (a, b), (c, d) in spans_of(result)] == [
        ("A", "An"),
        ("man", "aunt"),
        ("his", "her"),
    ]


def spans_of(result: Swapped) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return list(zip(result.original_spans, result.spans, strict=True))


def test_the_gender_of_a_group_is_read_from_its_name_and_then_its_terms() -> None:
    assert gender(Group("female", ("Amy", "Joan"))) == "female"
    assert gender(Group("first", ("man", "boy"))) == "male"
    assert gender(Group("second", ("man", "girl"))) is None
    assert gender("man or woman") is None


AN = "uncle hour honest heir honorary apple unintelligent umpire onerous 8 11 18 FBI MRI HIV X-ray AIDS 8-year-old"
AN += " 11th 18-year-old 1800s LGBT élite e-mail F-16 11,000"
A = "man university European one uniform union usual utopian house 1 NASA UFO CEO US U-turn 100 180 one-off once"
A += " unicorn Ugandan Ukrainian unidirectional eulogy 1000 110"

OPEN = ["herb", "herbalist", "[MASK]", "$5", "", "東京"]


@pytest.mark.parametrize(
    ("words", "article"),
    [(AN.split(), "an"), (A.split(), "a"), (OPEN, None)],
)
def test_a_and_an_follow_the_sound(words: list[str], article: str | None) -> None:
    assert {word: article_for(word) for word in words} == dict.fromkeys(words, article)


def test_sentences_start_after_full_stops_but_not_after_abbreviations() -> None:
    text = 'Yes. "No!" J. Smith met Dr. Jones. Then'
    starts = [match.start() for match in re.finditer(r"\w+", text) if starts_sentence(text, match.start())]
    assert [text[start : start + 4] for start in starts] == ["Yes.", 'No!"', "J. S", "Then"]


@pytest.mark.parametrize(
    ("template", "term", "attribute", "expected"),
    [
        ("[T] is a [A]", "he", "electrician", "He is an electrician"),
        ("[T] is an [A]", "he", "plumber", "He is a plumber"),
        ("[T], the [A], ate", "the man", "baker", "The man, the baker, ate"),
        ("Hello. [T] is [A].", "she", "kind", "Hello. She is kind."),
        ('"[T] is [A]"', "she", "kind", '"She is kind"'),
        ("A [T] is [A]", "uncle", "kind", "An uncle is kind"),
        ("The [A] said that [T]", "she", "clerk", "The clerk said that she"),
        ("[T] uses [A]", "eBay", "iOS", "eBay uses iOS"),
        ("I saw a [A]", "he", "[MASK]", "I saw a [MASK]"),
        ("a [MASK] is [A]", "uncle", "kind", "an uncle is kind"),
        ("[T] met [T] and [A]", "[A]", "Bo", "[A] met [A] and Bo"),
    ],
)
def test_templates_are_filled_with_capital_and_article(template: str, term: str, attribute: str, expected: str) -> None:
    assert fill(template, term, attribute).text == expected


def test_without_agreement_words_go_in_as_they_are() -> None:
    assert fill("[T] is a [A]", "he", "electrician", agreement=False).text == "he is a electrician"


def test_a_template_with_an_empty_slot_is_refused() -> None:
    with pytest.raises(ValueError, match="no attribute was given"):
        fill("[T] is [A]", "he")


def test_published_pairs_about_gender_come_out_as_their_authors_wrote_them() -> None:
    """The authors' own pairs were swapped by a large model and by hand: nearly all of ours must agree."""
    _, rows = read_csv(shared("biastestgpt/pairs_1.csv"))
    about = [row for row in rows if row["group"] in ("Math_Arts_vs_Male_Female", "Science_Arts_vs_Male_Female")]
    results = [(swap(row["sent_att_1"], row["att_term_1"], row["att_term_2"]), row["sent_att_2"]) for row in about]
    made = [(result.text, theirs) for result, theirs in results if isinstance(result, Swapped)]
    assert len(made) >= 0.9 * len(about)
    assert sum(ours == theirs for ours, theirs in made) >= 0.9 * len(made)


PAIRS = [("man", "woman"), ("uncle", "aunt"), ("heir", "widow"), ("Brad", "Aisha"), ("gay person", "straight person")]
fillers = st.sampled_from(
    ["the", "dog", "ate", "saw", "an", "a", "very", "Yes.", "math,", "his", "her", "(so)", "—", "said", "it’s", "Mr."]
)


@given(st.sampled_from(PAIRS), st.lists(fillers, max_size=8), st.lists(fillers, max_size=8), st.sampled_from("lut"))
def test_swapping_twice_gives_the_sentence_back_and_only_spans_change(
    pair: tuple[str, str], before: list[str], after: list[str], case: str
) -> None:
    term, counterpart = pair
    titled = " ".join(word[:1].upper() + word[1:] for word in term.split())
    shown = {"l": term, "u": term.upper(), "t": titled}[case]
    # A wrong article is the writer's and stays, so only right ones come back.
    articles = [article_for(term) or "" if word in ("a", "an") else word for word in before]
    text = " ".join([*articles, shown, *after])
    result = swap(text, term, counterpart, pronouns="leave")
    assert isinstance(result, Swapped)
    assert outside(text, result.original_spans) == outside(result.text, result.spans)
    assert any(result.text[start:end].casefold() == counterpart.casefold() for start, end in result.spans)
    back = swap(result.text, counterpart, term, pronouns="leave")
    assert isinstance(back, Swapped)
    assert back.text == text


def outside(text: str, spans: tuple[tuple[int, int], ...]) -> list[str]:
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


@given(st.text(max_size=40), st.text(max_size=10), st.text(max_size=10))
def test_no_text_breaks_it(text: str, term: str, counterpart: str) -> None:
    if term.strip() and counterpart.strip():
        result = swap(f"{text} {term}", term, counterpart)
        assert isinstance(result, Unswapped) or outside(f"{text} {term}", result.original_spans) == outside(
            result.text, result.spans
        )


@example("E", "A ", "A [T]. [A] [T]")
@given(st.text(max_size=8), st.text(max_size=8), st.sampled_from(["[T] is a [A].", "A [T]. [A] [T]", "x[T][A]"]))
def test_spans_of_a_filled_template_cover_its_words(term: str, attribute: str, template: str) -> None:
    filled = fill(template, term, attribute)
    assert all(filled.text[start:end].casefold() == term.casefold() for start, end in filled.term_spans)
    assert all(filled.text[start:end].casefold() == attribute.casefold() for start, end in filled.attribute_spans)
    assert len(filled.term_spans) == template.count("[T]")
