"""What a model is to the rest of tiltmeter: facts about itself, and verbs over plain strings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tiltmeter.errors import ModelError
from tiltmeter.records import ModelFacts, Span, TokenScores


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a model is run; none of it changes what is measured beyond rounding, except `dtype`.

    `device` and `dtype` "auto": see `docs/models.md` for the rule. `threads` None leaves torch's own number.
    `batch_tokens` bounds the tokens, padding included, that are computed at once.
    """

    device: str = "auto"
    dtype: str = "auto"
    threads: int | None = None
    batch_tokens: int = 2048


class Model(Protocol):
    """A language model behind small verbs.

    >>> from tiltmeter.models import load
    >>> load("scripted").conditionings
    ('left', 'left-no-start')
    """

    @property
    def facts(self) -> ModelFacts:
        """What must be known of the model to trust a number that came from it."""
        ...

    @property
    def conditionings(self) -> tuple[str, ...]:
        """What a token's score can be conditioned on; the first is the default."""
        ...

    def score(
        self,
        texts: Sequence[str],
        *,
        conditioning: str | None = None,
        spans: Sequence[tuple[Span, ...]] | None = None,
    ) -> list[TokenScores]:
        """The log-probability of each token of each text, in the order given.

        `spans[i]` are the characters of `texts[i]` to look at, for the conditionings that ask about a place.
        """
        ...


def checked_conditioning(model: Model, conditioning: str | None) -> str:
    """The conditioning asked for, or the model's default; refuses one that the model does not have."""
    if conditioning is None:
        return model.conditionings[0]
    if conditioning not in model.conditionings:
        raise ModelError(
            f"{model.facts.name} is {model.facts.family} and cannot score by `{conditioning}`; "
            f"it can by {', '.join(model.conditionings)}"
        )
    return conditioning
