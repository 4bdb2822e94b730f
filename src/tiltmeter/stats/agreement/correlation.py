"""Whether two ways of measuring put the same things in the same order: Spearman's rank correlation."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace

from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import is_number

FEWEST = 5
"""With fewer pairs of values there is no interval: it would reach from nearly −1 to nearly 1."""


def spearman(first: Sequence[float | None], second: Sequence[float | None]) -> tuple[float | None, int]:
    """The rank correlation of two lists over the places that both fill, and how many these are.

    None with fewer than three such places, or where one list does not vary.

    >>> spearman([1, 2, 3], [10, 20, 30])
    (1.0, 3)
    """
    from scipy.stats import rankdata

    both = [pair for pair in zip(first, second, strict=True) if all(map(is_number, pair))]
    if len(both) < 3:
        return None, len(both)
    ranks = [rankdata([pair[side] for pair in both]) for side in (0, 1)]
    if any(float(side.std()) == 0 for side in ranks):
        return None, len(both)
    return round(statistics.correlation(ranks[0].tolist(), ranks[1].tolist()), 12), len(both)


def rank_correlation(first: Sequence[float | None], second: Sequence[float | None], *, level: float = 0.95) -> Estimate:
    """Spearman's correlation with an interval: Fisher's z, its standard error after Bonett and Wright (2000).

    `n` are the places that both lists fill, `n_unscored` those that only one does. The note says why there is no
    value or no interval.

    >>> found = rank_correlation([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5])
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.829, -0.127, 0.986)
    """
    value, n = spearman(first, second)
    alone = sum(is_number(one) != is_number(other) for one, other in zip(first, second, strict=True))
    found = Estimate(value, level=level, n=n, n_unscored=alone, origins=n)
    if value is None:
        reason = "fewer than 3 common values" if n < 3 else "the values of one side are all the same"
        return replace(found, note=f"no correlation: {reason}")
    if n < FEWEST:
        return replace(found, note=f"no interval: fewer than {FEWEST} common values")
    if abs(value) == 1:
        order = "the same" if value > 0 else "the opposite"
        return replace(found, note=f"no interval: the order is {order} throughout, which shows no spread")
    low, high = _fisher(value, n, level)
    return replace(found, low=low, high=high, method="fisher-z")


def _fisher(value: float, n: int, level: float) -> tuple[float, float]:
    from scipy.special import ndtri

    half = float(ndtri((1 + level) / 2)) * math.sqrt((1 + value**2 / 2) / (n - 3))
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)
