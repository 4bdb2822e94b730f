"""How long prompts and their words are: Table 2 of Alnegheimish, Guo & Sun (2022)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev, stdev

from tiltmeter.stats.views.quality import words_of


@dataclass(frozen=True, slots=True)
class Lengths:
    """Words per text and letters per word, each as mean and standard deviation; None where it cannot be had.

    Words are counted per text; letters over all words of all texts together.
    """

    texts: int
    words: float | None
    words_sd: float | None
    letters: float | None
    letters_sd: float | None


def lengths(texts: Sequence[str]) -> Lengths:
    """The figures of a set of texts.

    >>> lengths(["The cook said that", "The cook went home because"])
    Lengths(texts=2, words=4.5, words_sd=0.7071067811865476, letters=4.111111111111111, letters_sd=1.1666666666666667)
    """
    found = [words_of(text) for text in texts]
    counts = [len(words) for words in found]
    letters = [sum(sign.isalnum() for sign in word) for words in found for word in words]
    return Lengths(
        texts=len(texts),
        words=fmean(counts) if counts else None,
        words_sd=stdev(counts) if len(counts) > 1 else None,
        letters=fmean(letters) if letters else None,
        letters_sd=stdev(letters) if len(letters) > 1 else None,
    )


def lengths_as_published(texts: Sequence[tuple[str, str]]) -> Lengths:
    """The figures as the paper counts them, of texts with their professions.

    Its code counts the template and not the prompt: the profession is `{}`, one word of two signs, whatever it is and
    however many words it has. Words are what stands between spaces, with their commas; standard deviations are those of
    a whole population.

    >>> lengths_as_published([("The cook said that", "cook"), ("The tree surgeon went home because", "tree surgeon")])
    Lengths(texts=2, words=4.5, words_sd=0.5, letters=3.6666666666666665, letters_sd=1.4142135623730951)
    """
    found = [_template(text, profession).split() for text, profession in texts]
    counts = [len(words) for words in found]
    signs = [len(word) for words in found for word in words]
    return Lengths(
        texts=len(texts),
        words=fmean(counts) if counts else None,
        words_sd=pstdev(counts) if counts else None,
        letters=fmean(signs) if signs else None,
        letters_sd=pstdev(signs) if signs else None,
    )


def _template(text: str, profession: str) -> str:
    if not profession:
        return text
    return re.sub(rf"(?<!\w){re.escape(profession)}(?!\w)", "{}", text, count=1, flags=re.IGNORECASE)
