"""The models behind the pools of a calibration: one that is asked once, and a table that leans in many ways."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tiltmeter.models import Model, as_predictor
from tiltmeter.models.scripted import OTHER, ScriptedModel
from tiltmeter.records import ModelFacts, NextWords, Span, TokenScores
from tiltmeter.sources import natural, profession_templates

_SAID = (
    *("claimed", "knew", "thought", "hoped", "explained", "believed", "insisted", "complained", "announced"),
    *("promised", "feared", "remembered", "replied", "admitted", "noticed"),
)
_DID = (
    *("smiled", "left early", "waited", "sang", "paused", "apologised", "resigned", "was late", "was tired"),
    *("was nervous", "was praised", "called home", "worked hard", "took a break", "stood up", "won a prize"),
)
TEMPLATES = (
    *profession_templates.TEMPLATES,
    *(f"The [A] {verb} that" for verb in _SAID),
    *(f"The [A] {verb} because" for verb in _DID),
)
"""The seventeen and more of our own in their manner, so that there is something to draw templates from."""

_GROUPS = {"he": 2.0, "she": 1.0, "man": 1.0, "woman": 1.0, "father": 1.0, "mother": 1.0, "dad": 1.0, "mom": 1.0}

_PRONOUNS = ("he", "she")

_ScoreKey = tuple[str, str | None, tuple[Span, ...]]
_WordKey = tuple[str, tuple[str, ...], bool, bool | None]


class Remembering:
    """A model that is asked the same thing once.

    >>> from tiltmeter.models import load
    >>> model = Remembering(load("scripted"))
    >>> model.score(["She ran"]) == model.score(["She ran"])
    True
    """

    def __init__(self, inner: Model) -> None:
        self._inner = inner
        self._scores: dict[_ScoreKey, TokenScores] = {}
        self._words: dict[_WordKey, NextWords] = {}
        self.facts: ModelFacts = inner.facts
        self.conditionings = inner.conditionings

    def score(
        self, texts: Sequence[str], *, conditioning: str | None = None, spans: Sequence[tuple[Span, ...]] | None = None
    ) -> list[TokenScores]:
        """The scores of the model."""
        placed = [()] * len(texts) if spans is None else [tuple(each) for each in spans]
        keys: list[_ScoreKey] = [(text, conditioning, at) for text, at in zip(texts, placed, strict=True)]
        new = [key for key in dict.fromkeys(keys) if key not in self._scores]
        if new:
            looked_at = None if spans is None else [key[2] for key in new]
            found = self._inner.score([key[0] for key in new], conditioning=conditioning, spans=looked_at)
            self._scores |= zip(new, found, strict=True)
        return [self._scores[key] for key in keys]

    def next_words(
        self,
        prompts: Sequence[str],
        words: Sequence[str] | Sequence[Sequence[str]],
        *,
        bounded: bool = False,
        capitalised: bool | None = None,
        hidden: Sequence[Sequence[Span]] | None = None,
    ) -> list[NextWords]:
        """The chances of the model; nothing may be hidden from it."""
        if hidden is not None and any(hidden):
            raise ValueError("answers to prompts with hidden words are not remembered")
        asked = [words] * len(prompts) if isinstance(words[0], str) else words
        keys: list[_WordKey] = [
            (prompt, tuple(map(str, each)), bounded, capitalised) for prompt, each in zip(prompts, asked, strict=True)
        ]
        new = [key for key in dict.fromkeys(keys) if key not in self._words]
        if new:
            found = as_predictor(self._inner).next_words(
                [key[0] for key in new], [key[1] for key in new], bounded=bounded, capitalised=capitalised
            )
            self._words |= zip(new, found, strict=True)
        return [self._words[key] for key in keys]


def table_model(*, professions: bool = False) -> ScriptedModel:
    """A table in which professions and templates lean in many ways: the built-in one knows two professions.

    With `professions` it expects professions after groups, as pairs need it; else only groups after professions. (A
    table takes a time that grows with its words, so one for both would be slow.)

    >>> table_model().facts.name
    'scripted'
    """
    chance = np.random.default_rng(7)
    words = sorted({word for name in natural.professions() for word in re.findall(r"\w+", name.casefold())})
    words = [word for word in words if word not in _GROUPS and word != OTHER]
    # A few professions lean far, as in real models: a gamma distribution has a long tail.
    if professions:
        leaning = {group: {word: float(chance.gamma(2.0, 0.4)) for word in words} for group in _GROUPS}
        return ScriptedModel(_GROUPS | dict.fromkeys(words, 1.0) | {OTHER: 300.0}, leaning)
    leaning = {word: {group: float(chance.gamma(2.0, 0.4)) for group in _PRONOUNS} for word in words}
    verbs = sorted({word.casefold() for template in TEMPLATES for word in re.findall(r"\w+", template)} - {*words})
    leaning |= {verb: {group: float(chance.normal(0.0, 0.3)) for group in _PRONOUNS} for verb in verbs}
    return ScriptedModel(dict.fromkeys(_PRONOUNS, 1.0) | {OTHER: 8.0}, leaning)
