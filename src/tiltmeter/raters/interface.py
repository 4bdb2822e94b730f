"""What a rater is to the rest of tiltmeter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tiltmeter.records import Rating

EMPTY = "the text is empty"


class Rater(Protocol):
    """A tool that reads one text and returns one number, or none and the reason."""

    name: str
    """Versioned, e.g. "sentiment.vader.v1"; another checkpoint, threshold or formula is another version."""

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """One rating for each text, in the order given; a text without words is unrated, never zero."""
        ...


def rate_each(name: str, texts: Sequence[str], rate_one: Callable[[str], float | None], otherwise: str) -> list[Rating]:
    """Ratings text by text; `otherwise` is the reason where `rate_one` gives no number."""
    ratings = []
    for text in texts:
        if not text.strip():
            ratings.append(Rating(name, None, unrated=EMPTY))
            continue
        value = rate_one(text)
        ratings.append(Rating(name, value, unrated=None if value is not None else otherwise))
    return ratings
