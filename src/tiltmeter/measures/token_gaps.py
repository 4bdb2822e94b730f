"""Two sentences token by token: where the one is more probable than the other."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.alignment import shared_words
from tiltmeter.records import TokenScores


@dataclass(frozen=True, slots=True)
class TokenGap:
    """A token, its natural log-probability, and that of the same token of the other sentence; None: it has none."""

    text: str
    logprob: float | None
    other: float | None = None
    shared: bool = False
    """Whether the other sentence has the token too."""

    @property
    def gap(self) -> float | None:
        """By how much it is more probable here than there."""
        return None if self.logprob is None or self.other is None else self.logprob - self.other


def token_texts(text: str, scores: TokenScores) -> list[str]:
    """The characters of each token; of one that is the space before a word, that space.

    >>> token_texts("an ox", TokenScores(((0, 2), (2, 4), (3, 4), (4, 5)), (-1.0, -1.0, -1.0, -1.0)))
    ['an', ' ', 'o', 'x']
    """
    tokens = [text[start:end] for start, end in scores.spans]
    return [token[: len(token) - len(token.lstrip())] or token for token in tokens]


def token_gaps(
    texts: tuple[str, str], scores: tuple[TokenScores, TokenScores]
) -> tuple[list[TokenGap], list[TokenGap]]:
    """The tokens of both sentences; those that stand in both, in the same order, are held against each other.

    >>> first = TokenScores(((0, 2), (3, 7)), (-1.0, -2.0))
    >>> second = TokenScores(((0, 3), (4, 8)), (-1.5, -3.0))
    >>> one, other = token_gaps(("He left", "She left"), (first, second))
    >>> [(token.text, token.gap) for token in one]
    [('He', None), ('left', 1.0)]
    """
    words = [token_texts(text, score) for text, score in zip(texts, scores, strict=True)]
    twins: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for one, other, size in shared_words(*words):
        for step in range(size):
            twins[0][one + step] = other + step
            twins[1][other + step] = one + step
    first, second = (
        [
            TokenGap(word, logprob, scores[1 - side].logprobs[twin] if twin is not None else None, twin is not None)
            for at, (word, logprob) in enumerate(zip(words[side], scores[side].logprobs, strict=True))
            for twin in [twins[side].get(at)]
        ]
        for side in (0, 1)
    )
    return first, second
