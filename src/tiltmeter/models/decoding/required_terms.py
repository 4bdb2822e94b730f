"""Sentences that must have certain words, put where the model nearly wanted them.

Free writing leaves words out, and forcing them in reads badly ("Lisa is business."). So the text is drawn nearly
freely: a missing word is only made somewhat more probable, and only at places that suit it, where it is not much less
expected than whatever the model expects there. A draft that would end without a word goes on instead, where the model
leaves room for that; one that still lacks it is taken back to the place where the word was most expected, and goes on
from there with the word. Where no place will do, it is begun anew. The last attempt may not end before all words are
there. Taking a draft back counts as another sequence, like beginning anew.
The numbers below were chosen by measurement; `docs/sentences.md` says what they give.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Literal

import numpy as np

from tiltmeter.errors import UserError
from tiltmeter.models.decoding.interface import Sampler, Step, TokenIds
from tiltmeter.models.decoding.sampled import Draft, before_stop, limit, whole, write
from tiltmeter.models.decoding.sampling import Logits, draw
from tiltmeter.models.decoding.sentence_ends import clashes, ends_sentence
from tiltmeter.models.decoding.terms import Places, Term
from tiltmeter.records import Completion, Decoding

_ATTEMPTS = 3
# How often one attempt may go back.
_REWINDS = 2
# Added to the log-probability of a missing word at a place that suits it, with every token, and to the next piece of a
# word that was begun.
_PUSH, _PUSH_GROWTH, _PUSH_BEGUN = 3.0, 0.3, 3.0
# A place suits a word whose surprise is at most this share of the mean surprise there (the entropy), and a bit more.
_SUITS_SHARE, _SUITS_MORE = 0.8, 0.5
# How often a draft that would end without a word may go on instead, unless the model is this sure of the end.
_EXTENSIONS, _SURE = 2, math.log(0.98)
# No draft goes back to a place where the word's log-probability was lower than this.
_FLOOR = -6.0
# A draft goes back when it has this many tokens besides those of the words, and a word is still missing.
_LATE = 20
# A sentence with fewer words is not ended.
_FEWEST_WORDS = 4
# Tokens kept for the end of the sentence when a word has to be put in by force.
_TO_FINISH = 8
# Terms this short (pronouns) may well be needed twice.
_MAY_REPEAT = 3


class TermsDraft:
    """One sentence that must have certain terms."""

    def __init__(
        self, sampler: Sampler, row: TokenIds, terms: Sequence[Term], decoding: Decoding, numbers: random.Random
    ) -> None:
        self._sampler, self._row, self._terms, self._decoding, self._numbers = sampler, row, terms, decoding, numbers
        self._limit = limit(sampler, row, decoding)
        needed = sum(len(term.inside) for term in terms)
        if needed + _TO_FINISH > self._limit:
            raise UserError(
                f"a sentence with {needed} tokens of required words needs more than {self._limit} new tokens"
            )
        self._late = needed + _LATE
        # Greedy attempts would all be the same.
        self._attempts_left = _ATTEMPTS if decoding.temperature > 0 else 1
        self._sequences = 0
        self._decoded = 0
        self._opening: Logits | None = None
        self._begin()

    def _begin(self) -> None:
        self._attempts_left -= 1
        self._sequences += 1
        self._rewinds_left = _REWINDS
        self._extensions_left = _EXTENSIONS
        self._written: list[int] = []
        self._forced: list[int] = []
        self._text = ""
        self._places = Places(self._terms)

    def next(self, logits: Logits) -> Step | Completion:
        """The next token, an earlier place and another token there, or the finished sentence."""
        if self._opening is None:
            self._opening = logits
        result = self._continue(logits)
        while result is None:
            self._begin()
            result = self._continue(self._opening)
        return result

    def _continue(self, logits: Logits) -> Step | Completion | None:
        """A step of this attempt; None where it is to be dropped."""
        missing = self._missing(self._text)
        if not self._forced and missing and self._room() <= sum(len(term.inside) for term in missing) + _TO_FINISH:
            self._forced = list(missing[0].inside)
        if self._forced:
            return self._put(self._forced.pop(0))
        logprobs = logits - logits.max()
        logprobs -= math.log(float(np.exp(logprobs).sum()))
        self._places.note(len(self._written), logprobs, self._text)
        if missing and len(self._written) >= self._late:
            earlier = self._go_back(missing)
            if earlier or self._attempts_left:
                return earlier
        return self._draw(self._steered(logprobs, missing))

    def _draw(self, steered: Logits) -> Step | Completion | None:
        while np.isfinite(steered).any():
            token = draw(steered, self._decoding, self._numbers.random())
            text, ended = self._with(token)
            if ended is None and not ends_sentence(text):
                return self._put(token)
            missing = self._missing(text)
            if not missing and len(text.split()) >= _FEWEST_WORDS:
                self._decoded += 1
                return self._finished(text, ended or "stop")
            if missing and self._extensions_left and steered[token] < _SURE:
                self._extensions_left -= 1
            elif missing:
                self._decoded += 1
                earlier = self._go_back(missing)
                if earlier or self._attempts_left:
                    return earlier
            # Nothing may end here: another token instead.
            steered[token] = -np.inf
        return self._finished(self._text, "length")

    def _go_back(self, missing: Sequence[Term]) -> Step | Completion | None:
        """Put a missing term where it was most expected; None where no place will do, or it was done often enough."""
        floor = _FLOOR if self._attempts_left else -math.inf
        found = self._places.best(missing, kept_from=self._kept_from(missing), floor=floor)
        if found is None or not self._rewinds_left:
            return None
        place, term = found
        self._rewinds_left -= 1
        self._sequences += 1
        self._written = self._written[:place]
        self._places.take_back(place, term)
        first, *self._forced = term.pieces(place)
        return self._put(first)

    def _kept_from(self, missing: Sequence[Term]) -> int:
        """How many tokens it takes until all terms stand that are not missing."""
        present = [term for term in self._terms if term not in missing]
        texts = (self._sampler.text(self._row, self._written[:count]) for count in range(len(self._written) + 1))
        found = (count for count, text in enumerate(texts) if not {*present} & {*self._missing(text)})
        # "Ph.D.": the token that would end the sentence may be the last of a term, and is not written yet.
        return next(found, len(self._written))

    def _missing(self, text: str) -> list[Term]:
        return [term for term in self._terms if not term.pattern.search(text)]

    def _with(self, token: int) -> tuple[str, Literal["stop", "end"] | None]:
        """The text with a further token, and what would end it."""
        if token in self._sampler.ends:
            return self._text, "end"
        text = self._sampler.text(self._row, [*self._written, token])
        stopped = before_stop(text, self._decoding.stop)
        return (text, None) if stopped is None else (stopped, "stop")

    def _put(self, token: int) -> Step | Completion:
        kept = len(self._written)
        self._written.append(token)
        self._text = self._sampler.text(self._row, self._written)
        self._decoded += 1
        if self._room() == 0:
            return self._finished(self._text, "length")
        return Step(kept, token)

    def _finished(self, text: str, ended: Literal["stop", "length", "end"]) -> Completion:
        return Completion(whole(text), self._decoded, ended, self._sequences)

    def _room(self) -> int:
        return self._limit - len(self._written)

    def _steered(self, logprobs: Logits, missing: Sequence[Term]) -> Logits:
        """The numbers with missing terms pushed where they suit, and what would spoil the sentence shut out."""
        steered = logprobs.copy()
        if missing:
            self._push(steered, logprobs, missing)
        if any(self._ends_with(term) for term in self._terms):
            # A tokenizer may know more tokens than the model has numbers for, or fewer.
            joins = self._sampler.joins[: len(steered)]
            steered[: len(joins)][joins] = -np.inf
        for term in self._terms:
            # Pieces are shared with other words, so only terms of one token can be shut out without harm.
            if term not in missing and len(term.text) > _MAY_REPEAT and len(term.inside) == 1:
                steered[term.inside[0]] = -np.inf
        steered[repeating(self._written)] = -np.inf
        return steered

    def _push(self, steered: Logits, logprobs: Logits, missing: Sequence[Term]) -> None:
        lowest = -_SUITS_SHARE * entropy(logprobs) - _SUITS_MORE
        for term in missing:
            begun = term.next_piece(self._written)
            token = term.pieces(len(self._written))[0] if begun is None else begun
            if begun is None and clashes(self._text, term.text):
                steered[token] = -np.inf
            elif logprobs[token] > lowest:
                steered[token] += _PUSH + _PUSH_GROWTH * len(self._written) if begun is None else _PUSH_BEGUN

    def _ends_with(self, term: Term) -> bool:
        return any(found.end() == len(self._text) for found in term.pattern.finditer(self._text))


def entropy(logprobs: Logits) -> float:
    """The mean surprise.

    >>> round(entropy(np.log(np.array([0.5, 0.5]))), 3)
    0.693
    """
    probabilities = np.exp(logprobs)
    products = np.multiply(probabilities, logprobs, where=probabilities > 0, out=np.zeros_like(logprobs))
    return -float(products.sum())


def repeating(written: Sequence[int]) -> list[int]:
    """The tokens that would make three in a row that already stood there in a row.

    >>> repeating([5, 6, 7, 8, 5, 6])
    [7]
    """
    if len(written) < 2:
        return []
    last = tuple(written[-2:])
    return [written[at + 2] for at in range(len(written) - 2) if tuple(written[at : at + 2]) == last]


def complete_with(
    sampler: Sampler,
    prompts: Sequence[str],
    must_have: Sequence[Sequence[str]],
    decoding: Decoding,
    *,
    samples: int = 1,
    seed: int | Sequence[int] = 0,
) -> list[list[Completion]]:
    """Sentences written after each prompt, each with all the terms of `must_have` for that prompt."""
    if len(must_have) != len(prompts):
        raise UserError(f"{len(prompts)} prompts and {len(must_have)} lists of words: each prompt needs one list")
    if not all(term.strip() == term and term for terms in must_have for term in terms):
        raise UserError("a required word is empty or has white space at its ends")
    terms = [
        [Term(term, sampler, prompt) for term in dict.fromkeys(wanted)]
        for prompt, wanted in zip(prompts, must_have, strict=True)
    ]

    def draft(row: TokenIds, at: int, numbers: random.Random) -> Draft:
        return TermsDraft(sampler, row, terms[at], decoding, numbers)

    return write(sampler, prompts, decoding, draft, samples=samples, seed=seed)
