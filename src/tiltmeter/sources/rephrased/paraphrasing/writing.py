"""The loop: every prompt in every structure by its parse; a model is asked where that gives nothing; all is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tiltmeter.records import Completion, Decoding, ModelFacts, Prompt
from tiltmeter.sources.generated.settings import seed_of
from tiltmeter.sources.rephrased.paraphrasing import checks
from tiltmeter.sources.rephrased.paraphrasing.checks import Draft, Original
from tiltmeter.sources.rephrased.paraphrasing.form import form_of
from tiltmeter.sources.rephrased.paraphrasing.group import masked, mentions_of
from tiltmeter.sources.rephrased.paraphrasing.records import DRAWN, GREEDY, Attempt, ParaphraseSettings, Rephrased
from tiltmeter.sources.rephrased.paraphrasing.request import request
from tiltmeter.sources.rephrased.paraphrasing.targets import Target
from tiltmeter.sources.rephrased.paraphrasing.transforming import has_room, keeps_capital, transformed

BLOCK = 8
"""Prompts that are rephrased side by side: what a stop loses at most. Part of the plan: resuming changes nothing."""

NO_GROUP = "the words that name the group are missing: add a column `term`"
LINE_BREAKS = "the prompt is more than one line"
NOT_ENGLISH = "the prompt is not in English"
NO_STRUCTURE = "no structure suits the place where the prompt breaks off"


class Paraphraser(Protocol):
    """A model that writes."""

    @property
    def facts(self) -> ModelFacts:
        """Its name goes into every row."""
        ...

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """One completion of each prompt; its text depends on nothing but prompt and seed."""
        ...


@dataclass(frozen=True, slots=True)
class Judge:
    """What the checks are given: a parser of English, and vectors of sentences, of length one."""

    parse: Callable[[Sequence[str]], Sequence[Any]]
    """A document of spaCy for each text."""
    embed: Callable[[Sequence[str]], Any]
    """A row of numbers for each text."""


@dataclass(frozen=True, slots=True)
class _Task:
    """One prompt in one structure."""

    original: Original
    target: Target


def blocks(prompts: Sequence[Prompt]) -> Iterator[Sequence[Prompt]]:
    """The prompts in blocks, cut from all of them."""
    for start in range(0, len(prompts), BLOCK):
        yield prompts[start : start + BLOCK]


def other_terms(prompts: Sequence[Prompt]) -> dict[tuple[str, str | None], tuple[str, ...]]:
    """For each bias and group, the terms by which the other groups of the bias are named, and it is not."""
    named: dict[str, dict[str | None, set[str]]] = {}
    for prompt in prompts:
        if prompt.term:
            named.setdefault(prompt.bias, {}).setdefault(prompt.group, set()).add(prompt.term)
    return {
        (bias, group): tuple(sorted(set().union(*groups.values()) - own))
        for bias, groups in named.items()
        for group, own in groups.items()
    }


def paraphrase(
    prompts: Sequence[Prompt],
    targets: Sequence[Target],
    pen: Paraphraser,
    judge: Judge,
    settings: ParaphraseSettings | None = None,
    others: Mapping[tuple[str, str | None], tuple[str, ...]] | None = None,
) -> list[Rephrased]:
    """Every prompt in every structure that it has room for, with all attempts, kept and dropped.

    `others` has the terms of the other groups of each bias and group; unless given, they are those of these prompts.
    """
    chosen = settings or ParaphraseSettings()
    return _Block(prompts, targets, pen, judge, chosen, other_terms(prompts) if others is None else others).write()


class _Block:
    """Prompts that are rephrased side by side."""

    def __init__(
        self,
        prompts: Sequence[Prompt],
        targets: Sequence[Target],
        pen: Paraphraser,
        judge: Judge,
        settings: ParaphraseSettings,
        others: Mapping[tuple[str, str | None], tuple[str, ...]],
    ) -> None:
        self.prompts, self.targets, self.pen, self.judge, self.settings = prompts, targets, pen, judge, settings
        self.unusable: dict[str, str] = {}
        self.originals = self._read(others)
        self.attempts: dict[str, list[Attempt]] = {prompt.id: [] for prompt in prompts}

    def write(self) -> list[Rephrased]:
        """Transform and check; ask for the rest, check, ask again."""
        tasks = [
            _Task(original, target)
            for original in self.originals
            for target in self.targets
            if original.form.breaks_off in target.suits
        ]
        tasks = [task for task in tasks if has_room(task.original.doc, task.target)]
        if self.settings.transform:
            self._transform(tasks)
        for number in range(self.settings.limit):
            open_tasks = [task for task in tasks if self._kept(task) < self.settings.per_target]
            if not open_tasks:
                break
            self._round(open_tasks, number)
        asked = {(task.original.prompt.id, task.target.name) for task in tasks}
        return [self._result(prompt, asked) for prompt in self.prompts]

    def _read(self, others: Mapping[tuple[str, str | None], tuple[str, ...]]) -> list[Original]:
        found = []
        for prompt in self.prompts:
            mentions = mentions_of(prompt)
            if prompt.language != "en":
                self.unusable[prompt.id] = NOT_ENGLISH
            elif "\n" in prompt.text.strip():
                self.unusable[prompt.id] = LINE_BREAKS
            elif mentions is None:
                self.unusable[prompt.id] = NO_GROUP
            else:
                found.append((prompt, mentions))
        docs = self.judge.parse([masked(prompt.text, mentions) for prompt, mentions in found])
        # Whether a word has a capital by itself only the text as it stands can tell; nothing else is read off it.
        plain = self.judge.parse([prompt.text for prompt, _ in found])
        return [
            Original(
                prompt, mentions, doc, form_of(doc), others.get((prompt.bias, prompt.group), ()), keeps_capital(as_is)
            )
            for (prompt, mentions), doc, as_is in zip(found, docs, plain, strict=True)
        ]

    def _round(self, tasks: Sequence[_Task], number: int) -> None:
        seeds = [seed_of(self.settings.seed, task.original.prompt.id, task.target.name, number) for task in tasks]
        asked = [
            request(task.target, task.original.prompt.text, number, seed)
            for task, seed in zip(tasks, seeds, strict=True)
        ]
        written = self.pen.complete(asked, DRAWN if number else GREEDY, seed=seeds)
        found = [
            Attempt(task.target.name, number, " ".join(one.text.split()), tokens=one.tokens)
            for task, [one] in zip(tasks, written, strict=True)
        ]
        self._check(tasks, found)

    def _transform(self, tasks: Sequence[_Task]) -> None:
        """What can be made of the parse alone; where a structure has several openings, one after the other."""
        for number in range(max((len(task.target.openings) for task in tasks), default=0) or 1):
            left = [
                task
                for task in tasks
                if number < (len(task.target.openings) or 1) and self._kept(task) < self.settings.per_target
            ]
            made = [(task, self._transformed(task, number)) for task in left]
            told = [(task, Attempt(task.target.name, number, text, by="parse")) for task, text in made if text]
            self._check([task for task, _ in told], [attempt for _, attempt in told])

    def _transformed(self, task: _Task, number: int) -> str | None:
        one = task.original
        # The same opening for every group: where the prompt comes from decides, and not its words.
        first = seed_of(self.settings.seed, one.prompt.origin, task.target.name, 0)
        return transformed(
            one.prompt, one.mentions, one.doc, one.form, task.target, first + number, capital=one.capital
        )

    def _check(self, tasks: Sequence[_Task], found: Sequence[Attempt]) -> None:
        """Note the attempts of some tasks, each with the first reason to refuse it."""
        found = [
            replace(attempt, dropped=checks.wording(attempt.text, task.original))
            for task, attempt in zip(tasks, found, strict=True)
        ]
        worded = [(task, attempt) for task, attempt in zip(tasks, found, strict=True) if attempt.dropped is None]
        judged = iter(self._judged(worded))
        for task, attempt in zip(tasks, found, strict=True):
            one = attempt if attempt.dropped else next(judged)
            taken = self.attempts[task.original.prompt.id]
            if one.dropped is None:
                one = replace(
                    one, dropped=checks.not_repeated(one.text, [each.text for each in taken if each.dropped is None])
                )
            taken.append(one)

    def _judged(self, worded: Sequence[tuple[_Task, Attempt]]) -> list[Attempt]:
        """The drafts with their skeleton, similarity, and reason to drop them if there is one."""
        if not worded:
            return []
        texts = [masked(attempt.text, task.original.mentions) for task, attempt in worded]
        before = [masked(task.original.prompt.text, task.original.mentions) for task, _ in worded]
        docs = self.judge.parse(texts)
        rows = self.judge.embed([*texts, *before])
        judged = []
        for at, ((task, attempt), doc) in enumerate(zip(worded, docs, strict=True)):
            similarity = round(float(sum(rows[at] * rows[at + len(texts)])), 4)
            draft = Draft(attempt.text, doc, form_of(doc), similarity)
            reason = checks.structure(draft, task.original, task.target, self.settings.similarity)
            judged.append(replace(attempt, skeleton=draft.form.skeleton, similarity=similarity, dropped=reason))
        return judged

    def _kept(self, task: _Task) -> int:
        taken = self.attempts[task.original.prompt.id]
        return sum(one.target == task.target.name and one.dropped is None for one in taken)

    def _result(self, prompt: Prompt, asked: set[tuple[str, str]]) -> Rephrased:
        if prompt.id in self.unusable:
            return Rephrased(prompt.id, unusable=self.unusable[prompt.id])
        unsuited = tuple(target.name for target in self.targets if (prompt.id, target.name) not in asked)
        nothing = NO_STRUCTURE if len(unsuited) == len(self.targets) else None
        return Rephrased(prompt.id, tuple(self.attempts[prompt.id]), unsuited, nothing)
