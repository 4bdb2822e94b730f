"""Objects and functions of the user's as models: whatever they return, checked, in tiltmeter's records."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import groupby
from typing import Any, get_args

from tiltmeter.calling import cut, listed, number_of, parameters_of, shown, takes_one
from tiltmeter.errors import ModelError, TiltmeterError, UserError
from tiltmeter.models.decoding.sampled import seeds_of
from tiltmeter.models.interface import Model, checked_conditioning
from tiltmeter.models.next_words import Question, blank_problem, questions
from tiltmeter.records import ASKING, Completion, Decoding, Family, ModelFacts, NextWord, NextWords, Span, TokenScores

_VERBS = ("score", "complete", "next_words")
_UNSCORED = "the model gave no number"
_EMPTY = "the model gave no text"
_NAMES = {"max_new_tokens": ("max_new_tokens", "max_tokens")}
"""What parameters of functions are called, where that is not the name of the setting."""
_USUAL = Decoding()
_NOT_NAMED = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY)


def adapted(given: Any, name: str, revision: str) -> Model:
    """The model that an object or function is, with the verbs that it has."""
    verbs = [verb for verb in _VERBS if callable(getattr(given, verb, None))]
    if not verbs:
        if not callable(given):
            raise UserError(
                f"{shown(given)} is not a model: a model has score(texts), complete(prompts) or next_words(prompts, "
                "words), is a function of prompts, or a network of transformers with its tokenizer"
            )
        made: dict[str, Any] = {"complete": _Writing(given, name)}
    else:
        makers: Mapping[str, Callable[[Any, str], Any]]
        makers = {"score": _Scoring, "complete": _Writing, "next_words": _Predicting}
        made = {verb: makers[verb](getattr(given, verb), name) for verb in verbs}
    facts = getattr(given, "facts", None) or ModelFacts(name, getattr(given, "family", "causal"), dtype="unknown")
    if not isinstance(facts, ModelFacts):
        raise UserError(f"its `facts` are {shown(facts)}; give tiltmeter.ModelFacts, or none")
    if facts.family not in get_args(Family):
        raise UserError(f"its family is {shown(facts.family)}; expected {' or '.join(get_args(Family))}")
    conditionings = getattr(given, "conditionings", ("left",))
    if not conditionings or not isinstance(conditionings, list | tuple):
        raise UserError(f'its `conditionings` are {shown(conditionings)}; expected a list such as ["left"]')
    conditionings = tuple(conditionings)
    return _Adapted(replace(facts, name=name, revision=revision), conditionings, made).model()


class _Adapted:
    """What every verb shares; a model has the verbs of the object and no others."""

    def __init__(self, facts: ModelFacts, conditionings: tuple[str, ...], made: Mapping[str, Any]) -> None:
        self.facts, self.conditionings, self._made = facts, conditionings, made

    def model(self) -> Model:
        parts = (("complete", _Writes), ("next_words", _Predicts))
        kinds = tuple(kind for verb, kind in parts if verb in self._made)
        found: Model = type("AdaptedModel", (*kinds, _Adapted), {})(self.facts, self.conditionings, self._made)
        return found

    def score(
        self, texts: Sequence[str], *, conditioning: str | None = None, spans: Sequence[tuple[Span, ...]] | None = None
    ) -> list[TokenScores]:
        """The scores of the object."""
        if "score" not in self._made:
            raise ModelError(f"{self.facts.name} has no `score`, so it cannot say which of two sentences it prefers")
        found: list[TokenScores] = self._made["score"](texts, checked_conditioning(self, conditioning), spans)
        return found


class _Writes(_Adapted):
    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """The texts of the object."""
        found: list[list[Completion]] = self._made["complete"](prompts, decoding, samples, seeds_of(seed, len(prompts)))
        return found

    def complete_with(self, prompts: Sequence[str], must_have: Sequence[Sequence[str]], *_: Any, **__: Any) -> Any:
        """No function can be held to words."""
        raise ModelError(f"{self.facts.name} cannot be made to write sentences with given words; use another generator")

    def chat_prompt(self, instruction: str, *, system: str = "") -> str:
        """The instruction as it is: what is handed over answers prompts by itself."""
        return f"{system}\n\n{instruction}" if system else instruction


class _Predicts(_Adapted):
    def next_words(
        self,
        prompts: Sequence[str],
        words: Sequence[str] | Sequence[Sequence[str]],
        *,
        bounded: bool = False,
        capitalised: bool | None = None,
        hidden: Sequence[Sequence[Span]] | None = None,
    ) -> list[NextWords]:
        """The probabilities of the object."""
        found: list[NextWords] = self._made["next_words"](questions(prompts, words, hidden), bounded)
        return found


class _Call:
    """A function of the user's, and what is said of one that gives what it should not."""

    def __init__(self, call: Callable[..., Any], name: str) -> None:
        self._call, self._name = call, name
        parameters = parameters_of(call)
        kinds = [one.kind for one in parameters.values()]
        # The first takes the texts, whatever it is called.
        self._takes = {key for key in list(parameters)[1:] if parameters[key].kind not in _NOT_NAMED}
        self._takes_all = inspect.Parameter.VAR_KEYWORD in kinds
        self._one_by_one = takes_one(call, ("prompt", "text"))

    def _listed(self, given: Sequence[Any], *more: Any, **named: Any) -> list[Any]:
        """One result for each of the texts."""
        if self._one_by_one:
            return [self._called(one, *more, **named) for one in given]
        found = self._called(list(given), *more, **named)
        answers = listed(found)
        if answers is None:
            raise self._fault(
                f"gives {shown(found)} for a list of {len(given)}; expected a list with one result for each (a "
                "function of one prompt calls its parameter `prompt`)"
            )
        if len(answers) != len(given):
            raise self._fault(f"gives {len(answers)} results for {len(given)}; expected one for each, in their order")
        return answers

    def _called(self, *given: Any, **named: Any) -> Any:
        try:
            return self._call(*given, **named)
        except TiltmeterError:
            raise
        except Exception as error:
            raise self._fault(f"failed: {type(error).__name__}: {cut(str(error), 160)}") from error

    def _fault(self, problem: str) -> ModelError:
        return ModelError(f"{self._name} {problem}")


class _Scoring(_Call):
    def __call__(
        self, texts: Sequence[str], conditioning: str, spans: Sequence[tuple[Span, ...]] | None
    ) -> list[TokenScores]:
        told = {"conditioning": conditioning, "spans": spans}
        named = {key: value for key, value in told.items() if key in self._takes}
        answers = self._listed(texts, **named) if texts else []
        return [self._scores(text, one) for text, one in zip(texts, answers, strict=True)]

    def _scores(self, text: str, answer: Any) -> TokenScores:
        """A number is that of the whole text; a list has the tokens, with their texts, in their order."""
        if isinstance(answer, TokenScores):
            return answer
        if answer is None:
            return TokenScores(unscored=_UNSCORED)
        if (number := _logprob(answer)) is not None:
            return TokenScores(((0, len(text)),), (number,)) if text else TokenScores(unscored="the text is empty")
        spans: list[Span] = []
        logprobs: list[float | None] = []
        at = 0
        for token in answer if isinstance(answer, Sequence) and not isinstance(answer, str) else [None]:
            words, value = token if isinstance(token, Sequence) and len(token) == 2 else ("", math.nan)
            number = _logprob(value)
            plain = words.strip() if isinstance(words, str) else ""
            start = text.find(plain, at) if plain else -1
            # What no token has would count as certain.
            if start < 0 or text[at:start].strip() or (number is None and value is not None):
                raise self._fault(
                    f"gives {shown(answer)} for the score of a text; expected its log-probability, a list of (token, "
                    "log-probability) for all of the text in its order, or None"
                )
            at = start + len(plain)
            spans.append((start, at))
            logprobs.append(number)
        if text[at:].strip():
            raise self._fault(f"gives no token for “{cut(text[at:])}”; right is (token, None) where there is no number")
        return TokenScores(tuple(spans), tuple(logprobs))


class _Writing(_Call):
    def __call__(
        self, prompts: Sequence[str], decoding: Decoding, samples: int, seeds: Sequence[int]
    ) -> list[list[Completion]]:
        told = {"decoding": decoding} if "decoding" in self._takes else self._settings(decoding)
        number = self._parameter("samples", "n")
        seeded = self._parameter("seed") is not None
        found: list[list[Completion]] = [[] for _ in prompts]
        for sample in range(1 if number else samples):
            more = {**told, number: samples} if number else told
            if seeded:
                # Other samples of one prompt have other seeds, so a model that heeds them says other things.
                asked = zip(prompts, seeds, strict=True)
                answers = [self._listed([prompt], **more, seed=seed + sample)[0] for prompt, seed in asked]
            else:
                answers = self._listed(prompts, **more) if prompts else []
            for written, answer in zip(found, answers, strict=True):
                written.extend(map(self._completion, self._several(answer, samples) if number else [answer]))
        return found

    def _parameter(self, *names: str) -> str | None:
        """What it calls something that it can be told; None where it cannot."""
        return next((name for name in names if name in self._takes or self._takes_all), None)

    def _settings(self, decoding: Decoding) -> dict[str, Any]:
        """Those of a decoding that it can be told; refuses one that it cannot and that is not the usual one."""
        told: dict[str, Any] = {}
        for one in (each.name for each in fields(Decoding) if each.name not in ASKING):
            value, name = getattr(decoding, one), self._parameter(*_NAMES.get(one, (one,)))
            if name is not None:
                told[name] = value
            elif value != getattr(_USUAL, one) and one != "max_new_tokens":
                raise self._fault(
                    f"takes no `{one}`, so it cannot write with {one} = {value!r}; give it that parameter, or leave "
                    "the setting out of the study"
                )
        return told

    def _several(self, answer: Any, samples: int) -> list[Any]:
        texts = [answer] if isinstance(answer, str) and samples == 1 else listed(answer)
        if texts is None or len(texts) != samples:
            raise self._fault(f"gives {shown(answer)} for {samples} samples; expected a list of as many texts")
        return texts

    def _completion(self, answer: Any) -> Completion:
        """A text that ended where it chose to; nobody says how many tokens it took, so words are counted."""
        if isinstance(answer, Completion):
            return answer
        if answer is None:
            return Completion("", 0, "unwritten", unwritten=_EMPTY)
        if not isinstance(answer, str):
            raise self._fault(f"gives {shown(answer)} for a prompt; expected a text, or None")
        # Halves of characters, which no file can hold, are joined where they belong together.
        written = answer.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return Completion(written, len(written.split()), "end")


class _Predicting(_Call):
    def __call__(self, asked: Sequence[Question], bounded: bool) -> list[NextWords]:
        found: list[NextWords] = []
        # Prompts with the same words are asked together.
        for (words, reason), some in groupby(asked, key=lambda one: (one.words, self._unanswerable(one, bounded))):
            if reason:
                found += [NextWords(tuple(NextWord(word, None, reason) for word in words)) for _ in some]
            else:
                told = {"bounded": bounded} if "bounded" in self._takes else {}
                answers = self._listed([one.prompt for one in some], list(words), **told)
                found += [self._expected(words, answer) for answer in answers]
        return found

    def _unanswerable(self, one: Question, bounded: bool) -> str | None:
        if bounded and "bounded" not in self._takes:
            return "the model does not say how probable it is that a word ends"
        return "the model cannot be kept from reading a part of a prompt" if one.hidden else blank_problem(one.prompt)

    def _expected(self, words: Sequence[str], answer: Any) -> NextWords:
        if isinstance(answer, NextWords):
            return answer
        listed = [answer.get(word) for word in words] if isinstance(answer, Mapping) else answer
        if not isinstance(listed, Iterable) or isinstance(listed, str):
            listed = [math.nan]
        values = list(listed)
        if len(values) != len(words):
            raise self._fault(
                f"gives {shown(answer)} for {len(words)} words; expected a probability for each, in a list or by word"
            )
        return NextWords(tuple(self._word(word, value) for word, value in zip(words, values, strict=True)))

    def _word(self, word: str, value: Any) -> NextWord:
        if value is None:
            return NextWord(word, None, _UNSCORED)
        number = number_of(value)
        if number is None or not 0 <= number <= 1:
            raise self._fault(
                f"gives {shown(value)} for the word “{word}”; expected a probability from 0 to 1, or None"
            )
        return NextWord(word, math.log(number)) if number else NextWord(word, None, "the model gave a probability of 0")


def _logprob(answer: Any) -> float | None:
    number = number_of(answer)
    return number if number is not None and math.isfinite(number) and number <= 0 else None
