"""Asking a model the questions of scorers, in batches, and scoring pairs from the answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import overload

from tiltmeter.measures.scorers import Scorer
from tiltmeter.models import Model
from tiltmeter.records import Pair, PairScore, Query, TokenScores
from tiltmeter.study.spool import ordered, spooled
from tiltmeter.watching import Silent, Watcher

BATCH = 256
"""Queries in a batch: what a killed run loses at most. Part of the plan, so that resuming changes no number."""


class Batches(Sequence[tuple[Query, ...]]):
    """Every question of some pairs once, like with like and short before long, cut into batches.

    Questions that are many are not in memory, but in a temporary file.
    """

    def __init__(self, pairs: Iterable[Pair], scorers: Sequence[Scorer]) -> None:
        asked = (query for pair in pairs for scorer in scorers for query in scorer.asks(pair))
        rows = ((query.conditioning, len(query.text), query.text, query.spans) for query in asked)
        self.questions = spooled(ordered(rows))
        self._places: list[range] = []
        start = 0
        for _, kind in groupby(row[0] for row in self.questions):
            end = start + sum(1 for _ in kind)
            self._places += [range(at, min(at + BATCH, end)) for at in range(start, end, BATCH)]
            start = end

    def size(self, at: int) -> int:
        """How many questions a batch has."""
        return len(self._places[at])

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> tuple[Query, ...]: ...
    @overload
    def __getitem__(self, at: slice) -> list[tuple[Query, ...]]: ...
    def __getitem__(self, at: int | slice) -> tuple[Query, ...] | list[tuple[Query, ...]]:
        if isinstance(at, slice):
            return [self[one] for one in range(len(self))[at]]
        place = self._places[at]
        rows = self.questions[place.start : place.stop]
        return tuple(Query(text, conditioning, spans) for conditioning, _, text, spans in rows)


def score_pairs(
    model: Model, pairs: Sequence[Pair], scorers: Sequence[Scorer], watcher: Watcher | None = None
) -> dict[str, list[PairScore]]:
    """Score pairs in memory, by scorer name, in the order given; what the scorers share is asked once."""
    watch = watcher or Silent()
    batches = Batches(pairs, scorers)
    watch.start(f"scoring with {model.facts.name}", len(batches.questions), 0)
    answers: dict[Query, TokenScores] = {}
    for batch in batches:
        found = ask(model, batch)
        answers.update(found)
        watch.advance(len(batch), failures(found))
    return {scorer.name: [scorer.score(pair, answers) for pair in pairs] for scorer in scorers}


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


def failures(answers: Mapping[Query, TokenScores]) -> int:
    """How many questions have no answer."""
    return sum(one.unscored is not None for one in answers.values())
