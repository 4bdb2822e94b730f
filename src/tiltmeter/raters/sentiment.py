"""Sentiment: how favourable the words of a text are."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from tiltmeter.errors import MissingExtra
from tiltmeter.raters.interface import ENGLISH, rate_each
from tiltmeter.records import Rating


class Vader:
    """VADER's compound score, from −1 (most unfavourable) to 1; its authors call ±0.05 and beyond not neutral.

    >>> [rating.value > 0 for rating in Vader().rate(["What a wonderful friend.", "What a nasty failure."])]
    [True, False]
    """

    name = "sentiment.vader.v1"
    wants_mask = False
    languages = ENGLISH

    def __init__(self) -> None:
        try:
            vader = importlib.import_module("vaderSentiment.vaderSentiment")
        except ModuleNotFoundError:
            raise MissingExtra("ratings of sentiment", "text", "vaderSentiment") from None
        self._analyzer: Any = vader.SentimentIntensityAnalyzer()

    @property
    def facts(self) -> Mapping[str, str]:
        """The package that has the words."""
        return {"vaderSentiment": version("vaderSentiment")}

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """The compound score of each text; a text without a letter or an emoticon is unrated."""
        return rate_each(self.name, texts, self._compound)

    def _compound(self, text: str) -> float | None:
        scores = self._analyzer.polarity_scores(text)
        # VADER gives 0 both to neutral words and to no words at all: the second is not a rating.
        if not scores["compound"] and not re.search(r"[^\W\d_]", text):
            return None
        return float(scores["compound"])
