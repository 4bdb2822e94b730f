"""Whom a model of a run expects after each prompt, by source, bias, set of words and way of counting them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import NamedTuple

from tiltmeter.analysis.comparable import bare
from tiltmeter.analysis.next_word_cells import OWN_WORDS, word_choice
from tiltmeter.analysis.next_words import ORIGINAL, Expected, expected
from tiltmeter.analysis.question_cells import PERSON
from tiltmeter.measures.next_words import Combine
from tiltmeter.records import NextWords
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.store import AskedPrompt, Run
from tiltmeter.study import WordChoice
from tiltmeter.study.planning import DEFAULT_SOURCE

AskedPlace = tuple[str, str, str, str, str]
"""Source, bias, set of words, whether the word ends there, and how the chances of a group's words become one."""


class AskedWord(NamedTuple):
    """What a model expects after a prompt, and what makes it the same prompt elsewhere."""

    key: Hashable
    item: Expected


def asked_words(
    run: Run, model: str, named: Mapping[str, str] | None = None
) -> dict[AskedPlace, tuple[WordSets, list[AskedWord]]]:
    """The prompts as they are and with *person*; `named` gives sources other names. Habits are left out."""
    found: dict[AskedPlace, tuple[WordSets, list[AskedWord]]] = {}
    if run.next_words is None:
        return found
    choices = run.meta["resolved"]["next_words"]
    places: dict[tuple[str, str], list[AskedPrompt]] = defaultdict(list)
    for one in run.next_words.asked:
        if one.asked.prompt.source != DEFAULT_SOURCE and one.asked.perturbation in (ORIGINAL, PERSON):
            places[one.asked.prompt.source, one.asked.prompt.bias].append(one)
    for bounded in choices["bounded"]:
        answers = run.next_words.answers(model, bounded=bounded)
        for (source, bias), own in places.items():
            prompts = [one for one in own if one.question is None or one.question in answers]
            for choice in map(word_choice, choices["words"]) if prompts else ():
                for combine in choices["combine"]:
                    where = (named or {}).get(source, source), bias, choice.label or OWN_WORDS
                    asked = [_asked(one, answers, choice, combine) for one in prompts]
                    sets = choice.of(prompts[0].asked.prompt)
                    found[(*where, "yes" if bounded else "no", combine)] = sets, asked
    return found


def _asked(one: AskedPrompt, answers: Mapping[int, NextWords], choice: WordChoice, combine: Combine) -> AskedWord:
    prompt, sets, perturbation = one.asked.prompt, choice.of(one.asked.prompt), one.asked.perturbation
    said = one.answer(answers, sets)
    item = expected(said, sets, prompt.id, prompt.origin, one.template, perturbation, combine)
    return AskedWord((bare(prompt.id, prompt.source), prompt.text, perturbation), item)
