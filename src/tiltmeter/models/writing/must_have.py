"""Sentences that must have certain words, put where the model nearly wanted them.

Free writing leaves words out, and forcing them in reads badly ("Lisa is business."). So each word that is still
missing is made more probable, by a factor that grows with every token, but only at places that suit it: where it is
not much less expected than whatever the model expects there. A draft that would end without a word, or that goes on
for long without it, is dropped and begun anew; only the last attempt may not end before all words are there.
The numbers below were chosen by measurement; `docs/sentences.md` says what they give.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Literal

import numpy as np

from tiltmeter.errors import UserError
from tiltmeter.models.writing.drafts import Draft, before_stop, limit, whole, write
from tiltmeter.models.writing.drawing import Logits, draw
from tiltmeter.models.writing.pen import Move, Pen, Row
from tiltmeter.models.writing.sentences import clashes, ends_sentence, find_term
from tiltmeter.records import Completion, Decoding

_ATTEMPTS = 8
# Added to the log-probability of a missing word at the first token, and more at each further one.
_PUSH, _PUSH_GROWTH = 3.0, 0.3
# The same for the next piece of a word that was begun.
_PUSH_BEGUN = 3.0
# A place suits a word whose surprise is at most this share of the mean surprise there (the entropy), and a bit more.
_SUITS_SHARE, _SUITS_MORE = 0.7, 0.5
# An attempt is late when it has this many tokens besides those of the words, and a word is still missing.
_LATE = 10
# A sentence with fewer words is not ended.
_FEWEST_WORDS = 4
# Tokens kept for the end of the sentence when a word has to be put in by force.
_TO_FINISH = 8
# Terms this short (pronouns) may well be needed twice.
_MAY_REPEAT = 3


class Term:
    """A word or phrase that must be there, and its tokens within a sentence and at its beginning."""

    def __init__(self, text: str, pen: Pen, *, after_space: bool) -> None:
        self.text = text
        self.pattern = find_term(text)
        self.inside = pen.continuation(f" {text}")
        capital = text[:1].upper() + text[1:]
        self.first = pen.pieces(capital) if after_space else pen.continuation(f" {capital}")

    def next_piece(self, written: Sequence[int]) -> int | None:
        """The token that would come next where some of the term's tokens stand at the end already; None: none do."""
        for pieces in (self.inside, self.first):
            for count in range(len(pieces) - 1, 0, -1):
                if tuple(written[-count:]) == pieces[:count]:
                    return pieces[count]
        return None


class TermsDraft:
    """One sentence that must have certain terms."""

    def __init__(self, pen: Pen, row: Row, terms: Sequence[Term], decoding: Decoding, numbers: random.Random) -> None:
        self._pen, self._row, self._terms, self._decoding, self._numbers = pen, row, terms, decoding, numbers
        self._limit = limit(pen, row, decoding)
        needed = sum(len(term.inside) for term in terms)
        if needed + _TO_FINISH > self._limit:
            raise UserError(f"a sentence with {needed} tokens of given words needs more than {self._limit} new tokens")
        self._late = needed + _LATE
        # Greedy attempts would all be the same.
        self._attempts_left = _ATTEMPTS - 1 if decoding.temperature > 0 else 0
        self._attempts = 1
        self._written: list[int] = []
        self._forced: list[int] = []
        self._text = ""
        self._decoded = 0
        self._opening: Logits | None = None

    def next(self, logits: Logits) -> Move | Completion:
        """The next token, the first one of a new attempt, or the finished sentence."""
        if self._opening is None:
            self._opening = logits
        while True:
            result = self._continue(logits)
            if result is not None:
                return result
            self._attempts_left -= 1
            self._attempts += 1
            self._written, self._text = [], ""
            logits = self._opening

    def _continue(self, logits: Logits) -> Move | Completion | None:
        """A step of this attempt; None where it is to be dropped."""
        missing = [term for term in self._terms if not term.pattern.search(self._text)]
        if missing and self._attempts_left and len(self._written) >= self._late:
            return None
        if not self._forced and missing and self._room() <= sum(len(term.inside) for term in missing) + _TO_FINISH:
            self._forced = list(missing[0].inside)
        if self._forced:
            return self._put(self._forced.pop(0))
        steered = self._steered(logits, missing)
        while True:
            if not np.isfinite(steered).any():
                return self._finished(self._text, "length")
            token = draw(steered, self._decoding, self._numbers.random())
            text, ended = self._with(token)
            lacking = [term for term in self._terms if not term.pattern.search(text)]
            if ended is None and not ends_sentence(text):
                return self._put(token)
            if not lacking and len(text.split()) >= _FEWEST_WORDS:
                self._decoded += 1
                return self._finished(text, ended or "stop")
            if lacking and self._attempts_left:
                self._decoded += 1
                return None
            # Nothing may end here: another token instead.
            steered[token] = -np.inf

    def _with(self, token: int) -> tuple[str, Literal["stop", "end"] | None]:
        """The text with a further token, and what would end it."""
        if token in self._pen.ends:
            return self._text, "end"
        text = self._pen.text(self._row, [*self._written, token])
        stopped = before_stop(text, self._decoding.stop)
        return (text, None) if stopped is None else (stopped, "stop")

    def _put(self, token: int) -> Move | Completion:
        kept = len(self._written)
        self._written.append(token)
        self._text = self._pen.text(self._row, self._written)
        self._decoded += 1
        if self._room() == 0:
            return self._finished(self._text, "length")
        return Move(kept, token)

    def _finished(self, text: str, ended: Literal["stop", "length", "end"]) -> Completion:
        return Completion(whole(text), self._decoded, ended, self._attempts)

    def _room(self) -> int:
        return self._limit - len(self._written)

    def _steered(self, logits: Logits, missing: Sequence[Term]) -> Logits:
        """The model's numbers with missing terms pushed where they suit, and what would spoil the sentence shut out."""
        steered = logits.copy()
        if missing:
            self._push(steered, logits, missing)
        if any(self._ends_with(term) for term in self._terms):
            joins = self._pen.joins
            steered[: len(joins)][joins] = -np.inf
        for term in self._terms:
            # Pieces are shared with other words, so only terms of one token can be shut out without harm.
            if term not in missing and len(term.text) > _MAY_REPEAT and len(term.inside) == 1:
                steered[term.inside[0]] = -np.inf
        steered[repeating(self._written)] = -np.inf
        return steered

    def _push(self, steered: Logits, logits: Logits, missing: Sequence[Term]) -> None:
        logprobs = logits - logits.max()
        logprobs -= math.log(float(np.exp(logprobs).sum()))
        probabilities = np.exp(logprobs)
        entropy = -float(
            np.multiply(probabilities, logprobs, where=probabilities > 0, out=np.zeros_like(logprobs)).sum()
        )
        lowest = -_SUITS_SHARE * entropy - _SUITS_MORE
        for term in missing:
            begun = term.next_piece(self._written)
            token = (term.inside if self._written else term.first)[0]
            if begun is not None:
                token, push = begun, _PUSH_BEGUN
            elif clashes(self._text, term.text):
                push = -math.inf
            else:
                push = _PUSH + _PUSH_GROWTH * len(self._written)
            if logprobs[token] > lowest or push < 0 or not self._attempts_left:
                steered[token] += push

    def _ends_with(self, term: Term) -> bool:
        return any(found.end() == len(self._text) for found in term.pattern.finditer(self._text))


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
    pen: Pen,
    prompts: Sequence[str],
    must_have: Sequence[Sequence[str]],
    decoding: Decoding,
    *,
    samples: int = 1,
    seed: int = 0,
) -> list[list[Completion]]:
    """Sentences written after each prompt, each with all the terms of `must_have` for that prompt."""
    if len(must_have) != len(prompts):
        raise UserError(
            f"{len(prompts)} prompts and {len(must_have)} lists of words: one list for each prompt is needed"
        )
    if not all(term.strip() == term and term for terms in must_have for term in terms):
        raise UserError("a word that must be there is empty or has white space at its ends")
    terms = [
        [Term(term, pen, after_space=prompt[-1:].isspace()) for term in dict.fromkeys(wanted)]
        for prompt, wanted in zip(prompts, must_have, strict=True)
    ]

    def draft(row: Row, at: int, numbers: random.Random) -> Draft:
        return TermsDraft(pen, row, terms[at], decoding, numbers)

    return write(pen, prompts, decoding, draft, samples=samples, seed=seed)
