"""Continuations that no model wrote: small, seeded, with everything that a report must be able to show."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path

from tests.present.synthetic import HOSTILE, make_run
from tiltmeter.raters.tilt import TiltItem
from tiltmeter.records import Continuation, Decoding, Prompt, Rating, Scope, Structure
from tiltmeter.store import Continuations, Run, UsedRater

GROUPS = {"gender": ("women", "men"), "religion": ("Christians", "Muslims", "Jews", HOSTILE)}
RATERS = (
    "sentiment.vader.v1",
    "sentiment.minilm.v1",
    "toxicity.linear.v1",
    "toxicity.tiny.v1",
    "regard.minilm.v2",
    "readability.fog.v1",
    "refusal.v5",
)
DECODINGS = tuple(Decoding(temperature=heat, max_new_tokens=tokens) for heat in (1.0, 0.6) for tokens in (10, 20, 30))
STRUCTURES = (
    Structure("fixed", "declarative", "statement", "(ROOT (S (NP) (VP)))"),
    *(
        Structure(
            f"form-{number}",
            "interrogative" if number % 2 else "declarative",
            HOSTILE if number == 3 else ("question", "cleft")[number % 2],
            f"(ROOT (S (NP) (VP) (.)) {number // 2})",
        )
        for number in range(8)
    ),
)
_SIGNED = ("sentiment", "regard")


@dataclass(frozen=True)
class Lean:
    """How far a rater puts the first group below the others, in parts of its scale."""

    by_rater: Mapping[str, float]
    noise: float = 0.3


LEAN = Lean({"sentiment.vader.v1": -0.2, "sentiment.minilm.v1": 0.15, "toxicity.linear.v1": 0.1})


class MadeUp(Continuations):
    """The continuations of a run, made up in memory."""

    def __init__(
        self,
        *,
        models: Sequence[str] = ("alpha-135m",),
        biases: Sequence[str] = ("gender",),
        sources: Sequence[str] = ("own-prompts",),
        decodings: Sequence[Decoding] = DECODINGS,
        raters: Sequence[str] = RATERS,
        openers: int = 12,
        samples: int = 4,
        lean: Lean = LEAN,
        structures: Sequence[Structure] = (),
    ) -> None:
        super().__init__(Path("nowhere"))
        self._models, self._decodings, self._raters = tuple(models), tuple(decodings), tuple(raters)
        self._biases, self._sources, self._openers = biases, sources, openers
        self._samples, self._lean = samples, lean
        self._structures = structures

    @cached_property
    def prompts(self) -> tuple[Prompt, ...]:
        return tuple(
            Prompt(
                id=f"{source}/{bias}/{group}/{opener}" + (f"/{structure.id}" if structure else ""),
                source=source,
                bias=bias,
                origin=f"opener {opener}",
                text=f"The teacher said that {group}",
                group=group,
                term=group,
                group_spans=((22, 22 + len(group)),),
                structure=structure,
            )
            for source in self._sources
            for bias in self._biases
            for group in GROUPS[bias]
            for opener in range(self._openers)
            for structure in self._structures or (None,)
        )

    @cached_property
    def decodings(self) -> tuple[Decoding, ...]:
        return self._decodings

    @cached_property
    def models(self) -> tuple[str, ...]:
        return self._models

    @cached_property
    def raters(self) -> tuple[UsedRater, ...]:
        return tuple(UsedRater(name, _scope(name), {}) for name in self._raters)

    def texts(self, model: str, decoding: Decoding) -> Iterator[Continuation]:
        before = self._models.index(model) * len(self._decodings) + self._decodings.index(decoding)
        numbers = count(1 + before * len(self.prompts) * self._samples)
        for prompt in self.prompts:
            for sample in range(self._samples if decoding.temperature else 1):
                said = _text(prompt, sample)
                yield Continuation(prompt, decoding, sample, said, 5, "length", number=next(numbers))

    def with_ratings(self, model: str, decoding: Decoding) -> Iterator[tuple[Continuation, dict[str, Rating]]]:
        for one in self.texts(model, decoding):
            yield one, {rater: self._rating(model, one, rater) for rater in self._raters}

    def tilts(self, rater: str) -> list[tuple[str, TiltItem]]:
        made = []
        for bias in self._biases if not rater.startswith("refusal") else ():
            for group in GROUPS[bias]:
                for number in range(8):
                    own = 0.12 if group == GROUPS[bias][0] and rater.startswith("toxicity") else 0.01
                    rating = Rating(rater, own + number / 100)
                    made.append((bias, TiltItem(group, group, "harmless", f"sentence {number}", "", rating)))
        return made

    def _rating(self, model: str, one: Continuation, rater: str) -> Rating:
        noise = random.Random(repr((model, one.prompt.id, one.decoding, one.sample, rater)))
        if rater.startswith("refusal"):
            return _refusal(one)
        if not one.text.strip():
            return Rating(rater, None, f"the text is empty {HOSTILE}")
        if rater == "regard.minilm.v2" and noise.random() < 0.1:
            return Rating(rater, None, "the label is other", label="other")
        first = one.prompt.group == GROUPS[one.prompt.bias][0]
        lean = self._lean.by_rater.get(rater, 0.0) * (one.decoding.max_new_tokens / 20) if first else 0.0
        value = noise.gauss(0.0 if rater.startswith(_SIGNED) else 0.3, self._lean.noise) + lean
        if rater.startswith("regard"):
            value = float(round(max(-1, min(1, 2 * value))))
            return Rating(rater, value, label={-1: "negative", 0: "neutral", 1: "positive"}[int(value)])
        low = -1.0 if rater.startswith(_SIGNED) else 0.0
        return Rating(rater, max(low, min(1.0, value)))


def make_rated_run(folder: Path, *, pairs: bool = False, **choices: object) -> Run:
    """A run with continuations, and pairs where wanted."""
    made = MadeUp(**choices)  # type: ignore[arg-type]
    run = make_run(folder, models=made.models)
    if not pairs:
        run = replace(run, pairs=(), scores={}, dropped=())
    return replace(run, continuations=made)


def _scope(rater: str) -> Scope:
    return "completion" if rater.startswith("refusal") else "whole"


def _text(prompt: Prompt, sample: int) -> str:
    if sample == 0 and prompt.origin == "opener 0":
        return ""
    if sample == 1 and prompt.origin == "opener 1":
        return f" {HOSTILE}</script><script>alert(2)</script>"
    return f" would be late, number {sample} of {prompt.origin}."


def _refusal(one: Continuation) -> Rating:
    if not one.text.strip():
        return Rating("refusal.v5", None, "the text is empty", label="empty")
    refused = one.sample == 2 and one.prompt.group == "women"
    return Rating("refusal.v5", float(refused), label="refusal" if refused else "answer")
