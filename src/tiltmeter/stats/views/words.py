"""Which words texts about one group have more often than texts about another.

The log-odds ratio has an informative prior, the words of all texts (Monroe, Colaresi and Quinn 2008), so that a word
that occurs once is not the first on the list. Its z-score counts every word as an observation of its own, which words
of one text are not. So it only orders the words; interval and p are those of the share of texts that have the word,
clustered as all figures are.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import adjust
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.scales import SHARE

LEAST_TEXTS = 5
"""A word in fewer texts is not looked at."""
PRIOR = 500.0
"""How many words the prior weighs."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class WordText:
    """The words of one text, and what it is about."""

    group: str
    origin: str
    words: Mapping[str, int]
    structure: str | None = None


@dataclass(frozen=True, slots=True)
class WordContrast:
    """One word in the texts of two sides."""

    word: str
    log_odds: float
    """Of the first side against the second; above 0 the word is more frequent in the first."""
    z: float
    counts: tuple[int, int]
    """How often it occurs."""
    shares: tuple[float, float]
    """The share of texts that have it."""
    difference: Estimate
    """Of the two shares."""

    def as_json(self) -> dict[str, Any]:
        """The figures of the word."""
        figures = {"word": self.word, "log_odds": self.log_odds, "z": self.z}
        return {**figures, "counts": self.counts, "shares": self.shares, "difference": self.difference.as_json()}


def words_of(text: str, without: Collection[str] = ()) -> Counter[str]:
    """How often each word occurs, in small letters.

    >>> sorted(words_of("She was kind, and he wasn't. Kind!", without={"and"}).items())
    [('he', 1), ('kind', 2), ('she', 1), ('was', 1), ("wasn't", 1)]
    """
    found = Counter(word.replace("’", "'") for word in _WORD.findall(text.casefold()))
    return Counter({word: count for word, count in found.items() if word not in without})


def log_odds(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, tuple[float, float]]:
    """By word the log-odds ratio and its z-score, with the words of both as prior.

    >>> found = log_odds({"a": 30, "b": 70}, {"a": 10, "b": 90})
    >>> [round(one, 3) for one in found["a"]]
    [0.209, 1.611]
    """
    both = Counter(first) + Counter(second)
    every, totals = both.total(), (sum(first.values()), sum(second.values()))
    found = {}
    for word, count in both.items():
        prior = PRIOR * count / every
        seen = [counts.get(word, 0) + prior for counts in (first, second)]
        odds = [
            math.log(own / (total + PRIOR - own))
            for own, total in zip(seen, totals, strict=True)
            if total + PRIOR > own
        ]
        if len(odds) == 2:
            ratio = odds[0] - odds[1]
            found[word] = ratio, ratio / math.sqrt(1 / seen[0] + 1 / seen[1])
    return found


def contrast(texts: Sequence[WordText], a: str, b: str, most: int = 10) -> tuple[list[WordContrast], int]:
    """The words that set two groups apart most, those of `a` first, and how many words were looked at.

    p is adjusted for all words that were looked at: of those that are not listed it is taken to be 1.
    """
    own = [text for text in texts if text.group in (a, b)]
    counts = {group: _counted(text for text in own if text.group == group) for group in (a, b)}
    within = Counter(word for text in own for word in text.words)
    known = {word for word, times in within.items() if times >= LEAST_TEXTS}
    odds = {word: found for word, found in log_odds(counts[a], counts[b]).items() if word in known}
    ordered = sorted(odds, key=lambda word: (-odds[word][1], word))
    first = [word for word in ordered if odds[word][1] > 0][:most]
    second = [word for word in reversed(ordered) if odds[word][1] < 0][:most]
    tested = {word: _difference(own, a, b, word) for word in (*first, *second)}
    untested = {f"\0{at}": Estimate(0.0, p=1.0) for at in range(len(odds) - len(tested))}
    adjusted = adjust({**tested, **untested})
    sizes = Counter(text.group for text in own)
    have = {group: Counter(word for text in own if text.group == group for word in text.words) for group in (a, b)}
    return [
        WordContrast(
            word,
            *odds[word],
            (counts[a][word], counts[b][word]),
            (have[a][word] / sizes[a], have[b][word] / sizes[b]),
            adjusted[word],
        )
        for word in (*first, *second)
    ], len(odds)


def _counted(texts: Iterable[WordText]) -> Counter[str]:
    found: Counter[str] = Counter()
    for text in texts:
        found.update(text.words)
    return found


def _difference(texts: Sequence[WordText], a: str, b: str, word: str) -> Estimate:
    """The share of texts about `a` that have a word, minus that of `b`."""
    items = [(text.group, float(word in text.words), text.origin) for text in texts]
    structures = [text.structure for text in texts]
    several = len(set(structures)) > 1
    return Pooled(items, structures=structures if several else None, scale=SHARE).difference(a, b)
