"""Asking a model the queries of every view that has some, in batches, and scoring pairs from the answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from tiltmeter.answers import reasons_of
from tiltmeter.engine.executor import Batches, Executor, Stage, batch_size, perform
from tiltmeter.measures.scorers import Scorer
from tiltmeter.models import Model
from tiltmeter.models.asking import REPLIES, replies
from tiltmeter.models.interface import as_writer, on_accelerator
from tiltmeter.progress import Progress
from tiltmeter.records import Completion, Item, Pair, PairScore, Query, TokenScores
from tiltmeter.store import Ledger
from tiltmeter.study.asked import Asking
from tiltmeter.study.disk_lists import DiskList, disk_list, ordered

BATCH = 256
"""Queries in a batch on a CPU: the most that a killed run loses. Part of the plan: resuming changes no number."""
CHUNK = 1000
"""So many pairs are scored at once."""

Answers: TypeAlias = Mapping[Query, TokenScores]
Replies: TypeAlias = Mapping[Query, Completion]
Part: TypeAlias = tuple[Sequence[Item], Sequence[Asking]]
"""Items, and the ways in which each of them is asked about."""
Question: TypeAlias = tuple[Any, ...]


_KNOWN: WeakKeyDictionary[DiskList[Any], dict[tuple[Asking, ...], Sequence[Question]]] = WeakKeyDictionary()
"""Of items that are many, the queries that were worked out already: they are counted first, and then asked."""


def questions_of(parts: Iterable[Part], known: Collection[Query] = ()) -> Sequence[Question]:
    """Every query of some items once, like with like and short before long: its kind, length, text and spans.

    Queries that are many are not in memory, but in a temporary file; those that are known are left out.
    """
    each = [_questions(items, tuple(ways)) for items, ways in parts]
    found = each[0] if len(each) == 1 else disk_list(ordered(chain.from_iterable(each)))
    return disk_list(row for row in found if _query(row) not in known) if known else found


def _questions(items: Sequence[Item], ways: tuple[Asking, ...]) -> Sequence[Question]:
    known = _KNOWN.setdefault(items, {}) if isinstance(items, DiskList) else {}
    if ways not in known:
        asked = queries_of([(items, ways)])
        known[ways] = disk_list(
            ordered((query.conditioning, len(query.text), query.text, query.spans) for query in asked)
        )
    return known[ways]


def queries_of(parts: Iterable[Part]) -> Iterator[Query]:
    """The queries of some items, one after another."""
    return (query for items, ways in parts for item in items for way in ways for query in way.asks(item))


def _query(question: Question) -> Query:
    conditioning, _, text, spans = question
    return Query(text, conditioning, spans)


def _batches(questions: Sequence[Question], size: int) -> Batches[tuple[Query, ...]]:
    places: list[range] = []
    start = 0
    for _, kind in groupby(row[0] for row in questions):
        end = start + sum(1 for _ in kind)
        places += [range(at, min(at + size, end)) for at in range(start, end, size)]
        start = end

    def read(at: int) -> tuple[Query, ...]:
        rows = questions[places[at].start : places[at].stop]
        return tuple(map(_query, rows))

    return Batches(list(map(len, places)), read)


def ask_all(
    parts: Sequence[Part],
    model: Model,
    ledger: Ledger,
    executor: Executor,
    progress: Progress,
    *,
    name: str = "",
    part: str = "",
    known: Collection[Query] = (),
) -> None:
    """Put every query of a run to a model that is tested in it; or of a part of a run, but for those that are known.

    Answers are kept under the model's own name or another one.
    """
    name = name or model.facts.name
    steps = ledger.steps("scoring", f"{name}{part}")
    whose = (name,)

    def write(batch: tuple[Query, ...], found: Answers | Replies) -> None:
        (ledger.replied if batch[0].conditioning in REPLIES else ledger.scored).put(whose, found.items())  # type: ignore[arg-type]

    stage = replace(
        _stage(model, parts, write, name, known),
        done=steps.done(),
        marked=steps.marked,
        failed_before=lambda: sum(1 for kept in (ledger.scored, ledger.replied) for _ in kept.unanswered(whose)),
    )
    perform(stage, executor, progress)


def record(pairs: Sequence[Pair], scorers: Sequence[Scorer], model: Model, ledger: Ledger) -> None:
    """Write down the scores of the pairs of a run, from the answers of a model."""
    name = model.facts.name
    ledger.record_scores(name, [scorer.name for scorer in scorers], scored(pairs, scorers, name, ledger))


def score_pairs(
    model: Model, pairs: Sequence[Pair], scorers: Sequence[Scorer], progress: Progress | None = None
) -> dict[str, list[PairScore]]:
    """Score pairs in memory, by scorer name, in the order given; what the scorers share is asked once."""
    answers: dict[Query, TokenScores] = {}
    perform(_stage(model, [(pairs, scorers)], lambda _, found: answers.update(found)), progress=progress)  # type: ignore[arg-type]
    return {scorer.name: [scorer.score(pair, answers) for pair in pairs] for scorer in scorers}


def _stage(
    model: Model,
    parts: Sequence[Part],
    write: Callable[[tuple[Query, ...], Answers | Replies], None],
    name: str = "",
    known: Collection[Query] = (),
) -> Stage[tuple[Query, ...], Answers | Replies]:
    return Stage(
        f"scoring with {name or model.facts.name}",
        _batches(questions_of(parts, known), batch_size(BATCH, model)),
        ask=lambda batch: ask(model, batch),
        write=write,
        failed=lambda _, found: sum(bool(reasons_of(one)) for one in found.values()),
        ahead=on_accelerator(model),
    )


def scored(
    pairs: Sequence[Pair], scorers: Sequence[Scorer], name: str, ledger: Ledger
) -> Iterator[tuple[PairScore, ...]]:
    """For each pair its scores under all scorers, from the answers that it needs."""
    for start in range(0, len(pairs), CHUNK):
        some = pairs[start : start + CHUNK]
        answers = ledger.scored.get((name,), queries_of([(some, scorers)]))
        yield from (tuple(scorer.score(pair, answers) for scorer in scorers) for pair in some)


def fitting(scorers: Sequence[Scorer], model: Model, pairs: Sequence[Pair]) -> list[Scorer]:
    """The scorers whose questions the model can answer; all of them where it can answer none, so that it says why."""

    def fits(scorer: Scorer) -> bool:
        first = next((asked for asked in map(scorer.asks, pairs) if asked), ())
        return all(query.conditioning in model.conditionings for query in first)

    return [scorer for scorer in scorers if fits(scorer)] or list(scorers)


def ask(model: Model, batch: Sequence[Query]) -> Answers | Replies:
    """A model's answers to queries that share their conditioning."""
    if batch[0].conditioning in REPLIES:
        found = replies(as_writer(model), [query.text for query in batch], batch[0].conditioning)
        return dict(zip(batch, found, strict=True))
    spans = [query.spans for query in batch] if any(query.spans for query in batch) else None
    scores = model.score([query.text for query in batch], conditioning=batch[0].conditioning, spans=spans)
    return dict(zip(batch, scores, strict=True))
