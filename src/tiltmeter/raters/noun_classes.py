"""Judges whether a noun names somebody by their work, or belongs to a class of which a few examples are given.

Both read vectors of all-MiniLM-L6-v2, of the noun and of what a sentence says it is. The head for work was trained by
`training/professions.py`; the one for examples is fitted when it is made, against the nouns that it was trained on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from tiltmeter.english import article_for
from tiltmeter.raters.heads import encoder

if TYPE_CHECKING:
    from tiltmeter.raters.network import Array

NAME = "professions.minilm.v2"
_PENALTY = 0.05
_KINDS = (
    *("religion", "nationality", "profession", "hobby", "illness", "political view", "family relation", "age"),
    *("wealth", "education"),
)
"""What a definition of a person may be about."""
_SAME_KIND = 0.75
"""The likeness from which on two names are of the same kind."""
_SLOPE, _HEAD_START, _MOST = 1.5, 0.05, 0.25
"""How much what is said of a noun adds to its score."""


class WorkJudge:
    """How probably each noun, with what is said of it, is a profession."""

    def __init__(self) -> None:
        import numpy as np

        kept = files("tiltmeter.raters").joinpath("weights", f"{NAME}.json").read_bytes()
        stored = json.loads(kept)
        self.sha256 = hashlib.sha256(kept).hexdigest()
        self.trained_on: str = stored["trained_on_sha256"]
        self._weights, self._intercept = np.array(stored["weights"]), float(stored["intercept"])

    def __call__(self, asked: Sequence[tuple[str, str]]) -> list[float]:
        """One probability for each noun and what is said of it."""
        import numpy as np

        scores = vectors(asked).astype(np.float64) @ self._weights + self._intercept
        return [float(score) for score in (1 / (1 + np.exp(-scores))).round(6)]


class ExampleJudge:
    """How probably each noun is of a class of which there are some examples: a ridge classifier over vectors of nouns.

    Examples and others weigh the same together, however few examples there are. What is said of a noun adds to that
    where it is rather about the class, by its name, than about anything else that people are called by.
    """

    def __init__(self, name: str, examples: Sequence[str], others: Sequence[str]) -> None:
        import numpy as np

        kinds = _units([f"A person's {kind}." for kind in (name, *_KINDS)])
        self._class, self._kinds = kinds[0], kinds[1:][kinds[1:] @ kinds[0] < _SAME_KIND]

        own = {example.casefold() for example in examples}
        apart = _rows(tuple(others))[[other not in own for other in others]]
        rows = np.vstack([_nouns(examples), apart]).astype(np.float64)
        self._mean = rows[: len(examples)].mean(axis=0) / 2 + rows[len(examples) :].mean(axis=0) / 2
        truth = np.array([1.0] * len(examples) + [-1.0] * len(apart))
        weight = np.where(truth > 0, 0.5 / len(examples), 0.5 / len(apart))
        centred = rows - self._mean
        square = centred.T @ (weight[:, None] * centred) + _PENALTY * np.eye(rows.shape[1])
        self._slopes = np.linalg.solve(square, centred.T @ (weight * truth))

    def __call__(self, asked: Sequence[tuple[str, str]]) -> list[float]:
        """One number from 0 to 1 for each noun and what is said of it."""
        import numpy as np

        found = (_nouns([noun for noun, _ in asked]) - self._mean) @ self._slopes
        said = _units([_as_sentence(text) for _, text in asked])
        nearer = said @ self._class - (said @ self._kinds.T).max(axis=1)
        added = np.clip(_SLOPE * (nearer + _HEAD_START), 0, _MOST) * [bool(text) for _, text in asked]
        return [float(value) for value in np.clip(0.5 + found / 2 + added, 0, 1).round(6)]


def vectors(asked: Sequence[tuple[str, str]]) -> Array:
    """The vector of each noun beside that of what is said of it, all 0 where nothing is."""
    import numpy as np

    said = encoder().rows([_as_sentence(text) for _, text in asked])
    said[[not text for _, text in asked]] = 0
    return np.hstack([_nouns([noun for noun, _ in asked]), said])


def _units(texts: Sequence[str]) -> Array:
    import numpy as np

    rows = encoder().rows(texts).astype(np.float64)
    found: Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def _as_sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


@lru_cache(maxsize=1)
def _rows(nouns: tuple[str, ...]) -> Array:
    """Of nouns that are always the same."""
    return _nouns(nouns)


def _nouns(nouns: Sequence[str]) -> Array:
    return encoder().rows([f"{(article_for(noun) or 'a').capitalize()} {noun}" for noun in nouns])
