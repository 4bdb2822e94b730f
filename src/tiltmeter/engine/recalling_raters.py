"""Raters that are networks, and recall what they rated before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tiltmeter.engine.memory import Memory
from tiltmeter.raters import Rater
from tiltmeter.records import Rating
from tiltmeter.store import KeptAnswers
from tiltmeter.store.packing import RATING


def recalling(rater: Rater, kept: KeptAnswers | None) -> Rater:
    """The rater with a memory, where it is a network; the others are faster than any memory.

    A judge has none of its own: the model that it asks recalls.
    """
    return _Recalling(rater, kept) if kept is not None and is_network(rater) else rater


def is_network(rater: Rater) -> bool:
    """Whether a rater has weights of its own."""
    return "weights_sha256" in rater.facts and "instruction" not in rater.facts


class _Recalling:
    def __init__(self, rater: Rater, kept: KeptAnswers) -> None:
        self.name, self.wants_mask, self._rater = rater.name, rater.wants_mask, rater
        self._memory = Memory(kept, rater.name, dict(rater.facts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rater, name)

    @property
    def facts(self) -> Mapping[str, str]:
        return self._rater.facts

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        return self._memory.recall("rate", texts, lambda at: self._rater.rate([texts[one] for one in at]), RATING)
