"""What a run of next words says: one summary for every model, source, bias, set of words and way of counting them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tiltmeter.analysis.labour import Labour
from tiltmeter.analysis.next_word_saliency import Explained, mean_saliency
from tiltmeter.analysis.next_words import (
    ORIGINAL,
    Expected,
    NextWordSettings,
    NextWordSummary,
    expected,
    summarise_next_words,
)
from tiltmeter.measures.next_words import Combine
from tiltmeter.records import Estimate, NextWords, Saliency
from tiltmeter.sources.labour_files import Occupation
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.lengths import Lengths, lengths
from tiltmeter.stats.next_words import Place
from tiltmeter.store import Answered, AskedPrompt, Expectations, Run, likeliest
from tiltmeter.study import WordChoice
from tiltmeter.study.planning import DEFAULT_SOURCE

OWN_WORDS = "own"
"""What the words are called that a source asks for by itself."""


@dataclass(frozen=True, slots=True)
class NextWordCell:
    """One combination of choices, and what came of it."""

    model: str
    source: str
    bias: str
    words: str
    """The name of the set of words."""
    sets: WordSets
    """Groups and their words; the first two groups are compared first."""
    bounded: bool
    combine: Combine
    summary: NextWordSummary
    lengths: Lengths
    """Of the prompts as they are."""
    saliency: Mapping[str, Estimate] = field(default_factory=dict)
    """The share that lies on the `profession` and on the `last` word, and the `residue` of integrated gradients."""
    items: Sequence[Expected] = field(repr=False, default=())
    """What the model expects after each prompt under each perturbation."""
    examples: Sequence[Answered] = field(repr=False, default=())
    """Prompts with the least, the middling and the greatest share on the profession."""

    @property
    def of_habit(self) -> bool:
        """Whether its prompts say nothing: what the model expects by itself."""
        return self.source == DEFAULT_SOURCE

    @property
    def pair(self) -> str:
        """The two groups that are compared first, as the summary names them."""
        return "/".join(group for group, _ in self.sets[:2])

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {
            "model": self.model,
            "source": self.source,
            "bias": self.bias,
            "words": self.words,
            "sets": {group: list(words) for group, words in self.sets},
            "bounded": self.bounded,
            "combine": self.combine,
            "lengths": asdict(self.lengths),
            "saliency": {name: found.as_json() for name, found in self.saliency.items()},
            **self.summary.as_json(),
        }


@dataclass(frozen=True, slots=True)
class NextWordsSummary:
    """Everything that a run says about whom its models expect."""

    cells: Sequence[NextWordCell]
    method: str | None = None
    """How saliency was found."""
    without_saliency: tuple[str, ...] = ()
    """The models that have none, though the study asks for it: they have no gradients."""

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {
            "cells": [cell.as_json() for cell in self.cells],
            "saliency": self.method,
            "without_saliency": list(self.without_saliency),
        }


def summarise_expectations(run: Run) -> NextWordsSummary | None:
    """Everything that a run says about whom its models expect; None where it has no such view."""
    if run.next_words is None:
        return None
    choices = run.meta["resolved"]["next_words"]
    without = tuple(_without_saliency(run.next_words, choices)) if choices["saliency"] else ()
    return NextWordsSummary(tuple(_cells(run, choices)), choices["saliency"], without)


def _without_saliency(kept: Expectations, choices: Mapping[str, Any]) -> Iterator[str]:
    """The models that answered something that was to be explained, and explained nothing."""
    for model in [model for model in kept.models if not kept.saliencies(model)]:
        answers = kept.answers(model, bounded=choices["bounded"][0])
        explained = [at for at, question in enumerate(kept.questions) if question.explained]
        if len(answers) == len(kept.questions) and any(likeliest(answers[at]) for at in explained):
            yield model


def _cells(run: Run, choices: Mapping[str, Any]) -> Iterator[NextWordCell]:
    assert run.next_words is not None
    saliencies = {model: run.next_words.saliencies(model) for model in run.next_words.models}
    seed = run.meta["resolved"]["seed"]
    for cell in asked_cells(run):
        labour = _labour(choices, cell.sets, cell.source)
        yield cell.summarised(NextWordSettings(labour=labour, seed=seed), saliencies[cell.model])


def asked_cells(run: Run) -> Iterator[AskedCell]:
    """The prompts of each combination of choices, with the answers to them."""
    if run.next_words is None:
        return
    choices = run.meta["resolved"]["next_words"]
    places: dict[tuple[str, str], list[AskedPrompt]] = {}
    for one in run.next_words.asked:
        places.setdefault((one.asked.prompt.source, one.asked.prompt.bias), []).append(one)
    words = [word_choice(one) for one in choices["words"]]
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

    def summarised(self, settings: NextWordSettings, saliencies: Mapping[int, Saliency]) -> NextWordCell:
        """What the answers say."""
        items = [self.expected(one) for one in self.prompts]
        originals = [one for one in self.prompts if one.asked.perturbation == ORIGINAL]
        explained = [
            Answered(one.asked, self.answers[one.question], saliencies[one.question])
            for one in originals
            if one.question is not None and one.question in saliencies
        ]
        return NextWordCell(
            self.model,
            self.source,
            self.bias,
            self.words,
            self.sets,
            self.bounded,
            self.combine,
            summarise_next_words(items, settings),
            lengths([one.asked.prompt.text for one in originals or self.prompts]),
            mean_saliency([_explained(one) for one in explained], level=settings.level),
            items,
            _examples(explained),
        )

    def expected(self, one: AskedPrompt) -> Expected:
        """What the model expects after one prompt."""
        prompt = one.asked.prompt
        sets = self.choice.of(prompt)
        found = one.answer(self.answers, sets)
        return expected(found, sets, prompt.id, prompt.origin, one.template, one.asked.perturbation, self.combine)


def _explained(one: Answered) -> Explained:
    place = Place(one.asked.prompt.origin, one.asked.prompt.template)
    return Explained(place, one.on_subject, one.on_last, one.saliency.residue if one.saliency else None)


def _examples(explained: Sequence[Answered]) -> list[Answered]:
    shares = sorted(
        ((one.on_subject, one.asked.prompt.id, at) for at, one in enumerate(explained) if one.on_subject is not None)
    )
    places = dict.fromkeys(shares[at][2] for at in ((0, len(shares) // 2, len(shares) - 1) if shares else ()))
    return [explained[at] for at in places]


def word_choice(given: Mapping[str, Any]) -> WordChoice:
    """A set of words as a run keeps it."""
    return WordChoice(given["label"], tuple((group, tuple(words)) for group, words in given["sets"]))


def _labour(choices: Mapping[str, Any], sets: WordSets, source: str) -> Labour | None:
    """The statistics that the study gives, where they speak of the groups that are asked for."""
    occupations = tuple(Occupation(**one) for one in choices["labour"])
    groups = [group for group, _ in sets]
    of, against = choices.get("labour_groups") or (None, None)
    known = {of, against} <= set(groups) if of else Labour.speaks_of(groups)
    if not occupations or source == DEFAULT_SOURCE or not known:
        return None
    return Labour(occupations, of, against, by_head=choices["labour_match"] == "head")
