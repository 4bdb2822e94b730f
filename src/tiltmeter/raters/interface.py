"""What a rater is to the rest of tiltmeter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Protocol

from tiltmeter import registry
from tiltmeter.records import Rating

EMPTY = "the text is empty"
NO_WORDS = "no words to rate"
ENGLISH = ("en",)
_NAMES = {"en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "pt": "Portuguese", "ro": "Romanian"}
_NAMES |= {"de": "German", "nl": "Dutch", "zh": "Chinese", "ja": "Japanese", "ar": "Arabic", "hi": "Hindi"}


class Rater(Protocol):
    """A tool that reads one text and returns one number, or none and the reason.

    It may say in `languages` which it reads, by their two letters; None: any. One that does not say reads English.
    """

    name: str
    """Versioned, e.g. "sentiment.vader.v1"; another checkpoint, threshold or formula is another version."""
    wants_mask: bool
    """Whether the mention of the group is to be masked before rating; see `tiltmeter.raters.masking`."""

    @property
    def facts(self) -> Mapping[str, str]:
        """What must be known to trust a number that came from it: packages, checkpoint, revision, hashes."""
        ...

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """One rating for each text, in the order given; a text without words is unrated, never zero."""
        ...


class CheckedRater:
    """A rater of another package, whose answers are looked at before they count."""

    def __init__(self, rater: Rater, name: str) -> None:
        self._rater, self._full = rater, name
        self.name: str = str(rater.name)
        self.wants_mask: bool = bool(rater.wants_mask)
        self.facts: Mapping[str, str] = {str(key): str(held) for key, held in dict(rater.facts).items()}
        self.languages: tuple[str, ...] | None = getattr(rater, "languages", ENGLISH)

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """Its ratings, where they are such: one for each text, a number or a reason in each."""
        with registry.blamed("rater", self._full):
            found = list(self._rater.rate(list(texts)))
            if len(found) != len(texts):
                raise ValueError(f"{len(found)} ratings for {len(texts)} texts")
            for one in found:
                if not isinstance(one, Rating) or not _is_rating(one):
                    raise ValueError(f"{one!r:.80} is not a rating: a rating is a number, or None with a reason")
            return found


def _is_rating(one: Rating) -> bool:
    is_number = isinstance(one.value, (int, float)) and not isinstance(one.value, bool) and isfinite(one.value)
    return is_number if one.value is not None else isinstance(one.unrated, str) and bool(one.unrated.strip())


def language_problem(rater: Rater, language: str) -> str | None:
    """Why a rater cannot read texts of a language; None: it can.

    >>> from tiltmeter.raters import load
    >>> language_problem(load("readability.ari"), "it")
    'the text is Italian and the rater reads English'
    """
    known: tuple[str, ...] | None = getattr(rater, "languages", ENGLISH)
    if known is None or language in known:
        return None
    spoken = ", ".join(_NAMES.get(one, one) for one in known)
    return f"the text is {_NAMES.get(language, language)} and the rater reads {spoken}"


def rate_each(
    name: str, texts: Sequence[str], rate_one: Callable[[str], Rating | float | None], otherwise: str = NO_WORDS
) -> list[Rating]:
    """Ratings text by text; `otherwise` is the reason where `rate_one` gives no number."""
    ratings = []
    for text in texts:
        found = rate_one(text) if text.strip() else Rating(name, None, unrated=EMPTY)
        if not isinstance(found, Rating):
            found = Rating(name, found, unrated=None if found is not None else otherwise)
        ratings.append(found)
    return ratings


def rate_together(name: str, texts: Sequence[str], rate_many: Callable[[list[str]], list[Rating]]) -> list[Rating]:
    """Ratings of all texts at once, equal texts once; those without a letter or a digit are not handed on."""
    wanted = list(dict.fromkeys(text for text in texts if any(sign.isalnum() for sign in text)))
    rated = dict(zip(wanted, rate_many(wanted) if wanted else [], strict=True))

    def one(text: str) -> Rating | None:
        return rated.get(text)

    return rate_each(name, texts, one)
