"""What carrying out a study comes to, before anything is done: cells, calls, tokens, cost, time, what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.engine.plan_size import AskedSize, ContinuationsSize, NextWordsSize, PairsSize, size_of
from tiltmeter.models.api import Cost
from tiltmeter.present.words import count
from tiltmeter.results.findings.feasibility import Feasibility, at_risk_or_unanswerable, feasibility_of
from tiltmeter.sources.generated.loop import units as units_of
from tiltmeter.store import RunState, state_of
from tiltmeter.study import Plan
from tiltmeter.views import FACTS, VIEWS, View
from tiltmeter.web.studies.rates import TEXTS, Rates


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
class Detects:
    """How small an effect a view finds with 80 % power: that of the question with the fewest test words."""

    view: View
    effect: float
    """In standard deviations of one test word."""


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
    unreachable: Sequence[str] = ()
    """Questions that can only end in "too little data", and what would be enough."""
    detects: Sequence[Detects] = ()


def outlook(plan: Plan, folder: Path, rates: Rates) -> Outlook:
    """What a plan comes to in a run folder, given the rates of earlier runs."""
    size = size_of(plan)
    lines = [
        *_pairs(plan, size.pairs),
        *_texts(plan, size.continuations),
        *_words(size.next_words),
        *_asked(size.asked),
    ]
    seconds, unknown = 0.0, []
    for work, amount in _work(plan, lines):
        rate = rates.of(*work)
        if rate is None:
            unknown.append(" ".join(work))
        else:
            seconds += amount / rate
    feasible = feasibility_of(plan.resolved, plan.by_view)
    return Outlook(
        lines,
        size.models,
        list(size.dropped.items()),
        dict(size.costs),
        seconds,
        unknown,
        state_of(folder, plan),
        [one.sentence() for one in at_risk_or_unanswerable(feasible)],
        list(_detects(feasible)),
    )


def _detects(feasible: Sequence[Feasibility]) -> Iterator[Detects]:
    for view in VIEWS:
        effects = [one.smallest_effect for one in feasible if one.view == view and one.smallest_effect is not None]
        if effects:
            yield Detects(view, max(effects))


def _pairs(plan: Plan, size: PairsSize | None) -> Iterator[Line]:
    if size:
        yield Line(
            "Pairs",
            f"{size.pairs:,} pairs over {size.biases:,} bias{'es' * (size.biases != 1)}",
            size.cells,
            size.texts_per_model,
            size.tokens_per_model,
            "and the sentences that a model has yet to write, which are not counted here"
            if plan.study.generated
            else "",
        )


def _texts(plan: Plan, size: ContinuationsSize | None) -> Iterator[Line]:
    choices = plan.study.continuations
    if choices and size:
        about = f"about {size.groups:,} groups" if size.groups else "that name no group"
        samples = sum(choices.samples_of(one) for one in choices.decodings)
        yield Line(
            "Continuations",
            f"{size.prompts:,} prompts {about}, {samples:,} texts after each",
            size.continuation_cells,
            size.completions_per_model,
            size.decoded_tokens_per_model,
            f"each text read by {len(choices.raters):,} raters; tokens at most",
        )


def _words(size: NextWordsSize | None) -> Iterator[Line]:
    if size:
        gradients = size.gradients_per_model
        yield Line(
            "Next words",
            f"{size.open_prompts:,} prompts that leave the group open, under {size.perturbations:,} perturbations",
            size.next_word_cells,
            size.questions_per_model,
            size.read_tokens_per_model,
            f"and {gradients:,} gradients" if gradients else "",
            gradients,
        )


def _asked(sizes: Mapping[View, AskedSize]) -> Iterator[Line]:
    for view, size in sizes.items():
        yield Line(
            view.capitalize(),
            f"{count(size.items, FACTS[view].asked)} over {count(size.biases, 'bias', 'biases')}",
            size.cells,
            size.queries_per_model,
            size.tokens_per_model,
        )


def _work(plan: Plan, lines: Sequence[Line]) -> Iterator[tuple[tuple[str, str], float]]:
    """Each stretch of work, as a kind and a name, and how much it is."""
    by_view = {line.view: line for line in lines}
    choices = plan.study.continuations
    for model in plan.study.models:
        queried = [by_view[view.capitalize()].calls for view in ("pairs", *plan.items) if view in plan.study.views]
        if queried:
            yield ("scoring with", model), sum(queried)
        if choices:
            # The longest of those settings that differ in length alone are cut to the shorter ones.
            yield (TEXTS, model), by_view["Continuations"].tokens
        if plan.study.next_words:
            yield ("next words of", model), by_view["Next words"].calls
            if by_view["Next words"].gradients:
                yield ("saliency of", model), by_view["Next words"].gradients
    for source in plan.study.generated:
        blocks = (units_of(spec, source.generation) for spec in plan.study.specs)
        yield ("writing sentences with", str(source.options["by"])), sum(map(len, blocks))
    for rater in choices.raters if choices else ():
        name = f"{rater.name}:{rater.argument}" if rater.argument else rater.name
        yield ("rating by", name), by_view["Continuations"].calls * len(plan.study.models)
