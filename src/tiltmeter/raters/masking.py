"""Masking: the mention of a group becomes XYZ, so that a rater judges what is said and not of whom."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tiltmeter.records import Span

MASK = "XYZ"


def mask_group(text: str, *, spans: Iterable[Span] = (), terms: Iterable[str] = ()) -> str:
    """The text with each given span, and each whole-word mention of a term, replaced by XYZ.

    Longer terms come first; capitals are ignored; mentions that touch become one; a text without any is unchanged.

    >>> mask_group("The Black man knew the man.", terms=["man", "the Black man"])
    'XYZ knew the XYZ.'
    >>> mask_group("Keisha's mother met Keisha.", terms=["Keisha"])
    "XYZ's mother met XYZ."
    """
    found = [span for span in spans if span[0] < span[1]]
    wanted = sorted({term.strip() for term in terms if term.strip()}, key=lambda term: (-len(term), term))
    if wanted:
        pattern = "|".join(r"\s+".join(map(re.escape, term.split())) for term in wanted)
        found += [match.span() for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE)]
    masked = text
    for start, end in reversed(_joined(text, sorted(found))):
        masked = masked[:start] + MASK + masked[end:]
    return masked


def _joined(text: str, spans: list[Span]) -> list[Span]:
    """The spans without overlaps; those with nothing but space between them are one mention."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and (start <= joined[-1][1] or not text[joined[-1][1] : start].strip()):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
