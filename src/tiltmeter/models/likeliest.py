"""The verb `likeliest`: the most probable next words, whichever they are.

A model that reads from left to right gives tokens, and a word may be several of them. So the beginnings of words are
lengthened, the most probable first, until no beginning is left that is more probable than the words that are whole: no
word can be more probable than what it begins with. Of a blank no more can be read off than the words of one piece.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiltmeter.models.writing.drawing import Logits
from tiltmeter.models.writing.pen import Move, Page, Pen, Row
from tiltmeter.records import NextWord, NextWords

_WIDTH = 2
"""Beginnings that are followed at once, for each word that is wanted."""
_LISTED = 200
"""Tokens that are looked at after each beginning."""
_PIECES = 6
"""Pieces of the longest word."""
_LEAST = math.log(1e-4)
"""Beginnings that are less probable are not followed."""

_Open = dict[Row, tuple[float, int]]
"""The pieces of each beginning, its log-probability, and the line of the page that it lengthens."""


def likeliest_after(pen: Pen, row: Row, begins: Callable[[int], bool], count: int) -> tuple[NextWord, ...]:
    """The most probable words after a row, each with the chance that it ends; `begins`: whether a token begins one."""
    joins, page = pen.joins, pen.open([row])
    whole: dict[Row, float] = {}
    open_ones: _Open = {(): (0.0, 0)}
    for _ in range(_PIECES + 1):
        longer = _lengthened(page, open_ones, whole, begins, joins)
        best = heapq.nlargest(count, whole.values())
        least = max(_LEAST, best[-1] if len(best) == count else -math.inf)
        promising = ((pieces, found) for pieces, found in longer.items() if found[0] > least)
        open_ones = dict(heapq.nlargest(_WIDTH * count, promising, key=lambda one: one[1][0]))
        if not open_ones:
            break
        page.keep([line for _, line in open_ones.values()])
        page.advance([Move(len(pieces) - 1, pieces[-1]) for pieces in open_ones])
    words: dict[str, float] = {}
    for pieces, logprob in whole.items():
        # A tokenizer may have several ways to write a word.
        word = pen.text(row, pieces).strip()
        words[word] = float(np.logaddexp(words.get(word, -math.inf), logprob))
    return tuple(NextWord(word, words[word]) for word in heapq.nlargest(count, words, key=words.__getitem__))


def _lengthened(
    page: Page,
    open_ones: _Open,
    whole: dict[Row, float],
    begins: Callable[[int], bool],
    joins: NDArray[np.bool_],
) -> _Open:
    """What the beginnings go on as, by one more piece; where one is a word already, that is noted in `whole`."""
    longer: _Open = {}
    for line, ((pieces, (logprob, _)), logits) in enumerate(zip(open_ones.items(), page.logits, strict=True)):
        chances = _log_softmax(logits)
        if pieces:
            whole[pieces] = logprob + float(np.logaddexp.reduce(chances[: len(joins)][~joins[: len(chances)]]))
        for token in np.argsort(-chances)[:_LISTED].tolist():
            if token < len(joins) and (joins[token] if pieces else begins(token)):
                longer[(*pieces, token)] = logprob + float(chances[token]), line
    return longer


def _log_softmax(logits: Logits) -> NDArray[np.float64]:
    numbers = logits.astype(np.float64)
    found: NDArray[np.float64] = numbers - np.logaddexp.reduce(numbers)
    return found


def best_of(found: NextWords, count: int) -> NextWords:
    """The answers with the most probable words first, and no more of them than are wanted."""
    scored = [word for word in found.words if word.logprob is not None]
    return replace(found, words=tuple(sorted(scored, key=lambda word: -(word.logprob or 0.0))[:count]))


def without_words(reason: str) -> NextWords:
    """The answer where there is none."""
    return NextWords((NextWord("", None, reason),))


def whole_words(texts: Sequence[str]) -> list[str]:
    """Of the texts of tokens those that are words, each once.

    >>> whole_words([" nurse", "##ing", ".", "nurse"])
    ['nurse']
    """
    return list(dict.fromkeys(word for text in texts if (word := text.strip()) and word[0].isalnum()))
