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
    words = [[match.span() for match in _WORD.finditer(text)] for text in (first, second)]
    readings = [[text[start:end] for start, end in spans] for text, spans in zip((first, second), words, strict=True)]
    found: tuple[list[Span], list[Span]] = ([], [])
    places = [0, 0]
    for *begin, size in (*shared_words(*readings), (len(words[0]), len(words[1]), 0)):
        for side, (start, end) in enumerate(zip(places, begin, strict=True)):
            if end > start:
                found[side].append((words[side][start][0], words[side][end - 1][1]))
        places = [end + size for end in begin]
    return tuple(found[0]), tuple(found[1])
