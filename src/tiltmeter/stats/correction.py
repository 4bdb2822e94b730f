"""p-values corrected for their number by Holm's method; Benjamini and Hochberg's is `estimates.adjust`."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None], of: int = 0) -> list[float | None]:
    """Holm's adjusted p-values, in the order given; None is no comparison and is not counted.

    `of`: how many comparisons there are, where not all are here; the others count as the largest.
    The chance that any true null hypothesis among them falls below 0.05 is at most 5 %, however they hang together.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    >>> holm([0.01], of=4)
    [0.04]
    """
    ranked = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(ranked):
        largest = max(largest, min(1.0, p * (max(of, len(ranked)) - rank)))
        adjusted[place] = largest
    return adjusted
