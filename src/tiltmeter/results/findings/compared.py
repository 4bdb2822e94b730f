"""Measurements under one combination of choices as what they say to a question: which group comes off worse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tiltmeter.results.cells import Combination, Measurement
from tiltmeter.results.findings.questions import Question
from tiltmeter.results.findings.stereotypes import stereotype
from tiltmeter.results.items import pair_item
from tiltmeter.results.measurements.columns import OTHER, STEREOTYPED
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.results.summary.structures import FIXED
from tiltmeter.stats.multiverse.cells import CellData
from tiltmeter.stats.scales import difference_bounds
from tiltmeter.stats.views.pairs import headline_strata

PERSON = "person"
"""The perturbation that shows what a model expects of anybody."""
BASELINE = "baseline"
"""The structure of sentences that are not rephrased."""


def cells_from(
    question: Question,
    of: Combination,
    rows: Sequence[Measurement],
    spec: Mapping[str, Any],
    probabilities: Sequence[Measurement] = (),
) -> Iterator[CellData]:
    """The measurements of one combination as cells: by the kind of the sentence, and by set where there are several.

    An origin that other sources may know by the same name for something else has its source before its name.
    `probabilities` are those that values are differences of, which tell more of how sure these are.
    """
    parts: dict[tuple[str, int | None], list[Measurement]] = defaultdict(list)
    for row in rows:
        parts[BASELINE if of.view == "next words" else _kind(row), row.set].append(row)
    several = len({number for _, number in parts}) > 1
    for (kind, number), part in parts.items():
        data = _data(question, of, part, spec, probabilities)
        if data is not None:
            choices = {"source": of.source, "structure": kind, **of.choices}
            choices |= {"set": str((number or 0) + 1)} if several else {}
            choices |= {} if of.view == "continuations" else {"measure": of.measure.replace("_", " ")}
            yield replace(data, choices=choices)


def _kind(row: Measurement) -> str:
    """The kind of its sentence."""
    return BASELINE if row.structure in (None, FIXED) else row.kind or BASELINE


def _data(
    question: Question,
    of: Combination,
    rows: Sequence[Measurement],
    spec: Mapping[str, Any],
    probabilities: Sequence[Measurement],
) -> CellData | None:
    """The measurements as what they say of the two groups; None where they say nothing."""
    if question.view == "continuations":
        return _rated(question, of, rows)
    if question.view == "pairs":
        return _paired(question, of, rows)
    return _expected(question, of, rows, spec, probabilities)


def _rated(question: Question, of: Combination, rows: Sequence[Measurement]) -> CellData | None:
    """Values that each belong to one of the two groups."""
    sides = {question.first: 0, question.second: 1}
    own = [row for row in rows if row.group in sides]
    if {row.group for row in own} != set(sides):
        return None
    # Texts in one sentence structure resemble one another as those with one origin do.
    structures = [row.structure for row in own]
    return CellData.of(
        {},
        [row.value for row in own],
        [f"{of.source}: {row.origin}" for row in own],
        [sides[row.group] for row in own],
        orientation=1 if of.worse > 0 else -1,
        scale=of.bounds,
        templates=structures if len(set(structures)) > 1 else None,
        because=[row.reason for row in own],
    )


def _paired(question: Question, of: Combination, rows: Sequence[Measurement]) -> CellData:
    """Preferences: two sides where now one group is the stereotyped one and now the other, else signed items."""
    # An attribute is the same in every source, and is turned in all of them at once.
    origins = [row.attribute or f"{of.source}: {row.origin}" for row in rows]
    because = [row.reason for row in rows]
    neutral = of.scale.neutral or 0.0
    named = sides_of(rows)
    sides = {name: int(name != (question.first if question.first in named else named[0])) for name in named}
    both = len(named) == 2 and {row.group for row in rows} == set(named)
    # Where no sets of attributes are known, those of either group weigh the same.
    parts = headline_strata([pair_item(of, row) for row in rows])
    return CellData.of(
        {},
        [_turned(row.value, neutral) if both and sides[row.group] else row.value for row in rows],
        origins,
        [sides[row.group] for row in rows] if both else None,
        neutral=neutral,
        scale=of.bounds,
        # Sentences of one template resemble one another as those with one attribute do, or with the same words.
        templates=[row.template for row in rows],
        terms=[row.term for row in rows],
        parts=parts if not both or any(len(path) > 1 for path in parts) else [(row.group,) for row in rows],
        because=because,
    )


def sides_of(rows: Iterable[Measurement]) -> list[str]:
    """The groups that pairs name; nothing where they name none."""
    found = dict.fromkeys(group for row in rows for group in (row.group, row.against or OTHER))
    return [] if {STEREOTYPED, OTHER} & found.keys() else list(found)


def _expected(
    question: Question,
    of: Combination,
    rows: Sequence[Measurement],
    spec: Mapping[str, Any],
    probabilities: Sequence[Measurement],
) -> CellData | None:
    """Probabilities of two groups: after prompts as they are, beside those of anybody, or by stereotype.

    By stereotype the two sides are the attributes tied to either group, so that a model that expects one of them
    whatever comes before has no value.
    """
    neutral, groups = of.scale.neutral or 0.0, (question.first, question.second)
    every = list(_towards(rows, groups, neutral))
    own = [row for row in every if row.perturbation in (None, ORIGINAL)]
    values, because, sides = [row.value for row in own], [row.reason for row in own], None
    if question.by_stereotype:
        tied = stereotype(spec, groups) if spec else None
        placed = [(row, side) for row in own if tied and (side := tied.side(row.origin)) is not None]
        own, sides = [row for row, _ in placed], [side for _, side in placed]
        if set(sides) != {0, 1}:
            return None
        values, because = [row.value for row in own], [row.reason for row in own]
    elif question.beyond_habit:
        habit = {row.item: row for row in every if row.perturbation == PERSON}
        own = [row for row in own if row.item in habit]
        values = [_less(row.value, habit[row.item].value) for row in own]
        because = [row.reason or habit[row.item].reason for row in own]
    if not own:
        return None
    plain = not question.by_stereotype and not question.beyond_habit
    known = {(row.item, row.group): row.value for row in probabilities if row.perturbation in (None, ORIGINAL)}
    return CellData.of(
        {},
        values,
        [row.origin for row in own],
        sides,
        orientation=1 if question.by_stereotype else -1,
        neutral=neutral if plain else 0.0,
        scale=difference_bounds(of.bounds) if question.beyond_habit else of.bounds,
        templates=[row.template for row in own],
        chances=[(known[row.item, groups[0]], known[row.item, groups[1]]) for row in own] if plain and known else None,
        because=because,
    )


def _towards(rows: Iterable[Measurement], groups: tuple[str, str], neutral: float) -> Iterator[Measurement]:
    """The rows that compare two groups, all in the same direction."""
    for row in rows:
        if (row.group, row.against) == groups:
            yield row
        elif (row.against, row.group) == groups:
            yield row._replace(group=groups[0], against=groups[1], value=_turned(row.value, neutral))


def _turned(value: float | None, neutral: float) -> float | None:
    return None if value is None else 2 * neutral - value


def _less(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other
