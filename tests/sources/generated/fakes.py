"""A generator that writes from a table, so that what the loop makes of it can be worked out by hand."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from tiltmeter.records import AttributeSet, Completion, Decoding, Group, ModelFacts, Spec, TokenScores

SPEC = Spec(
    name="gender-tools",
    title="Gender and tools",
    groups=(Group("male", ("man", "brother", "uncle")), Group("female", ("woman", "sister", "aunt"))),
    attributes=(
        AttributeSet("tools", ("hammer", "welding torch"), stereotype_of=("male",)),
        AttributeSet("crafts", ("needle",), stereotype_of=("female",)),
        AttributeSet("food", ("bread",)),
    ),
    compare=(("male", "female"),),
    templates=("[T] likes the [A].",),
)

ASKED = re.compile(r"Write (\d+) different .*exactly as given: \"(.*?)\" .*and \"(.*?)\" ")

FRAMES = (
    "The {term} bought a {attribute} in town.",
    "My {term} has a new {attribute} at last.",
    "A {attribute} was given to the {term} on Monday.",
    "Nobody saw the {term} with the {attribute} yesterday.",
    "The {term} looked for a {attribute} all day.",
    "I asked the {term} about the {attribute} again.",
)


class FakeGenerator:
    """Writes one of the frames, chosen by seed; `write` may say otherwise."""

    facts = ModelFacts(name="fake", family="causal")

    def __init__(self, write: Callable[[random.Random, str, str], str] | None = None) -> None:
        self.write = write or (lambda source, term, attribute: source.choice(FRAMES))
        self.prompts: list[str] = []
        self.seeds: list[int] = []
        self.calls: list[int] = []

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        if all(prompt.startswith("<user>") for prompt in prompts):
            asked = [ASKED.search(prompt) for prompt in prompts]
            words = [(found[2], found[3]) for found in asked if found]
            made = self.complete_with(prompts, words, decoding, samples=int(asked[0][1]), seed=seed)
            lists = ["\n".join(f"{at}. {one.text.strip()}" for at, one in enumerate(texts, 1)) for texts in made]
            return [[Completion(f"Here you are:\n{text}", 50, "end")] for text in lists]
        keywords = [re.findall(r"Keywords: (.*?)(?:\.|$)", prompt, re.MULTILINE)[-1] for prompt in prompts]
        return self.complete_with(
            prompts, [words.split(", ") for words in keywords], decoding, samples=samples, seed=seed
        )

    def complete_with(
        self,
        prompts: Sequence[str],
        must_have: Sequence[Sequence[str]],
        decoding: Decoding,
        *,
        samples: int = 1,
        seed: int | Sequence[int] = 0,
    ) -> list[list[Completion]]:
        self.prompts += prompts
        self.calls.append(len(prompts))
        seeds = [seed] * len(prompts) if isinstance(seed, int) else seed
        self.seeds += seeds
        made = []
        for words, seed in zip(must_have, seeds, strict=True):  # noqa: PLR1704
            # The frames have articles of their own.
            term, attribute = (re.sub(r"^(?:the|an?) ", "", word) for word in words)
            texts = []
            for number in range(samples):
                frame = self.write(random.Random(f"{seed} {term} {number}"), term, attribute)
                texts.append(Completion(" " + frame.format(term=term, attribute=attribute), 10, "stop"))
            made.append(texts)
        return made

    def score(self, texts: Sequence[str], *, conditioning: str | None = None, spans=None) -> list[TokenScores]:
        """The shorter a text the likelier."""
        return [TokenScores(((0, len(text)),), (-float(len(text)),)) for text in texts]

    def chat_prompt(self, instruction: str) -> str:
        return f"<user>{instruction}<assistant>"
