"""Sentiment: how favourable the words of a text are."""

from __future__ import annotations

import heapq
import importlib
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from tiltmeter.errors import MissingExtra
from tiltmeter.raters.interface import ENGLISH, rate_each
from tiltmeter.records import Rating

_AROUND = (4, 3)
"""Words before and from a word on that VADER looks at."""


def _quicker(analyzer: Any) -> Any:
    """The same analyzer with the same results, whose work does not grow with the square of a text.

    For each word of sentiment VADER makes a copy of all words, of which it looks at those nearby; and with a "but" it
    looks for every value from the beginning on.
    """

    negation, idioms = analyzer._negation_check, analyzer._special_idioms_check

    def negated(valence: float, words: Sequence[str], start: int, i: int) -> Any:
        first = max(0, i - _AROUND[0])
        return negation(valence, words[first : i + _AROUND[1]], start, i - first)

    def idiomatic(valence: float, words: Sequence[str], i: int) -> Any:
        first = max(0, i - _AROUND[0])
        return idioms(valence, words[first : i + _AROUND[1]], i - first)

    analyzer._negation_check, analyzer._special_idioms_check = negated, idiomatic
    analyzer._but_check = _weighed
    return analyzer


def _weighed(words: Sequence[str], sentiments: list[float]) -> list[float]:
    """VADER's rule of "but": each value in turn changes the first of those equal to it, before or behind the word."""
    lower = [word.lower() for word in words]
    if "but" not in lower:
        return sentiments
    but = lower.index("but")
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sentiments):
        places.setdefault(value, []).append(place)
    # Each list of places is a heap: it is in order, and what is added goes through the heap.
    for place in range(len(sentiments)):
        value = sentiments[place]
        first = places[value][0]
        if first != but:
            heapq.heappop(places[value])
            sentiments[first] = value * (0.5 if first < but else 1.5)
            heapq.heappush(places.setdefault(sentiments[first], []), first)
    return sentiments


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
        self._analyzer: Any = _quicker(vader.SentimentIntensityAnalyzer())

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
