"""Asking a model the questions of scorers, in batches, and scoring pairs from the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from tiltmeter.measures.scorers import Scorer
from tiltmeter.models import Model
from tiltmeter.records import Pair, PairScore, Query, TokenScores
from tiltmeter.watching import Silent, Watcher

BATCH = 256
"""Queries in a batch: what a killed run loses at most. Part of the plan, so that resuming changes no number."""


def score_pairs(
    model: Model, pairs: Sequence[Pair], scorers: Sequence[Scorer], watcher: Watcher | None = None
) -> dict[str, list[PairScore]]:
    """Score pairs in memory, by scorer name, in the order given; what the scorers share is asked once."""
    watch = watcher or Silent()
    batches = plan_batches(pairs, scorers)
    watch.start(f"scoring with {model.facts.name}", sum(map(len, batches)), 0)
    answers: dict[Query, TokenScores] = {}
    for batch in batches:
        answers.update(ask(model, batch))
        watch.advance(len(batch))
    return {scorer.name: [scorer.score(pair, answers) for pair in pairs] for scorer in scorers}


def plan_batches(pairs: Sequence[Pair], scorers: Sequence[Scorer]) -> list[tuple[Query, ...]]:
    """Every question once, like with like and short before long, cut into batches."""
    questions = {query for pair in pairs for scorer in scorers for query in scorer.asks(pair)}
    ordered = sorted(questions, key=lambda query: (query.conditioning, len(query.text), query.text, query.spans))
    kinds = [tuple(kind) for _, kind in groupby(ordered, key=lambda query: query.conditioning)]
    return [kind[start : start + BATCH] for kind in kinds for start in range(0, len(kind), BATCH)]


def fitting(scorers: Sequence[Scorer], model: Model, pairs: Sequence[Pair]) -> list[Scorer]:
    """The scorers whose questions the model can answer; all of them where it can answer none, so that it says why."""

    def fits(scorer: Scorer) -> bool:
        first = next((asked for asked in map(scorer.asks, pairs) if asked), ())
        return all(query.conditioning in model.conditionings for query in first)

    return [scorer for scorer in scorers if fits(scorer)] or list(scorers)


def ask(model: Model, batch: Sequence[Query]) -> Mapping[Query, TokenScores]:
    """A model's answers to questions that share their conditioning."""
    spans = [query.spans for query in batch] if any(query.spans for query in batch) else None
    scores = model.score([query.text for query in batch], conditioning=batch[0].conditioning, spans=spans)
    return dict(zip(batch, scores, strict=True))
