"""The stage of next words: what a model of a study expects after its prompts, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from tiltmeter.engine.asking import expected_after, expecting, explain, explaining
from tiltmeter.engine.staff import Staff
from tiltmeter.engine.stages import Stage, perform
from tiltmeter.models import Explainer, Model, Predictor, as_explainer, as_predictor
from tiltmeter.records import NextWords, Saliency, SaliencyMethod
from tiltmeter.store import Expectations, Ledger
from tiltmeter.study import Plan
from tiltmeter.watching import Watcher


def expect(plan: Plan, model: Model, ledger: Ledger, staff: Staff, watch: Watcher) -> None:
    """Ask a model everything that the study asks of it; one that gives no next words is left to the other views.

    One that has no gradients goes without saliency, and the summary of the run names it; where no other model of the
    study could have any, it is refused before it is asked.
    """
    choices = plan.study.next_words
    others = plan.study.sources or plan.study.continuations
    if choices is None or (others and not isinstance(model, Predictor)):
        return
    if choices.saliency and not others and len(plan.study.models) == 1:
        as_explainer(model)
    for bounded in choices.bounded:
        perform(_expecting(as_predictor(model), ledger, bounded), staff, watch)
    if choices.saliency and isinstance(model, Explainer):
        perform(_explaining(model, ledger, choices.bounded[0], choices.saliency), staff, watch)


def _expecting(model: Predictor, ledger: Ledger, bounded: bool) -> Stage[Sequence[int], Sequence[NextWords]]:
    kept, name = ledger.next_words, model.facts.name
    way = f"{name}, bounded" if bounded else name
    ask = partial(expected_after, model, bounded=bounded)
    return replace(
        expecting(f"next words of {way}", kept.questions(), ask, partial(kept.add_expected, name, bounded)),
        marks=ledger.steps("expecting", way),
        failed_before=partial(kept.count_unanswered, name, bounded=bounded),
    )


def _explaining(
    model: Explainer, ledger: Ledger, bounded: bool, method: SaliencyMethod
) -> Stage[Sequence[int], Mapping[int, Saliency]]:
    kept, name = ledger.next_words, model.facts.name
    answers = Expectations(ledger.folder, held=0).answers(name, bounded=bounded)
    ask = partial(explain, model, kept.questions(), answers, method=method)
    stage = explaining(f"saliency of {name}", kept.explained(), ask, partial(kept.add_saliencies, name))
    marks = ledger.steps("explaining", name)

    def lost() -> int:
        return sum(map(stage.batches.size, marks.done())) - kept.count_explained(name)

    return replace(stage, marks=marks, failed_before=lost)
