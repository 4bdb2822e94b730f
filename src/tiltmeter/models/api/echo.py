"""A text that a server was handed and gave back token by token, each with its log-probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.models.api.aligning import spans_of
from tiltmeter.models.api.answers import Piece
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
