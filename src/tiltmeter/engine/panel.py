"""The raters of a study: who reads which texts, and how much of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from tiltmeter import registry
from tiltmeter.engine.staff import Staff
from tiltmeter.models import as_writer
from tiltmeter.raters import Rater, mask_group
from tiltmeter.raters.refusal import NAME as REFUSAL
from tiltmeter.records import Prompt, Scope, Spec
from tiltmeter.study import Plan, RaterChoice

GROUPS = ("groups.first.v1", "groups.only.v1")
JUDGE = "judge.chat.v1"
LEXICON = "lexicon."

WordSets: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Seat:
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


def panel(plan: Plan, staff: Staff) -> list[Seat]:
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
    return [
        Seat(choice, "completion" if choice.name.startswith(LEXICON) else choices.scope, maker(choice, staff))
        for choice in named
    ] + [Seat(RaterChoice(name), "completion", maker(RaterChoice(name), staff)) for name in free]


def maker(choice: RaterChoice, staff: Staff) -> Callable[[WordSets], Rater]:
    """What makes a rater, given the words of the groups; only raters of group words take notice of them."""

    def make(words: WordSets) -> Rater:
        if choice.name in GROUPS:
            made: Rater = registry.load("rater", choice.name)(words)
            return made
        if choice.name == JUDGE:
            from tiltmeter.raters.judge import QUESTIONS, Judge

            judge = as_writer(staff.model(choice.options["model"]))
            judge.chat_prompt("")
            return Judge(judge, QUESTIONS[choice.options["question"]])
        return staff.rater(f"{choice.name}:{choice.argument}" if choice.argument else choice.name)

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
