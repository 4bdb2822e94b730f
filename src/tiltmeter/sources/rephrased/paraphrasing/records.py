"""What can be chosen about rephrasing by a model, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tiltmeter.errors import UserError
from tiltmeter.records import Decoding

SIMILARITY = 0.75
"""Cosine below which the meaning counts as changed; docs/rephrase.md says how it was measured."""
GREEDY = Decoding(temperature=0.0, max_new_tokens=48, stop=("\n",))
DRAWN = Decoding(temperature=0.6, top_p=0.9, max_new_tokens=48, stop=("\n",))


@dataclass(frozen=True, slots=True)
class ParaphraseSettings:
    """How prompts are rephrased.

    >>> ParaphraseSettings(per_target=2).limit
    8
    """

    per_target: int = 1
    """Rephrasings wanted of each prompt in each structure."""
    attempts: int = 4
    """Attempts for each rephrasing that is wanted: the first takes the likeliest words, the others draw."""
    similarity: float = SIMILARITY
    seed: int = 0
    transform: bool = True
    """Whether the parts of a parse are moved first; the model is then asked only for what that does not give."""

    def __post_init__(self) -> None:
        for key in ("per_target", "attempts"):
            value = getattr(self, key)
            if type(value) is not int or value < 1:
                raise UserError(f"must be a whole number from 1 up, not {value!r}", key=key)
        if type(self.transform) is not bool:
            raise UserError(f"must be true or false, not {self.transform!r}", key="transform")
        if not isinstance(self.similarity, int | float) or not 0 <= self.similarity <= 1:
            raise UserError(
                f"must be a number from 0 (anything) to 1 (the same), not {self.similarity!r}", key="similarity"
            )

    @property
    def limit(self) -> int:
        """The attempts that a prompt gets at most in one structure."""
        return self.attempts * self.per_target


@dataclass(frozen=True, slots=True)
class Attempt:
    """One text for a prompt and a structure, kept or dropped."""

    target: str
    number: int
    text: str
    skeleton: str = ""
    similarity: float | None = None
    """None where it was refused before its meaning was looked at."""
    dropped: str | None = None
    tokens: int = 0
    by: Literal["parse", "model"] = "model"
    """Whether it was made of the parse, or written by a model."""


@dataclass(frozen=True, slots=True)
class Rephrased:
    """All that came of one prompt; `unsuited` are the structures that it has no room for, which were not asked for."""

    prompt: str
    attempts: tuple[Attempt, ...] = ()
    unsuited: tuple[str, ...] = ()
    unusable: str | None = None
    """Why nothing at all was asked for."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Rephrased:
        """The record that `dataclasses.asdict` made this of."""
        attempts = tuple(Attempt(**one) for one in data["attempts"])
        return Rephrased(data["prompt"], attempts, tuple(data["unsuited"]), data["unusable"])
