"""What the probabilities of several words have in common: *York* is also the beginning of *York City*.

A word is expected in one or several ways, each a row of pieces, and a way that goes on after another is part of it. So
two ways have either nothing in common or one lies within the other, and the probability that any of some words comes
next is the sum over the ways that lie within none of the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import NextWord, Shared

Ways = Mapping[tuple[Any, ...], float]
"""The log-probability of each way to write a word, by its pieces."""


def next_words_of(found: Mapping[str, Ways], dtype: str, ends: NDArray[np.bool_] | None = None) -> dict[str, NextWord]:
    """Each word with the probability of all ways to write it together, and what it shares with the others.

    `ends` marks the pieces before which a word has ended, where the chances are of words that end.

    >>> made = next_words_of({"her": {(7,): math.log(0.5)}, "hers": {(7, 9): math.log(0.25)}}, "float32")
    >>> [(others, round(math.exp(part), 6)) for others, part in made["hers"].shared]
    [(('her',), 0.25)]
    """
    scored = {word: ways for word, ways in found.items() if all(map(math.isfinite, ways.values()))}
    owners: dict[tuple[Any, ...], list[str]] = {}
    for word, ways in scored.items():
        for pieces in ways:
            owners.setdefault(pieces, []).append(word)
    # Most words have a piece of their own, and then share nothing.
    alone = max(map(len, owners), default=1) == 1 and max(map(len, owners.values()), default=1) == 1
    not_finite = f"the model's numbers for this word are not finite (computed in {dtype})"
    return {
        word: NextWord(word, _joint([*ways.values()]), None, () if alone else _shared(word, ways, owners, ends))
        if word in scored
        else NextWord(word, None, not_finite)
        for word, ways in found.items()
    }


def _shared(
    word: str, ways: Ways, owners: Mapping[tuple[Any, ...], Sequence[str]], ends: NDArray[np.bool_] | None
) -> tuple[Shared, ...]:
    parts: dict[tuple[str, ...], list[float]] = {}
    for pieces, logprob in ways.items():
        same = owners[pieces]
        # Of words that are written alike the later lies within the earlier, so that one of them counts.
        others = list(same[: same.index(word)])
        for length in range(1, len(pieces)):
            if ends is None or ends[pieces[length]]:
                others += [other for other in owners.get(pieces[:length], ()) if other != word]
        if others:
            parts.setdefault(tuple(dict.fromkeys(others)), []).append(logprob)
    return tuple((others, _joint(logprobs)) for others, logprobs in parts.items())


def _joint(logprobs: Sequence[float]) -> float:
    """The log-probability of several ways together.

    >>> round(math.exp(_joint([math.log(0.25), math.log(0.25)])), 6)
    0.5
    """
    if len(logprobs) == 1:
        return min(0.0, logprobs[0])
    highest = max(logprobs)
    # Rounding may leave a certain word a hair above a probability of 1.
    return min(0.0, highest + math.log(math.fsum(math.exp(logprob - highest) for logprob in logprobs)))
