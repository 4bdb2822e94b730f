"""What runs on a worker of a cluster: it has the models and raters that it was asked for, each loaded once."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from tiltmeter import models, raters
from tiltmeter.errors import ModelError, RunError, TiltmeterError, UserError
from tiltmeter.models import ModelSettings
from tiltmeter.records import ModelFacts
from tiltmeter.version import __version__

Facts: TypeAlias = ModelFacts | Mapping[str, str]
"""Those of a model, or those of a rater."""
VERBS = ("score", "complete", "complete_with", "chat_prompt", "next_words", "saliency")
"""What models can be asked to do."""
_KINDS: tuple[type[TiltmeterError], ...] = (UserError, ModelError, RunError)


@dataclass(frozen=True, slots=True)
class Place:
    """What a worker takes over from the driver, so that names and paths mean the same."""

    folder: str
    environment: Mapping[str, str]
    """Variables for a worker that has no value of its own."""
    threads: int | None
    """CPU threads; None: those of the machine, shared with `beside` other workers."""
    beside: int = 0
    has_gpu: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A model or rater, and how it is loaded."""

    kind: Literal["model", "rater"]
    name: str
    settings: ModelSettings

    def load(self) -> Any:
        """The model or rater itself."""
        return models.load(self.name, self.settings) if self.kind == "model" else raters.load(self.name)


@dataclass(frozen=True, slots=True)
class About:
    """What must be known of a model to stand in for it."""

    facts: ModelFacts
    conditionings: tuple[str, ...]
    verbs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One thing to be done by a tool. Its facts must be those that the driver wrote down."""

    tool: Tool
    facts: Facts
    verb: str
    given: tuple[Any, ...]
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """An error for the user: as a record, since errors with more than a sentence do not travel."""

    kind: int
    sentence: str

    @classmethod
    def of(cls, error: TiltmeterError) -> Refused:
        """The record of an error."""
        return cls(next(at for at, kind in enumerate(_KINDS) if isinstance(error, kind)), str(error))

    def error(self) -> TiltmeterError:
        """The error again."""
        return _KINDS[self.kind](self.sentence)


class Worker:
    """Answers one call after another. What nobody on the driver has any more is let go before something is loaded."""

    def __init__(self, place: Place) -> None:
        for name, value in place.environment.items():
            os.environ.setdefault(name, value)
        if Path(place.folder).is_dir():
            os.chdir(place.folder)
        if not place.has_gpu:
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        threads = place.threads or (max(1, (os.cpu_count() or 1) // (place.beside + 1)) if place.beside else None)
        # Ray sets this to the CPUs that a worker asked for, which says where there is room for it, and no more.
        os.environ.pop("OMP_NUM_THREADS", None)
        if threads:
            os.environ["OMP_NUM_THREADS"] = str(threads)
        self._tools: dict[Tool, Any] = {}

    def version(self) -> str:
        """The version of tiltmeter here."""
        return __version__

    def about(self, tool: Tool, in_use: Collection[Tool]) -> About | Refused:
        """What a model is."""
        try:
            model = self._loaded(tool, in_use)
            return About(model.facts, tuple(model.conditionings), tuple(verb for verb in VERBS if hasattr(model, verb)))
        except TiltmeterError as error:
            return Refused.of(error)

    def do(self, call: Call, in_use: Collection[Tool]) -> Any:
        """The answer of a model or rater."""
        try:
            tool = self._loaded(call.tool, in_use)
            if tool.facts != call.facts:
                return Refused.of(ModelError(_differs(call, tool.facts)))
            return getattr(tool, call.verb)(*call.given, **call.settings)
        except TiltmeterError as error:
            return Refused.of(error)

    def _loaded(self, tool: Tool, in_use: Collection[Tool]) -> Any:
        if tool not in self._tools:
            self._let_go([one for one in self._tools if one not in in_use])
            self._tools[tool] = tool.load()
        return self._tools[tool]

    def _let_go(self, tools: Collection[Tool]) -> None:
        for tool in tools:
            del self._tools[tool]
        if tools:
            gc.collect()
            torch = sys.modules.get("torch")
            if torch is not None and torch.cuda.is_available():
                torch.cuda.empty_cache()


def _differs(call: Call, found: Facts) -> str:
    """What is not the same on a worker."""
    here, there = (asdict(one) if isinstance(one, ModelFacts) else one for one in (found, call.facts))
    parts = [
        f"{key} {here.get(key)} instead of {there.get(key)}"
        for key in sorted({*here, *there})
        if here.get(key) != there.get(key)
    ]
    return (
        f"{call.tool.name}: differs between the workers of the cluster ({'; '.join(parts)}); give every node the "
        "same files, packages and kind of device"
    )
