"""Who opens the models and raters of a run: with which settings, and with which memory of what they answered before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from tiltmeter import raters
from tiltmeter.engine.recalling import open_model
from tiltmeter.engine.recalling_raters import recalling
from tiltmeter.models import Model, ModelSettings
from tiltmeter.raters import Rater
from tiltmeter.store import KeptAnswers

Batch = TypeVar("Batch")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Staff:
    """Models and raters on this machine."""

    settings: ModelSettings
    kept: KeptAnswers | None = None

    def model(self, name: str) -> Model:
        """The model of a name."""
        return open_model(name, self.settings, self.kept)

    def rater(self, name: str) -> Rater:
        """The rater of a name."""
        return recalling(raters.load(name), self.kept)

    def each(self, work: Callable[[Batch], Result], batches: Iterable[Batch]) -> Iterator[tuple[Batch, Result]]:
        """What comes of each batch, in their order."""
        for batch in batches:
            yield batch, work(batch)


HERE = Staff(ModelSettings())
"""This process, and no memory."""
