"""Which characters of a text the tokens of a reply cover."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.models.encoding import visible_spans
from tiltmeter.records import Span

_UNDECODED = "\ufffd"


def spans_of(text: str, tokens: Sequence[str]) -> list[Span] | None:
    """The characters of each token, where the tokens spell the text from its beginning; None where they do not.

    Tokens that follow the text are left out; spaces count as in `visible_spans`. Servers decode
    tokens one by one: a space may be lost at the front of one, and the bytes of a character that stands in several
    tokens come as nothing or as a replacement sign. Such tokens all cover that character.

    >>> spans_of("A café.", ["A", " ca", "f", "", "é", ".", " It"])
    [(0, 1), (2, 4), (4, 5), (5, 6), (5, 6), (6, 7)]
    >>> spans_of("She left 🙂", ["She", "left", " \ufffd", "\ufffd", " Then"])
    [(0, 3), (4, 8), (9, 10), (9, 10)]
    >>> spans_of("She left.", ["He", " left", "."]) is None
    True
    """
    spans: list[Span] = []
    place, undecoded = 0, 0
    for token in tokens:
        if place == len(text):
            break
        if not token or _UNDECODED in token or token.startswith("bytes:"):
            undecoded += 1
            continue
        start = _found(text, token, place, undecoded > 0)
        if start is None:
            break
        if undecoded:
            spans += [(place, start) if start > place else (start, start + 1)] * undecoded
            place, undecoded = start, 0
        spans.append((place, start + len(token)))
        place = start + len(token)
    if undecoded and place < len(text) and _is_beyond_ascii(text[place:]):
        spans += [(place, len(text))] * undecoded
        place = len(text)
    return list(visible_spans(text, spans)) if place == len(text) else None


def _found(text: str, token: str, place: int, after_undecoded: bool) -> int | None:
    """Where a token stands: at the place, behind a space that was lost, or behind characters of several bytes."""
    if text.startswith(token, place):
        return place
    if text[place : place + 1] == " " and text.startswith(token, place + 1):
        return place + 1
    if after_undecoded:
        start = text.find(token, place)
        if start > place and _is_beyond_ascii(text[place:start]):
            return start
    return None


def _is_beyond_ascii(text: str) -> bool:
    return bool(text.strip()) and not any(character.isascii() for character in text.strip())
