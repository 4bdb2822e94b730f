"""What carrying out a study comes to, before anything is done: cells, calls, tokens, cost, time, what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.engine import completing, scoring
from tiltmeter.engine.costs import expected_costs
from tiltmeter.engine.local import scorers_for
from tiltmeter.models.api import Cost
from tiltmeter.sources.generated.loop import units as units_of
from tiltmeter.store import RunState, questions_of, state_of
from tiltmeter.study import Plan
from tiltmeter.web.studies_rates import SENTENCES, Rates

_LETTERS = 4
"""English text has about four characters to a token."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one view takes."""

    view: str
    items: str
    cells: int
    calls: int
    """For each model."""
    tokens: int
    note: str = ""
    gradients: int = 0
    """Calls that take a gradient, beside the others."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a plan comes to."""

    lines: Sequence[Line]
    models: Sequence[str]
    dropped: Sequence[tuple[str, int]]
    costs: dict[str, Cost]
    seconds: float
    """About how long it takes, as far as that is known."""
    unknown: Sequence[str]
    """The stretches of work of which nobody knows yet how long they take here."""
    state: RunState


def outlook(plan: Plan, folder: Path, rates: Rates) -> Outlook:
    """What a plan comes to in a run folder, given the rates of earlier runs."""
    lines = [*_pairs(plan), *_texts(plan), *_words(plan)]
    seconds, unknown = 0.0, []
    for work, amount in _work(plan, lines):
        rate = rates.of(*work)
        if rate is None:
            unknown.append(" ".join(work))
        else:
            seconds += amount / rate
    return Outlook(
        lines,
        plan.study.models,
        Counter(item.reason for item in plan.dropped).most_common(),
        expected_costs(plan, scorers_for(plan.study, "causal")),
        seconds,
        unknown,
        state_of(folder, plan),
    )


def _pairs(plan: Plan) -> Iterator[Line]:
    study = plan.study
    if not study.sources:
        return
    scorers = scorers_for(study, "causal")
    asked = [query for batch in scoring.plan_batches(plan.pairs, scorers) for query in batch]
    written = len(study.generated)
    yield Line(
        "Pairs",
        f"{len(plan.pairs):,} pairs over {len({pair.bias for pair in plan.pairs}):,} biases",
        len(study.models) * len(study.sources) * max(len(study.scorers), 1),
        len(asked),
        sum(len(query.text) // _LETTERS + 1 for query in asked),
        "and the sentences that a model has yet to write, which are not counted here" if written else "",
    )


def _texts(plan: Plan) -> Iterator[Line]:
    choices = plan.study.continuations
    if choices is None:
        return
    places = {(prompt.source, prompt.bias) for prompt in plan.prompts}
    groups = {(one.bias, one.group) for one in plan.prompts if one.group}
    samples = sum(choices.samples_of(one) for one in choices.decodings)
    batches = completing.plan_batches(plan.prompts, choices)
    yield Line(
        "Continuations",
        f"{len(plan.prompts):,} prompts about {len(groups):,} groups, {samples:,} texts after each",
        len(plan.study.models) * len(places) * len(choices.decodings) * len(choices.raters),
        samples * len(plan.prompts),
        sum(batch.size * batch.decoding.max_new_tokens * batch.decoding.beams for batch in batches),
        f"each text read by {len(choices.raters):,} raters; tokens at most",
    )


def _words(plan: Plan) -> Iterator[Line]:
    choices = plan.study.next_words
    if choices is None:
        return
    questions, asked = questions_of(plan.asked, choices)
    places = {(one.prompt.source, one.prompt.bias) for one in plan.asked}
    ways = len(choices.words) * len(choices.bounded) * len(choices.combine)
    gradients = sum(one.explained for one in questions)
    yield Line(
        "Next words",
        f"{len({one.asked.prompt.id for one in asked}):,} prompts that leave the group open, under "
        f"{len(choices.perturbations):,} perturbations",
        len(plan.study.models) * len(places) * ways,
        len(questions) * len(choices.bounded),
        sum(len(one.text) // _LETTERS + 1 + len(one.words) for one in questions) * len(choices.bounded),
        f"and {gradients:,} gradients" if gradients else "",
        gradients,
    )


def _work(plan: Plan, lines: Sequence[Line]) -> Iterator[tuple[tuple[str, str], float]]:
    """Each stretch of work, as a kind and a name, and how much it is."""
    by_view = {line.view: line for line in lines}
    choices = plan.study.continuations
    for model in plan.study.models:
        if plan.study.sources:
            yield ("scoring with", model), by_view["Pairs"].calls
        if choices:
            # The longest of those settings that differ in length alone are cut to the shorter ones.
            yield ("writing with", model), by_view["Continuations"].tokens
        if plan.study.next_words:
            yield ("next words of", model), by_view["Next words"].calls
            if by_view["Next words"].gradients:
                yield ("saliency of", model), by_view["Next words"].gradients
    for source in plan.study.generated:
        blocks = (units_of(spec, source.generation) for spec in plan.study.specs)
        yield (SENTENCES, str(source.options["by"])), sum(map(len, blocks))
    for rater in choices.raters if choices else ():
        name = f"{rater.name}:{rater.argument}" if rater.argument else rater.name
        yield ("rating by", name), by_view["Continuations"].calls * len(plan.study.models)
