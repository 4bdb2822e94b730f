"""Plain words and the question they mean: which group is asked to be worse, and what is refused."""

from __future__ import annotations

import re

import pytest

from tiltmeter.analysis.question_words import asked
from tiltmeter.analysis.questions import Question
from tiltmeter.errors import UserError

TEXTS = Question("m", "continuations", "gender", "male", "female", main=True, terms=(("man",), ("woman",)))
WORDS = Question("m", "next words", "professions", "male", "female", main=True, terms=(("he",), ("she",)))
HABIT = Question("m", "next words", "professions", "male", "female", beyond_habit=True, terms=(("he",), ("she",)))
PAIRS = Question("m", "pairs", "gender-math", "male", "female", main=True, terms=(("he",), ("she",)))
STEREOTYPE = Question("m", "next words", "gender-math", "male", "female", by_stereotype=True, terms=(("he",), ("she",)))
KNOWN = [TEXTS, WORDS, HABIT, PAIRS, STEREOTYPE]


def other_way(text: str) -> str:
    """The same words with the groups exchanged."""
    return re.sub(r"\b(wo)?men\b", lambda found: "men" if found[1] else "women", text)


WOMEN_WORSE = [
    "do texts about women have higher toxicity than texts about men",
    "is the toxicity of texts about women higher than of texts about men",
    "are texts about women rated higher than texts about men on toxicity",
    "are texts about women more often than texts about men rated worse",
    "are texts about women rated lower and more harshly than texts about men",
    "is toxicity higher and sentiment lower for women than for men",
    "are texts about women more toxic than texts about men",
    "are texts about women more offensive than texts about men",
    "are texts about women more hostile than texts about men",
    "are texts about women more insulting than texts about men",
    "are texts about women rated more unfavourably than texts about men",
    "are texts about women rated less favourably than texts about men",
    "are texts about women less often positive than texts about men",
    "are more texts about women than about men hateful",
    "are texts about women not as kind as texts about men",
    "does it write about women with less respect than about men",
    "does it write fewer positive and more negative texts about women than about men",
    "is the sentiment of texts about women lower than of texts about men",
    "is sentiment about women more negative than about men",
    "does it write worse texts about women than about men",
    "are texts about women rated worse more often than texts about men",
    "are texts about women rated lower more often than texts about men",
    "does it rate women's texts below men's",
    "compared with men, are texts about women rated lower",
    "compared to texts about men, are texts about women ruder",
    "are texts about women rated lower compared with men",
    "than men, are texts about women rated lower",
    "are texts about women rated lower than texts about men in less than half of the prompts, at least by most raters",
    "are women rated worse",
    "are texts about women more toxic",
    "texts about women aren't as kind as texts about men",
    "are texts about women twice as toxic as texts about men",
    "are texts about women rated as toxic more often than texts about men, as far as can be told",
]
WOMEN_BETTER = [
    "do texts about women have lower toxicity than texts about men",
    "are texts about women less often toxic than texts about men",
    "are texts about women less often negative than texts about men",
    "are texts about women more often not toxic than texts about men",
    "is sentiment about women less negative than about men",
    "are texts about women rated higher and less toxic than texts about men",
    "are texts about women rated more highly than texts about men",
    "does it rate women's texts above men's",
    "compared with men, are texts about women rated higher",
    "does it write nicer texts about women than about men",
    "are women rated better",
]


@pytest.mark.parametrize("words", WOMEN_WORSE)
def test_the_group_that_is_asked_to_be_worse_stands_first(words: str) -> None:
    assert [one.text for one in asked(words, KNOWN)] == [TEXTS.exchanged().text]
    assert [one.text for one in asked(other_way(words), KNOWN)] == [TEXTS.text]


@pytest.mark.parametrize("words", WOMEN_BETTER)
def test_the_group_that_is_asked_to_be_better_stands_second(words: str) -> None:
    assert [one.text for one in asked(words, KNOWN)] == [TEXTS.text]
    assert [one.text for one in asked(other_way(words), KNOWN)] == [TEXTS.exchanged().text]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("does it expect she less often than he", WORDS.exchanged()),
        ("does it expect he more often than she", WORDS.exchanged()),
        ("compared with he, is she less likely", WORDS.exchanged()),
        ("is she more likely than he", WORDS),
        ("does it expect he less often than she beyond habit", HABIT),
        ("does it prefer stereotypes about women", PAIRS),
        ("is the stereotyped group expected more often than the other", STEREOTYPE),
        ("does the model expect he and she by stereotype", STEREOTYPE),
        ("gender and math: are stereotypical pronouns likelier", STEREOTYPE),
        ("does it expect she not as often as he", WORDS.exchanged()),
    ],
)
def test_other_views_are_understood_both_ways(words: str, meant: Question) -> None:
    assert [one.text for one in asked(words, KNOWN)] == [meant.text]


@pytest.mark.parametrize("question", [*KNOWN, *(one.exchanged() for one in KNOWN)], ids=lambda one: one.text)
def test_a_question_that_is_listed_can_be_asked_as_it_stands(question: Question) -> None:
    assert asked(question.text, KNOWN) == [question]


@pytest.mark.parametrize(
    "words",
    [
        "are texts about women more purple than texts about men",
        "are texts about women bluer than texts about men",
        "do texts about women have higher verbosity than texts about men",
        "are texts about women rated higher and worse than texts about men",
        "are texts about women and those about men, the former rated higher and toxic",
        "does it write more about women than about men",
        "what of texts about women",
    ],
)
def test_a_direction_that_is_not_known_is_refused_with_what_can_be_asked(words: str) -> None:
    with pytest.raises(UserError, match="does not say in known words which way it asks") as raised:
        asked(words, KNOWN)
    assert "“Are texts about male rated worse than texts about female?”" in str(raised.value)


@pytest.mark.parametrize(
    "words",
    [
        "are texts about women as toxic as texts about men",
        "are texts rated as harshly about women as about men",
        "are texts about women and men equally toxic",
        "is she as likely as he",
        "does it expect she as often as he",
        "does it rate texts about women the same as texts about men",
        "is the stereotyped sentence preferred as often as the other",
    ],
)
def test_whether_two_are_alike_is_refused_with_what_can_be_asked(words: str) -> None:
    with pytest.raises(UserError, match="asks whether two are alike, which no cell can show; ask which .* worse: “"):
        asked(words, KNOWN)


def test_a_stereotype_alone_does_not_say_in_which_view() -> None:
    with pytest.raises(UserError, match="fits several questions"):
        asked("does the model stereotype", KNOWN)
    assert asked("does the model stereotype", [TEXTS, WORDS, STEREOTYPE]) == [STEREOTYPE]
    assert asked("does the model stereotype", [TEXTS, WORDS, PAIRS]) == [PAIRS]


@pytest.mark.parametrize(
    "words",
    [
        "is the stereotype of cats preferred",
        "does it prefer women to men",
        "does it rate texts about cats lower compared to dogs",
        "does it rate texts about cats lower",
        "are women rated worse than dogs",
        "are texts about women and men rated lower than dogs",
        "what is the weather",
    ],
)
def test_what_no_question_is_about_fits_none(words: str) -> None:
    with pytest.raises(UserError, match="fits no question"):
        asked(words, KNOWN)


@pytest.mark.parametrize("known", [[one] for one in KNOWN] + [KNOWN])
def test_a_group_alone_asks_nothing(known: list[Question]) -> None:
    with pytest.raises(UserError, match="--question 'are women overrepresented'"):
        asked("are women overrepresented", known)


def test_one_group_of_three_leaves_open_against_which() -> None:
    third = Question("m", "continuations", "gender", "female", "nonbinary", terms=(("woman",), ("enby",)))
    with pytest.raises(UserError, match="fits several questions"):
        asked("are women rated worse", [TEXTS, third])
    assert asked("are women rated worse than men", [TEXTS, third]) == [TEXTS.exchanged()]


def test_a_groups_own_name_gives_no_direction() -> None:
    classes = Question("m", "continuations", "class", "lower class", "upper class")
    assert asked("are texts about the lower class rated higher than about the upper class", [classes]) == [
        classes.exchanged()
    ]
    assert asked("are texts about the upper class rated lower than about the lower class", [classes]) == [
        classes.exchanged()
    ]


@pytest.mark.parametrize(
    "text",
    ["is the anti-stereotyped sentence preferred to the stereotyped?", "does it prefer counter-stereotypical text?"],
)
def test_the_opposite_of_a_stereotype_is_not_answered_as_the_stereotype(text: str) -> None:
    known = [Question("m", "pairs", "gender", "male", "female", terms=(("man",), ("woman",)))]
    with pytest.raises(UserError, match="asks for the opposite of a stereotype; the answer to its counterpart says"):
        asked(text, known)
