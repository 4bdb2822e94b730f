"""The stage of next words: what a model of a study expects after its prompts, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from tiltmeter.engine.asking import explain, next_words_stage, saliency_stage, unanswered
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
    kept, questions, whose = ledger.expected, ledger.next_words.questions(), (model.facts.name, int(bounded))
    way = f"{model.facts.name}, bounded" if bounded else model.facts.name
    steps = ledger.steps("expecting", way)
    return replace(
        next_words_stage(
            f"next words of {way}", model, questions, lambda found: kept.put(whose, found.items()), bounded=bounded
        ),
        done=steps.done(),
        marked=steps.marked,
        failed_before=lambda: unanswered(kept.every(whose)),
    )


def _explaining(
    model: Explainer, ledger: Ledger, bounded: bool, method: SaliencyMethod
) -> Stage[Sequence[int], Mapping[int, Saliency]]:
    kept, name = ledger.explained, model.facts.name
    answers = Expectations(ledger.folder, held=0).answers(name, bounded=bounded)
    ask = partial(explain, model, ledger.next_words.questions(), answers, method=method)
    numbers, steps = ledger.next_words.explained(), ledger.steps("explaining", name)
    stage = saliency_stage(f"saliency of {name}", numbers, ask, lambda found: kept.put((name,), found.items()))
    done = steps.done()

    def lost() -> int:
        return sum(stage.batches.sizes[at] for at in done) - sum(one.unscored is None for one in kept.every((name,)))

    return replace(stage, done=done, marked=steps.marked, failed_before=lost)
