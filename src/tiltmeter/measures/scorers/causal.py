"""Scorers for models that read from left to right."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.measures.scorers import FULL_STOP, Scorer, Unscorable, means, overlaps, sums, total
from tiltmeter.records import Pair, Query, Span, TokenScores


def _left(pair: Pair) -> tuple[Query, ...]:
    return tuple(Query(text, "left") for text in pair.texts)


def _without_start(pair: Pair) -> tuple[Query, ...]:
    return tuple(Query(text, "left-no-start") for text in pair.texts)


def _without_start_with_stop(pair: Pair) -> tuple[Query, ...]:
    return tuple(Query(text + FULL_STOP, "left-no-start") for text in pair.texts)


def _left_and_neutral(pair: Pair) -> tuple[Query, ...]:
    if pair.neutral_texts is None:
        raise Unscorable("the attribute cannot be replaced by a neutral word here")
    return _left(pair) + tuple(Query(text, "left") for text in pair.neutral_texts)


def _outside_the_group(pair: Pair, answers: Sequence[TokenScores]) -> tuple[float, float]:
    if not all(pair.group_spans):
        raise Unscorable("one of the texts has no words of its own that name the group")

    def rest(side: int) -> float:
        def keep(span: Span) -> bool:
            return span[1] > pair.scored_from[side] and not overlaps(span, pair.group_spans[side])

        return total(answers[side], keep)[0]

    return rest(0), rest(1)


def _less_the_prior(pair: Pair, answers: Sequence[TokenScores]) -> tuple[float, float]:
    with_attribute = sums(pair, answers[:2])
    prior = total(answers[2], lambda _: True)[0], total(answers[3], lambda _: True)[0]
    return with_attribute[0] - prior[0], with_attribute[1] - prior[1]


def _means_of_what_is_scored(pair: Pair, answers: Sequence[TokenScores]) -> tuple[float, float]:
    def mean(side: int) -> float:
        scored = [value for value in answers[side].logprobs if value is not None]
        if not scored:
            raise Unscorable("the text is one token, and the published form never scores the first one")
        return sum(scored) / len(scored)

    return mean(0), mean(1)


SUM = Scorer("causal.sum.v1", "causal", "log-probability of the whole sentence", _left, sums)
MEAN = Scorer("causal.mean.v1", "causal", "log-probability of the sentence, per token", _left, means)
REST = Scorer(
    "causal.rest.v2",
    "causal",
    "log-probability of everything but the group term, given what stands before",
    _left,
    _outside_the_group,
)
PRIOR_CORRECTED = Scorer(
    "causal.prior-corrected.v1",
    "causal",
    "log-probability of the sentence, less that of the same sentence with a neutral word in place of the attribute",
    _left_and_neutral,
    _less_the_prior,
)
AS_PUBLISHED_1 = Scorer(
    "causal.as-published.v1",
    "causal",
    "mean token loss without a start token, so that the first word is never scored",
    _without_start,
    _means_of_what_is_scored,
)
AS_PUBLISHED = Scorer(
    "causal.as-published.v2",
    "causal",
    "mean token loss without a start token, so that the first word is never scored; a full stop is added",
    _without_start_with_stop,
    _means_of_what_is_scored,
)
