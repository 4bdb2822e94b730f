"""What can be chosen about generation, and the units of work that it comes to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.records import Decoding, Written

Strategy = Literal["constrained", "rejection"]
ShotKind = Literal["own", "fixed", "similar"]
Checks = Literal["full", "as-published"]

# A sentence ends with its line: the prompt has one on each.
PUBLISHED_DECODING = Decoding(temperature=0.8, top_k=50, top_p=0.85, max_new_tokens=80, stop=("\n",))


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How sentences are asked for; the numbers are those of the published loop.

    `rejection` is the published strategy: write freely, keep what happens to hold both terms. `constrained` has the
    generator put both into every sentence. With `checks = "as-published"` nothing but the two terms is asked of a
    sentence; `full` also wants one whole sentence that can be turned into a pair.

    >>> GenerationSettings(per_attribute=4).decoding.top_p
    0.85
    """

    strategy: Strategy = "constrained"
    samples: int = 5
    """Sentences in one request: n of the paper."""
    per_attribute: int = 2
    """Sentences that an attribute needs before the next one is taken up: t of the paper."""
    max_requests: int = 40
    sets: int = 1
    """Independent sets of sentences."""
    seed: int = 0
    shots: ShotKind = "own"
    chat: bool = False
    """Ask through the generator's chat template."""
    checks: Checks = "full"
    replace_flagged: bool = False
    """Write more for attributes that the audit leaves short: it costs time, and only the effect of issues uses it."""
    decoding: Decoding = PUBLISHED_DECODING

    def __post_init__(self) -> None:
        # They may come from a study file, where nothing has looked at their values yet.
        for key in ("samples", "per_attribute", "max_requests", "sets"):
            value = getattr(self, key)
            if type(value) is not int or value < 1:
                raise UserError(f"must be a whole number from 1 up, not {value!r}", key=key)
        if type(self.seed) is not int:
            raise UserError(f"must be a whole number, not {self.seed!r}", key="seed")
        for key, allowed in (("strategy", Strategy), ("shots", ShotKind), ("checks", Checks)):
            if getattr(self, key) not in get_args(allowed):
                raise UserError(f"must be {_either(get_args(allowed))}, not {getattr(self, key)!r}", key=key)
        for key in ("chat", "replace_flagged"):
            if type(getattr(self, key)) is not bool:
                raise UserError(f"must be true or false, not {getattr(self, key)!r}", key=key)


def settings_from(options: Mapping[str, Any]) -> GenerationSettings:
    """The settings that a study file gives; `temperature`, `top_k`, `top_p` and `max_new_tokens` stand beside the rest.

    >>> settings_from({"sets": 5, "temperature": 0.5}).decoding.temperature
    0.5
    """
    own = {field.name for field in fields(GenerationSettings)} - {"decoding"}
    of_decoding = ("temperature", "top_k", "top_p", "max_new_tokens")
    for key, value in options.items():
        if key not in own | {*of_decoding}:
            raise UnknownName("option of `generated`", key, own | {*of_decoding})
        if key in of_decoding and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise UserError(f"must be a number, not {value!r}", key=key)
    chosen = {key: value for key, value in options.items() if key in own}
    decoding = {key: value for key, value in options.items() if key in of_decoding}
    settings = GenerationSettings(**chosen)
    return replace(settings, decoding=replace(settings.decoding, **decoding))


@dataclass(frozen=True, slots=True)
class Unit:
    """What can be written on its own, and taken up again after a stop: one attribute of one set."""

    spec: str
    set: int
    attribute_set: str
    attribute: str
    round: int = 0
    """0: the test itself; 1: sentences to replace flagged ones."""

    @property
    def id(self) -> str:
        """A name of its own within a study."""
        again = f"/round-{self.round}" if self.round else ""
        return f"{self.spec}/{self.set}/{self.attribute_set}/{self.attribute}{again}"


@dataclass(frozen=True, slots=True)
class UnitResult:
    """Every sentence that was decoded for a unit, kept or dropped, and what it cost."""

    unit: Unit
    sentences: tuple[Written, ...]
    requests: int
    tokens: int
    attempts: int
    """Sequences decoded, those included that the generator gave up before they were sentences."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> UnitResult:
        """The record that `dataclasses.asdict` made this of."""
        sentences = tuple(Written(**one) for one in data["sentences"])
        return UnitResult(Unit(**data["unit"]), sentences, data["requests"], data["tokens"], data["attempts"])


def seed_of(*parts: object) -> int:
    """A seed that depends on nothing but these parts, the same on every machine.

    >>> seed_of(1, "math") == seed_of(1, "math"), seed_of(1, "math") == seed_of(2, "math")
    (True, False)
    """
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:4], "big")


def _either(names: tuple[str, ...]) -> str:
    quoted = [f'"{name}"' for name in names]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
