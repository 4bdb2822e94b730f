"""The engine for one machine: models one after another, batch by batch, each batch written when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Protocol

from tiltmeter import models
from tiltmeter.errors import ModelError
from tiltmeter.measures.scorers import DEFAULTS, Scorer, find
from tiltmeter.models import Model, ModelSettings
from tiltmeter.records import Family, Pair, PairScore, Query, TokenScores
from tiltmeter.store import Ledger, Run, locked
from tiltmeter.study import Plan, Study

BATCH = 256
"""Queries in a batch: what a killed run loses at most. Part of the plan, so that resuming changes no number."""


class Watcher(Protocol):
    """Someone who wants to know how far the work is."""

    def start(self, what: str, total: int, done: int) -> None:
        """A stretch of work begins, part of which may be done already."""

    def advance(self, steps: int) -> None:
        """So many more steps are done."""


class Silent:
    """A watcher that does not watch."""

    def start(self, what: str, total: int, done: int) -> None:
        """Ignore it."""

    def advance(self, steps: int) -> None:
        """Ignore it."""


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


def carry_out(
    plan: Plan, folder: str | Path, settings: ModelSettings | None = None, watcher: Watcher | None = None
) -> Run:
    """Carry out a plan in a run folder; go on where an earlier, interrupted run of the same plan stopped."""
    watch = watcher or Silent()
    path = Path(folder)
    seen: dict[str, str] = {}
    with locked(path), Ledger(path) as ledger:
        ledger.begin(plan)
        for name in plan.study.models:
            model = models.load(name, settings or ModelSettings())
            if model.facts.name in seen:
                raise ModelError(f"`{name}` and `{seen[model.facts.name]}` are the same model; name it once")
            seen[model.facts.name] = name
            _carry_out_model(plan, model, ledger, watch)
        return ledger.run()


def scorers_for(study: Study, family: Family) -> list[Scorer]:
    """The study's scorers that fit a family of models; the family's default where none does."""
    other = "masked." if family == "causal" else "causal."
    fitting = [name for name in study.scorers if not name.startswith(other)]
    found = []
    for name in fitting:
        try:
            found.append(find(name, family))
        except ModelError:
            # Named for the models of the other family, which a study may hold as well.
            continue
    return found or [find(DEFAULTS[family], family)]


def plan_batches(pairs: Sequence[Pair], scorers: Sequence[Scorer]) -> list[tuple[Query, ...]]:
    """Every question once, like with like and short before long, cut into batches."""
    questions = {query for pair in pairs for scorer in scorers for query in scorer.asks(pair)}
    ordered = sorted(questions, key=lambda query: (query.conditioning, len(query.text), query.text, query.spans))
    kinds = [tuple(kind) for _, kind in groupby(ordered, key=lambda query: query.conditioning)]
    return [kind[start : start + BATCH] for kind in kinds for start in range(0, len(kind), BATCH)]


def ask(model: Model, batch: Sequence[Query]) -> Mapping[Query, TokenScores]:
    """A model's answers to questions that share their conditioning."""
    spans = [query.spans for query in batch] if any(query.spans for query in batch) else None
    scores = model.score([query.text for query in batch], conditioning=batch[0].conditioning, spans=spans)
    return dict(zip(batch, scores, strict=True))


def _carry_out_model(plan: Plan, model: Model, ledger: Ledger, watch: Watcher) -> None:
    name = model.facts.name
    ledger.record_model(model.facts)
    scorers = scorers_for(plan.study, model.facts.family)
    batches = plan_batches(plan.pairs, scorers)
    done = ledger.done(name)
    watch.start(f"scoring with {name}", sum(map(len, batches)), sum(len(batches[number]) for number in done))
    for number, batch in _open(batches, done):
        ledger.record_batch(name, number, ask(model, batch))
        watch.advance(len(batch))
    answers = ledger.answers(name)
    ledger.record_scores(
        name, {scorer.name: [scorer.score(pair, answers) for pair in plan.pairs] for scorer in scorers}
    )


def _open(batches: Sequence[tuple[Query, ...]], done: set[int]) -> Iterator[tuple[int, tuple[Query, ...]]]:
    return ((number, batch) for number, batch in enumerate(batches) if number not in done)
