"""Answers as JSON, and back: a record that was packed and unpacked is equal to what it was, to the last bit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tiltmeter.records import Completion, NextWord, NextWords, Rating, Saliency, Span, TokenScores

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Packing(Generic[Answer]):
    """How one kind of answer is written."""

    cells: Callable[[Answer], Any]
    restored: Callable[..., Answer]
    """From the cells."""

    def pack(self, answer: Answer) -> str:
        """The answer as text."""
        return json.dumps(self.cells(answer), ensure_ascii=False, separators=(",", ":"))

    def unpack(self, text: str) -> Answer:
        """The answer that `pack` wrote.

        >>> SCORES.unpack(SCORES.pack(TokenScores(((0, 3),), (-0.1,))))
        TokenScores(spans=((0, 3),), logprobs=(-0.1,), unscored=None)
        """
        return self.restored(*json.loads(text))


def spans_of(given: list[list[int]]) -> tuple[Span, ...]:
    """Spans from their cells."""
    return tuple((start, end) for start, end in given)


def word_cells(word: NextWord) -> list[Any]:
    """The cells of a word, as `word_of` reads them."""
    return [word.word, word.logprob, word.unscored, word.shared]


def word_of(word: str, logprob: float | None, unscored: str | None, shared: Any = None) -> NextWord:
    """A word from its cells; runs of before do not say what it shares with others."""
    parts = None if shared is None else tuple((tuple(others), part) for others, part in shared)
    return NextWord(word, logprob, unscored, parts)


def _completion(text: str, tokens: int, ended: Any, attempts: int, offsets: list[int], unwritten: str | None) -> Any:
    return Completion(text, tokens, ended, attempts, tuple(offsets), unwritten)


SCORES: Packing[TokenScores] = Packing(
    lambda one: [one.spans, one.logprobs, one.unscored],
    lambda spans, logprobs, unscored: TokenScores(spans_of(spans), tuple(logprobs), unscored),
)
NEXT_WORDS: Packing[NextWords] = Packing(
    lambda one: [list(map(word_cells, one.words)), one.highest, one.gap],
    lambda words, highest, gap: NextWords(tuple(word_of(*each) for each in words), highest, gap),
)
COMPLETIONS: Packing[list[Completion]] = Packing(
    lambda every: [[each.text, each.tokens, each.ended, each.attempts, each.offsets, each.unwritten] for each in every],
    lambda *every: [_completion(*each) for each in every],
)
SALIENCY: Packing[Saliency] = Packing(
    lambda one: [one.word, one.method, one.spans, one.signed, one.sizes, one.residue, one.unscored],
    lambda word, method, spans, signed, sizes, residue, unscored: Saliency(
        word, method, spans_of(spans), tuple(signed), tuple(sizes), residue, unscored
    ),
)
RATING: Packing[Rating] = Packing(
    lambda one: [one.rater, one.value, one.unrated, one.because, one.label, one.caveat], Rating
)
TEXT: Packing[str] = Packing(lambda text: [text], lambda text: text)
