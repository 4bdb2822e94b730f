"""What models expect after a prompt, as measurements: words, groups, how two groups compare, how sure a model is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tiltmeter.measures.next_words import COMPARED
from tiltmeter.parquet import Rows
from tiltmeter.records import NextWord, NextWords
from tiltmeter.results.measurements.columns import (
    GAP,
    HIGHEST,
    PROBABILITY,
    SALIENCY,
    WORD,
    of_prompt,
    prompt_item,
    scale,
)
from tiltmeter.results.summary.next_words import ORIGINAL, UNANSWERED, expected, why_unscored
from tiltmeter.results.summary.refusals import ANY
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.views.continuations import pairs_of_groups
from tiltmeter.store import Answered, AskedPrompt, Expectations, Run
from tiltmeter.study import WordChoice

OWN_WORDS = "own"
"""What the words are called that a source asks for by itself."""
UNSURE = "the model does not give the probability of every word"
_SHARE, _LOGARITHM = scale(0.0, 1.0, None, 0), scale(None, 0.0, None, 0)


def measured(run: Run) -> Rows:
    """The probability of each word and group, values that compare those of two groups, and how sure the model is."""
    if run.next_words is None:
        return
    choices = run.meta["resolved"]["next_words"]
    words = [
        WordChoice(one["label"], tuple((group, tuple(words)) for group, words in one["sets"]))
        for one in choices["words"]
    ]
    places: dict[tuple[str, str], list[AskedPrompt]] = {}
    for one in run.next_words.asked:
        places.setdefault((one.asked.prompt.source, one.asked.prompt.bias), []).append(one)
    for model in run.next_words.models:
        for bounded in choices["bounded"]:
            answers = run.next_words.answers(model, bounded=bounded)
            for prompts in places.values():
                # One that has not been asked yet is missing, not unscored.
                asked = [one for one in prompts if one.question is None or one.question in answers]
                for choice in words:
                    place = {"model": model, "bounded": int(bounded), "words": choice.label or OWN_WORDS}
                    for one in asked:
                        yield from _of_words(one, place, choice.of(one.asked.prompt), answers)
                    for combine in choices["combine"] if asked else ():
                        groups = [group for group, _ in choice.of(asked[0].asked.prompt)]
                        for one in asked:
                            sets = choice.of(one.asked.prompt)
                            yield from _of_groups(one, {**place, "combine": combine}, sets, answers, groups)
        yield from _explained(run.next_words, model)


def _place(one: AskedPrompt) -> dict[str, object]:
    return {**of_prompt(one.asked.prompt), "template": one.template, "perturbation": one.asked.perturbation}


def _of_words(one: AskedPrompt, place: Mapping[str, object], sets: WordSets, answers: Mapping[int, NextWords]) -> Rows:
    found = {each.word: each for each in one.answer(answers, sets).words}
    asked = {**place, **_place(one), "measure": WORD, **_LOGARITHM}
    for group, words in sets:
        for word in words:
            answer = found.get(word) or NextWord(word, None, UNANSWERED)
            yield {**asked, "group": group, "label": word, "value": answer.logprob, "reason": answer.unscored}


def _of_groups(
    one: AskedPrompt,
    place: Mapping[str, Any],
    sets: WordSets,
    answers: Mapping[int, NextWords],
    groups: list[str],
) -> Iterator[dict[str, object]]:
    prompt, perturbation = one.asked.prompt, one.asked.perturbation
    answer = one.answer(answers, sets)
    found = expected(answer, sets, prompt.id, prompt.origin, one.template, perturbation, place["combine"])
    asked = {**place, **_place(one)}
    for group, probability in found.chances.items():
        value = {"measure": PROBABILITY, "value": probability, "reason": found.unscored.get(group)}
        yield {**asked, "group": group, **value, **_SHARE}
    for group, against in pairs_of_groups(groups):
        both = found.chances.get(group), found.chances.get(against)
        for measure in COMPARED:
            value = {"measure": measure.name, "value": measure.values([both])[0]}
            if value["value"] is None:
                value["reason"] = why_unscored(found, (group, against))
            ends = scale(measure.low, measure.high, measure.neutral, 0)
            yield {**asked, "group": group, "against": against, **value, **ends}
    for name, sure in ((HIGHEST, found.highest), (GAP, found.gap)):
        why = None if sure is not None else next(iter(found.unscored.values()), UNSURE)
        yield {**asked, "group": ANY, "measure": name, "value": sure, "reason": why, **_SHARE}


def _explained(kept: Expectations, model: str) -> Rows:
    """How much of an answer is due to the profession and to the last word, and what integrated gradients miss."""
    saliencies = kept.saliencies(model)
    for one in kept.asked if saliencies else ():
        saliency = saliencies.get(one.question) if one.question is not None else None
        if saliency is None or one.asked.perturbation != ORIGINAL:
            continue
        found = Answered(one.asked, NextWords(()), saliency)
        parts = [(*span, size) for span, size in zip(saliency.spans, saliency.sizes, strict=True)]
        place = {"model": model, **of_prompt(one.asked.prompt), "perturbation": ORIGINAL, "group": ANY, **_SHARE}
        place |= {"label": saliency.word, "parts": json.dumps(parts) if parts else None}
        for measure, value in zip(SALIENCY, (found.on_subject, found.on_last, saliency.residue), strict=True):
            why = None if value is not None else saliency.unscored or "not known"
            yield {**place, "measure": measure, "value": value, "reason": why}


def items(run: Run) -> Rows:
    """Every prompt under every perturbation, which changes its text and not its id."""
    for one in run.next_words.asked if run.next_words else ():
        asked = one.asked
        yield {
            **prompt_item(asked.prompt, asked.hidden),
            "perturbation": asked.perturbation,
            "reason": asked.unscored,
        }
