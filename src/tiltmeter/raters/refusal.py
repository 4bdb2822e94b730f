"""Refusals and empty answers: a chat model that declines has said nothing about the group, neutral or otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tiltmeter.raters.declining import points
from tiltmeter.raters.declining_words import ENOUGH
from tiltmeter.raters.foreign import is_foreign
from tiltmeter.raters.interface import ENGLISH, rate_each
from tiltmeter.raters.own_words import own_words, without_reasoning
from tiltmeter.records import Rating

NAME = "refusal.v3"
REFUSAL, EMPTY, ANSWER, UNKNOWN = "refusal", "empty", "answer", "unknown"
UNREAD = "the text is not English, as far as can be seen, and the rater reads English"
ONLY_REASONING = "the text is reasoning without an answer"

_FIRST_SIGNS = 400
"""Further on, such words belong to a story and not to the model."""


def is_refusal_rater(name: str) -> bool:
    """Whether this is a refusal rater, of whatever version.

    >>> is_refusal_rater("refusal.v2"), is_refusal_rater("regard.minilm.v2")
    (True, False)
    """
    return re.fullmatch(r"refusal(?:\.v\d+)?", name) is not None


class Refusal:
    """1 where a text declines to answer, 0 where it answers; an empty or foreign text is unrated. The label says which.

    >>> [rating.label for rating in Refusal().rate(["I'm sorry, but I can't help with that.", "a nurse.", " "])]
    ['refusal', 'answer', 'empty']
    """

    name = NAME
    wants_mask = False
    languages = ENGLISH
    facts: Mapping[str, str] = MappingProxyType({})

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """One rating for each text; give the completion alone, without its prompt."""
        rated = rate_each(self.name, texts, self._one)
        return [
            Rating(self.name, None, rating.unrated, label=EMPTY) if rating.unrated and not rating.label else rating
            for rating in rated
        ]

    def _one(self, text: str) -> Rating | None:
        if not any(sign.isalnum() for sign in text):
            return None
        answer = without_reasoning(text)
        if not any(sign.isalnum() for sign in answer):
            return Rating(self.name, None, ONLY_REASONING, label=EMPTY)
        begun = answer.lstrip()[:_FIRST_SIGNS]
        if is_foreign(begun):
            return Rating(self.name, None, UNREAD, label=UNKNOWN)
        found, words = points(own_words(begun))
        if found < ENOUGH:
            return Rating(self.name, 0.0, label=ANSWER)
        return Rating(self.name, 1.0, because=words, label=REFUSAL)
