"""What a model must be able to do to write; the loop and the strategies know nothing else of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import ModelError
from tiltmeter.models.decoding.sampling import Logits
from tiltmeter.records import Decoding

TokenIds = tuple[int, ...]


class Unwritable(ModelError):
    """Nothing can be written after a prompt; `reason` is the same for all prompts of the kind, so it can be counted."""

    def __init__(self, problem: str, reason: str) -> None:
        super().__init__(problem)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Step:
    """Keep the first `keep` tokens written in a row, drop those after them, and add `token`."""

    keep: int
    token: int


class Batch(Protocol):
    """Texts that are being written side by side."""

    @property
    def logits(self) -> Sequence[Logits]:
        """For each text, a number for each token that could come next: its log-probability plus a constant."""
        ...

    def keep(self, lines: Sequence[int]) -> None:
        """Go on with these texts, in this order; one that is named several times is there several times.

        Their numbers for the next token are not to be asked for before the next step.
        """
        ...

    def advance(self, steps: Sequence[Step | None]) -> None:
        """Make a step in each text. One without a step is finished and leaves the batch; the others close up."""
        ...

    @property
    def stretch(self) -> int:
        """How many tokens are best drawn in each text before anyone looks at them."""
        ...

    def draw(self, decoding: Decoding, uniforms: NDArray[np.float64]) -> Callable[[], NDArray[np.int64]]:
        """Write on freely: in each text a token for each of its numbers between 0 and 1. What is returned waits for
        them.
        """
        ...


class Sampler(Protocol):
    """A model's means of writing."""

    @property
    def ends(self) -> frozenset[int]:
        """The tokens with which the model itself ends a text."""
        ...

    @property
    def batch_tokens(self) -> int:
        """How many tokens, prompts included, a batch may come to hold."""
        ...

    def read(self, prompt: str) -> TokenIds:
        """The tokens of a prompt; one that leaves no room to write is `Unwritable`."""
        ...

    def room(self, row: TokenIds) -> int | None:
        """How many tokens can be written after a prompt; None: as many as you like."""
        ...

    def open(self, rows: Sequence[TokenIds]) -> Batch:
        """A batch with these prompts on it; one that stands on it several times is read once."""
        ...

    def pieces(self, text: str) -> TokenIds:
        """The tokens of a text that stands alone."""
        ...

    def continuation(self, text: str) -> TokenIds:
        """The tokens of a text that follows another word; its space in front, where it has one, counts."""
        ...

    @property
    def joins(self) -> NDArray[np.bool_]:
        """For each token, whether it would lengthen the word before it."""
        ...

    def text(self, row: TokenIds, written: Sequence[int]) -> str:
        """The characters of what was written after a prompt."""
        ...

    def texts(self, drafts: Sequence[tuple[TokenIds, Sequence[int]]]) -> list[str]:
        """The same of many prompts and what was written after each."""
        ...
