"""What the loop is given: a model that writes, somebody who watches, and a second look at what was written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tiltmeter.errors import ModelError
from tiltmeter.records import Completion, Decoding, ModelFacts, Pair, Written


class Generator(Protocol):
    """What the loop needs of a model; `complete_with` only for the strategy `constrained`.

    A chat model also has `chat_prompt(instruction)`, which puts an instruction into its template.
    """

    @property
    def facts(self) -> ModelFacts:
        """Its name goes into every sentence."""
        ...

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """So many completions of each prompt."""
        ...

    def complete_with(
        self,
        prompts: Sequence[str],
        must_have: Sequence[Sequence[str]],
        decoding: Decoding,
        *,
        samples: int = 1,
        seed: int | Sequence[int] = 0,
    ) -> list[list[Completion]]:
        """So many completions of each prompt, with these words in them."""
        ...


@dataclass(frozen=True, slots=True)
class Review:
    """A second look at what passed the checks, given by the caller.

    `judge` says of each sentence why it is to be dropped, or None; `declines`, of what a chat model answered, whether
    it would not write. `rank` gives each pair a number; where there is
    one, an attribute keeps only its best sentences for each group. To rank by likelihood take the mean of both
    texts of a pair (the written one alone would favour its group), and never the model that is to be tested.
    """

    judge: Callable[[Sequence[Written]], Sequence[str | None]] | None = None
    rank: Callable[[Sequence[Pair]], Sequence[float]] | None = None
    declines: Callable[[str], bool] | None = None


NO_REVIEW = Review()


def refuse_unwritten(generator: Generator, written: Sequence[Sequence[Completion]]) -> None:
    """Refuse to go on where nothing can be written after a prompt: it would be so after every prompt like it."""
    reason = next((one.unwritten for texts in written for one in texts if one.unwritten), None)
    if reason:
        raise ModelError(f"{generator.facts.name} cannot write the sentences: {reason}")


def require(generator: Generator, verb: str, what: str) -> None:
    """Refuse a generator that lacks a verb."""
    if not hasattr(generator, verb):
        raise ModelError(f"{generator.facts.name} cannot `{verb}`, which {what} needs")
