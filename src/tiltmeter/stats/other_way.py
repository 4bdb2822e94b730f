"""The variance of a value over two ways at once: professions, and the templates that are crossed with them."""

from __future__ import annotations

import numpy as np

from tiltmeter.stats.codes import Codes, cells_of, renumbered
from tiltmeter.stats.drawing import Array


def over_both(moves: Array, first: Codes, second: Codes) -> tuple[float, float]:
    """The variance and its degrees of freedom (Satterthwaite), from how far each item moves the value.

    The variances over either way are added, and that of items taken off.

    >>> moves = np.array([-2.0, -1.0, 1.0, -1.0, 0.0, 3.0]) / 6
    >>> found = over_both(moves, np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2]))
    >>> [round(number, 4) for number in found]
    [1.0833, 1.4963]
    """
    parts = [_variance(moves, codes) for codes in (first, second)]
    # Where items vary by chance alone, the sum can fall below either.
    variance = max(sum(parts) - _variance(moves, cells_of(first, second)), *parts)
    if variance <= 0:
        return 0.0, 0.0
    freedom = [len(np.unique(codes)) - 1 for codes in (first, second)]
    return variance, 1 / sum((part / variance) ** 2 / free for part, free in zip(parts, freedom, strict=True))


def _variance(moves: Array, codes: Codes) -> float:
    sums = np.bincount(renumbered(codes), moves)
    return float(np.sum(sums**2)) * len(sums) / (len(sums) - 1)
