"""What the comparisons of every view share: what is asked, which items both sides have, and what only one has."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tiltmeter.analysis.comparable import Side
from tiltmeter.analysis.comparison_records import Counts

SIDES = ("A", "B")
"""What the two sides are called wherever something is said of them."""
_ON_A_SCALE = ("preference", "share", "difference")
"""Measures that a margin is meant for; log-probabilities have no scale of their own."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a comparison."""

    margin: float | None = None
    seed: int = 0

    def on(self, measure: str) -> float | None:
        """The margin, where the measure is a share or a rating."""
        return self.margin if measure in _ON_A_SCALE else None


@dataclass(slots=True)
class Shared:
    """The items of two sides that are the same, and a count of the others."""

    both: set[Hashable] = field(default_factory=set)
    only_a: set[Hashable] = field(default_factory=set)
    only_b: set[Hashable] = field(default_factory=set)

    def seen(self, place: Hashable, a: set[Hashable], b: set[Hashable]) -> None:
        """Note the items of one choice; an item that is asked under several counts once."""
        for mine, found in ((self.both, a & b), (self.only_a, a - b), (self.only_b, b - a)):
            mine |= {(place, key) for key in found}

    @property
    def counts(self) -> Counts:
        """How many there are of each."""
        return Counts(len(self.both), len(self.only_a - self.both), len(self.only_b - self.both))


def only_one(
    a: Side, b: Side, tables: Sequence[Mapping[tuple[Any, ...], Any]], names: Sequence[str]
) -> tuple[str, ...]:
    """Choices that only one side has, the shortest way to say it."""
    found = []
    one, two = tables
    for side, mine, other in ((a, one, two), (b, two, one)):
        told: set[tuple[int, Any]] = set()
        for place in mine:
            if place in other:
                continue
            alone = next((at for at, value in enumerate(place) if all(value != each[at] for each in other)), None)
            if alone is None:
                found.append(f"only {side.name} has {', '.join(map(str, place))}")
            elif (alone, place[alone]) not in told:
                told.add((alone, place[alone]))
                found.append(f"only {side.name} has the {names[alone]} {place[alone]}")
    return tuple(dict.fromkeys(found))
