"""What a model expects after many prompts, in columns: numbers stay of each prompt, and no object."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tiltmeter.stats.arrays import Array, Codes
from tiltmeter.stats.views.next_words import Places

if TYPE_CHECKING:
    from tiltmeter.results.summary.next_words import Expected


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """A name for each prompt, as its number among all names in their order; −1 is none."""

    codes: Codes
    names: Sequence[str]

    @property
    def parts(self) -> list[tuple[str, Codes]]:
        """The prompts of each name, in the order in which the names come."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.flatnonzero(np.diff(self.codes[order], prepend=-2))
        parts = [part for part in np.split(order, starts[1:]) if len(part) and self.codes[part[0]] >= 0]
        return [(self.names[self.codes[part[0]]], part) for part in sorted(parts, key=lambda part: int(part[0]))]


@dataclass(frozen=True, slots=True, eq=False)
class Prompts:
    """What a model expects after many prompts under one perturbation; NaN is unscored."""

    numbers: Codes
    """Of the prompts, which they have under every perturbation."""
    professions: Names
    templates: Names
    chances: Mapping[str, Array]
    """By group."""
    highest: Array
    gap: Array
    unscored: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By group, why prompts have no chance of it, and how many."""

    @property
    def places(self) -> Places:
        """What figures are uncertain over; what has no template is as good as its profession."""
        professions, templates = self.professions.codes, self.templates.codes
        return Places(professions, np.where(templates < 0, professions, templates + len(self.professions.names)))

    def both(self, a: str, b: str) -> Array:
        """A column for each of two groups."""
        missing = np.full(len(self.numbers), np.nan)
        return np.column_stack([self.chances.get(a, missing), self.chances.get(b, missing)])


class PromptColumns:
    """Prompts that come one by one, under any perturbation."""

    def __init__(self) -> None:
        self._columns: dict[str, _Columns] = {}

    def add(self, number: int, item: Expected) -> None:
        """The next prompt; its number is the same under every perturbation."""
        self._columns.setdefault(item.perturbation, _Columns()).add(number, item)

    def made(self) -> dict[str, Prompts]:
        """The columns of each perturbation."""
        return {name: columns.made() for name, columns in self._columns.items()}


def by_perturbation(items: Iterable[Expected]) -> dict[str, Prompts]:
    """The columns of prompts that are told apart by their names."""
    columns = PromptColumns()
    numbers: dict[str, int] = {}
    for item in items:
        columns.add(numbers.setdefault(item.prompt, len(numbers)), item)
    return columns.made()


class _Columns:
    """The columns of one perturbation while they grow."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._professions, self._templates = _Codes(), _Codes()
        self._chances: dict[str, array[float]] = {}
        self._highest, self._gap = array("d"), array("d")
        self._unscored: dict[str, Counter[str]] = {}

    def add(self, number: int, item: Expected) -> None:
        for group in item.chances:
            if group not in self._chances:
                self._chances[group] = array("d", [math.nan]) * len(self._numbers)
        self._numbers.append(number)
        self._professions.add(item.profession)
        self._templates.add(item.template)
        for column, value in (
            *((column, item.chances.get(group)) for group, column in self._chances.items()),
            (self._highest, item.highest),
            (self._gap, item.gap),
        ):
            column.append(math.nan if value is None else value)
        for group, reason in item.unscored.items():
            self._unscored.setdefault(group, Counter())[reason] += 1

    def made(self) -> Prompts:
        return Prompts(
            np.array(self._numbers, dtype=np.intp),
            self._professions.sorted(),
            self._templates.sorted(),
            {group: np.array(column) for group, column in self._chances.items()},
            np.array(self._highest),
            np.array(self._gap),
            self._unscored,
        )


class _Codes:
    """Names as numbers, in the order in which they come."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._codes = array("q")

    def add(self, name: str | None) -> None:
        self._codes.append(-1 if name is None else self._names.setdefault(name, len(self._names)))

    def sorted(self) -> Names:
        """The same with numbers in the order of the names."""
        ordered = sorted(self._names)
        places = np.full(len(ordered) + 1, -1, dtype=np.intp)
        places[[self._names[name] for name in ordered]] = np.arange(len(ordered))
        return Names(places[np.array(self._codes, dtype=np.intp)], ordered)
