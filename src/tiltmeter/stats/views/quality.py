"""How good a set of test sentences is: length, diversity, repetition, sentiment, readability, yield of its terms."""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, stdev
from typing import TypeVar

from tiltmeter.records import Rating
from tiltmeter.stats.spread import Spread, spread

Key = TypeVar("Key", bound=Hashable)

SAMPLE = 200
"""Unique tokens are counted in so many sentences, because they grow with the number of sentences."""
_DRAWS = 30
_THRESHOLD = 0.05
_FIGURES = (
    *("words", "unique_tokens", "unique_tokens_of_templates", "near_duplicates"),
    *("negative", "neutral", "positive", "fog", "ari"),
)
_WORD = re.compile(r"\w+(?:[-'’]\w+)*")


@dataclass(frozen=True, slots=True)
class Quality:
    """One set of sentences. Every figure is None where it cannot be had.

    `unique_tokens` is the mean over seeded draws of 200 filled-in sentences; `unique_tokens_of_templates` is the same
    with the group term replaced by its slot. The paper sets the one of its sentences beside the other of templates.
    """

    name: str
    sentences: int
    words: float | None
    words_sd: float | None
    unique_tokens: float | None
    unique_tokens_of_templates: float | None
    near_duplicates: float | None
    """The share of sentences that nearly repeat an earlier one."""
    negative: float | None = None
    neutral: float | None = None
    positive: float | None = None
    fog: float | None = None
    ari: float | None = None
    unrated: int = 0
    """Ratings that a rater could not give, over all raters."""
    over_sets: Mapping[str, Spread] = field(default_factory=dict)
    """By figure, its value in each independent set of the sentences; empty where they are not in sets.

    A figure that any of the sets cannot have, as different words in 200 sentences of fewer, has no values.
    """


def quality(
    name: str,
    texts: Sequence[str],
    *,
    templates: Sequence[str] | None = None,
    ratings: Mapping[str, Sequence[Rating]] | None = None,
    sets: Sequence[Hashable] | None = None,
    seed: int = 0,
) -> Quality:
    """The figures of a set of sentences; `ratings` are by kind: `sentiment` (−1 to 1), `fog`, `ari`.

    `sets` names the independent set of each sentence, where there are such sets.

    >>> quality("mine", ["He likes math.", "She likes art very much."]).words
    4.0
    """
    lengths = [len(words_of(text)) for text in texts]
    values = {kind: [one.value for one in found if one.value is not None] for kind, found in (ratings or {}).items()}
    sentiments = values.get("sentiment", [])
    return Quality(
        name=name,
        sentences=len(texts),
        words=fmean(lengths) if lengths else None,
        words_sd=stdev(lengths) if len(lengths) > 1 else None,
        unique_tokens=unique_tokens(texts, seed=seed),
        unique_tokens_of_templates=unique_tokens(templates, seed=seed) if templates is not None else None,
        near_duplicates=near_duplicates(texts) / len(texts) if texts else None,
        negative=_share([value <= -_THRESHOLD for value in sentiments]),
        neutral=_share([-_THRESHOLD < value < _THRESHOLD for value in sentiments]),
        positive=_share([value >= _THRESHOLD for value in sentiments]),
        fog=fmean(values["fog"]) if values.get("fog") else None,
        ari=fmean(values["ari"]) if values.get("ari") else None,
        unrated=sum(one.value is None for found in (ratings or {}).values() for one in found),
        over_sets={} if sets is None else _over_sets(texts, templates, ratings or {}, sets),
    )


def _over_sets(
    texts: Sequence[str],
    templates: Sequence[str] | None,
    ratings: Mapping[str, Sequence[Rating]],
    sets: Sequence[Hashable],
) -> dict[str, Spread]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for at, name in enumerate(sets):
        places[name].append(at)
    # Templates of sentences that make several pairs, or none, are not one for each sentence.
    slotted = templates if templates is not None and len(templates) == len(texts) else None
    each = [
        quality(
            "",
            [texts[at] for at in own],
            templates=None if slotted is None else [slotted[at] for at in own],
            ratings={kind: [found[at] for at in own] for kind, found in ratings.items()},
        )
        for own in places.values()
    ]
    values = {figure: [getattr(one, figure) for one in each] for figure in _FIGURES}
    return {figure: spread(found if None not in found else ()) for figure, found in values.items()}


def words_of(text: str) -> list[str]:
    """The words of a text in small letters.

    >>> words_of("The bus-driver's late!")
    ['the', "bus-driver's", 'late']
    """
    return _WORD.findall(text.casefold())


def unique_tokens(texts: Sequence[str], *, size: int = SAMPLE, draws: int = _DRAWS, seed: int = 0) -> float | None:
    """How many different words so many of the texts have, averaged over seeded draws; None where there are fewer.

    >>> unique_tokens(["a b", "a c"], size=2), unique_tokens(["a b", "a c"], size=3)
    (3.0, None)
    """
    if len(texts) < size:
        return None
    source = random.Random(seed)
    words = [words_of(text) for text in texts]
    return fmean(len({word for found in source.sample(words, size) for word in found}) for _ in range(draws))


def near_duplicates(texts: Sequence[str], threshold: float = 0.9) -> int:
    """How many texts share at least that part of their words (Jaccard) with an earlier one.

    >>> near_duplicates(["He likes math.", "he likes math!", "She likes math."])
    1
    """
    sets = [frozenset(words_of(text)) for text in texts]
    frequency = Counter(word for words in sets for word in words)
    with_word: dict[str, list[int]] = defaultdict(list)
    found = 0
    for place, words in enumerate(sets):
        # Two sets this alike must share one of their rarest words, so only those need to be looked up.
        ordered = sorted(words, key=lambda word: (frequency[word], word))
        rare = ordered[: len(ordered) - math.ceil(threshold * len(ordered)) + 1]
        candidates = {other for word in rare for other in with_word[word]}
        if any(_jaccard(words, sets[other]) >= threshold for other in candidates):
            found += 1
        for word in rare:
            with_word[word].append(place)
    return found


def low_yield(counts: Mapping[Key, tuple[int, int]]) -> dict[Key, float]:
    """The terms whose share of accepted sentences is below half of the median; `counts` are (accepted, decoded).

    >>> low_yield({"man": (8, 10), "boy": (7, 10), "hers": (1, 10)})
    {'hers': 0.1}
    """
    shares = {term: accepted / decoded for term, (accepted, decoded) in counts.items() if decoded}
    if not shares:
        return {}
    middle = median(shares.values())
    return {term: share for term, share in shares.items() if share < middle / 2}


def _share(votes: Sequence[bool]) -> float | None:
    return sum(votes) / len(votes) if votes else None


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0
