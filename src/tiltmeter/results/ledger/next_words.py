"""From the ledger of a run to what its models expect after each prompt, under each set of words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.measures.next_words import Combine
from tiltmeter.records import NextWords
from tiltmeter.results.summary.next_words import Expected, expected
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.store import AskedPrompt, Expectations, Run
from tiltmeter.study import WordChoice

OWN_WORDS = "own"
"""What the words are called that a source asks for by itself."""


def asked_cells(run: Run) -> Iterator[AskedCell]:
    """The prompts of each combination of choices, with the answers to them."""
    if run.next_words is None:
        return
    choices = run.meta["resolved"]["next_words"]
    places, words = prompts_by_place(run.next_words), word_choices(choices)
    for model in run.next_words.models:
        for bounded in choices["bounded"]:
            answers = run.next_words.answers(model, bounded=bounded)
            for (source, bias), own in places.items():
                prompts = [one for one in own if one.question is None or one.question in answers]
                for choice in words if prompts else ():
                    for combine in choices["combine"]:
                        yield AskedCell(model, source, bias, bounded, prompts, answers, choice, combine)


@dataclass(frozen=True, slots=True)
class AskedCell:
    """The prompts of one source and bias with a model's answers, under one set of words."""

    model: str
    source: str
    bias: str
    bounded: bool
    prompts: Sequence[AskedPrompt]
    answers: Mapping[int, NextWords]
    choice: WordChoice
    combine: Combine

    @property
    def words(self) -> str:
        """The name of the set of words."""
        return self.choice.label or OWN_WORDS

    @property
    def sets(self) -> WordSets:
        """Groups and their words."""
        return self.choice.of(self.prompts[0].asked.prompt)

    def expected(self, one: AskedPrompt) -> Expected:
        """What the model expects after one prompt."""
        prompt = one.asked.prompt
        sets = self.choice.of(prompt)
        found = one.answer(self.answers, sets)
        return expected(found, sets, prompt.id, prompt.origin, one.template, one.asked.perturbation, self.combine)


def prompts_by_place(kept: Expectations) -> dict[tuple[str, str], list[AskedPrompt]]:
    """Every prompt by its source and bias."""
    places: dict[tuple[str, str], list[AskedPrompt]] = {}
    for one in kept.asked:
        places.setdefault((one.asked.prompt.source, one.asked.prompt.bias), []).append(one)
    return places


def word_choices(choices: Mapping[str, Any]) -> list[WordChoice]:
    """The sets of words as a run keeps them."""
    return [
        WordChoice(one["label"], tuple((group, tuple(words)) for group, words in one["sets"]))
        for one in choices["words"]
    ]
