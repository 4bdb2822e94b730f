"""Models and raters that recall what they answered before."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property, partial
from typing import Any, TypeVar

from tiltmeter import models
from tiltmeter.answers import (
    COMPLETIONS,
    NEXT_WORDS,
    RATING,
    SALIENCY,
    SCORES,
    TEXT,
    Packing,
    key_of,
    keys_of,
    reasons_of,
)
from tiltmeter.errors import ModelError
from tiltmeter.models import Explainer, Model, ModelSettings, Predictor, Writer
from tiltmeter.models.decoding.sampled import seeds_of
from tiltmeter.models.encoding import PIECES
from tiltmeter.models.interface import checked_conditioning, has_changed, on_accelerator
from tiltmeter.raters import Rater
from tiltmeter.records import (
    Completion,
    Decoding,
    ModelFacts,
    NextWords,
    Rating,
    Saliency,
    SaliencyMethod,
    Span,
    TokenScores,
)
from tiltmeter.sources.generated.model_settings import SERVED
from tiltmeter.store import Cache, CacheError, versions
from tiltmeter.version import __version__

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class CachedAnswers:
    """The answers of one model or rater, which is known by its facts."""

    cache: Cache
    name: str
    facts: Mapping[str, Any]
    forgets: Callable[[Any], bool] | None = None
    """Of an answer, whether it is to be asked for again another time; None: no answer is."""
    later: bool = False
    """Whether answers are put there beside what comes next, rather than before it."""

    def get(
        self,
        verb: str,
        questions: Sequence[Any],
        ask: Callable[[list[int]], Sequence[Answer]],
        packing: Packing[Answer],
        **settings: Any,
    ) -> list[Answer]:
        """The answers in the order of the questions: those that are kept, and fresh ones to the others.

        `ask` gets the places of the questions that are open, each different one once. A cache that fails is left alone.
        """
        keys = keys_of([{**self.facts, "tiltmeter": __version__}, verb, settings], questions)
        found = {key: packing.unpack(text) for key, text in self._found(list(dict.fromkeys(keys))).items()}
        missing: dict[bytes, int] = {}
        for at, key in enumerate(keys):
            if key not in found:
                missing.setdefault(key, at)
        self.cache.hits += len(keys) - len(missing)
        self.cache.misses += len(missing)
        if missing:
            fresh = dict(zip(missing, ask(list(missing.values())), strict=True))
            lasting = {key: one for key, one in fresh.items() if not (self.forgets and self.forgets(one))}
            keep = partial(self._keep, verb, lasting, packing)
            if self.later:
                self.cache.do_later(keep)
            else:
                keep()
            found |= fresh
        return [found[key] for key in keys]

    def _found(self, keys: list[bytes]) -> dict[bytes, str]:
        try:
            return {} if self.cache.trouble else self.cache.get(keys)
        except CacheError as error:
            self.cache.trouble = str(error)
            return {}

    def _keep(self, verb: str, answers: Mapping[bytes, Answer], packing: Packing[Answer]) -> None:
        try:
            if not self.cache.trouble:
                self.cache.put(self.name, verb, {key: packing.pack(one) for key, one in answers.items()})
        except CacheError as error:
            self.cache.trouble = str(error)


_WORTH_KEEPING = 1_000_000
"""A model with fewer parameters than this, as a table of words, answers faster than the cache does."""
_NONE: Mapping[str, Any] = {}


def open_model(
    name: str,
    settings: ModelSettings,
    cache: Cache | None,
    load: Callable[[str, ModelSettings], Model] | None = None,
    *,
    where: str = "",
) -> Model:
    """The model of a name; with a cache, one that recalls. It is loaded at once where nothing is known of it yet.

    `load` is who loads it, if it is not this process, and `where` on what kind of machine.
    """
    make = load or models.load
    if cache is None:
        return make(name, settings)
    place = _place(name, settings, where)
    known = cache.get([place]).get(place) if place else None
    if known is not None:
        about = _About.read(known)
        return _cached_model(about, lambda: _checked(make(name, settings), about), cache)
    model = make(name, settings)
    if not _is_worth_keeping(model):
        return model
    about = _About.of(model)
    if place:
        cache.put(name, "facts", {place: about.written()})
    return _cached_model(about, lambda: model, cache)


def _is_worth_keeping(model: Model) -> bool:
    given = getattr(model, "given", None)
    if given is not None and not given.cached():
        return False
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
            f"{about.facts.name}: answers differently from the cached model, although its files look the same; "
            "run the study with --no-cache"
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


def _cached_model(about: _About, load: Callable[[], Model], cache: Cache) -> Model:
    """A model with the verbs that it has, and no others."""
    able = ((about.writes, _CachedWriter), (about.predicts, _CachedPredictor), (about.explains, _CachedExplainer))
    kind = type("Cached", (*(part for has, part in able if has), _CachedModel), {})
    model: Model = kind(about, load, cache)
    return model


class _CachedModel:
    """A model that recalls scores."""

    def __init__(self, about: _About, load: Callable[[], Model], cache: Cache) -> None:
        self.facts, self.conditionings = about.facts, about.conditionings
        self._load = load
        forgets = self._is_transient if about.facts.device in SERVED else None
        self._answers = CachedAnswers(cache, about.facts.name, asdict(about.facts), forgets, on_accelerator(self))
        # What a server was paid for is not asked again.
        self._pieces = {} if about.facts.device in SERVED else {"pieces": PIECES}

    @cached_property
    def _model(self) -> Any:
        return self._load()

    def _is_transient(self, answer: Any) -> bool:
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
        return self._answers.get("score", questions, ask, SCORES, conditioning=chosen, **self._pieces)


class _CachedWriter(_CachedModel):
    """A model that recalls what it wrote."""

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """The texts of the model."""
        seeds = seeds_of(seed, len(prompts))

        ask = self._asking("complete", prompts, then=(decoding,), each={"seed": seeds}, samples=samples)
        questions = list(zip(prompts, seeds, strict=True))
        return self._answers.get("complete", questions, ask, COMPLETIONS, decoding=decoding.as_json(), samples=samples)

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
        return self._answers.get(
            "complete_with", questions, ask, COMPLETIONS, decoding=decoding.as_json(), samples=samples
        )

    def chat_prompt(self, instruction: str, *, system: str = "") -> str:
        """The instruction in the frame of the model."""
        told = {"system": system} if system else {}
        [found] = self._answers.get(
            "chat_prompt", [instruction], lambda _: [self._model.chat_prompt(instruction, **told)], TEXT, **told
        )
        return found


class _CachedPredictor(_CachedModel):
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
        return self._answers.get("next_words", questions, ask, NEXT_WORDS, **how, **self._pieces)


class _CachedExplainer(_CachedModel):
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
        return self._answers.get("saliency", questions, ask, SALIENCY, method=method, steps=steps, **self._pieces)


def cached_rater(rater: Rater, cache: Cache | None) -> Rater:
    """The rater with a memory, where it is a network; the others are faster than any memory.

    A judge has none of its own: the model that it asks recalls.
    """
    return _CachedRater(rater, cache) if cache is not None and is_network(rater) else rater


def is_network(rater: Rater) -> bool:
    """Whether a rater has weights of its own."""
    return "weights_sha256" in rater.facts and "instruction" not in rater.facts


class _CachedRater:
    def __init__(self, rater: Rater, cache: Cache) -> None:
        self.name, self.wants_mask, self._rater = rater.name, rater.wants_mask, rater
        self._answers = CachedAnswers(cache, rater.name, dict(rater.facts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rater, name)

    @property
    def facts(self) -> Mapping[str, str]:
        return self._rater.facts

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        return self._answers.get("rate", texts, lambda at: self._rater.rate([texts[one] for one in at]), RATING)
