"""Next words that no model gave: small, seeded, with everything that a report must be able to show."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path

from tests.present.synthetic import HOSTILE, make_run
from tiltmeter.records import NextWord, NextWords, Prompt, Saliency
from tiltmeter.sources.labour_files import Occupation
from tiltmeter.sources.perturbations import DEFAULTS, OF_PROMPTS, PERTURBATIONS, default_prompts, perturb
from tiltmeter.sources.word_sets import BUILT_IN, WordSets
from tiltmeter.store import AskedPrompt, Expectations, Run
from tiltmeter.study.planning import DEFAULT_SOURCE

PROFESSIONS = (HOSTILE, *(f"profession {number}" for number in range(11)))
TEMPLATES = tuple(f"The [A] {verb} that" for verb in ("said", "wished", "yelled", "whispered", "wrote", f"{HOSTILE}"))
Chance = Callable[[str, str, str], float]
"""The chance of a word, given the profession and the perturbation."""


def toward_he(lean: float, habit: float) -> Chance:
    """Log odds of *he* and its like that the profession and the habit add up to; even where both are zero."""

    def chance(word: str, profession: str, perturbation: str) -> float:
        own = 0.0 if perturbation in ("person", "deleted", "hidden", *DEFAULTS) else lean
        size = own + habit + {"man": 3.0, "woman": -3.0}.get(perturbation, 0.0)
        male, female = ("he", "his", "him"), ("she", "her", "hers")
        return 0.05 * math.exp(size / 2 if word in male else -size / 2 if word in female else 0.0)

    return chance


class MadeUp(Expectations):
    """The next words of a run, made up in memory."""

    def __init__(
        self,
        sets: WordSets,
        chance: Chance,
        *,
        models: Sequence[str] = ("alpha-135m",),
        sources: Mapping[str, str] | None = None,
        professions: Sequence[str] = PROFESSIONS,
        perturbations: Sequence[str] = PERTURBATIONS,
        saliency: bool = True,
        unfinished: bool = False,
        noise: float = 0.3,
    ) -> None:
        super().__init__(Path("nowhere"))
        self._sets, self._chance, self._models = sets, chance, tuple(models)
        self._sources = sources or {"templates": "template", "natural": "authored"}
        self._professions, self._perturbations = professions, perturbations
        self._saliency, self._unfinished, self._noise = saliency, unfinished, noise

    @cached_property
    def asked(self) -> tuple[AskedPrompt, ...]:
        prompts = [prompt for source, status in self._sources.items() for prompt in self._prompts(source, status)]
        made = [perturb(one, name) for one in prompts for name in self._perturbations if name in OF_PROMPTS]
        for name in self._perturbations:
            if name in DEFAULTS:
                made += [
                    replace(perturb(replace(one, source=DEFAULT_SOURCE), "original"), perturbation=name)
                    for one in default_prompts(name, prompts[0])
                ]
        numbers = iter(range(len(made)))
        return tuple(AskedPrompt(one, None if one.unscored else next(numbers)) for one in made)

    def _prompts(self, source: str, status: str) -> list[Prompt]:
        templates = TEMPLATES if status == "template" else ("A [A] is a person who works there, where",)
        made = []
        for number, profession in enumerate(self._professions):
            for place, template in enumerate(templates):
                text = template.replace("[A]", profession, 1)
                start = template.index("[A]")
                # One prompt of natural sentences does not say where its profession stands.
                unsaid = status != "template" and number == 1
                made.append(
                    Prompt(
                        id=f"{source}/{number}/{place}",
                        source=source,
                        bias="professions",
                        origin=profession,
                        text=text,
                        word_sets=self._sets,
                        template=template if status == "template" else f"{source} {number}",
                        subject_spans=() if unsaid else ((start, start + len(profession)),),
                        status=status,  # type: ignore[arg-type]
                    )
                )
        return made

    @cached_property
    def models(self) -> tuple[str, ...]:
        return self._models

    @cached_property
    def complete(self) -> bool:
        return not self._unfinished

    def answers(self, model: str, *, bounded: bool) -> Mapping[int, NextWords]:
        found = {one.question: self._answer(model, one, bounded) for one in self.asked if one.question is not None}
        return dict(list(found.items())[: len(found) // 2]) if self._unfinished else found

    def _answer(self, model: str, one: AskedPrompt, bounded: bool) -> NextWords:
        prompt, name = one.asked.prompt, one.asked.perturbation
        noise = random.Random(repr((model, prompt.id, name)))
        words = []
        for word in dict.fromkeys(word for _, listed in self._sets for word in listed):
            chance = self._chance(word, prompt.origin, name) * math.exp(noise.gauss(0, self._noise))
            if word == "theirs" and prompt.origin.endswith("3"):
                words.append(NextWord(word, None, f"cannot be joined {HOSTILE}"))
            else:
                words.append(NextWord(word, math.log(chance * (0.9 if bounded else 1.0))))
        highest = noise.uniform(0.2, 0.4)
        return NextWords(tuple(words), highest, highest / 2)

    def saliencies(self, model: str) -> Mapping[int, Saliency]:
        if not self._saliency:
            return {}
        return {
            one.question: _saliency(one.asked.prompt.text)
            for one in self.asked
            if one.question is not None and one.asked.perturbation == "original"
        }


def make_asked_run(
    folder: Path,
    *,
    words: Mapping[str, WordSets] | None = None,
    chance: Chance | None = None,
    models: Sequence[str] = ("alpha-135m",),
    bounded: Sequence[bool] = (False,),
    combine: Sequence[str] = ("sum",),
    labour: Sequence[Occupation] = (),
    silent: Sequence[str] = (),
    perturbations: Sequence[str] = PERTURBATIONS,
    study: str = "next words",
    sources: Mapping[str, str] | None = None,
    professions: Sequence[str] = PROFESSIONS,
    saliency: bool = True,
    unfinished: bool = False,
    noise: float = 0.3,
) -> Run:
    """A run whose models expect words as `chance` says, with noise; `silent` are models without answers."""
    chosen = words or {"pronouns": BUILT_IN["pronouns"]}
    every: dict[str, dict[str, None]] = {}
    for sets in chosen.values():
        for group, listed in sets:
            every.setdefault(group, {}).update(dict.fromkeys(listed))
    asked = MadeUp(
        tuple((group, tuple(listed)) for group, listed in every.items()),
        chance or toward_he(1.0, 0.5),
        models=models,
        sources=sources,
        professions=professions,
        perturbations=perturbations,
        saliency=saliency,
        unfinished=unfinished,
        noise=noise,
    )
    plain = make_run(folder, tilts=(), models=(*models, *silent), scorers=(), study=study)
    resolved = {
        **plain.meta["resolved"],
        "next_words": {
            "sources": [
                {"name": f"{name}.v1", "path": None, "options": {}, "label": name, "sha256": {}}
                for name in dict.fromkeys(one.asked.prompt.source for one in asked.asked)
            ],
            "words": [
                {"label": label, "sets": [[group, list(own)] for group, own in sets]} for label, sets in chosen.items()
            ],
            "perturbations": list(perturbations),
            "bounded": list(bounded),
            "combine": list(combine),
            "saliency": "integrated-gradients" if saliency else None,
            "labour": [asdict(one) for one in labour],
            "labour_match": "name",
        },
    }
    return replace(plain, meta={**plain.meta, "resolved": resolved}, dropped=(), next_words=asked)


def _saliency(text: str) -> Saliency:
    """A token for each word, the second the most salient."""
    spans, start = [], 0
    for word in text.split(" "):
        spans.append((start, start + len(word)))
        start += len(word) + 1
    sizes = tuple(4.0 if place == 1 else 1.0 for place in range(len(spans)))
    return Saliency("he", "integrated-gradients", tuple(spans), sizes, sizes, residue=0.02)
