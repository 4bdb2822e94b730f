"""A choice between two sentences, read strictly from what a chat model answers."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.errors import ModelError
from tiltmeter.records import Completion, Decoding, Span, TokenScores
from tiltmeter.replies import lettered

CONDITIONING = "forced-choice"
"""What the verb `score` is asked by: a question that offers the two spans as A and B."""
DECODING = Decoding(temperature=0.0, max_new_tokens=12)
UNREADABLE = "the model did not answer with A or B"


def check_spans(spans: Sequence[tuple[Span, ...]] | None, texts: int) -> Sequence[tuple[Span, ...]]:
    """The places of both sentences in each question; refuses questions without them."""
    if spans is None or len(spans) != texts or not all(len(each) == 2 for each in spans):
        raise ModelError(f"to score by `{CONDITIONING}`, each text needs the spans of its two sentences")
    return spans


def voted(text: str, spans: tuple[Span, ...], answer: Completion) -> TokenScores:
    """The vote for the sentence that stands first: 1 or 0, not a log-probability; unscored where it cannot be read."""
    if answer.unwritten is not None:
        return TokenScores(unscored=answer.unwritten)
    found = lettered(answer.text, [text[start:end] for start, end in spans])
    if found is None:
        return TokenScores(unscored=UNREADABLE)
    return TokenScores((spans[0],), (1.0 if found == 0 else 0.0,))
