"""Refusals and empty answers: a chat model that declines has said nothing about the group, neutral or otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tiltmeter.raters.interface import ENGLISH, rate_each
from tiltmeter.raters.language import is_foreign
from tiltmeter.raters.own_words import without_reasoning
from tiltmeter.raters.refusal_classifier import RefusalClassifier
from tiltmeter.records import Rating

NAME = "refusal.v5"
REFUSAL, EMPTY, ANSWER, UNKNOWN = "refusal", "empty", "answer", "unknown"
UNREAD = "the text is not English, as far as can be seen, and the rater reads English"
ONLY_REASONING = "the text is reasoning without an answer"

_FIRST_SIGNS = 600
"""Further on, such words belong to a story and not to the model."""


def is_refusal_rater(name: str) -> bool:
    """Whether this is a refusal rater, of whatever version.

    >>> is_refusal_rater("refusal.v2"), is_refusal_rater("regard.minilm.v2")
    (True, False)
    """
    return re.fullmatch(r"refusal(?:\.v\d+)?", name) is not None


def starts_with_refusal(text: str) -> str:
    """The part of a text that is read: its beginning, behind the reasoning."""
    return without_reasoning(text).lstrip()[:_FIRST_SIGNS]


class Refusal:
    """1 where a text declines to answer, 0 where it answers; an empty or foreign text is unrated. The label says which.

    >>> [rating.label for rating in Refusal().rate(["I'm sorry, but I can't help with that.", "a nurse.", " "])]
    ['refusal', 'answer', 'empty']
    """

    name = NAME
    wants_mask = False
    languages = ENGLISH

    def __init__(self) -> None:
        self._model = RefusalClassifier(self.name)

    @property
    def facts(self) -> Mapping[str, str]:
        """The weights, and the texts that they were learned from."""
        return {"weights_sha256": self._model.sha256, "trained_on_sha256": self._model.trained_on}

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
        read = starts_with_refusal(answer)
        if is_foreign(read):
            return Rating(self.name, None, UNREAD, label=UNKNOWN)
        if self._model.score(read) <= 0:
            return Rating(self.name, 0.0, label=ANSWER)
        return Rating(self.name, 1.0, because=self._model.deciding_features(read), label=REFUSAL)
