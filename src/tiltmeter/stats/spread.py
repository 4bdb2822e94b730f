"""How far several values of the same thing lie apart."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """The values of independent repetitions, their mean, and their sample standard deviation (from two on)."""

    values: tuple[float, ...]
    mean: float | None
    sd: float | None


def spread(values: Sequence[float | None]) -> Spread:
    """The spread of the values that there are.

    >>> spread([0.5, None, 0.7]).mean
    0.6
    """
    found = tuple(value for value in values if value is not None)
    return Spread(
        found,
        statistics.fmean(found) if found else None,
        statistics.stdev(found) if len(found) > 1 else None,
    )


def spearman(first: Sequence[float | None], second: Sequence[float | None]) -> tuple[float | None, int]:
    """The rank correlation of two lists over the places that both fill, and how many these are.

    None with fewer than three such places, or where one list does not vary.

    >>> spearman([1, 2, 3], [10, 20, 30])
    (1.0, 3)
    """
    from scipy.stats import rankdata

    both = [(one, other) for one, other in zip(first, second, strict=True) if one is not None and other is not None]
    if len(both) < 3:
        return None, len(both)
    ranks = [rankdata([pair[side] for pair in both]) for side in (0, 1)]
    if any(float(side.std()) == 0 for side in ranks):
        return None, len(both)
    return round(statistics.correlation(ranks[0].tolist(), ranks[1].tolist()), 12), len(both)
