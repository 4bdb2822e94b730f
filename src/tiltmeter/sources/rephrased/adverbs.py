"""Which words are adverbs, and a phrase without them."""

from __future__ import annotations

from tiltmeter.sources.rephrased.lists import words

_ADVERBS = words("phrases.toml", "adverbs")
_NOT_ADVERBS = words("phrases.toml", "not_adverbs")
_DEGREE = words("phrases.toml", "degree") - {"as"}


def is_adverb(word: str) -> bool:
    """Whether a word can stand between the verb and what belongs to it.

    >>> [is_adverb(word) for word in ("always", "quickly", "likely", "reply", "only")]
    [True, True, False, False, True]
    """
    return word in _ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in _NOT_ADVERBS)


def is_degree(word: str) -> bool:
    """Whether a word says how much of a quality: "very"."""
    return word in _DEGREE


def without_adverbs(tokens: list[str]) -> list[str]:
    """The words of a phrase less those that say when, how often and how much.

    >>> without_adverbs("was often very good at".split())
    ['was', 'good', 'at']
    """
    return [word for word in tokens if not is_adverb(word) and not is_degree(word)]
