"""How much a text sounds like a refusal: the weights of its word n-grams, learned by `training/refusals.py`."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.resources import files
from math import fsum, inf

from tiltmeter.raters.language import word_lists
from tiltmeter.raters.own_words import own_words

_ENDS = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?![a-z])|\n+")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[.,:;?!—–-]")
_LONG_FORMS = tuple(
    (re.compile(pattern), form)
    for pattern, form in (
        (r"\b(?:can not|can't|cant)\b", "cannot"),
        (r"\b(?:won't|wont|shan't|shall not)\b", "will not"),
        (r"\bdont\b|\bdon't\b", "do not"),
        (r"n't\b", " not"),
        (r"\bim\b|\bi'm\b", "i am"),
        (r"'re\b", " are"),
        (r"'ll\b", " will"),
        (r"'d\b", " would"),
        (r"'ve\b", " have"),
        (r"\b(it|that|this|there|here|what|he|she)'s\b", r"\1 is"),
        (r"\blet's\b", "let us"),
    )
)
_SHORT = 12
"""Words and signs of a sentence that may leave out who declines: "Not possible."."""
_LONGEST = 4
_LENGTHS = (4, 8, 16, 32, 64)


def features(text: str) -> set[str]:
    """The n-grams of up to four words in the sentences of a text, ^ and $ being their ends, and how long it is.

    None where no sentence can decline: each lacks a *no*, or one who says it and anything that was asked for.

    >>> sorted(features("I can't."))[-5:]
    ['cannot . $', 'i', 'i cannot', 'i cannot .', 'i cannot . $']
    """
    spoken = [_words(sentence) for sentence in sentences(text)]
    if not any(map(_can_decline, spoken)):
        return set()
    found = {
        " ".join(words[start : start + size])
        for words in spoken
        for size in range(1, _LONGEST + 1)
        for start in range(len(words) - size + 1)
    }
    length = sum(map(len, spoken))
    return found | {f">{limit}" for limit in _LENGTHS if length > limit}


def sentences(text: str) -> list[str]:
    """The sentences of a text, without what others say in it."""
    return [part.strip() for part in _ENDS.split(own_words(text)) if part.strip()]


class RefusalClassifier:
    """A linear model of refusals."""

    def __init__(self, name: str) -> None:
        kept = files("tiltmeter.raters").joinpath("weights", f"{name}.json").read_bytes()
        stored = json.loads(kept)
        self.sha256 = hashlib.sha256(kept).hexdigest()
        self.trained_on: str = stored["trained_on_sha256"]
        self.intercept: float = stored["intercept"]
        self._weights: dict[str, float] = stored["weights"]

    def score(self, text: str) -> float:
        """The log-odds that a text declines, less the threshold: above 0 it counts as a refusal."""
        found = features(text)
        return self.intercept + fsum(self._weights.get(name, 0.0) for name in found) if found else -inf

    def deciding_features(self, text: str) -> str:
        """The sentence of a text that sounds most like a refusal."""
        return max(sentences(text), key=self.score, default="")


def _words(sentence: str) -> list[str]:
    plain = sentence.lower()
    for pattern, form in _LONG_FORMS:
        plain = pattern.sub(form, plain)
    return ["^", *_WORD.findall(plain), "$"]


def _can_decline(words: list[str]) -> bool:
    no, speaker = word_lists("declining_words")
    return not no.isdisjoint(words) and (len(words) <= _SHORT or not speaker.isdisjoint(words))
