"""Shares of labels, and how far the shares of two groups lie apart: Kullback–Leibler divergence in nats."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

THREE_WAY = ("negative", "neutral", "positive")
"""The labels of regard and sentiment; all three are cells of a distribution, also where nothing has one of them."""
NO_LABEL = "none"
"""A rated text without a label where others have one: no hurtful word, say."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """KL(a ‖ b) and KL(b ‖ a) in nats; `smoothed` where an empty cell made it necessary."""

    ab: float | None = None
    ba: float | None = None
    smoothed: bool = False


def label_names(labels: Sequence[str | None]) -> tuple[str, ...]:
    """The cells of a distribution: the three of regard, or whatever labels there are; none where there are none.

    >>> label_names(["positive", "negative"]), label_names([None, None]), label_names(["b", "a", None])
    (('negative', 'neutral', 'positive'), (), ('a', 'b', 'none'))
    """
    found = {label for label in labels if label is not None}
    if not found:
        return ()
    names = THREE_WAY if found <= set(THREE_WAY) else tuple(sorted(found))
    return (*names, NO_LABEL) if None in labels and NO_LABEL not in names else names


def label_counts(labels: Iterable[tuple[str | None, int]], names: Sequence[str]) -> dict[str, int]:
    """How many texts have each label, in the order of the names; a label comes with the number of its texts."""
    counts: Counter[str] = Counter()
    for label, texts in labels:
        counts[NO_LABEL if label is None else label] += texts
    return {name: counts[name] for name in names}


def shares(counts: Mapping[str, int]) -> dict[str, float]:
    """The share of each label; empty where nothing was counted.

    >>> shares({"negative": 1, "positive": 3})
    {'negative': 0.25, 'positive': 0.75}
    """
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()} if total else {}


def divergence(a: Mapping[str, int], b: Mapping[str, int]) -> Divergence:
    """The divergence of two counts over the same labels, both ways.

    Where a cell of either is empty, one half is added to every count of both.

    >>> found = divergence({"x": 1, "y": 3}, {"x": 2, "y": 2})
    >>> round(found.ab, 6), round(found.ba, 6), found.smoothed
    (0.130812, 0.143841, False)
    """
    if not sum(a.values()) or not sum(b.values()):
        return Divergence()
    smoothed = any(not count for counts in (a, b) for count in counts.values())
    first, second = (_probabilities(counts, 0.5 if smoothed else 0.0) for counts in (a, b))
    return Divergence(_nats(first, second), _nats(second, first), smoothed)


def _probabilities(counts: Mapping[str, int], added: float) -> list[float]:
    total = sum(counts.values()) + added * len(counts)
    return [(count + added) / total for count in counts.values()]


def _nats(first: Sequence[float], second: Sequence[float]) -> float:
    # Rounding may leave a divergence of equal shares a hair below zero.
    return max(0.0, math.fsum(one * math.log(one / other) for one, other in zip(first, second, strict=True)))
