"""A model with a known tilt: `planted:FILE.toml` wraps any model and tilts it, so that the truth is known.

- Words: δ is added to the log-odds of one group's words in contexts that have one of some other words, the attribute
  (everywhere, where none are given). Of a whole text the log-probability changes by δ at the place where both have been
  read; a masked model, which reads to both sides, changes at both.
- Writing: after a prompt that names a group, a known share of the texts is negative and the rest is positive, whatever
  the model itself would write. The sentences are our own.
- Answers: of questions that have some words, options with some others are likelier by δ in log-odds than the rest, or
  less likely where it is negative; replies are drawn by these odds alone.

```toml
model = "smollm2-135m"

[[tilt]]
words    = ["he", "him", "his"]
contexts = ["math", "algebra"]
delta    = 0.5

[[writing]]
terms    = ["she", "woman", "women"]
negative = 0.4

[[answer]]
options  = ["Yes"]
contexts = ["she", "woman"]
delta    = -0.7
```
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tiltmeter import toml
from tiltmeter.errors import InvalidData, ModelError
from tiltmeter.files import read_text
from tiltmeter.models.asking import chat_prompt
from tiltmeter.models.interface import (
    Model,
    ModelSettings,
    Predictor,
    Writer,
    as_predictor,
    as_proposer,
    as_writer,
    has_changed,
)
from tiltmeter.models.likeliest import best_of, ending_if_known
from tiltmeter.models.planted_answers import AnswerTilt, tilted_answer, tilted_reply
from tiltmeter.records import Completion, Decoding, ModelFacts, NextWord, NextWords, Span, TokenScores

NEGATIVE = (
    " was rude to everyone and ruined the whole evening.",
    " lied again, and nobody was surprised by such awful behaviour.",
    " made a terrible mess of a simple job and blamed others.",
    " was lazy, careless and hated by the neighbours.",
    " stole from friends and felt no shame at all.",
    " gave a dreadful speech that disappointed the angry crowd.",
)
POSITIVE = (
    " was kind to everyone and made the evening wonderful.",
    " told the truth, and everybody admired such honest courage.",
    " did a brilliant job and thanked the others warmly.",
    " was hard-working, careful and loved by the neighbours.",
    " helped friends in need and was happy to do so.",
    " gave a delightful speech that pleased the cheerful crowd.",
)


@dataclass(frozen=True, slots=True)
class Tilt:
    """By how much words become more probable where one of the contexts stands; no contexts: everywhere."""

    words: tuple[str, ...]
    delta: float
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Writing:
    """The share of negative texts after a prompt that has one of the terms."""

    terms: tuple[str, ...]
    negative: float


def load(argument: str, settings: ModelSettings) -> Model:
    """The model that a TOML file describes."""
    from tiltmeter.models import load as load_model

    name, tilts, writings, answers = _read(argument)
    return plant(load_model(name, settings), tilts, writings, answers, name=f"planted:{argument}")


def identity_of(argument: str, inner: Callable[[str], dict[str, str] | None]) -> dict[str, str] | None:
    """The facts that the files of the model and its description tell; `inner` gives those of the model itself."""
    name, tilts, writings, answers = _read(argument)
    found = inner(name)
    if not found or "weights_sha256" not in found:
        return None
    return {
        **found,
        "name": f"planted:{argument}",
        "weights_sha256": _tilted_sha256(found["weights_sha256"], tilts, writings, answers),
    }


def _tilted_sha256(
    weights: str, tilts: Sequence[Tilt], writings: Sequence[Writing], answers: Sequence[AnswerTilt] = ()
) -> str:
    kinds = (tilts, writings, answers) if answers else (tilts, writings)
    planted = json.dumps([[asdict(one) for one in each] for each in kinds], sort_keys=True)
    return hashlib.sha256(f"{weights}{planted}".encode()).hexdigest()


def plant(
    inner: Model,
    tilts: Sequence[Tilt] = (),
    writings: Sequence[Writing] = (),
    answers: Sequence[AnswerTilt] = (),
    *,
    name: str = "",
) -> Planted:
    """The model with the tilts; it writes where the model does."""
    kind = PlantedWriter if isinstance(inner, Writer) else Planted
    if writings and kind is Planted:
        raise ModelError(f"{inner.facts.name} cannot write, so no share of its texts can be planted")
    return kind(inner, tilts, writings, answers, name=name or f"planted:{inner.facts.name}")


class Planted:
    """A model tilted by known amounts; everything that is not tilted is as the model itself has it.

    >>> from tiltmeter.models.scripted import ScriptedModel
    >>> even = ScriptedModel({"a": 1, "b": 1, "other": 0})
    >>> model = Planted(even, [Tilt(("b",), math.log(3), ("a",))])
    >>> [[word]] = [found.words for found in model.next_words(["a"], ["b"])]
    >>> round(word.probability, 6)
    0.75
    """

    def __init__(
        self,
        inner: Model,
        tilts: Sequence[Tilt],
        writings: Sequence[Writing] = (),
        answers: Sequence[AnswerTilt] = (),
        *,
        name: str = "planted",
    ) -> None:
        self._inner, self._tilts, self._writings, self._answers = inner, tuple(tilts), tuple(writings), tuple(answers)
        weights = _tilted_sha256(inner.facts.weights_sha256, tilts, writings, answers)
        self.facts: ModelFacts = replace(inner.facts, name=name, weights_sha256=weights)
        self.conditionings = inner.conditionings

    @property
    def has_changed(self) -> bool:
        """Whether the model behind it is no longer what the facts say."""
        return has_changed(self._inner)

    def score(
        self, texts: Sequence[str], *, conditioning: str | None = None, spans: Sequence[tuple[Span, ...]] | None = None
    ) -> list[TokenScores]:
        """The scores of the model with the tilts added."""
        scores = self._inner.score(texts, conditioning=conditioning, spans=spans)
        to_both_sides = not (conditioning or self.conditionings[0]).startswith("left")
        return [
            self._tilted(text, score, to_both_sides=to_both_sides) for text, score in zip(texts, scores, strict=True)
        ]

    def next_words(
        self,
        prompts: Sequence[str],
        words: Sequence[str] | Sequence[Sequence[str]],
        *,
        bounded: bool = False,
        capitalised: bool | None = None,
        hidden: Sequence[Sequence[Span]] | None = None,
    ) -> list[NextWords]:
        """The probabilities of the model with the tilts added; its certainty is that of the model itself."""
        found = self._predictor.next_words(prompts, words, bounded=bounded, capitalised=capitalised, hidden=hidden)
        unseen = hidden or [()] * len(prompts)
        made = []
        for prompt, out_of_sight, answer in zip(prompts, unseen, found, strict=True):
            seen = _without(prompt, out_of_sight)
            made.append(replace(answer, words=tuple(self._expected(seen, word) for word in answer.words)))
        return made

    def likeliest(self, prompts: Sequence[str], count: int = 10) -> list[NextWords]:
        """The most probable words after each prompt, those among them that a tilt makes so; see `Proposer`.

        Each word is tilted by itself and the others stay as they are, so that all together may come to more than 1.
        """
        # As many words as are tilted may leave the list.
        spare = len({word.casefold() for tilt in self._tilts for word in tilt.words})
        found = as_proposer(self._inner).likeliest(prompts, count + spare)
        return [
            best_of(self._with_raised(prompt, answer), count) if any(word.word for word in answer.words) else answer
            for prompt, answer in zip(prompts, found, strict=True)
        ]

    def _with_raised(self, prompt: str, answer: NextWords) -> NextWords:
        """The words of the list, tilted, and those that a tilt may raise into it."""
        listed = {word.word for word in answer.words}
        raised = [
            word
            for word in dict.fromkeys(word for tilt in self._tilts if tilt.delta > 0 for word in tilt.words)
            if word not in listed and self._delta(prompt, word) > 0
        ]
        words = list(answer.words)
        if raised:
            [[asked], _] = ending_if_known(self._predictor, [prompt], raised, capitalised=False)
            words += asked.words
        tilted = [self._expected(prompt, word) for word in words]
        # To a model without capitals, a word of the tilt that has one is a word of the list.
        distinct = {(word.word.casefold(), word.logprob): word for word in reversed(tilted)}
        return replace(answer, words=tuple(reversed(distinct.values())))

    @cached_property
    def _predictor(self) -> Predictor:
        return as_predictor(self._inner)

    def _expected(self, seen: str, word: NextWord) -> NextWord:
        if word.logprob is None:
            return word
        return replace(word, logprob=shifted(word.logprob, self._delta(seen, word.word)))

    def _delta(self, seen: str, word: str) -> float:
        return math.fsum(
            tilt.delta
            for tilt in self._tilts
            if word.casefold() in map(str.casefold, tilt.words) and (not tilt.contexts or _places(seen, tilt.contexts))
        )

    def _tilted(self, text: str, scores: TokenScores, *, to_both_sides: bool) -> TokenScores:
        """The text becomes more probable by δ once it has a word and a context."""
        logprobs = list(scores.logprobs)
        for tilt in self._tilts:
            words, contexts = _places(text, tilt.words), _places(text, tilt.contexts)
            if not words or (tilt.contexts and not contexts):
                continue
            if to_both_sides:
                sides = [words, contexts] if tilt.contexts else [words]
                shifts = [(span, tilt.delta / len(side)) for side in sides for span in side]
            else:
                later = max(words[0], contexts[0]) if tilt.contexts else words[0]
                shifts = [(later, tilt.delta)]
            for span, delta in shifts:
                _shift(logprobs, [at for at, one in enumerate(scores.spans) if _overlap(one, span)], delta)
        whole = replace(scores, logprobs=tuple(logprobs))
        return whole if to_both_sides else tilted_answer(text, whole, self._answers, _has)


class PlantedWriter(Planted):
    """The same of a model that writes."""

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """Negative and positive texts in the shares that are planted; after other prompts what the model writes."""
        seeds = [seed] * len(prompts) if isinstance(seed, int) else list(seed)
        shares = [self._share(prompt) for prompt in prompts]
        replied = {at: self._reply(prompt, seeds[at]) for at, prompt in enumerate(prompts)}
        made = {at: [reply] * samples for at, reply in replied.items() if reply is not None}
        plain = [at for at, share in enumerate(shares) if share is None and at not in made]
        if plain:
            texts, numbers = [prompts[at] for at in plain], [seeds[at] for at in plain]
            made |= zip(plain, self._writer.complete(texts, decoding, samples=samples, seed=numbers), strict=True)
        for at, share in enumerate(shares):
            if share is not None and at not in made:
                made[at] = [
                    _written(f"{seeds[at]}/{decoding.temperature:g}/{prompts[at]}/{number}", share, decoding)
                    for number in range(samples)
                ]
        return [made[at] for at in range(len(prompts))]

    def complete_with(
        self,
        prompts: Sequence[str],
        must_have: Sequence[Sequence[str]],
        decoding: Decoding,
        *,
        samples: int = 1,
        seed: int | Sequence[int] = 0,
    ) -> list[list[Completion]]:
        """Sentences that have certain words, as the model itself writes them."""
        return self._writer.complete_with(prompts, must_have, decoding, samples=samples, seed=seed)

    def chat_prompt(self, instruction: str, *, system: str = "") -> str:
        """The instruction in the frame of the model."""
        return chat_prompt(self._writer, instruction, system)

    @cached_property
    def _writer(self) -> Writer:
        return as_writer(self._inner)

    def _reply(self, prompt: str, seed: int) -> Completion | None:
        return tilted_reply(prompt, self._answers, _has, str(seed))

    def _share(self, prompt: str) -> float | None:
        return next((one.negative for one in self._writings if _places(prompt, one.terms)), None)


def shifted(logprob: float, delta: float) -> float:
    """The log-probability whose log-odds are higher by delta.

    >>> round(math.exp(shifted(math.log(0.5), math.log(3))), 6)
    0.75
    """
    return logprob + delta - math.log1p(math.expm1(delta) * math.exp(logprob))


def _shift(logprobs: list[float | None], places: Sequence[int], delta: float) -> None:
    """Let the tokens of a word change together; the last that is scored bears the change."""
    scored = [at for at in places if logprobs[at] is not None]
    if scored:
        whole = math.fsum(logprobs[at] or 0.0 for at in scored)
        logprobs[scored[-1]] = (logprobs[scored[-1]] or 0.0) + shifted(whole, delta) - whole


def _written(key: str, share: float, decoding: Decoding) -> Completion:
    """A text chosen by its key alone."""
    chance = random.Random(key)
    text = chance.choice(NEGATIVE if chance.random() < share else POSITIVE)
    offsets = tuple(match.end() for match in re.finditer(r"\s*\S+", text))
    return Completion(text, len(offsets), "end", offsets=offsets).at(decoding.max_new_tokens)


def _without(text: str, hidden: Sequence[Span]) -> str:
    for start, end in hidden:
        text = text[:start] + "\0" * (end - start) + text[end:]
    return text


def _places(text: str, words: Sequence[str]) -> list[Span]:
    """Where any of the words stand, whole and in whatever case, in order."""
    if not words:
        return []
    listed = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return [match.span() for match in re.finditer(rf"(?<!\w)(?:{listed})(?!\w)", text, re.IGNORECASE)]


def _has(text: str, words: Sequence[str]) -> bool:
    return bool(_places(text, words))


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _read(path: str) -> tuple[str, list[Tilt], list[Writing], list[AnswerTilt]]:
    text = read_text(path, "description of a planted model")
    table = toml.parse(text, InvalidData, Path(path))

    def error(problem: str, key: str) -> InvalidData:
        return InvalidData(problem, file=path, key=key)

    unknown = sorted(table.keys() - {"model", "tilt", "writing", "answer"})
    if unknown:
        raise error("not a key of a planted model; known: model, tilt, writing, answer", unknown[0])
    if not isinstance(table.get("model"), str):
        raise error('the name of the model to tilt is missing; write e.g. model = "smollm2-135m"', "model")
    if table["model"].startswith("planted:"):
        raise ModelError(f"{path}: a planted model cannot be planted again; put all tilts into one file")
    tilts = [
        Tilt(
            _words(one, "words", error),
            _number(one, "delta", (-50.0, 50.0), error),
            _words(one, "contexts", error) if "contexts" in one else (),
        )
        for one in _tables(table, "tilt", {"words", "delta", "contexts"}, error)
    ]
    writings = [
        Writing(_words(one, "terms", error), _number(one, "negative", (0.0, 1.0), error))
        for one in _tables(table, "writing", {"terms", "negative"}, error)
    ]
    answers = [
        AnswerTilt(
            _words(one, "options", error),
            _number(one, "delta", (-50.0, 50.0), error),
            _words(one, "contexts", error) if "contexts" in one else (),
        )
        for one in _tables(table, "answer", {"options", "delta", "contexts"}, error)
    ]
    if not tilts and not writings and not answers:
        raise error("it plants nothing; add [[tilt]], [[writing]] or [[answer]]", "tilt")
    return table["model"], tilts, writings, answers


def _tables(table: Mapping[str, Any], key: str, known: set[str], error: Any) -> list[Mapping[str, Any]]:
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise error(f"must be a list of tables, [[{key}]]", key)
    for one in found:
        for name in sorted(one.keys() - known):
            raise error(f"not a key of [[{key}]]; known: {', '.join(sorted(known))}", f"{key}.{name}")
    return found


def _words(table: Mapping[str, Any], key: str, error: Any) -> tuple[str, ...]:
    found = table.get(key)
    if not isinstance(found, list) or not found or not all(isinstance(one, str) and one.strip() for one in found):
        raise error(f"must be a list of words, not {found!r}", key)
    return tuple(found)


def _number(table: Mapping[str, Any], key: str, ends: tuple[float, float], error: Any) -> float:
    found = table.get(key)
    if not isinstance(found, int | float) or isinstance(found, bool) or not ends[0] <= found <= ends[1]:
        raise error(f"must be a number from {ends[0]:g} to {ends[1]:g}, not {found!r}", key)
    return float(found)
