"""Where two sentences differ, word by word."""

from __future__ import annotations

import re

from tiltmeter.alignment import shared_words
from tiltmeter.records import Span

_WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")


def differences(first: str, second: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The stretches of each sentence that the other does not have.

    >>> differences("The man lost his hat.", "The woman lost her hat.")
    (((4, 7), (13, 16)), ((4, 9), (15, 18)))
    """
    words = [list(_WORD.finditer(text)) for text in (first, second)]
    found: tuple[list[Span], list[Span]] = ([], [])
    places = [0, 0]
    shared = shared_words(_WORD.findall(first), _WORD.findall(second))
    for *begin, size in (*shared, (len(words[0]), len(words[1]), 0)):
        for side, (start, end) in enumerate(zip(places, begin, strict=True)):
            if end > start:
                found[side].append((words[side][start].start(), words[side][end - 1].end()))
        places = [end + size for end in begin]
    return tuple(found[0]), tuple(found[1])
