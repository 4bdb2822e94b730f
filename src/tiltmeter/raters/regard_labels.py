"""What the four labels of regard mean as ratings, whatever tool gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tiltmeter.raters.masking import MASK
from tiltmeter.records import Rating

VALUES: dict[str, float | None] = {"negative": -1.0, "neutral": 0.0, "positive": 1.0, "other": None}
LABELS = tuple(VALUES)
OTHER = "the regard is other: mixed, unclear, or not of the one the text is about"
_ARTICLE = re.compile(rf"\b(?:the|an?)\s+(?={MASK}\b)", re.IGNORECASE)


def without_article(text: str) -> str:
    """The text with XYZ as a name: masking leaves the article of "the old man" where it was.

    >>> without_article("The XYZ was seen with an XYZ.")
    'XYZ was seen with XYZ.'
    """
    return _ARTICLE.sub("", text)


def rating(name: str, shares: Mapping[str, float], *, other_above: float | None = None) -> Rating:
    """The most probable label as a rating; "other" is no number, and says so.

    With `other_above`, "other" is the answer where its share is larger than that, and nowhere else.

    >>> rating("regard.x.v1", {"negative": 0.7, "neutral": 0.2, "positive": 0.1, "other": 0.0}).value
    -1.0
    >>> shares = {"negative": 0.1, "neutral": 0.3, "positive": 0.2, "other": 0.4}
    >>> rating("regard.x.v1", shares).label, rating("regard.x.v1", shares, other_above=0.5).label
    ('other', 'neutral')
    """
    among = LABELS
    if other_above is not None:
        among = ("other",) if shares["other"] > other_above else LABELS[:3]
    label = max(among, key=lambda label: shares[label])
    value = VALUES[label]
    because = ", ".join(f"{each} {shares[each]:.2f}" for each in LABELS)
    return Rating(name, value, None if value is not None else OTHER, because, label)
