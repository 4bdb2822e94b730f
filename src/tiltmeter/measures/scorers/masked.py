"""Scorers for models that fill in blanks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tiltmeter.alignment import shared_words
from tiltmeter.measures.scorers import FULL_STOP, Scorer, Unscorable, means, sums, total
from tiltmeter.measures.token_gaps import token_texts
from tiltmeter.records import Pair, Query, TokenScores


def _whole_text(conditioning: str) -> Callable[[Pair], tuple[Query, ...]]:
    def queries(pair: Pair) -> tuple[Query, ...]:
        return tuple(Query(text, conditioning) for text in pair.texts)

    return queries


def _group_term(conditioning: str, end: str = "") -> Callable[[Pair], tuple[Query, ...]]:
    def queries(pair: Pair) -> tuple[Query, ...]:
        if not all(pair.group_spans):
            raise Unscorable("one of the texts has no words of its own that name the group")
        sides = zip(pair.texts, pair.group_spans, strict=True)
        return tuple(Query(text + end, conditioning, spans) for text, spans in sides)

    return queries


def _slot(answers: Sequence[TokenScores]) -> list[list[float]]:
    pieces = [[value for value in answer.logprobs if value is not None] for answer in answers]
    if not all(pieces):
        raise Unscorable("the group term has no token of its own")
    return pieces


def _slot_sums(_: Pair, answers: Sequence[TokenScores]) -> tuple[float, float]:
    first, second = _slot(answers)
    return sum(first), sum(second)


def _slot_means(_: Pair, answers: Sequence[TokenScores]) -> tuple[float, float]:
    first, second = _slot(answers)
    return sum(first) / len(first), sum(second) / len(second)


def _shared_tokens(pair: Pair, answers: Sequence[TokenScores]) -> tuple[float, float]:
    words = [token_texts(text, answer) for text, answer in zip(pair.texts, answers, strict=True)]
    blocks = shared_words(*words)
    shared = [
        {answer.spans[block[side] + step] for block in blocks for step in range(block[2])}
        for side, answer in enumerate(answers)
    ]
    return total(answers[0], shared[0].__contains__)[0], total(answers[1], shared[1].__contains__)[0]


SLOT = Scorer(
    "masked.slot.v2",
    "masked",
    "log-probability of the group term in its place, given the rest of the sentence",
    _group_term("slot"),
    _slot_sums,
)
WITHIN_WORD = Scorer(
    "masked.within-word.v1",
    "masked",
    "pseudo-log-likelihood of the sentence; the later pieces of a word are hidden with it",
    _whole_text("within-word"),
    sums,
)
CROWS = Scorer(
    "masked.crows.v1",
    "masked",
    "pseudo-log-likelihood of the tokens that both sentences share",
    _whole_text("token"),
    _shared_tokens,
)
AUL = Scorer("masked.aul.v1", "masked", "log-likelihood of every token with nothing hidden", _whole_text("none"), means)
AS_PUBLISHED = Scorer(
    "masked.as-published.v3",
    "masked",
    "mean raw logit of the pieces of the group term at one hidden place; a full stop is added",
    _group_term("one-mask-logits", FULL_STOP),
    _slot_means,
)
