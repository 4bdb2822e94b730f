"""Units written side by side: what all of them ask for goes to the generator in one call, round by round.

A block is cut from the plan, and is written and recorded as a whole: what is computed together decides the last digits
of the model's numbers, so a block that was cut off is begun anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

from tiltmeter.records import Completion, Pair, Spec, Written
from tiltmeter.sources.generated.checks import JUDGED
from tiltmeter.sources.generated.interface import NO_REVIEW, Generator, Review, refuse_unwritten
from tiltmeter.sources.generated.model_settings import SERVED, settings_for
from tiltmeter.sources.generated.settings import GenerationSettings, Unit, UnitResult
from tiltmeter.sources.generated.shots import Chooser, chooser
from tiltmeter.sources.generated.unit_writer import Request, UnitWriter

BLOCK = 8
"""Units in a block: what a killed run loses at most. Part of the plan, so that resuming changes no sentence."""


def blocks(todo: Sequence[Unit]) -> list[tuple[Unit, ...]]:
    """Units of a spec in the order of the plan, cut into blocks; each set for itself, however many there are.

    >>> todo = [Unit("x", number, "a", str(term)) for number in range(2) for term in range(11)]
    >>> [len(block) for block in blocks(todo)]
    [8, 3, 8, 3]
    """
    sets = [tuple(units) for _, units in groupby(todo, key=lambda unit: unit.set)]
    return [units[start : start + BLOCK] for units in sets for start in range(0, len(units), BLOCK)]


def write_block(
    spec: Spec,
    block: Sequence[Unit],
    generator: Generator,
    settings: GenerationSettings,
    *,
    shots: Chooser | None = None,
    review: Review = NO_REVIEW,
) -> list[UnitResult]:
    """Write the sentences of some units; nothing but the arguments decides what comes out."""
    settings = settings if settings.is_settled else settings_for(settings, generator)
    choose = shots or chooser(settings.shots, spec)
    writings = [UnitWriter(spec, unit, generator, settings, choose) for unit in block]
    while open_requests := [(one, request) for one in writings for request in one.next_requests()]:
        answers = _complete(generator, settings, open_requests)
        found = [
            one.check(asked, got, review.declines) for (one, asked), got in zip(open_requests, answers, strict=True)
        ]
        for (one, _), sentences in zip(open_requests, _judged(found, review), strict=True):
            one.keep(sentences)
    if review.rank:
        _choose(writings, review.rank)
    return [one.result() for one in writings]


def _complete(
    generator: Generator, settings: GenerationSettings, asked: Sequence[tuple[UnitWriter, Request]]
) -> list[list[Completion]]:
    prompts = [request.prompt for _, request in asked]
    seeds = [request.seed for _, request in asked]
    if settings.strategy == "constrained":
        words = [request.words for _, request in asked]
        return generator.complete_with(prompts, words, settings.decoding, samples=settings.samples, seed=seeds)
    samples = 1 if settings.lists else settings.samples
    written = generator.complete(prompts, settings.decoding, samples=samples, seed=seeds)
    if generator.facts.device not in SERVED:
        # A server may fail at one request and answer the next; a model here fails at all that are like it.
        refuse_unwritten(generator, written)
    return written


def _judged(found: Sequence[Sequence[Written]], review: Review) -> list[list[Written]]:
    passed = [sentence for sentences in found for sentence in sentences if sentence.dropped is None]
    verdicts: dict[str, str | None] = {}
    if review.judge and passed:
        verdicts = dict(zip((one.id for one in passed), review.judge(passed), strict=True))
    return [
        [replace(one, dropped=f"{JUDGED} as {why}") if (why := verdicts.get(one.id)) else one for one in sentences]
        for sentences in found
    ]


def _choose(writings: Sequence[UnitWriter], rank: Callable[[Sequence[Pair]], Sequence[float]]) -> None:
    candidates = [one.candidates() for one in writings]
    pairs = [pair for found in candidates for pair, _ in found]
    scores = iter(rank(pairs) if pairs else ())
    for one, found in zip(writings, candidates, strict=True):
        one.choose([(next(scores), sentence) for _, sentence in found])
