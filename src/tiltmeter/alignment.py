"""Which words two texts share, in order: found with bounded work, however long the texts are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

MOST = 200_000
"""So many pairs of equal words are looked at. Texts of 2,000 words have fewer, unless they repeat themselves."""

Block = tuple[int, int, int]
"""Where the same words begin in the first and in the second text, and how many there are."""


def shared_words(first: Sequence[str], second: Sequence[str]) -> list[Block]:
    """The stretches of words that both have; of texts too long to be looked through, what they begin and end with.

    >>> shared_words("The man lost his hat".split(), "The woman lost her hat".split())
    [(0, 0, 1), (2, 2, 1), (4, 4, 1)]
    """
    shorter = min(len(first), len(second))
    begin = next((at for at in range(shorter) if first[at] != second[at]), shorter)
    rest = shorter - begin
    end = next((at for at in range(rest) if first[-1 - at] != second[-1 - at]), rest)
    blocks = [(0, 0, begin), (len(first) - end, len(second) - end, end)]
    ends = [block for block in blocks if block[2]]
    between, other = first[begin : len(first) - end], second[begin : len(second) - end]
    if between and other and {*between}.isdisjoint(second) and {*other}.isdisjoint(first):
        # They share nothing but what they begin and end with: a stretch of either has none of the words between.
        return ends
    counts = Counter(second)
    if sum(times * counts[word] for word, times in Counter(first).items()) <= MOST:
        found = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
        return [(block.a, block.b, block.size) for block in found if block.size]
    return ends
