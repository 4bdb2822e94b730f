"""A text that a server was handed and gave back token by token, each with its log-probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.models.api.answers import Piece
from tiltmeter.models.encoding import visible_spans
from tiltmeter.records import Span

MISSPELT = "the server's tokens do not spell the text"


@dataclass(frozen=True, slots=True)
class Echo:
    """The tokens that the server put before the text by itself, those of the text, and the one that it wrote after."""

    added: tuple[Piece, ...]
    given: tuple[Piece, ...]
    spans: tuple[Span, ...]
    """The characters of each token of the text."""
    after: Piece | None


def echo_of(text: str, found: Sequence[Piece]) -> Echo | None:
    """The tokens of a reply, told apart; None where they do not spell the text.

    >>> echo = echo_of("She", [Piece("<s>", None, {}), Piece("She", -2.0, {}), Piece(" is", -1.0, {" is": -1.0})])
    >>> len(echo.added), echo.given[0].logprob, echo.after.top
    (1, -2.0, {' is': -1.0})
    """
    # The first token of all has nothing before it, so a start token has no number.
    for skipped in (0, 1):
        if skipped and not (found and found[0].logprob is None):
            return None
        spans = spans_of(text, [piece.text for piece in found[skipped:]])
        if spans is not None and text:
            end = skipped + len(spans)
            after = found[end] if len(found) > end else None
            return Echo(tuple(found[:skipped]), tuple(found[skipped:end]), tuple(spans), after)
    return None


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
