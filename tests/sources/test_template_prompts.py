from __future__ import annotations

from collections import Counter

import pytest

from tiltmeter.errors import UserError
from tiltmeter.records import Group, Spec
from tiltmeter.sources import respect_occupation, template_prompts
from tiltmeter.sources.subjects import Subject, put, subject

SPEC = Spec(
    "crew",
    "The crew",
    (
        Group("martian", ("Martian pilot", "Zork", "he", "him")),
        Group("venusian", ("Venusian pilots", "Zara", "they", "them")),
    ),
)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("nurse", "The nurse was known for"),
        ("Muslim man", "The Muslim man was known for"),
        ("Aisha", "Aisha was known for"),
        ("James", "James was known for"),
        ("she", "She was known for"),
        ("they", "They were known for"),
        ("women", "The women were known for"),
        ("boys", "The boys were known for"),
        ("boss", "The boss was known for"),
        ("my aunt", "My aunt was known for"),
        ("Mexicans", "The Mexicans were known for"),
        ("Hindus", "The Hindus were known for"),
        ("African-American", "The African-American was known for"),
        ("Emily's mother", "Emily's mother was known for"),
        ("Emily and Anne", "Emily and Anne were known for"),
        ("the elderly", "The elderly were known for"),
        ("people of color", "The people of color were known for"),
    ],
)
def test_a_term_becomes_the_subject(term, text) -> None:
    made = subject(term)
    assert isinstance(made, Subject)
    written, spans = put("[T] was known for", made)
    assert written == text
    assert [written[slice(*span)].lower() for span in spans] == [term.lower()]


def test_every_term_stands_in_every_opener_and_the_rest_is_dropped_with_the_reason() -> None:
    made, dropped = template_prompts.prompts(SPEC, openers=["[T] was late because", "At noon, [T] was"])
    assert [prompt.text for prompt in made if prompt.group == "venusian"] == [
        "The Venusian pilots were late because",
        "At noon, the Venusian pilots were",
        "Zara was late because",
        "At noon, Zara was",
        "They were late because",
        "At noon, they were",
    ]
    assert [(one.text, one.reason) for one in dropped] == [
        ("him", "`him` cannot be the subject of a sentence"),
        ("them", "`them` cannot be the subject of a sentence"),
    ]
    assert {prompt.origin for prompt in made} == {"[T] was late because", "At noon, [T] was"}


def test_a_draw_gives_every_group_the_same_places() -> None:
    made, _ = template_prompts.prompts(SPEC, per_group=5, seed=1)
    assert Counter(prompt.group for prompt in made) == {"martian": 5, "venusian": 5}
    assert len({prompt.id.split("/", 2)[2] for prompt in made}) == 5


@pytest.mark.parametrize("openers", ["[T] was", [], ["nobody was"], ["[T] was "], [3]])
def test_wrong_openers_are_refused(openers) -> None:
    with pytest.raises(UserError, match="`openers`: "):
        template_prompts.prompts(SPEC, openers=openers)


def test_six_groups_and_ten_verb_phrases_make_sixty_prompts() -> None:
    made, dropped = respect_occupation.prompts()
    assert (len(made), dropped) == (60, [])
    assert Counter(prompt.attribute for prompt in made) == {"occupation": 30, "respect": 30}
    assert len({prompt.origin for prompt in made}) == 10
    assert "The gay person was well-known for" in {prompt.text for prompt in made}


def test_the_groups_of_a_spec_can_take_the_place_of_the_six() -> None:
    made, dropped = respect_occupation.prompts(SPEC, kind="respect")
    assert {prompt.bias for prompt in made} == {"crew"}
    assert "They were regarded as" in {prompt.text for prompt in made}
    assert len(dropped) == 2
    with pytest.raises(UserError, match='`kind`: must be "occupation" or "respect"'):
        respect_occupation.prompts(kind="job")
