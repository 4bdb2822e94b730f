"""Texts cut into their tokens, each with its share of the influence on an answer."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tiltmeter.present.words import percent
from tiltmeter.records import Span

LEVELS = 10
"""Shades that style sheets have."""


@dataclass(frozen=True, slots=True)
class Shaded:
    """A stretch of a prompt: its share of the saliency (None: between tokens), its shade, and whether it is named."""

    text: str
    share: float | None
    level: int
    subject: bool

    @property
    def title(self) -> str:
        """The share in words; empty between tokens."""
        return "" if self.share is None else percent(self.share)


def shaded(text: str, spans: tuple[Span, ...], shares: tuple[float, ...], subjects: tuple[Span, ...]) -> list[Shaded]:
    """The whole text, cut where tokens and the subject begin and end; the largest share has the darkest shade.

    >>> [(one.text, one.level, one.subject) for one in shaded("A nurse", ((0, 1), (2, 7)), (0.2, 0.8), ((2, 7),))]
    [('A', 2, False), (' ', 0, False), ('nurse', 9, True)]
    """
    tokens = _tokens(text, spans, shares)
    most = max((share for _, _, share in tokens), default=0.0) or 1.0
    ends = {0, len(text)} | {end for start, stop, _ in tokens for end in (start, stop)}
    ends |= {min(max(end, 0), len(text)) for span in subjects for end in span}
    cuts = sorted(ends)
    made = []
    for start, stop in pairwise(cuts):
        share = next((each for first, last, each in tokens if first <= start and stop <= last), None)
        level = 0 if share is None else min(LEVELS - 1, int(share / most * LEVELS))
        subject = any(first <= start and stop <= last for first, last in subjects)
        made.append(Shaded(text[start:stop], share, level, subject))
    return made


def _tokens(text: str, spans: tuple[Span, ...], shares: tuple[float, ...]) -> list[tuple[int, int, float]]:
    """Tokens with their shares; pieces of one character count together, and none is outside the text."""
    made: list[tuple[int, int, float]] = []
    for (start, end), share in sorted(zip(spans, shares, strict=True)):
        before = made[-1][1] if made else 0
        first, last = max(start, before), min(end, len(text))
        if first < last:
            made.append((first, last, share))
        elif made:
            made[-1] = (*made[-1][:2], made[-1][2] + share)
    return made
