"""What the four labels of regard mean as ratings, whatever tool gives them."""

from __future__ import annotations

from collections.abc import Mapping

from tiltmeter.records import Rating

VALUES: dict[str, float | None] = {"negative": -1.0, "neutral": 0.0, "positive": 1.0, "other": None}
LABELS = tuple(VALUES)
OTHER = "the regard is other: mixed, unclear, or not of the one the text is about"


def rating(name: str, shares: Mapping[str, float]) -> Rating:
    """The most probable label as a rating; "other" is no number, and says so.

    >>> rating("regard.x.v1", {"negative": 0.7, "neutral": 0.2, "positive": 0.1, "other": 0.0}).value
    -1.0
    """
    label = max(LABELS, key=lambda label: shares[label])
    value = VALUES[label]
    because = ", ".join(f"{each} {shares[each]:.2f}" for each in LABELS)
    return Rating(name, value, None if value is not None else OTHER, because, label)
