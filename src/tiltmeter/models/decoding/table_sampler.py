"""Writing with a scripted model: words of its table, with a space before each that is not a punctuation mark."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tiltmeter.models.decoding.interface import Step, TokenIds
from tiltmeter.models.decoding.sampling import Drawing, Logits

Scores = Callable[[set[str]], Mapping[str, float]]
"""From the words seen, in lower case, to the log weights of those that can come next."""


class TableSampler:
    """The means of writing of a table. Tokens are words: those that can be written come first, then those only read."""

    ends: frozenset[int] = frozenset()
    # A table computes each text alone; a batch bounds nothing but the number of drafts that are open.
    batch_tokens = 2**14

    def __init__(self, scores: Scores, words: Sequence[str], token: re.Pattern[str]) -> None:
        self._scores, self._token = scores, token
        self._words = list(words)
        self._writable = len(self._words)
        self._ids = {word: at for at, word in enumerate(self._words)}

    def read(self, prompt: str) -> TokenIds:
        """The words of a prompt, in lower case."""
        return self.pieces(prompt.casefold())

    def pieces(self, text: str) -> TokenIds:
        """The words of a text as they stand."""
        return tuple(self._id(word) for word in self._token.findall(text))

    def continuation(self, text: str) -> TokenIds:
        """The same: words are tokens wherever they stand."""
        return self.pieces(text)

    @property
    def joins(self) -> NDArray[np.bool_]:
        """None: words are whole."""
        return np.zeros(self._writable, dtype=np.bool_)

    def room(self, row: TokenIds) -> int | None:
        """A table has no limit."""
        return None

    def open(self, rows: Sequence[TokenIds]) -> TableBatch:
        """A batch; nothing is shared on it."""
        return TableBatch(self, rows)

    def text(self, row: TokenIds, written: Sequence[int]) -> str:
        """The words written, each after a space unless it is a punctuation mark."""
        words = [self._words[token] for token in written]
        return "".join(f" {word}" if word[0].isalnum() else word for word in words)

    def texts(self, drafts: Sequence[tuple[TokenIds, Sequence[int]]]) -> list[str]:
        """The same of many."""
        return [self.text(row, written) for row, written in drafts]

    def logits(self, row: TokenIds) -> Logits:
        """The log weight of each word that can be written next; minus infinity where it cannot."""
        scores = self._scores({self._words[token].casefold() for token in row})
        words = self._words[: self._writable]
        return np.array([scores.get(word.casefold(), -np.inf) for word in words], dtype=np.float32)

    def _id(self, word: str) -> int:
        if word not in self._ids:
            self._ids[word] = len(self._words)
            self._words.append(word)
        return self._ids[word]


class TableBatch(Drawing):
    """Texts of a table, each computed on its own."""

    def __init__(self, sampler: TableSampler, rows: Sequence[TokenIds]) -> None:
        self._sampler, self._rows = sampler, list(rows)
        self._written: list[TokenIds] = [()] * len(rows)

    @property
    def logits(self) -> Sequence[Logits]:
        """The log weights after each text."""
        return [self._sampler.logits(row + own) for row, own in zip(self._rows, self._written, strict=True)]

    def keep(self, lines: Sequence[int]) -> None:
        """Go on with these texts."""
        self._rows = [self._rows[line] for line in lines]
        self._written = [self._written[line] for line in lines]
        self.keep_drawn(lines)

    def advance(self, steps: Sequence[Step | None]) -> None:
        """Make a step in each text; those without one leave."""
        staying = [(at, step) for at, step in enumerate(steps) if step is not None]
        self._written = [(*self._written[at][: step.keep], step.token) for at, step in staying]
        self._rows = [self._rows[at] for at, _ in staying]

    def append(self, tokens: Sequence[int]) -> None:
        """Add a token to each text."""
        self._written = [(*written, int(token)) for written, token in zip(self._written, tokens, strict=True)]
