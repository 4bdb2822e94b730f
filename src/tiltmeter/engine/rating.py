"""Rates the texts of all models: rater after rater, batch by batch, a text that is twice in a batch once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from tiltmeter import registry
from tiltmeter.engine.executor import Executor, Stage, cut, perform
from tiltmeter.errors import ModelError
from tiltmeter.models import as_writer
from tiltmeter.progress import Progress
from tiltmeter.raters import Rater, language_problem, mask_group
from tiltmeter.raters.refusal import NAME as REFUSAL
from tiltmeter.raters.refusal import REFUSAL as DECLINES
from tiltmeter.raters.scales import on_scale
from tiltmeter.raters.tilt import TiltItem, tilt
from tiltmeter.records import REFUSED, Prompt, Rating, Scope, Spec
from tiltmeter.sources.subjects import Subject, subject
from tiltmeter.store import Ledger, WrittenText
from tiltmeter.study import Plan, RaterChoice

GROUPS = ("groups.first.v1", "groups.only.v1")
JUDGE = "judge.chat.v1"
LEXICON = "lexicon."
ABOUT = "about."

WordSets: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class RaterTask:
    """A place on the panel: a rater that can be made when its turn comes, and what it is to read."""

    choice: RaterChoice
    scope: Scope
    make: Callable[[WordSets], Rater]
    """A rater of group words is made for the words of a prompt; the others take no notice of them."""

    def key(self, prompt: Prompt) -> WordSets | None:
        """For which words the rater of a prompt is made; None: its texts are not for this rater."""
        if self.choice.name in GROUPS:
            return prompt.word_sets or None
        return () if prompt.group or self.choice.name == REFUSAL else None


def panel(plan: Plan, executor: Executor) -> list[RaterTask]:
    """The raters that the study names, and those that cost nothing: refusals, and group words where they are asked for.

    Whether a text declines, whom it names, and whether it has a hurtful word is asked of the completion alone: the
    words of the prompt are ours.
    """
    choices = plan.study.continuations
    if choices is None:
        return []
    asked = any(prompt.word_sets for prompt in plan.prompts)
    free = [*(GROUPS if asked else ()), REFUSAL]
    named = [choice for choice in choices.raters if choice.name not in (*GROUPS, REFUSAL)]
    return [RaterTask(choice, _scope(choice, choices.scope), maker(choice, executor)) for choice in named] + [
        RaterTask(RaterChoice(name), "completion", maker(RaterChoice(name), executor)) for name in free
    ]


def _scope(choice: RaterChoice, wanted: Scope) -> Scope:
    """What a rater reads: hurtful words are looked for in the completion, and the prompt says whom a text is about."""
    if choice.name.startswith(LEXICON):
        return "completion"
    about = choice.name.startswith(ABOUT) or choice.options.get("question") == ABOUT.rstrip(".")
    return "whole" if about else wanted


def maker(choice: RaterChoice, executor: Executor) -> Callable[[WordSets], Rater]:
    """What makes a rater, given the words of the groups; only raters of group words take notice of them."""

    def make(words: WordSets) -> Rater:
        if choice.name in GROUPS:
            made: Rater = registry.load("rater", choice.name)(words)
            return made
        if choice.name == JUDGE:
            from tiltmeter.raters.judge import Judge, question_of

            judge = as_writer(executor.model(choice.options["model"]))
            judge.chat_prompt("")
            return Judge(judge, question_of(choice.options))
        return executor.rater(f"{choice.name}:{choice.argument}" if choice.argument else choice.name)

    # A judge is a language model, too large to be kept while others write; the others are made once.
    return make if choice.name == JUDGE else cache(make)


@dataclass(frozen=True, slots=True)
class Masker:
    """Knows the words that stand for the group of each prompt."""

    specs: Mapping[str, Spec]

    def read(self, prompt: Prompt, completion: str, scope: Scope, *, masked: bool) -> str:
        """What a rater is given to read: nothing where nothing was written, since the prompt alone says nothing."""
        if not completion.strip():
            return ""
        text = prompt.text + completion if scope == "whole" else completion
        if not masked:
            return text
        spans = prompt.group_spans if scope == "whole" else ()
        return mask_group(text, spans=spans, terms=self._terms(prompt))

    def _terms(self, prompt: Prompt) -> tuple[str, ...]:
        spec = self.specs.get(prompt.bias)
        known = [group.terms for group in spec.groups if group.name == prompt.group] if spec else []
        return (prompt.term, *(term for terms in known for term in terms))


BATCH = 512
"""Texts in a batch: what a killed run loses at most. Part of the plan, so that resuming changes no rating."""
TILT_LANGUAGE = "en"
"""The language of the sentences on which the tilt of a rater is measured."""
TERMS = 4
"""So many terms of a group, at most, stand for it where the tilt of a rater is measured."""

NOTHING = "nothing was written"


@dataclass(frozen=True, slots=True)
class RaterInput:
    """The words that a rater is made for and the text that it reads; or, without a text, why it reads nothing."""

    words: WordSets
    text: str
    unrated: str | None = None


def check_raters(plan: Plan, ledger: Ledger, panel: Sequence[RaterTask]) -> None:
    """Make each rater once before anything is written, so that one that is missing is not found out at the end.

    They are noted all at once: a run that was stopped in between would seem to be of other raters.
    """
    ledger.continuations.record_raters([(*_identity(plan, task), task.scope) for task in panel])


def _identity(plan: Plan, task: RaterTask) -> tuple[str, Mapping[str, Any]]:
    """The name and the facts of a rater."""
    if task.choice.name in GROUPS:
        return task.choice.name, {name: words for prompt in plan.prompts for name, words in _words(prompt).items()}
    rater = task.make(())
    return rater.name, rater.facts


def rate(plan: Plan, ledger: Ledger, panel: Sequence[RaterTask], executor: Executor, progress: Progress) -> None:
    """Rate what all models wrote, and measure what each rater makes of the groups by itself."""
    if not panel:
        return
    if not ledger.continuations.texts():
        raise ModelError("no model of the study can write; the view `continuations` needs a causal model")
    for task in panel:
        RatingRun(plan, ledger, task).rate(executor, progress)
    ledger.continuations.finish()


class RatingRun:
    """One rater at work."""

    def __init__(self, plan: Plan, ledger: Ledger, task: RaterTask) -> None:
        self.plan, self.ledger, self.task = plan, ledger, task
        self.masker = Masker({spec.name: spec for spec in plan.study.specs})
        self.made: dict[WordSets, Rater] = {}
        first = self.rater(next((key for key in map(task.key, plan.prompts) if key is not None), ()))
        self.name, self.masks = first.name, first.wants_mask

    def rater(self, words: WordSets) -> Rater:
        """The rater for these words, made when first asked for."""
        if words not in self.made:
            self.made[words] = self.task.make(words)
        return self.made[words]

    def rate(self, executor: Executor, progress: Progress) -> None:
        """The texts, then the rater's own tilt."""
        kept, name = self.ledger.continuations, self.name
        steps = self.ledger.steps("rating", name)
        stage = Stage(
            f"rating by {name}",
            cut(kept.texts(), BATCH),
            ask=self.rated,
            write=lambda _, rated: kept.add_ratings(name, rated),
            failed=lambda _, rated: sum(rating.unrated is not None for _, rating in rated),
            done=steps.done(),
            marked=steps.marked,
            failed_before=lambda: sum(1 for _ in self.ledger.rated.unanswered((name,))),
        )
        perform(stage, executor, progress)
        own = self.ledger.steps("tilting", name)
        if self.task.choice.name not in (*GROUPS, REFUSAL) and not own.done():
            items = self.tilt()
            with own.marked():
                kept.add_tilt(name, items)

    def rated(self, texts: Sequence[WrittenText]) -> list[tuple[int, Rating]]:
        """The ratings of a batch, each with the number of its text."""
        readings: dict[RaterInput, list[int]] = {}
        for text in texts:
            reading = self._reading(text)
            if reading is not None:
                readings.setdefault(reading, []).append(text.number)
        return [
            (number, rating)
            for words in dict.fromkeys(one.words for one in readings)
            for reading, rating in self._read([one for one in readings if one.words == words])
            for number in readings[reading]
        ]

    def _reading(self, text: WrittenText) -> RaterInput | None:
        """What the rater reads of a text; None: it is not for this rater."""
        prompt = self.plan.prompts[text.prompt]
        words = self.task.key(prompt)
        if words is None:
            return None
        read = self.masker.read(prompt, text.text, self.task.scope, masked=self.masks)
        # An empty text is empty in every language.
        why = f"{NOTHING}: {text.unwritten}" if text.unwritten else self._unread(prompt.language) if read else None
        return RaterInput(words, "", why) if why else RaterInput(words, read)

    def _unread(self, language: str) -> str | None:
        return language_problem(next(iter(self.made.values())), language)

    def _read(self, readings: Sequence[RaterInput]) -> Iterator[tuple[RaterInput, Rating]]:
        """Readings that are for the same words with their ratings, short before long."""
        ordered = sorted(readings, key=lambda one: (len(one.text), one.text, one.unrated or ""))
        texts = [reading.text for reading in ordered if reading.unrated is None]
        rated = iter(self.rater(ordered[0].words).rate(texts) if texts else ())
        for one in ordered:
            yield one, self._without_text(one.unrated) if one.unrated else on_scale(next(rated))

    def _without_text(self, why: str) -> Rating:
        """What is said of a text that is not there: a refusal that the server told is a refusal."""
        if self.name == REFUSAL and why.removeprefix(f"{NOTHING}: ") in REFUSED:
            return Rating(self.name, 1.0, label=DECLINES)
        return Rating(self.name, None, why)

    def tilt(self) -> list[tuple[str, TiltItem]]:
        """What the rater makes of the groups by itself, by bias."""
        if self._unread(TILT_LANGUAGE):
            return []
        return [
            (bias, item)
            for bias, groups in terms_by_group(self.plan.prompts, self.plan.study.seed).items()
            for item in tilt(self.rater(()), groups, masked=True)
        ]


def terms_by_group(prompts: Iterable[Prompt], seed: int = 0) -> dict[str, Mapping[str, Sequence[str]]]:
    """For each bias the groups whose people have a name, as subjects of a sentence; nothing where fewer than two are.

    Of many names a few are drawn, those of one group whatever the other groups have.
    """
    found: dict[str, dict[str, dict[str, None]]] = {}
    for prompt in prompts:
        name = prompt.term if prompt.person is None else prompt.person
        stands = subject(name) if name.strip() and prompt.group else ""
        if isinstance(stands, Subject) and prompt.language == TILT_LANGUAGE:
            found.setdefault(prompt.bias, {}).setdefault(prompt.group or "", {})[stands.text] = None
    return {
        bias: {group: _drawn(list(terms), f"{seed}/{bias}/{group}") for group, terms in groups.items()}
        for bias, groups in found.items()
        if len(groups) > 1
    }


def _drawn(terms: list[str], seed: str) -> list[str]:
    return terms if len(terms) <= TERMS else random.Random(seed).sample(terms, TERMS)


def _words(prompt: Prompt) -> dict[str, str]:
    shown = "; ".join(f"{group}: {', '.join(words)}" for group, words in prompt.word_sets)
    return {prompt.bias: shown} if shown else {}
