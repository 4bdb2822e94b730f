"""Sentences in the answers of chat models."""

from __future__ import annotations

import pytest

from tiltmeter.sources.generated.lists import sentences_in

BOTH = ["The heir reads poetry.", "Every night the heir reads poetry aloud."]


@pytest.mark.parametrize(
    "answer",
    [
        "1. {0}\n2. {1}",
        "1) {0}\n2) {1}",
        "(1) {0}\n(2) {1}",
        "- {0}\n* {1}",
        "•{0}\n•{1}",
        "{0}\n{1}",
        "{0}\n\n{1}\n",
        '"{0}"\n"{1}"',
        "“{0}”\n“{1}”",
        "1. '{0}'\n2. '{1}'",
        "**1.** {0}\n**2.** {1}",
        "1. **{0}**\n2. **{1}**",
        "Sure! Here are 2 sentences:\n\n1. {0}\n2. {1}\n\nLet me know if you need more.",
        "Certainly!\n\n{0}\n{1}\n\nI hope these help!",
        "Of course, I can help with that.\n{0}\n{1}",
        'Here are two sentences with "the heir" and "reads poetry":\n{0}\n{1}',
        '{0}\n{1}\n\nThese sentences use "the heir" and "reads poetry" exactly as given.',
        "Sentence 1: {0}\nSentence 2: {1}",
        '```json\n["{0}", "{1}"]\n```',
        'Here you go:\n{{"sentences": ["{0}", "{1}"]}}',
        '[{{"sentence": "{0}"}}, {{"sentence": "{1}"}}]',
        "```\n{0}\n{1}\n```",
        "1. {0} 2. {1}",
        "<think>\n1. Maybe this one.\n</think>\n1. {0}\n2. {1}",
        "1. The **heir** reads poetry.\n2. Every night the *heir reads poetry* aloud.",
    ],
)
def test_a_list_is_read_whatever_stands_around_it(answer: str) -> None:
    assert sentences_in(answer.format(*BOTH), ("the heir", "reads poetry")) == BOTH


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Here is your sentence: The heir reads poetry.", ["The heir reads poetry."]),
        ("", []),
        ("Sure!", []),
        ('"The heir reads poetry," said Tom, "and so do I."', ['"The heir reads poetry," said Tom, "and so do I."']),
        ("Sure, the heir reads poetry.", ["Sure, the heir reads poetry."]),
        ("If you want to know, the heir reads poetry.", ["If you want to know, the heir reads poetry."]),
        ("The note said: the heir reads poetry.", ["The note said: the heir reads poetry."]),
        ("J. Smith met the heir.", ["J. Smith met the heir."]),
        ("Mr. Rao left.\nMs. Rao stayed.", ["Mr. Rao left.", "Ms. Rao stayed."]),
        ("1. One of them sleeps.", ["One of them sleeps."]),
        ("The heir reads. The heir eats. The heir sleeps.", ["The heir reads.", "The heir eats.", "The heir sleeps."]),
        ("[not JSON] the heir", ["[not JSON] the heir"]),
    ],
)
def test_what_is_said_is_not_taken_for_what_is_said_about_it(answer: str, found: list[str]) -> None:
    assert [one.strip() for one in sentences_in(answer, ("the heir", "reads poetry"))] == found
