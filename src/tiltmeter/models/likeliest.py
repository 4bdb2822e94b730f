"""The verb `likeliest`: the most probable next words, whichever they are.

A model that reads from left to right gives tokens, and a word may be several of them. So the beginnings of words are
lengthened, the most probable first, until no beginning is left that is more probable than the words that are whole: no
word can be more probable than what it begins with. Of a blank no more can be read off than the words of one piece.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiltmeter.models.decoding.interface import Sampler, Step, TokenIds
from tiltmeter.models.decoding.sampling import Logits
from tiltmeter.models.interface import Predictor
from tiltmeter.records import NextWord, NextWords

_WIDTH, _NARROWEST = 2, 32
"""Beginnings that are followed at once for each word that is wanted, and at least: a beginning that is more probable
than another may end less often."""
_LISTED = 200
"""Tokens that are looked at after each beginning."""
_PIECES = 6
"""Pieces of the longest word."""
_LEAST = math.log(1e-4)
"""Beginnings that are less probable are not followed."""
NO_WORD = "none of the most probable next tokens begins a word"
NOT_FINITE = "the model's numbers after this prompt are not finite"
NO_ROOM = "the prompt fills the model's context, so whether a word ends after it is unknown"

_Open = dict[TokenIds, tuple[float, int]]
"""The pieces of each beginning, its log-probability, and the line of the batch that it lengthens."""


def likeliest_after(
    sampler: Sampler, row: TokenIds, begins: Callable[[int], bool], is_usual: Callable[[TokenIds], bool], count: int
) -> NextWords:
    """The most probable words after a row, each with the probability that it ends.

    `begins`: whether a token begins a word; `is_usual`: whether the tokenizer writes a word in these pieces, so that
    `next_words` means the same by it.
    """
    room = sampler.room(row)
    if room is not None and room < 1:
        return without_words(NO_ROOM)
    joins, batch = sampler.joins, sampler.open([row])
    whole: dict[TokenIds, float] = {}
    open_ones: _Open = {(): (0.0, 0)}
    for left in range(min(_PIECES, room or _PIECES), -1, -1):
        if any(np.isnan(logits).any() for logits in batch.logits):
            return without_words(NOT_FINITE)
        chances = [_log_softmax(logits) for logits in batch.logits]
        for (pieces, (logprob, _)), after in zip(open_ones.items(), chances, strict=True):
            if pieces and is_usual(pieces):
                whole[pieces] = logprob + float(np.logaddexp.reduce(after[: len(joins)][~joins[: len(after)]]))
        best = heapq.nlargest(count, whole.values())
        least = max(_LEAST, best[-1] if len(best) == count else -math.inf)
        longer = _lengthened(open_ones, chances, begins, joins)
        promising = ((pieces, found) for pieces, found in longer.items() if found[0] > least)
        open_ones = dict(heapq.nlargest(max(_NARROWEST, _WIDTH * count), promising, key=lambda one: one[1][0]))
        if not open_ones or not left:
            break
        batch.keep([line for _, line in open_ones.values()])
        batch.advance([Step(len(pieces) - 1, pieces[-1]) for pieces in open_ones])
    words = words_of({sampler.text(row, pieces): logprob for pieces, logprob in whole.items()}, count)
    return NextWords(words) if words else without_words(NO_WORD)


def _lengthened(
    open_ones: _Open,
    chances: Sequence[NDArray[np.float64]],
    begins: Callable[[int], bool],
    joins: NDArray[np.bool_],
) -> _Open:
    """What the beginnings go on as, by one more piece."""
    longer: _Open = {}
    for line, ((pieces, (logprob, _)), after) in enumerate(zip(open_ones.items(), chances, strict=True)):
        listed = min(_LISTED, len(after)) - 1
        for token in np.argpartition(-after, listed)[: listed + 1].tolist():
            if token < len(joins) and (joins[token] if pieces else begins(token)):
                longer[(*pieces, token)] = logprob + float(after[token]), line
    return longer


def words_of(found: Mapping[str, float], count: int) -> tuple[NextWord, ...]:
    """The most probable of some words; at the start of a text one may be written with and without a space.

    >>> [(one.word, round(one.logprob, 2)) for one in words_of({"He": -1.0, " He": -3.0, "She": -1.5}, 2)]
    [('He', -0.87), ('She', -1.5)]
    """
    words: dict[str, float] = {}
    for text, logprob in found.items():
        words[text.strip()] = float(np.logaddexp(words.get(text.strip(), -math.inf), logprob))
    return tuple(NextWord(word, min(0.0, words[word])) for word in heapq.nlargest(count, words, key=words.__getitem__))


def _log_softmax(logits: Logits) -> NDArray[np.float64]:
    numbers = logits.astype(np.float64)
    found: NDArray[np.float64] = numbers - np.logaddexp.reduce(numbers)
    return found


def ending_if_known(
    model: Predictor, prompts: Sequence[str], words: Sequence[str], *, capitalised: bool | None = None
) -> tuple[list[NextWords], bool]:
    """The probabilities of words that end there, and True; where a model cannot say whether they end, of words
    however they go on, and False.
    """
    found = model.next_words(prompts, words, bounded=True, capitalised=capitalised)
    if not words or any(word.logprob is not None for one in found for word in one.words):
        return found, True
    other = model.next_words(prompts, words, capitalised=capitalised)
    # Where nothing can be said either way, the reason is not that a word may go on.
    return other, other == found


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
