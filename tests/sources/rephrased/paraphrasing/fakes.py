"""A paraphraser that writes by rule, so that what the loop and the account make of it can be worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tiltmeter.records import Completion, Decoding, ModelFacts, Prompt


class RulePen:
    """Rephrases what a request asks for by a function of (label, text, attempt seed)."""

    facts = ModelFacts(name="rule", family="causal")

    def __init__(self, write: Callable[[str, str], str]) -> None:
        self.write = write
        self.calls: list[int] = []
        self.requests: list[str] = []

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        self.calls.append(len(prompts))
        self.requests += prompts
        made = []
        for prompt in prompts:
            text, label = re.findall(r"Sentence: (.*)\n(.*):", prompt)[-1]
            made.append([Completion(f" {self.write(label, text)}", 9, "stop")])
        return made

    def score(self, texts, *, conditioning=None, spans=None):
        raise NotImplementedError

    conditionings = ("left",)

    def complete_with(self, *_, **__):
        raise NotImplementedError

    def chat_prompt(self, instruction: str) -> str:
        raise NotImplementedError


def cleft(label: str, text: str) -> str:
    """The cleft of "The [T] was known for"."""
    return f"It was {text[:1].lower()}{text[1:]}".replace(" was known", " who was known", 1)


def prompts(*groups: tuple[str, str]) -> list[Prompt]:
    return [
        Prompt(
            id=f"{group}/{number}",
            source="s",
            bias="b",
            origin=f"known for{ending}",
            text=f"The {term} was known for{ending}",
            group=group,
            term=term,
            group_spans=((4, 4 + len(term)),),
        )
        for group, term in groups
        for number, ending in enumerate(("", " singing and", " telling"))
    ]
