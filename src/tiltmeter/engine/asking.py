"""Asks a model for next words: every question once, in batches, whoever asks."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.models import Explainer, Predictor
from tiltmeter.records import NextWords, Saliency, SaliencyMethod
from tiltmeter.sources.perturbing import Perturbed
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.store import Answered, Question, likeliest, questions_of
from tiltmeter.study import NextWordChoices, WordChoice
from tiltmeter.watching import Silent, Watcher

BATCH = 256
"""Questions in a batch: what a killed run loses at most. Part of the plan, so that resuming changes no number."""
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
    watcher: Watcher | None = None,
) -> list[Answered]:
    """What a model expects after each prompt, in memory; one that could not be perturbed is unscored with the reason.

    An `explainer` also says what the tokens of each original prompt have to do with the most probable of the words.
    """
    watch = watcher or Silent()
    choices = NextWordChoices((), (WordChoice("", sets),), saliency=method if explainer else None)
    questions, prompts = questions_of(asked, choices)
    watch.start(f"{model.facts.name}: next words", len(questions), 0)
    answers: list[NextWords] = []
    for start in range(0, len(questions), BATCH):
        found = expected_after(model, questions[start : start + BATCH], bounded=bounded, capitalised=capitalised)
        answers += found
        watch.advance(len(found), unanswered(found))
    explained: dict[int, Saliency] = {}
    if explainer is not None:
        open_ones = [at for at, question in enumerate(questions) if question.explained]
        watch.start(f"{model.facts.name}: saliency", len(open_ones), 0)
        for start in range(0, len(open_ones), GRADIENTS):
            batch = open_ones[start : start + GRADIENTS]
            shares = explain(explainer, [(at, questions[at], answers[at]) for at in batch], method)
            explained |= shares
            watch.advance(len(batch), len(batch) - sum(one.unscored is None for one in shares.values()))
    by_number = dict(enumerate(answers))
    return [
        Answered(
            one.asked,
            one.answer(by_number, sets),
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


def unanswered(answers: Sequence[NextWords]) -> int:
    """After how many questions no word has a chance."""
    return sum(all(word.logprob is None for word in one.words) for one in answers)


def explain(
    model: Explainer, answered: Sequence[tuple[int, Question, NextWords]], method: SaliencyMethod
) -> dict[int, Saliency]:
    """The saliency of the most probable of the words asked about, by the number of the question.

    A prompt without a scored word has none.
    """
    wanted = [(at, question.text, word) for at, question, found in answered if (word := likeliest(found))]
    found = model.saliency([text for _, text, _ in wanted], [word for *_, word in wanted], method=method)
    return {at: one for (at, *_), one in zip(wanted, found, strict=True)}
