"""What several models have in common: their cells under the same choices, and the items of these that are the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tiltmeter.results.cells import Cell, Combination, Measurement, table_of
from tiltmeter.results.compare.records import Counts
from tiltmeter.results.compare.sides import Side, bare, decoding_words
from tiltmeter.results.findings.compared import PERSON
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.stats.comparing.before_after import means_of
from tiltmeter.stats.estimate import Scale
from tiltmeter.study.planning import DEFAULT_SOURCE
from tiltmeter.views import FACTS, View

SIDES = ("A", "B")
"""What the two sides are called wherever something is said of them."""
_NAMES = {"words": "set of words", "bounded": "way of counting, bounded:", "combine": "combination"}
"""What choices are called that are not called by their names."""

Place = tuple[str, ...]
"""The source, the bias, and the choices in their order."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a comparison."""

    margin: float | None = None
    seed: int = 0

    def on(self, scale: Scale) -> float | None:
        """The margin, where the scale has two ends; log-probabilities have none of their own."""
        return None if scale.low is None or scale.high is None else self.margin


class Key(NamedTuple):
    """What makes a measurement of one model one of the same thing as that of another."""

    item: tuple[str | None, ...]
    group: str
    against: str | None


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


def choices_of(cell: Combination) -> dict[str, str]:
    """The choices of a cell, the settings of a decoding as one."""
    words = {**cell.choices, "decoding": decoding_words(cell.decoding)}
    return {name: words[name] for name in FACTS[cell.view].choices}


def over_all_decodings(cell: Combination) -> dict[str, str]:
    """What is said of the decoding where the texts of all of them count."""
    return {"decoding": "all"} if "decoding" in FACTS[cell.view].choices else {}


def cells_by_choices(side: Side, view: View, named: Mapping[str, str] | None = None) -> dict[Place, Cell]:
    """The cells of a side by the first measure of a view; `named` gives sources other names. Habits are left out."""
    return {
        ((named or {}).get(cell.source, cell.source), cell.bias, *choices_of(cell).values()): cell
        for cell in table_of(side.run).of(view, measure=FACTS[view].measures[0], model=side.model)
        if cell.source != DEFAULT_SOURCE
    }


def keyed(cell: Cell) -> dict[Key, Measurement]:
    """The measurements of a cell by what they are of: a prompt with the mean of its texts, as texts are no pairs."""
    texts = cell.table.texts_of(cell.view)
    rows = [
        (Key((bare(row.item, cell.source), *texts[row.item], row.perturbation), row.group, row.against), row)
        for row in cell.rows
        if row.perturbation in (None, ORIGINAL, PERSON)
    ]
    values = means_of((key, row.value) for key, row in rows)
    first = dict(reversed(rows))
    return {key: first[key]._replace(value=value) for key, value in values.items()}


def over_decodings(parts: Iterable[Iterable[Sequence[Measurement]]]) -> list[list[Measurement]]:
    """Items with what each model makes of them: the mean over the decodings under which all have a value."""
    every = [((rows[0].item, rows[0].group), rows) for part in parts for rows in part]
    whole = [(key, rows) for key, rows in every if all(row.value is not None for row in rows)]
    models = range(len(every[0][1]) if every else 0)
    means = [means_of((key, rows[at].value) for key, rows in whole) for at in models]
    return [[rows[at]._replace(value=means[at].get(key)) for at in models] for key, rows in dict(every).items()]


def in_some_decodings(parts: Iterable[Iterable[Sequence[Measurement]]]) -> int:
    """How many items count with some of their decodings, as a model lacks a value under the others."""
    has: dict[tuple[str, str], set[bool]] = {}
    for rows in (rows for part in parts for rows in part):
        has.setdefault((rows[0].item, rows[0].group), set()).add(all(row.value is not None for row in rows))
    return sum(len(found) > 1 for found in has.values())


def choices_of_one_side(a: Side, b: Side, tables: Sequence[Mapping[Place, Cell]]) -> tuple[str, ...]:
    """Choices that only one side has, the shortest way to say it."""
    found = []
    one, two = tables
    for side, mine, other in ((a, one, two), (b, two, one)):
        told: set[tuple[int, str]] = set()
        for place, cell in mine.items():
            if place in other:
                continue
            names = ["source", "bias", *choices_of(cell)]
            alone = next((at for at, value in enumerate(place) if all(value != each[at] for each in other)), None)
            if alone is None:
                found.append(f"only {side.name} has {', '.join(place)}")
            elif (alone, place[alone]) not in told:
                told.add((alone, place[alone]))
                found.append(f"only {side.name} has the {_NAMES.get(names[alone], names[alone])} {place[alone]}")
    return tuple(dict.fromkeys(found))
