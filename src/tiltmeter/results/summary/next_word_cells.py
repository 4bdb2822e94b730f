"""What a run of next words says: one summary for every model, source, bias, set of words and way of counting them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tiltmeter.records import Estimate, Saliency
from tiltmeter.results.cells import table_of
from tiltmeter.results.items import expected_items
from tiltmeter.results.ledger.next_words import OWN_WORDS, prompts_by_place, word_choices
from tiltmeter.results.measurements import PROBABILITY
from tiltmeter.results.summary.labour import Labour
from tiltmeter.results.summary.next_words import (
    ORIGINAL,
    Expected,
    NextWordSettings,
    NextWordSummary,
    summarise_next_words,
)
from tiltmeter.results.summary.saliency import Explained, mean_saliency
from tiltmeter.sources.labour_files import Occupation
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.lengths import Lengths, lengths
from tiltmeter.stats.next_words import Place
from tiltmeter.store import Answered, AskedPrompt, Expectations, Run, likeliest
from tiltmeter.study.planning import DEFAULT_SOURCE


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
    combine: str
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
    places, words = prompts_by_place(run.next_words), {one.label or OWN_WORDS: one for one in word_choices(choices)}
    for cell in table_of(run).of("next words", measure=PROBABILITY):
        items = expected_items(cell)
        asked = {(item.prompt, item.perturbation) for item in items}
        prompts = [
            one for one in places[cell.source, cell.bias] if (one.asked.prompt.id, one.asked.perturbation) in asked
        ]
        originals = [one for one in prompts if one.asked.perturbation == ORIGINAL]
        sets = words[cell.words].of(prompts[0].asked.prompt)
        settings = NextWordSettings(labour=_labour(choices, sets, cell.source), seed=run.meta["resolved"]["seed"])
        explained = _explanations(run.next_words, cell.model, cell.bounded, originals, saliencies[cell.model])
        yield NextWordCell(
            cell.model,
            cell.source,
            cell.bias,
            cell.words,
            sets,
            cell.bounded,
            cell.combine,
            summarise_next_words(items, settings),
            lengths([one.asked.prompt.text for one in originals or prompts]),
            mean_saliency([_explained(one) for one in explained], level=settings.level),
            items,
            _examples(explained),
        )


def _explanations(
    kept: Expectations, model: str, bounded: bool, prompts: Sequence[AskedPrompt], saliencies: Mapping[int, Saliency]
) -> list[Answered]:
    """The prompts of which it is known what their tokens have to do with the answer."""
    asked = [one for one in prompts if one.question is not None and one.question in saliencies]
    answers = kept.answers(model, bounded=bounded) if asked else {}
    return [
        Answered(one.asked, answers[one.question], saliencies[one.question])
        for one in asked
        if one.question is not None
    ]


def _explained(one: Answered) -> Explained:
    place = Place(one.asked.prompt.origin, one.asked.prompt.template)
    return Explained(place, one.on_subject, one.on_last, one.saliency.residue if one.saliency else None)


def _examples(explained: Sequence[Answered]) -> list[Answered]:
    shares = sorted(
        ((one.on_subject, one.asked.prompt.id, at) for at, one in enumerate(explained) if one.on_subject is not None)
    )
    places = dict.fromkeys(shares[at][2] for at in ((0, len(shares) // 2, len(shares) - 1) if shares else ()))
    return [explained[at] for at in places]


def _labour(choices: Mapping[str, Any], sets: WordSets, source: str) -> Labour | None:
    """The statistics that the study gives, where they speak of the groups that are asked for."""
    occupations = tuple(Occupation(**one) for one in choices["labour"])
    groups = [group for group, _ in sets]
    of, against = choices.get("labour_groups") or (None, None)
    known = {of, against} <= set(groups) if of else Labour.speaks_of(groups)
    if not occupations or source == DEFAULT_SOURCE or not known:
        return None
    return Labour(occupations, of, against, by_head=choices["labour_match"] == "head")
