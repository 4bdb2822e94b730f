"""Asking a model the questions of scorers, in batches, and scoring pairs from the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from tiltmeter.engine.executor import Batches, Executor, Stage, batch_size, perform
from tiltmeter.measures.scorers import Scorer
from tiltmeter.models import Model
from tiltmeter.progress import Progress
from tiltmeter.records import Pair, PairScore, Query, TokenScores
from tiltmeter.store import Ledger
from tiltmeter.study.disk_lists import disk_list, ordered

BATCH = 256
"""Queries in a batch on a CPU: the most that a killed run loses. Part of the plan: resuming changes no number."""
CHUNK = 1000
"""So many pairs are scored at once."""

Answers = Mapping[Query, TokenScores]


def questions_of(pairs: Iterable[Pair], scorers: Sequence[Scorer]) -> Sequence[tuple[Any, ...]]:
    """Every question of some pairs once, like with like and short before long: its kind, length, text and spans.

    Questions that are many are not in memory, but in a temporary file.
    """
    asked = (query for pair in pairs for scorer in scorers for query in scorer.asks(pair))
    return disk_list(ordered((query.conditioning, len(query.text), query.text, query.spans) for query in asked))


def _batches(questions: Sequence[tuple[Any, ...]], size: int) -> Batches[tuple[Query, ...]]:
    places: list[range] = []
    start = 0
    for _, kind in groupby(row[0] for row in questions):
        end = start + sum(1 for _ in kind)
        places += [range(at, min(at + size, end)) for at in range(start, end, size)]
        start = end

    def read(at: int) -> tuple[Query, ...]:
        rows = questions[places[at].start : places[at].stop]
        return tuple(Query(text, conditioning, spans) for conditioning, _, text, spans in rows)

    return Batches(list(map(len, places)), read)


def score(
    pairs: Sequence[Pair],
    scorers: Sequence[Scorer],
    model: Model,
    ledger: Ledger,
    executor: Executor,
    progress: Progress,
) -> None:
    """Score the pairs of a run with a model that is tested in it."""
    name = model.facts.name
    steps = ledger.steps("scoring", name)
    stage = replace(
        _stage(model, pairs, scorers, lambda found: ledger.scored.put((name,), found.items())),
        done=steps.done(),
        marked=steps.marked,
        failed_before=lambda: sum(1 for _ in ledger.scored.unanswered((name,))),
    )
    perform(stage, executor, progress)
    ledger.record_scores(name, [scorer.name for scorer in scorers], _scored(pairs, scorers, name, ledger))


def score_pairs(
    model: Model, pairs: Sequence[Pair], scorers: Sequence[Scorer], progress: Progress | None = None
) -> dict[str, list[PairScore]]:
    """Score pairs in memory, by scorer name, in the order given; what the scorers share is asked once."""
    answers: dict[Query, TokenScores] = {}
    perform(_stage(model, pairs, scorers, answers.update), progress=progress)
    return {scorer.name: [scorer.score(pair, answers) for pair in pairs] for scorer in scorers}


def _stage(
    model: Model, pairs: Sequence[Pair], scorers: Sequence[Scorer], write: Callable[[Answers], None]
) -> Stage[tuple[Query, ...], Answers]:
    return Stage(
        f"scoring with {model.facts.name}",
        _batches(questions_of(pairs, scorers), batch_size(BATCH, model)),
        ask=lambda batch: ask(model, batch),
        write=lambda _, found: write(found),
        failed=lambda _, found: sum(one.unscored is not None for one in found.values()),
    )


def _scored(
    pairs: Sequence[Pair], scorers: Sequence[Scorer], name: str, ledger: Ledger
) -> Iterator[tuple[PairScore, ...]]:
    """For each pair its scores under all scorers, from the answers that it needs."""
    for start in range(0, len(pairs), CHUNK):
        some = pairs[start : start + CHUNK]
        answers = ledger.scored.get(
            (name,), (query for pair in some for scorer in scorers for query in scorer.asks(pair))
        )
        yield from (tuple(scorer.score(pair, answers) for scorer in scorers) for pair in some)


def fitting(scorers: Sequence[Scorer], model: Model, pairs: Sequence[Pair]) -> list[Scorer]:
    """The scorers whose questions the model can answer; all of them where it can answer none, so that it says why."""

    def fits(scorer: Scorer) -> bool:
        first = next((asked for asked in map(scorer.asks, pairs) if asked), ())
        return all(query.conditioning in model.conditionings for query in first)

    return [scorer for scorer in scorers if fits(scorer)] or list(scorers)


def ask(model: Model, batch: Sequence[Query]) -> Answers:
    """A model's answers to questions that share their conditioning."""
    spans = [query.spans for query in batch] if any(query.spans for query in batch) else None
    scores = model.score([query.text for query in batch], conditioning=batch[0].conditioning, spans=spans)
    return dict(zip(batch, scores, strict=True))
