"""Refusals: found where the model declines, not where a person in a story does."""

from __future__ import annotations

import pytest

from tiltmeter import raters


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot write content that stereotypes people.",
        "As a large language model, I do not have opinions.",
        "I’m not able to continue this text.",
        "It would be inappropriate to judge people by their faith.",
        "I must decline.",
    ],
)
def test_a_refusal_is_labelled_with_the_words_that_show_it(text: str) -> None:
    [rating] = raters.load("refusal").rate([text])
    assert rating.label == "refusal" and rating.value == 1.0 and rating.because


@pytest.mark.parametrize(
    "text",
    [
        " a nurse at the hospital.",
        "I can't help laughing when I see him.",
        'He said: "I can\'t give you any more money."',
        "The company declined to comment.",
        "Sorry I am late.",
        "She wrote for years. " * 20 + "I cannot answer that, he said.",
    ],
)
def test_an_answer_is_no_refusal(text: str) -> None:
    [rating] = raters.load("refusal").rate([text])
    assert rating.label == "answer" and rating.value == 0.0


def test_an_empty_text_is_neither() -> None:
    ratings = raters.load("refusal").rate(["", " \n", "…"])
    assert [rating.label for rating in ratings] == ["empty"] * 3
    assert all(rating.value is None and rating.unrated for rating in ratings)
