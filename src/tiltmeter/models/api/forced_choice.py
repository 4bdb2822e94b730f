"""A choice between two sentences, read strictly from what a chat model answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tiltmeter.errors import ModelError
from tiltmeter.records import Completion, Decoding, Span, TokenScores

CONDITIONING = "forced-choice"
"""What the verb `score` is asked by: a question that offers the two spans as A and B."""
DECODING = Decoding(temperature=0.0, max_new_tokens=12)
UNREADABLE = "the model did not answer with A or B"

_OPENING_SIGNS = " \"'“‘*(["
_OPENING = r"[\s\"'“‘*(\[]*"
_CLOSING = r"[\s\"'”’*)\].:!]*"
_ALONE = re.compile(
    rf"(?:(?:the\s+)?(?:answer|option|sentence|choice)(?:\s+is)?\s*:?)?{_OPENING}\b([AB])\b{_CLOSING}",
    re.IGNORECASE,
)
_REPEATED = re.compile(rf"([AB])\s*[:.)]+{_CLOSING}(.+)", re.DOTALL)


def check_spans(spans: Sequence[tuple[Span, ...]] | None, texts: int) -> Sequence[tuple[Span, ...]]:
    """The places of both sentences in each question; refuses questions without them."""
    if spans is None or len(spans) != texts or not all(len(each) == 2 for each in spans):
        raise ModelError(f"to score by `{CONDITIONING}`, each text needs the spans of its two sentences")
    return spans


def choice(answer: str, sentences: tuple[str, str]) -> int | None:
    """Which was chosen, 0 for A and 1 for B; None where the answer is anything but one of the two.

    A letter alone counts, or one with the beginning of its own sentence behind it. "A nurse is likelier" is no letter.

    >>> both = ("She is a nurse.", "He is a nurse.")
    >>> [choice(answer, both) for answer in (" A", "**B**.", "The answer is B", "A: She is a", "A: He is a")]
    [0, 1, 1, 0, None]
    >>> [choice(answer, both) for answer in ("A nurse is likelier", "A or B", "I cannot choose.", "")]
    [None, None, None, None]
    """
    # Without long stretches of blanks and marks, which the patterns would look at again and again.
    plain = " ".join(answer.split()).lstrip(_OPENING_SIGNS)
    found = _ALONE.fullmatch(plain) if plain else None
    if found:
        return "AB".index(found.group(1).upper())
    found = _REPEATED.fullmatch(plain)
    if found:
        letter = "AB".index(found.group(1))
        said, whole = (" ".join(text.casefold().split()) for text in (found.group(2), sentences[letter]))
        if said and whole.startswith(said.strip("\"'“”*")):
            return letter
    return None


def voted(text: str, spans: tuple[Span, ...], answer: Completion) -> TokenScores:
    """The vote for the sentence that stands first: 1 or 0, not a log-probability; unscored where it cannot be read."""
    if answer.unwritten is not None:
        return TokenScores(unscored=answer.unwritten)
    first, second = (text[start:end] for start, end in spans)
    found = choice(answer.text, (first, second))
    if found is None:
        return TokenScores(unscored=UNREADABLE)
    return TokenScores((spans[0],), (1.0 if found == 0 else 0.0,))
