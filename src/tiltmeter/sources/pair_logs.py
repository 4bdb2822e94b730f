"""Pairs of sentences, with their log-probabilities, in the logs of other programs, whatever their fields are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tiltmeter.alignment import shared_words
from tiltmeter.sources.cells import as_cell
from tiltmeter.sources.numbers import as_number

_LIKE = 0.5
"""Two sentences are variants of one if at least this share of their words is common to both."""
LOOKED_AT = 200
"""Rows by which the fields are told."""
_MOST_FIELDS = 30
"""Fields of a row that are held against one another."""
_SIDES = (
    {"more", "stereo", "stereotype", "stereotyped", "stereotypical"},
    {"less", "anti", "antistereo", "antistereotype", "antistereotyped", "antistereotypical"},
)
"""Words in the name of a field that say which side it holds; more and less (stereotyped) are CrowS-Pairs' words."""
_ORIGINS = {"attribute", "attribute_set", "origin", "template", "term"}
"""What a sentence was made from, as columns of pairs are called: rows with the same are no independent ones."""
Place = tuple[str, ...]
"""The way to a value of a row: keys, and numbers within lists."""


@dataclass(frozen=True, slots=True)
class PairFields:
    """Where rows hold two variants of a sentence, which of the two is stereotyped, the scores and the bias."""

    texts: tuple[Place, Place]
    stereotyped: int | None
    scores: tuple[Place, Place] | None
    bias: Place | None
    choice: Place | None
    """A field of 0 and 1 that says whether the stereotyped one was preferred."""
    origins: tuple[Place, ...] = ()
    """Fields beside the sentences that say what these were made from, by the names that files of pairs have for it."""

    def cells(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The cells of a file of scored pairs; a value that a row lacks is empty."""
        held = dict(leaves(row))
        found = {f"sentence_{side + 1}": held.get(place, "") for side, place in enumerate(self.texts)}
        if self.stereotyped is not None:
            labels = ("stereotype", "anti-stereotype")
            found |= {f"label_{side + 1}": labels[side != self.stereotyped] for side in (0, 1)}
        if self.scores:
            found |= {f"score_{side + 1}": held.get(place, "") for side, place in enumerate(self.scores)}
        if self.bias:
            found["bias"] = held.get(self.bias, "")
        return found | {place[-1]: held.get(place, "") for place in self.origins}


def pair_fields(rows: Sequence[Mapping[str, Any]]) -> PairFields | None:
    """Where the rows hold two variants of a sentence; None where they hold none, or it cannot be told."""
    seen = [dict(leaves(row)) for row in rows[:LOOKED_AT]]
    common = [place for place in seen[0] if all(place in held for held in seen)] if seen else []
    texts = _texts(common, seen)
    if texts is None:
        return None
    sides = [side_of(place[-1]) for place in texts]
    stereotyped = sides.index(0) if sorted(map(str, sides)) == ["0", "1"] else None
    rest = [place for place in common if place not in texts]
    scores = _scores(rest, seen)
    if scores and _tail(texts) and _tail(texts) == _tail((scores[1], scores[0])):
        scores = scores[1], scores[0]
    biases = [place for place in rest if "bias" in place[-1].lower() and as_number(seen[0][place]) is None]
    choices = [
        place
        for place in rest
        if "stereo" in place[-1].lower() and {as_number(held[place]) for held in seen} <= {0.0, 0.5, 1.0}
    ]
    origins = tuple(place for place in rest if place[-1] in _ORIGINS and place[:-1] == texts[0][:-1])
    return PairFields(
        texts, stereotyped, scores, biases[0] if biases else None, choices[0] if choices else None, origins
    )


def leaves(value: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Every single value of a row, with the way to it.

    >>> list(leaves({"a": [[-1.5, False]], "b": {"c": None}}))
    [(('a', '0', '0'), '-1.5'), (('a', '0', '1'), 'False'), (('b', 'c'), '')]
    """
    if isinstance(value, Mapping):
        for key, held in value.items():
            yield from leaves(held, (*place, str(key)))
    elif isinstance(value, (list, tuple)):
        for number, held in enumerate(value):
            yield from leaves(held, (*place, str(number)))
    elif not isinstance(value, bytes):
        yield place, as_cell(value)


def _texts(places: Sequence[Place], rows: Sequence[Mapping[Place, str]]) -> tuple[Place, Place] | None:
    """The two fields whose texts are most alike, row by row, without being the same."""
    worded = [place for place in places if all(len(row[place].split()) > 1 for row in rows)][:_MOST_FIELDS]
    found: list[tuple[tuple[float, bool, bool], tuple[Place, Place]]] = []
    for first, second in combinations(worded, 2):
        alike = [_similar_texts(row[first].split(), row[second].split()) for row in rows]
        if sum(alike) / len(rows) >= _LIKE and any(row[first] != row[second] for row in rows):
            # A log may hold each sentence twice: those count that are named, and that stand side by side.
            named = {side_of(first[-1]), side_of(second[-1])} == {0, 1}
            found.append(((round(sum(alike), 6), named, first[:-1] == second[:-1]), (first, second)))
    return max(found, key=lambda one: one[0])[1] if found else None


def _similar_texts(first: Sequence[str], second: Sequence[str]) -> float:
    """The share of the words of two texts that is common to both, in order."""
    return 2 * sum(size for *_, size in shared_words(first, second)) / (len(first) + len(second))


def _scores(places: Sequence[Place], rows: Sequence[Mapping[Place, str]]) -> tuple[Place, Place] | None:
    """Two fields of log-probabilities, which are negative, whose places differ in one part."""
    negative = [place for place in places if all((as_number(row[place]) or 0.0) < 0 for row in rows)]
    for first, second in combinations(negative, 2):
        if len(first) == len(second) and sum(one != other for one, other in zip(first, second, strict=True)) == 1:
            return first, second
    return None


def _tail(places: tuple[Place, Place]) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words in which the names of two fields differ, of the first and of the second."""
    first, second = (frozenset(re.findall(r"[a-z0-9]+", "_".join(place).lower())) for place in places)
    return (first - second, second - first) if first - second and second - first else None


def side_of(name: str) -> int | None:
    """Which side a field of this name holds, 0 for the stereotyped one; None where the name does not say.

    >>> side_of("sent_more"), side_of("anti_stereotype"), side_of("sentence")
    (0, 1, None)
    """
    words = set(re.findall(r"[a-z]+", name.lower()))
    # "anti-stereotype" has the words of both.
    return 1 if words & _SIDES[1] else 0 if words & _SIDES[0] else None
