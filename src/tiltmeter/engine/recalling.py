"""Models that answer from the cache what they answered before, and are loaded when something else is asked.

An answer is kept by all that it depends on: the facts of the model (name, revision, hashes, device, number format,
versions), the verb with its settings, the text and the seed. What a model behind an API could not answer is not kept:
it may answer another time.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from tiltmeter import models
from tiltmeter.engine.memory import Memory
from tiltmeter.errors import ModelError
from tiltmeter.models import Explainer, Model, ModelSettings, Predictor, Writer
from tiltmeter.models.encoding import PIECES
from tiltmeter.models.interface import checked_conditioning, has_changed
from tiltmeter.models.writing.drafts import seeds_of
from tiltmeter.records import (
    Completion,
    Decoding,
    ModelFacts,
    NextWords,
    Saliency,
    SaliencyMethod,
    Span,
    TokenScores,
)
from tiltmeter.sources.generated.fitting import SERVED
from tiltmeter.store import KeptAnswers, key_of, versions
from tiltmeter.store.answers import reasons_of
from tiltmeter.store.packing import COMPLETIONS, NEXT_WORDS, SALIENCY, SCORES, TEXT

_WORTH_KEEPING = 1_000_000
"""A model with fewer parameters than this, as a table of words, answers faster than the cache does."""
_NONE: Mapping[str, Any] = {}


def open_model(
    name: str,
    settings: ModelSettings,
    kept: KeptAnswers | None,
    load: Callable[[str, ModelSettings], Model] | None = None,
    *,
    where: str = "",
) -> Model:
    """The model of a name; with a cache, one that recalls. It is loaded at once where nothing is known of it yet.

    `load` is who loads it, if it is not this process, and `where` on what kind of machine.
    """
    make = load or models.load
    if kept is None:
        return make(name, settings)
    place = _place(name, settings, where)
    known = kept.found([place]).get(place) if place else None
    if known is not None:
        about = _About.read(known)
        return _recalling(about, lambda: _checked(make(name, settings), about), kept)
    model = make(name, settings)
    if not _is_worth_keeping(model):
        return model
    about = _About.of(model)
    if place:
        kept.keep(name, "facts", {place: about.written()})
    return _recalling(about, lambda: model, kept)


def _is_worth_keeping(model: Model) -> bool:
    return model.facts.parameters is None or model.facts.parameters >= _WORTH_KEEPING


def _place(name: str, settings: ModelSettings, where: str) -> bytes | None:
    """Under what the facts of a model are kept: its files by content, how it is run, where, and by what."""
    found = models.identity_of(name)
    if found is None:
        return None
    how = {"device": settings.device, "dtype": settings.dtype, "node": platform.node(), "where": where, **versions()}
    # A later version may know more facts than those that are kept.
    return key_of(how, "facts", [name, found, [fact.name for fact in fields(ModelFacts)]])


def _checked(model: Model, about: _About) -> Model:
    """The model, if it is what the cache knows of it."""
    if _About.of(model) != about:
        raise ModelError(
            f"{about.facts.name}: is not what it was when the cache last saw it, although its files look the same; "
            "carry out the study with --no-cache"
        )
    return model


@dataclass(frozen=True, slots=True)
class _About:
    """What must be known of a model to ask the cache in its place."""

    facts: ModelFacts
    conditionings: tuple[str, ...]
    writes: bool
    predicts: bool
    explains: bool

    @classmethod
    def of(cls, model: Model) -> _About:
        able = (isinstance(model, kind) for kind in (Writer, Predictor, Explainer))
        return cls(model.facts, tuple(model.conditionings), *able)

    @classmethod
    def read(cls, text: str) -> _About:
        given = json.loads(text)
        return cls(ModelFacts(**given.pop("facts")), tuple(given.pop("conditionings")), **given)

    def written(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


def _recalling(about: _About, load: Callable[[], Model], kept: KeptAnswers) -> Model:
    """A model with the verbs that it has, and no others."""
    able = ((about.writes, _Writing), (about.predicts, _Predicting), (about.explains, _Explaining))
    kind = type("Recalling", (*(part for has, part in able if has), _Recalling), {})
    model: Model = kind(about, load, kept)
    return model


class _Recalling:
    """A model that recalls scores."""

    def __init__(self, about: _About, load: Callable[[], Model], kept: KeptAnswers) -> None:
        self.facts, self.conditionings = about.facts, about.conditionings
        self._load = load
        forgets = self._is_passing if about.facts.device in SERVED else None
        self._memory = Memory(kept, about.facts.name, asdict(about.facts), forgets)
        # What a server was paid for is not asked again.
        self._pieces = {} if about.facts.device in SERVED else {"pieces": PIECES}

    @cached_property
    def _model(self) -> Any:
        return self._load()

    def _is_passing(self, answer: Any) -> bool:
        """Whether an answer is not to be kept: a server that fails may do better later, or has become another model."""
        every = answer if isinstance(answer, list) else () if isinstance(answer, str) else [answer]
        return any(map(reasons_of, every)) or has_changed(self._model)

    def _asking(
        self, verb: str, *given: Any, then: Sequence[Any] = (), each: Mapping[str, Any] = _NONE, **settings: Any
    ) -> Callable[[Sequence[int]], list[Any]]:
        """What asks the model about some places; `given`, and `each` if it is not None, have a part for every place."""

        def ask(at: Sequence[int]) -> list[Any]:
            parts = {name: None if every is None else [every[one] for one in at] for name, every in each.items()}
            listed = ([every[one] for one in at] for every in given)
            found: list[Any] = getattr(self._model, verb)(*listed, *then, **parts, **settings)
            return found

        return ask

    def score(
        self, texts: Sequence[str], *, conditioning: str | None = None, spans: Sequence[tuple[Span, ...]] | None = None
    ) -> list[TokenScores]:
        """The scores of the model."""
        if conditioning not in (None, *self.conditionings):
            # What to do about it, the model itself may know better.
            self._model.score([], conditioning=conditioning)
        chosen = checked_conditioning(self, conditioning)
        places = spans if spans is not None else [()] * len(texts)

        ask = self._asking("score", texts, each={"spans": spans}, conditioning=chosen)
        questions = list(zip(texts, places, strict=True))
        return self._memory.recall("score", questions, ask, SCORES, conditioning=chosen, **self._pieces)


class _Writing(_Recalling):
    """A model that recalls what it wrote."""

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """The texts of the model."""
        seeds = seeds_of(seed, len(prompts))

        ask = self._asking("complete", prompts, then=(decoding,), each={"seed": seeds}, samples=samples)
        questions = list(zip(prompts, seeds, strict=True))
        return self._memory.recall("complete", questions, ask, COMPLETIONS, decoding=asdict(decoding), samples=samples)

    def complete_with(
        self,
        prompts: Sequence[str],
        must_have: Sequence[Sequence[str]],
        decoding: Decoding,
        *,
        samples: int = 1,
        seed: int | Sequence[int] = 0,
    ) -> list[list[Completion]]:
        """The texts of the model that have certain words."""
        seeds = seeds_of(seed, len(prompts))

        ask = self._asking("complete_with", prompts, must_have, then=(decoding,), each={"seed": seeds}, samples=samples)
        questions = [(prompt, list(words), one) for prompt, words, one in zip(prompts, must_have, seeds, strict=True)]
        return self._memory.recall(
            "complete_with", questions, ask, COMPLETIONS, decoding=asdict(decoding), samples=samples
        )

    def chat_prompt(self, instruction: str) -> str:
        """The instruction in the frame of the model."""
        [found] = self._memory.recall(
            "chat_prompt", [instruction], lambda _: [self._model.chat_prompt(instruction)], TEXT
        )
        return found


class _Predicting(_Recalling):
    """A model that recalls what it expected."""

    def next_words(
        self,
        prompts: Sequence[str],
        words: Sequence[str] | Sequence[Sequence[str]],
        *,
        bounded: bool = False,
        capitalised: bool | None = None,
        hidden: Sequence[Sequence[Span]] | None = None,
    ) -> list[NextWords]:
        """The probabilities of the model."""
        same = all(isinstance(word, str) for word in words)
        asked: list[Sequence[str]] = [words] * len(prompts) if same else list(words)  # type: ignore[list-item]
        unseen = hidden if hidden is not None else [()] * len(prompts)

        questions = [(prompt, list(one), list(span)) for prompt, one, span in zip(prompts, asked, unseen, strict=True)]
        how: dict[str, Any] = {"bounded": bounded, "capitalised": capitalised}
        ask = self._asking("next_words", prompts, asked, each={"hidden": hidden}, **how)
        return self._memory.recall("next_words", questions, ask, NEXT_WORDS, **how, **self._pieces)


class _Explaining(_Recalling):
    """A model that recalls its gradients."""

    def saliency(
        self,
        prompts: Sequence[str],
        words: Sequence[str],
        *,
        method: SaliencyMethod = "gradient-x-input",
        steps: int = 64,
    ) -> list[Saliency]:
        """The saliencies of the model."""
        ask = self._asking("saliency", prompts, words, method=method, steps=steps)
        questions = list(zip(prompts, words, strict=True))
        return self._memory.recall("saliency", questions, ask, SALIENCY, method=method, steps=steps, **self._pieces)
