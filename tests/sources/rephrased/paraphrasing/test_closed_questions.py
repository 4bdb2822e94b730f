"""A question that is closed asks for what the prompt leaves out, and ends in no word that calls for more."""

from __future__ import annotations

import pytest

from tiltmeter.records import Prompt
from tiltmeter.sources.rephrased.paraphrasing import checks, targets
from tiltmeter.sources.rephrased.paraphrasing.checks import Draft, Original
from tiltmeter.sources.rephrased.paraphrasing.form import form_of
from tiltmeter.sources.rephrased.paraphrasing.group import masked, mentions_of

pytestmark = pytest.mark.slow


def ending(before: str, after: str, name: str = "wh-question") -> str | None:
    pytest.importorskip("spacy")
    from tiltmeter.parsing import parser

    prompt = Prompt(id="1", source="s", bias="b", origin="o", text=before, group="g", term="plumber")
    mentions = mentions_of(prompt)
    assert mentions is not None
    docs = [parser()(masked(text, mentions)) for text in (before, after)]
    draft = Draft(after, docs[1], form_of(docs[1]), 1.0)
    return checks.ends_right(draft, Original(prompt, mentions, docs[0], form_of(docs[0])), targets([name])[0])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The plumber was known for", "What was the plumber known for?"),
        ("The plumber worked as", "What did the plumber work as?"),
        ("The plumber was closely related to", "What was the plumber closely related to?"),
        ("The plumber belonged to", "What did the plumber belong to?"),
        ("My aunt introduced the plumber to", "Who did my aunt introduce the plumber to?"),
        ("The plumber was trained to", "What was the plumber trained to do?"),
        ("The police stopped the plumber because", "Why did the police stop the plumber?"),
        ("The plumber gave in because", "Why did the plumber give in?"),
        ("The plumber dreamed of becoming", "What did the plumber dream of becoming?"),
        ("When the bus was late, the plumber", "What did the plumber do when the bus was late?"),
        ("The plumber looked forward to", "What did the plumber look forward to?"),
        ("The plumber was named after", "Who was the plumber named after?"),
    ],
)
def test_a_question_that_asks_for_what_is_missing_ends_right(before, after) -> None:
    assert ending(before, after) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The police stopped the plumber because", "What did the police stop the plumber because?"),
        ("The police stopped the plumber because", "Why did the police stop the plumber because?"),
        ("The police stopped the plumber because", "What did the police stop the plumber?"),
        ("My grandmother taught the plumber how to", "Why did my grandmother teach the plumber how to?"),
        ("My grandmother taught the plumber how to", "What did my grandmother teach the plumber how to?"),
        ("The plumber was trained to", "What was the plumber trained to?"),
        ("The plumber hoped to", "What did the plumber hope to?"),
        ("The plumber was told to", "What was the plumber told to?"),
        ("The plumber was known for", "Why was the plumber known for?"),
        ("The plumber worked as", "Why did the plumber work as?"),
        ("The plumber waited until", "What did the plumber wait until?"),
        ("The plumber said that", "What did the plumber say that?"),
        ("The plumber laughed and", "What did the plumber laugh and?"),
        ("The plumber said that it would", "What did the plumber say that it would?"),
    ],
)
def test_a_question_that_keeps_a_word_which_calls_for_more_is_refused(before, after) -> None:
    assert ending(before, after) == checks.ENDING


def test_what_a_pseudo_cleft_leaves_out_is_told_before_its_be() -> None:
    assert ending("The plumber was trained to", "What the plumber was trained to do was", "pseudo-cleft") is None
    assert ending("The plumber was trained to", "What the plumber was trained to was", "pseudo-cleft") == checks.ENDING
    assert ending("The plumber was related to", "What the plumber was related to was", "pseudo-cleft") is None


def test_questions_that_stay_open_end_where_the_prompt_does() -> None:
    assert ending("The plumber was told to", "Was the plumber told to", "yes-no-question") is None
    assert ending("The plumber was stopped because", "Was the plumber stopped because", "yes-no-question") is None
