"""The stage of next words: what a model of a study expects after its prompts, batch by batch."""

from __future__ import annotations

from collections.abc import Collection

from tiltmeter.engine.asking import BATCH, GRADIENTS, expected_after, explain, unanswered
from tiltmeter.engine.staff import Staff
from tiltmeter.models import Explainer, Model, Predictor, as_explainer, as_predictor
from tiltmeter.store import Expectations, Ledger, Step
from tiltmeter.study import NextWordChoices, Plan
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
        _ask(as_predictor(model), ledger, bounded, staff, watch)
    if choices.saliency and isinstance(model, Explainer):
        _explain(model, ledger, choices, staff, watch)


def _ask(model: Predictor, ledger: Ledger, bounded: bool, staff: Staff, watch: Watcher) -> None:
    questions = ledger.next_words.questions()
    name = model.facts.name
    stage = f"{name}, bounded" if bounded else name
    done = ledger.next_words.done("expecting", stage)
    watch.start(f"next words of {stage}", len(questions), _steps(done, len(questions), BATCH))
    if done:
        watch.advance(0, ledger.next_words.count_unanswered(name, bounded=bounded))
    todo = (
        (at, questions[start : start + BATCH])
        for at, start in enumerate(range(0, len(questions), BATCH))
        if at not in done
    )
    for (at, batch), found in staff.each(model, lambda one, part: expected_after(one, part[1], bounded=bounded), todo):
        answers = enumerate(found, start=at * BATCH)
        ledger.next_words.record_expected(Step("expecting", stage, at), name, bounded, answers)
        watch.advance(len(batch), unanswered(found))


def _explain(model: Explainer, ledger: Ledger, choices: NextWordChoices, staff: Staff, watch: Watcher) -> None:
    assert choices.saliency is not None
    name, kept = model.facts.name, ledger.next_words
    answers = Expectations(ledger.folder, held=0).answers(name, bounded=choices.bounded[0])
    questions, numbers = kept.questions(), kept.explained()
    done = kept.done("explaining", name)
    steps = _steps(done, len(numbers), GRADIENTS)
    watch.start(f"saliency of {name}", len(numbers), steps)
    if done:
        watch.advance(0, steps - kept.count_explained(name))
    method = choices.saliency
    todo = (
        (at, [(number, questions[number], answers[number]) for number in numbers[start : start + GRADIENTS]])
        for at, start in enumerate(range(0, len(numbers), GRADIENTS))
        if at not in done
    )
    for (at, batch), found in staff.each(model, lambda one, part: explain(one, part[1], method), todo):
        kept.record_saliencies(Step("explaining", name, at), name, found.items())
        watch.advance(len(batch), len(batch) - sum(one.unscored is None for one in found.values()))


def _steps(done: Collection[int], total: int, batch: int) -> int:
    """How many of the steps are done."""
    return sum(min(batch, total - at * batch) for at in done)
