"""Asks a model for next words: every question once, in batches, whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from tiltmeter.engine.executor import Executor, Stage, batch_size, cut, perform
from tiltmeter.models import Explainer, Model, Predictor, as_explainer, as_predictor
from tiltmeter.models.interface import on_accelerator
from tiltmeter.progress import Progress
from tiltmeter.records import GENERATED, NextWords, Saliency, SaliencyMethod, SaliencyTarget
from tiltmeter.sources.perturbations import Perturbed
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.store import Answered, Expectations, Ledger, Question, likeliest, questions_of
from tiltmeter.study import NextWordChoices, Plan, WordChoice

BATCH = 256
"""Questions in a batch on a CPU: the most that a killed run loses. Part of the plan: resuming changes no number."""
GRADIENTS = 64
"""The same for gradients, which take longer."""


def ask(
    model: Predictor,
    asked: Sequence[Perturbed],
    sets: WordSets,
    *,
    bounded: bool = False,
    capitalised: bool | None = None,
    explainer: Explainer | None = None,
    method: SaliencyMethod = "gradient-x-input",
    saliency_of: SaliencyTarget = "asked",
    progress: Progress | None = None,
) -> list[Answered]:
    """What a model expects after each prompt, in memory; one that could not be perturbed is unscored with the reason.

    An `explainer` also says what the tokens of each original prompt have to do with the most probable of the words, or
    with the token that the model would generate.
    """
    choices = NextWordChoices((), (WordChoice("", sets),), saliency=method if explainer else None)
    questions, prompts = questions_of(asked, choices)
    name = model.facts.name
    answers: dict[int, NextWords] = {}
    stage = next_words_stage(
        f"{name}: next words", model, questions, answers.update, bounded=bounded, capitalised=capitalised
    )
    perform(stage, progress=progress)
    explained: dict[int, Saliency] = {}
    if explainer is not None:
        numbers = [at for at, question in enumerate(questions) if question.explained]
        ask_some = partial(explain, explainer, questions, answers, method=method, of=saliency_of)
        perform(saliency_stage(f"{name}: saliency", numbers, ask_some, explained.update), progress=progress)
    return [
        Answered(
            one.asked,
            one.answer(answers, sets),
            None if one.question is None or one.asked.perturbation != "original" else explained.get(one.question),
        )
        for one in prompts
    ]


def expected_after(
    model: Predictor, questions: Sequence[Question], *, bounded: bool, capitalised: bool | None = None
) -> list[NextWords]:
    """A model's answers to a batch of questions."""
    return model.next_words(
        [question.text for question in questions],
        [question.words for question in questions],
        bounded=bounded,
        capitalised=capitalised,
        hidden=[question.hidden for question in questions],
    )


def next_words_stage(
    what: str,
    model: Predictor,
    questions: Sequence[Question],
    write: Callable[[Mapping[int, NextWords]], None],
    *,
    bounded: bool,
    capitalised: bool | None = None,
) -> Stage[Sequence[int], Sequence[NextWords]]:
    """Questions that are asked; `write` gets the answers by their numbers."""

    def ask_some(numbers: Sequence[int]) -> Sequence[NextWords]:
        some = questions[numbers[0] : numbers[-1] + 1]
        return expected_after(model, some, bounded=bounded, capitalised=capitalised)

    return Stage(
        what,
        cut(range(len(questions)), batch_size(BATCH, model)),
        ask=ask_some,
        write=lambda numbers, found: write(dict(zip(numbers, found, strict=True))),
        failed=lambda _, found: unanswered(found),
        ahead=on_accelerator(model),
    )


def unanswered(answers: Iterable[NextWords]) -> int:
    """After how many questions no word has a probability."""
    return sum(all(word.logprob is None for word in one.words) for one in answers)


def saliency_stage(
    what: str,
    numbers: Sequence[int],
    ask: Callable[[Sequence[int]], Mapping[int, Saliency]],
    write: Callable[[Mapping[int, Saliency]], None],
) -> Stage[Sequence[int], Mapping[int, Saliency]]:
    """Questions whose answers are explained, by their numbers."""
    return Stage(
        what,
        cut(numbers, GRADIENTS),
        ask=ask,
        write=lambda _, found: write(found),
        failed=lambda some, found: len(some) - sum(one.unscored is None for one in found.values()),
    )


def explain(
    model: Explainer,
    questions: Sequence[Question],
    answers: Mapping[int, NextWords],
    numbers: Sequence[int],
    *,
    method: SaliencyMethod,
    of: SaliencyTarget = "asked",
) -> dict[int, Saliency]:
    """The saliency of the most probable of the words asked about, or of all tokens, by the number of the question.

    A prompt without a scored word has none.
    """
    wanted = [
        (at, questions[at].text, GENERATED if of == "generated" else word)
        for at in numbers
        if (word := likeliest(answers[at]))
    ]
    found = model.saliency([text for _, text, _ in wanted], [word for *_, word in wanted], method=method)
    return {at: one for (at, *_), one in zip(wanted, found, strict=True)}


def expect(plan: Plan, model: Model, ledger: Ledger, executor: Executor, progress: Progress) -> None:
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
        perform(_expecting(as_predictor(model), ledger, bounded), executor, progress)
    if choices.saliency and isinstance(model, Explainer):
        perform(_explaining(model, ledger, choices, choices.saliency), executor, progress)


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
    model: Explainer, ledger: Ledger, choices: NextWordChoices, method: SaliencyMethod
) -> Stage[Sequence[int], Mapping[int, Saliency]]:
    kept, name = ledger.explained, model.facts.name
    answers = Expectations(ledger.folder, held=0).answers(name, bounded=choices.bounded[0])
    questions = ledger.next_words.questions()
    ask = partial(explain, model, questions, answers, method=method, of=choices.saliency_of)
    numbers, steps = ledger.next_words.explained(), ledger.steps("explaining", name)
    stage = saliency_stage(f"saliency of {name}", numbers, ask, lambda found: kept.put((name,), found.items()))
    done = steps.done()

    def lost() -> int:
        return sum(stage.batches.sizes[at] for at in done) - sum(one.unscored is None for one in kept.every((name,)))

    return replace(stage, done=done, marked=steps.marked, failed_before=lost)
