"""A model that is a table: its probabilities can be worked out by hand, so its bias is exactly known.

The next word is drawn from a fixed vocabulary. Its probability is the softmax, over the vocabulary, of

    log(weight of the word) + the tilts toward it of all the words seen so far

where a tilt counts once, however often its word was seen. A word outside the vocabulary has the weight of the
entry `other`. A table is written in TOML:

    [weights]
    he = 1
    she = 1
    nurse = 1
    other = 1

    [tilts.she]     # once "she" was seen,
    nurse = 0.7     # "nurse" has 0.7 more log weight
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tiltmeter import toml
from tiltmeter.errors import InvalidData, ModelError, UserError
from tiltmeter.files import read_text
from tiltmeter.models.decoding import completing, sampled
from tiltmeter.models.decoding import required_terms as must_have_words
from tiltmeter.models.decoding.table_sampler import TableSampler
from tiltmeter.models.interface import ModelSettings, checked_conditioning
from tiltmeter.models.likeliest import best_of, without_words
from tiltmeter.models.next_words import (
    BLANK,
    IN_THE_MIDDLE,
    SEVERAL_BLANKS,
    Question,
    before_blank,
    certainty,
    questions,
)
from tiltmeter.models.shared_words import next_words_of
from tiltmeter.records import Completion, Decoding, ModelFacts, NextWord, NextWords, Span, TokenScores

OTHER = "other"

BUILT_IN: dict[str, dict[str, Any]] = {
    "weights": {"he": 1.0, "she": 1.0, "nurse": 1.0, "engineer": 1.0, OTHER: 4.0},
    # 0.7 of log weight in either order, so that a pair tilts the same way whichever word comes first.
    "tilts": {
        "she": {"nurse": 0.7},
        "he": {"engineer": 0.7},
        "nurse": {"she": 0.7},
        "engineer": {"he": 0.7},
    },
}
"""The table of the name `scripted`: she–nurse and he–engineer are tilted by 0.7, nothing else is."""

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


class ScriptedModel:
    """A causal model made of weights and tilts. Words and punctuation marks are tokens; case does not matter.

    Two words of equal weight, and a tilt of log 3 toward "b" once "a" was seen: the first word has probability
    1/2, and "b" after "a" 3/4.

    >>> model = ScriptedModel({"a": 1, "b": 1, "other": 0}, {"a": {"b": math.log(3)}})
    >>> [score] = model.score(["A b"])
    >>> [round(math.exp(logprob), 6) for logprob in score.logprobs]
    [0.5, 0.75]
    """

    conditionings = ("left", "left-no-start")

    def __init__(
        self,
        weights: Mapping[str, float],
        tilts: Mapping[str, Mapping[str, float]] | None = None,
        *,
        name: str = "scripted",
        file: str | Path | None = None,
    ) -> None:
        self._weights = _checked_weights(weights, file)
        self._tilts = _checked_tilts(tilts or {}, self._weights, file)
        table = json.dumps([self._weights, self._tilts], sort_keys=True)
        self.facts = ModelFacts(
            name=name,
            family="causal",
            weights_sha256=hashlib.sha256(table.encode()).hexdigest(),
            dtype="float64",
            start_token="<start>",
            parameters=len(self._weights) + sum(map(len, self._tilts.values())),
        )

    def score(
        self,
        texts: Sequence[str],
        *,
        conditioning: str | None = None,
        spans: Sequence[tuple[Span, ...]] | None = None,
    ) -> list[TokenScores]:
        """The log-probability of each word given those before it."""
        started = checked_conditioning(self, conditioning) == "left"
        return [self._score_one(text, started) for text in texts]

    def next_words(
        self,
        prompts: Sequence[str],
        words: Sequence[str] | Sequence[Sequence[str]],
        *,
        bounded: bool = False,
        capitalised: bool | None = None,
        hidden: Sequence[Sequence[Span]] | None = None,
    ) -> list[NextWords]:
        """The probability of each word after each prompt. Case does not matter, and a word of the table always ends.

        A hidden word counts as not seen.
        """
        return [self._expected(question) for question in questions(prompts, words, hidden)]

    def likeliest(self, prompts: Sequence[str], count: int = 10) -> list[NextWords]:
        """The most probable words of the table after each prompt; see `Proposer`."""
        words = [word for word in self._weights if word != OTHER and word[0].isalnum()]
        answers = self.next_words(prompts, words)
        reasons = [next((word.unscored for word in found.words if word.unscored), None) for found in answers]
        return [
            without_words(reason) if reason else best_of(found, count)
            for found, reason in zip(answers, reasons, strict=True)
        ]

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """Words drawn from the table after each prompt; `other` is written as that word."""
        return completing.complete(self._sampler(), prompts, decoding, samples=samples, seed=seed)

    def complete_with(
        self,
        prompts: Sequence[str],
        must_have: Sequence[Sequence[str]],
        decoding: Decoding,
        *,
        samples: int = 1,
        seed: int | Sequence[int] = 0,
    ) -> list[list[Completion]]:
        """Words of the table and of `must_have`; one that is not in the table weighs as much as `other`."""
        if len(must_have) != len(prompts):
            raise UserError(f"{len(prompts)} prompts and {len(must_have)} lists of words: each prompt needs one list")
        made: list[list[Completion]] = []
        for prompt, terms, number in zip(prompts, must_have, sampled.seeds_of(seed, len(prompts)), strict=True):
            # A vocabulary for each prompt: what one must have is not a word for the others.
            wanted = [word for term in terms for word in _TOKEN.findall(term)]
            sampler = self._sampler([form for word in wanted for form in (word, word[:1].upper() + word[1:])])
            made += must_have_words.complete_with(sampler, [prompt], [terms], decoding, samples=samples, seed=number)
        return made

    def chat_prompt(self, instruction: str, *, system: str = "") -> str:
        """Refused: a table knows no chat."""
        raise ModelError(f"{self.facts.name} has no chat template")

    def _score_one(self, text: str, started: bool) -> TokenScores:
        if not text.strip():
            return TokenScores(unscored="the text is empty")
        found = list(_TOKEN.finditer(text))
        if not found:
            return TokenScores(unscored="the tokenizer finds no token in the text")
        words = [match.group().casefold() for match in found]
        logprobs: list[float | None] = []
        seen: set[str] = set()
        for word in words:
            logprobs.append(self._logprob(word, seen))
            seen |= {word} & self._tilts.keys()
        if not started:
            logprobs[0] = None
        if any(logprob is not None and not math.isfinite(logprob) for logprob in logprobs):
            return TokenScores(unscored="a word of the text has weight 0 in the table")
        return TokenScores(tuple(match.span() for match in found), tuple(logprobs))

    def _expected(self, question: Question) -> NextWords:
        begun = before_blank(question.prompt)
        if begun is None or question.prompt.count(BLANK) > 1:
            reason = IN_THE_MIDDLE if question.prompt.count(BLANK) < 2 else SEVERAL_BLANKS
            return NextWords(tuple(NextWord(word, None, reason) for word in question.words))
        seen = {
            match.group().casefold()
            for match in _TOKEN.finditer(begun)
            if not any(match.start() < end and start < match.end() for start, end in question.hidden)
        }
        found = []
        for word in question.words:
            tokens = [token.casefold() for token in _TOKEN.findall(word)]
            parts = [self._logprob(token, seen | set(tokens[:at])) for at, token in enumerate(tokens)]
            if parts and all(math.isfinite(part) for part in parts):
                found.append(NextWord(word, math.fsum(parts)))
            else:
                found.append(NextWord(word, None, "the word has weight 0 in the table"))
        scored = {
            one.word: {tuple(token.casefold() for token in _TOKEN.findall(one.word)): one.logprob}
            for one in found
            if one.logprob is not None
        }
        sharing = next_words_of(scored, self.facts.dtype)
        found = [sharing.get(one.word, one) for one in found]
        ranked = sorted((self._logprob(entry, seen) for entry in self._scores(seen)), reverse=True)
        return NextWords(tuple(found), *certainty((ranked[0], ranked[1] if len(ranked) > 1 else -math.inf)))

    def _logprob(self, word: str, seen: set[str]) -> float:
        scores = self._scores(seen)
        highest = max(scores.values())
        total = highest + math.log(sum(math.exp(score - highest) for score in scores.values()))
        return scores.get(word if word in self._weights else OTHER, -math.inf) - total

    def _sampler(self, more: Sequence[str] = ()) -> TableSampler:
        known = [word for word, weight in self._weights.items() if weight > 0]
        unknown = {word.casefold() for word in more} - self._weights.keys()

        def scores(seen: set[str]) -> dict[str, float]:
            own = self._scores(seen)
            return own | dict.fromkeys(unknown, own.get(OTHER, -math.inf))

        return TableSampler(scores, list(dict.fromkeys([*known, *more])), _TOKEN)

    def _scores(self, seen: set[str]) -> dict[str, float]:
        """The log weight of each word that can come next, tilts included."""
        return {
            entry: math.log(weight) + sum(self._tilts[other].get(entry, 0.0) for other in seen & self._tilts.keys())
            for entry, weight in self._weights.items()
            if weight > 0
        }


def load(argument: str, settings: ModelSettings) -> ScriptedModel:
    """The built-in table, or that of a TOML file."""
    if not argument:
        return ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"])
    text = read_text(argument, "table of a scripted model")
    table = toml.parse(text, InvalidData, argument)
    unknown = sorted(table.keys() - {"weights", "tilts"})
    if unknown:
        raise InvalidData("not a key of a scripted model; known: weights, tilts", file=argument, key=unknown[0])
    return ScriptedModel(table.get("weights", {}), table.get("tilts", {}), name=f"scripted:{argument}", file=argument)


def _checked_weights(weights: object, file: str | Path | None) -> dict[str, float]:
    if not isinstance(weights, Mapping) or not weights:
        raise InvalidData("must be a table of words and their weights", file=file, key="weights")
    checked: dict[str, float] = {}
    for word, weight in weights.items():
        key = f"weights.{word}"
        if not _TOKEN.fullmatch(word):
            raise InvalidData("must be one word or punctuation mark", file=file, key=key)
        if not _is_number(weight) or weight < 0:
            raise InvalidData(f"must be a number of at least 0, not {weight!r}", file=file, key=key)
        if word.casefold() in checked:
            raise InvalidData("is listed twice (case does not matter)", file=file, key=key)
        checked[word.casefold()] = float(weight)
    if OTHER not in checked:
        raise InvalidData(f"needs the entry `{OTHER}`, for words not in the table", file=file, key="weights")
    if not any(checked.values()):
        raise InvalidData("at least one weight must be above 0", file=file, key="weights")
    return checked


def _checked_tilts(tilts: object, weights: Mapping[str, float], file: str | Path | None) -> dict[str, dict[str, float]]:
    if not isinstance(tilts, Mapping):
        raise InvalidData("must be a table of words seen", file=file, key="tilts")
    checked: dict[str, dict[str, float]] = {}
    for seen, amounts in tilts.items():
        key = f"tilts.{seen}"
        if not isinstance(amounts, Mapping):
            raise InvalidData("must be a table of words and amounts of log weight", file=file, key=key)
        for word, amount in amounts.items():
            if not _is_number(amount):
                raise InvalidData(f"must be a number, not {amount!r}", file=file, key=f"{key}.{word}")
            if word.casefold() not in weights:
                raise InvalidData("is a word without a weight", file=file, key=f"{key}.{word}")
        checked[seen.casefold()] = {word.casefold(): float(amount) for word, amount in amounts.items()}
    return checked


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
