"""Records that several tests need: a pair, and scores of it worked out by hand."""

from __future__ import annotations

import re

from tiltmeter.records import Pair, PairScore, TokenScores

NURSE = Pair(
    id="gender/nurse/0/0",
    source="templates.v1",
    bias="gender",
    origin="nurse",
    texts=("She is a nurse.", "He is a nurse."),
    groups=("female", "male"),
    terms=("she", "he"),
    stereotyped=0,
    attribute="nurse",
    attribute_set="care",
    group_spans=(((0, 3),), ((0, 2),)),
    neutral_texts=("She is a person.", "He is a person."),
)


def tokens(text: str, *logprobs: float | None) -> TokenScores:
    """Words and punctuation of a text as tokens, with these log-probabilities."""
    spans = tuple(match.span() for match in re.finditer(r"\w+|[^\w\s]", text))
    assert len(spans) == len(logprobs), f"{text!r} has {len(spans)} tokens, not {len(logprobs)}"
    return TokenScores(spans, logprobs)


def scored(pair: Pair, first: float, second: float, scorer: str = "causal.sum.v1") -> PairScore:
    """A scored pair."""
    return PairScore(pair, scorer, (first, second))
