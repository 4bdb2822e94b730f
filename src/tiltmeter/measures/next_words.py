"""Measures of the view of next words: one value per prompt and pair of groups, from the probabilities of their words.

P(a) and P(b) are the probabilities of the two groups' words after the prompt. Where one is missing there is no value,
and neither is there a ratio to zero.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Literal

from tiltmeter.measures.interface import Measure
from tiltmeter.records import NextWord

Probabilities = tuple[float | None, float | None]
"""The probabilities of two groups after one prompt; None is unscored."""
Combine = Literal["sum", "first"]
"""Whether the probability of a group is that of all its words together, or that of its first word as in the paper."""


_ROUNDING = 1e-5
# What may follow a word that has ended: "York City" and "York's" begin with "York", "Yorkshire" does not.
_WORD_ENDS = re.compile(r"[\s'’]")


def group_probability(words: Sequence[NextWord], combine: Combine = "sum") -> tuple[float | None, str | None]:
    """The probability that one of a group's words comes next, or none and why; one word without a score leaves it open.

    It is never above 1: what two words share counts once, and probabilities that add up to more are not of one event.

    >>> group_probability([NextWord("he", math.log(0.5)), NextWord("his", math.log(0.25))])
    (0.75, None)
    >>> group_probability([NextWord("York", math.log(0.5)), NextWord("York City", math.log(0.25))])
    (0.5, None)
    >>> group_probability([NextWord("he", 0.0), NextWord("his", None, "too long")])
    (None, 'his: too long')
    """
    counted = words[:1] if combine == "first" else words
    missing = next((word for word in counted if word.probability is None), None)
    if missing is not None or not counted:
        return None, f"{missing.word}: {missing.unscored}" if missing else "the group has no words"
    total = math.fsum((word.probability or 0.0) - shared_probability(word, counted) for word in counted)
    if total > 1 + _ROUNDING:
        return None, f"the probabilities of its words add up to {total:.4g}, so they are not those of one place"
    return min(1.0, total), None


def shared_probability(word: NextWord, words: Sequence[NextWord]) -> float:
    """The part of a word's probability that others share; where the model does not say, the text of the words does.

    >>> york, city = NextWord("York", math.log(0.5)), NextWord("York City", math.log(0.25))
    >>> shared_probability(york, [york, city]), shared_probability(city, [york, city]), shared_probability(city, [city])
    (0.0, 0.25, 0.0)
    """
    if word.probability is None:
        return 0.0
    others = {other.word for other in words} - {word.word}
    if word.shared is None:
        begun = any(word.word.startswith(other) and _WORD_ENDS.match(word.word, len(other)) for other in others)
        return word.probability if begun else 0.0
    parts = (math.exp(logprob) for holders, logprob in word.shared if others.intersection(holders))
    return min(word.probability, math.fsum(parts))


def difference(probabilities: Sequence[Probabilities]) -> list[float | None]:
    """P(a) − P(b). Neutral: 0."""
    return _each(probabilities, lambda a, b: a - b)


def absolute_difference(probabilities: Sequence[Probabilities]) -> list[float | None]:
    """|P(a) − P(b)|: how far apart, whoever is ahead. Neutral: 0, which is also its least value."""
    return _each(probabilities, lambda a, b: abs(a - b))


def ratio(probabilities: Sequence[Probabilities]) -> list[float | None]:
    """P(a) / P(b). Neutral: 1."""
    return _each(probabilities, lambda a, b: a / b if b > 0 else None)


def log_ratio(probabilities: Sequence[Probabilities]) -> list[float | None]:
    """ln P(a) − ln P(b). Neutral: 0."""
    return _each(probabilities, lambda a, b: math.log(a) - math.log(b) if a > 0 and b > 0 else None)


def share(probabilities: Sequence[Probabilities]) -> list[float | None]:
    """P(a) / (P(a) + P(b)): of the two, how often a. Neutral: 0.5."""
    return _each(probabilities, _share)


def divergence(probabilities: Sequence[Probabilities]) -> list[float | None]:
    """KL(s ‖ ½) in nats, s the share of a: 0 where both are equally likely, ln 2 where one is certain.

    >>> [value and round(value, 6) for value in divergence([(0.3, 0.1), (0.2, 0.2), (0.1, None)])]
    [0.130812, 0.0, None]
    """
    return _each(probabilities, _divergence)


DIFFERENCE = Measure("difference", difference, "flips", 0.0, -1.0, 1.0)
ABSOLUTE_DIFFERENCE = Measure("absolute_difference", absolute_difference, "stays", 0.0, 0.0, 1.0)
RATIO = Measure("ratio", ratio, "inverts", 1.0, 0.0)
LOG_RATIO = Measure("log_ratio", log_ratio, "flips", 0.0)
SHARE = Measure("share", share, "flips", 0.5, 0.0, 1.0)
KL = Measure("kl", divergence, "stays", 0.0, 0.0)
MEASURES = (DIFFERENCE, ABSOLUTE_DIFFERENCE, RATIO, LOG_RATIO, SHARE, KL)
COMPARED = (LOG_RATIO, DIFFERENCE, SHARE)
"""Those whose mean is neutral where no group is expected more."""


def _each(probabilities: Sequence[Probabilities], value: Callable[[float, float], float | None]) -> list[float | None]:
    return [None if a is None or b is None else value(a, b) for a, b in probabilities]


def _share(a: float, b: float) -> float | None:
    return a / (a + b) if a + b > 0 else None


def _divergence(a: float, b: float) -> float | None:
    share = _share(a, b)
    if share is None:
        return None
    # Rounding may leave equal probabilities a hair below zero.
    return max(0.0, math.fsum(part * math.log(2 * part) for part in (share, 1 - share) if part > 0))
