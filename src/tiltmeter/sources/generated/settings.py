"""What can be chosen about generation, and the units of work that it comes to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.records import Decoding, Written

Strategy = Literal["auto", "constrained", "rejection"]
ShotKind = Literal["own", "fixed", "similar"]
Checks = Literal["full", "as-published"]

# A sentence ends with its line: the prompt has one on each.
PUBLISHED_DECODING = Decoding(temperature=0.8, top_k=50, top_p=0.85, max_new_tokens=80, stop=("\n",))
_REQUESTS, _REQUESTS_FOR_LISTS = 40, 10
"""The published number, and one for requests that are each paid for and bring several sentences."""
_LEAST = {"temperature": 0, "top_k": 0, "top_p": 0, "max_new_tokens": 1}
MOST = 10_000
"""Of anything that is asked for by number."""


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How sentences are asked for; the numbers are those of the published loop.

    `rejection` is the published strategy: write freely, keep what happens to hold both terms. `constrained` has the
    generator put both into every sentence. With `checks = "as-published"` nothing but the two terms is asked of a
    sentence; `full` also wants one whole sentence that can be turned into a pair. What is "auto" or None is chosen to
    fit the generator: see `fit`.

    >>> GenerationSettings(per_attribute=4).decoding.top_p
    0.85
    """

    strategy: Strategy = "auto"
    samples: int = 5
    """Sentences in one request: n of the paper."""
    per_attribute: int = 2
    """Sentences that an attribute needs before the next one is taken up: t of the paper."""
    max_requests: int | None = None
    """Requests that an attribute gets at most; None: 40, or 10 where each asks a chat model for a list."""
    sets: int = 1
    """Independent sets of sentences."""
    attributes: int | None = None
    """Attribute words that are drawn of each attribute set, the same for every set of sentences; None: all."""
    seed: int = 0
    shots: ShotKind = "own"
    chat: bool | None = None
    """Ask as a person asks a chat model, and not by a text to continue."""
    checks: Checks = "full"
    replace_flagged: bool = False
    """Write more for attributes that the audit leaves short: it costs time, and only the effect of issues uses it."""
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    max_new_tokens: int | None = None

    def __post_init__(self) -> None:
        # They may come from a study file, where nothing has looked at their values yet.
        for key in ("samples", "per_attribute", "max_requests", "sets", "attributes"):
            value = getattr(self, key)
            optional = key in ("max_requests", "attributes")
            if (type(value) is not int or not 1 <= value <= MOST) and not (optional and value is None):
                raise UserError(f"must be a whole number from 1 to {MOST:,}, not {value!r}", key=key)
        if type(self.seed) is not int:
            raise UserError(f"must be a whole number, not {self.seed!r}", key="seed")
        for key, allowed in (("strategy", Strategy), ("shots", ShotKind), ("checks", Checks)):
            if getattr(self, key) not in get_args(allowed):
                raise UserError(f"must be {_either(get_args(allowed))}, not {getattr(self, key)!r}", key=key)
        for key in ("chat", "replace_flagged"):
            if type(getattr(self, key)) is not bool and not (key == "chat" and self.chat is None):
                raise UserError(f"must be true or false, not {getattr(self, key)!r}", key=key)
        for key, least in _LEAST.items():
            value = getattr(self, key)
            whole = key in ("top_k", "max_new_tokens")
            if value is not None and (isinstance(value, bool) or not isinstance(value, int if whole else int | float)):
                raise UserError(f"must be a {'whole ' if whole else ''}number, not {value!r}", key=key)
            if value is not None and value < least:
                raise UserError(f"must be {least} or more, not {value!r}", key=key)

    @property
    def is_settled(self) -> bool:
        """Whether everything is chosen."""
        return self.strategy != "auto" and None not in (self.chat, self.max_requests, *self._numbers().values())

    @property
    def lists(self) -> bool:
        """Whether one request asks for a list of sentences: by chat, without forcing words into the answer."""
        return bool(self.chat) and self.strategy != "constrained"

    @property
    def rounds(self) -> int:
        """Requests for each group at the least: where drawing costs nothing but time, there is to be a choice."""
        return 2 if self.strategy == "constrained" else 1

    @property
    def patience(self) -> int | None:
        """Requests for a group that bring nothing before it is given up; None: as long as the published loop."""
        return 8 if self.strategy == "constrained" else None

    @property
    def is_begun(self) -> bool:
        """Whether every other request begins the sentence as one of its examples does, so that not all are alike."""
        return self.strategy == "constrained" and self.shots == "own"

    @property
    def most_requests(self) -> int:
        """Requests that an attribute gets at most, for each comparison."""
        return self.max_requests or (_REQUESTS_FOR_LISTS if self.lists else _REQUESTS)

    @property
    def decoding(self) -> Decoding:
        """How the generator writes; where nothing was chosen, as in the published loop."""
        chosen = {key: value for key, value in self._numbers().items() if value is not None}
        if not self.lists:
            return replace(PUBLISHED_DECODING, **chosen)
        room = PUBLISHED_DECODING.max_new_tokens * self.samples
        return replace(PUBLISHED_DECODING, stop=(), **{"max_new_tokens": room, **chosen})

    @property
    def manner(self) -> str:
        """The strategy, and how the request was put, as every sentence tells it."""
        return f"{self.strategy}, chat" if self.chat else self.strategy

    def _numbers(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in _LEAST}


def settings_from(options: Mapping[str, Any]) -> GenerationSettings:
    """The settings that a study file or a command gives; what is None was not given.

    >>> settings_from({"sets": 5, "temperature": 0.5}).decoding.temperature
    0.5
    """
    known = {field.name for field in fields(GenerationSettings)}
    for key in options:
        if key not in known:
            raise UnknownName("option of `generated`", key, known)
    return GenerationSettings(**{key: value for key, value in options.items() if value is not None})


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
