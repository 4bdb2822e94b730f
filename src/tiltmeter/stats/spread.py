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


def mean_size(values: Sequence[float | None]) -> float | None:
    """The mean of the sizes of changes, whichever way they go; those that are not known do not count.

    >>> mean_size([0.25, -0.75, None])
    0.5
    """
    found = [abs(value) for value in values if value is not None]
    return statistics.fmean(found) if found else None
