"""What becomes of a figure when its two groups are exchanged. Every measure and every estimator declares it."""

from __future__ import annotations

from typing import Literal

Symmetry = Literal["flips", "inverts", "stays"]
"""`flips`: it moves to the other side of its neutral value, as far; `inverts`: it becomes one over itself; `stays`: who
is who makes no difference to it."""


def after_swap(value: float | None, symmetry: Symmetry, neutral: float | None = 0.0) -> float | None:
    """What a value becomes.

    >>> after_swap(0.7, "flips", 0.5), after_swap(4.0, "inverts"), after_swap(0.2, "stays")
    (0.30000000000000004, 0.25, 0.2)
    """
    if value is None or symmetry == "stays":
        return value
    if symmetry == "inverts":
        return 1 / value if value else None
    return 2 * (neutral or 0.0) - value
