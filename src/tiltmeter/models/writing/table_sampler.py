"""Writing with a scripted model: words of its table, with a space before each that is not a punctuation mark."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tiltmeter.models.writing.drawing import Logits
from tiltmeter.models.writing.pen import Move, Row

Scores = Callable[[set[str]], Mapping[str, float]]
"""From the words seen, in lower case, to the log weights of those that can come next."""


class TableSampler:
    """The means of writing of a table. Tokens are words: those that can be written come first, then those only read."""

    ends: frozenset[int] = frozenset()
    # A table computes each text alone; a page bounds nothing but the number of drafts that are open.
    page_tokens = 2**14

    def __init__(self, scores: Scores, words: Sequence[str], token: re.Pattern[str]) -> None:
        self._scores, self._token = scores, token
        self._words = list(words)
        self._writable = len(self._words)
        self._ids = {word: at for at, word in enumerate(self._words)}

    def read(self, prompt: str) -> Row:
        """The words of a prompt, in lower case."""
        return self.pieces(prompt.casefold())

    def pieces(self, text: str) -> Row:
        """The words of a text as they stand."""
        return tuple(self._id(word) for word in self._token.findall(text))

    def continuation(self, text: str) -> Row:
        """The same: words are tokens wherever they stand."""
        return self.pieces(text)

    @property
    def joins(self) -> NDArray[np.bool_]:
        """None: words are whole."""
        return np.zeros(self._writable, dtype=np.bool_)

    def room(self, row: Row) -> int | None:
        """A table has no limit."""
        return None

    def open(self, rows: Sequence[Row]) -> TablePage:
        """A page; nothing is shared on it."""
        return TablePage(self, rows)

    def text(self, row: Row, written: Sequence[int]) -> str:
        """The words written, each after a space unless it is a punctuation mark."""
        words = [self._words[token] for token in written]
        return "".join(f" {word}" if word[0].isalnum() else word for word in words)

    def logits(self, row: Row) -> Logits:
        """The log weight of each word that can be written next; minus infinity where it cannot."""
        scores = self._scores({self._words[token].casefold() for token in row})
        words = self._words[: self._writable]
        return np.array([scores.get(word.casefold(), -np.inf) for word in words], dtype=np.float32)

    def _id(self, word: str) -> int:
        if word not in self._ids:
            self._ids[word] = len(self._words)
            self._words.append(word)
        return self._ids[word]


class TablePage:
    """Texts of a table, each computed on its own."""

    def __init__(self, pen: TableSampler, rows: Sequence[Row]) -> None:
        self._pen, self._rows = pen, list(rows)
        self._written: list[Row] = [()] * len(rows)
        self.logits: Sequence[Logits] = [pen.logits(row) for row in rows]

    def keep(self, lines: Sequence[int]) -> None:
        """Go on with these texts."""
        self._rows = [self._rows[line] for line in lines]
        self._written = [self._written[line] for line in lines]

    def advance(self, moves: Sequence[Move | None]) -> None:
        """Make a move in each text; those without one leave."""
        staying = [(at, move) for at, move in enumerate(moves) if move is not None]
        self._written = [(*self._written[at][: move.keep], move.token) for at, move in staying]
        self._rows = [self._rows[at] for at, _ in staying]
        self.logits = [self._pen.logits(row + own) for row, own in zip(self._rows, self._written, strict=True)]
