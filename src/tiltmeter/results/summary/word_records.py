"""The records of the words that models use: of two groups, of a sentence structure, and of a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.records import Decoding
from tiltmeter.stats.views.words import WordContrast


@dataclass(frozen=True, slots=True)
class GroupWords:
    """Two groups by the words of their texts."""

    a: str
    b: str
    part: str
    """The set of prompts alone, or blank for all."""
    words: tuple[WordContrast, ...]
    looked_at: int
    """How many words were compared, of which these set the groups apart most."""

    def as_json(self) -> dict[str, Any]:
        """The figures of the pair."""
        place = {"a": self.a, "b": self.b, "part": self.part, "looked_at": self.looked_at}
        return {**place, "words": [word.as_json() for word in self.words]}


@dataclass(frozen=True, slots=True)
class StructureWord:
    """A word in the texts of one structure, against those of all others."""

    structure: str
    word: str
    log_odds: float
    z: float
    texts: int
    """How many texts of the structure have it."""
    of: int


@dataclass(frozen=True, slots=True)
class WordCell:
    """The words of one model on the prompts of one source and bias, in its first decoding."""

    model: str
    source: str
    bias: str
    decoding: Decoding
    pairs: tuple[GroupWords, ...]
    structures: tuple[StructureWord, ...]
    counts: tuple[tuple[str, str, str, int, int], ...]
    """Group, structure (or blank), word, how often it occurs, and in how many texts."""

    def as_json(self) -> dict[str, Any]:
        """The figures as the run folder keeps them; `tables/words.csv` has the counts."""
        return {
            "model": self.model,
            "source": self.source,
            "bias": self.bias,
            "decoding": asdict(self.decoding),
            "pairs": [pair.as_json() for pair in self.pairs],
            "structures": [asdict(word) for word in self.structures],
        }
