"""Measurements under one combination of choices as what they say to a question: which group comes off worse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.results.cells import Combination, Measurement
from tiltmeter.results.findings.questions import Question
from tiltmeter.results.findings.stereotypes import stereotype
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.results.summary.structures import FIXED
from tiltmeter.results.views import results_of
from tiltmeter.stats.estimates import scaled
from tiltmeter.stats.multiverse.cells import CellData, raw_value
from tiltmeter.stats.scales import difference_bounds
from tiltmeter.views import FACTS

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
    facts, own = FACTS[of.view], results_of(of.view)
    parts: dict[tuple[str, int | None], list[Measurement]] = defaultdict(list)
    for row in rows:
        parts[_kind(row), row.set].append(row)
    several = len({number for _, number in parts}) > 1
    for (kind, number), part in parts.items():
        if own.data:
            data = own.data(question, of, part)
        else:
            # Other views may be asked about a stereotype before anything was measured.
            compares = of.compares or any(row.against for row in part)
            data = _of_two(question, of, part, spec, probabilities) if compares else of_one(question, of, part)
        if data is not None:
            choices = {"source": of.source, "structure": kind, **of.choices}
            choices |= {"set": str((number or 0) + 1)} if several else {}
            choices |= {"measure": of.measure.replace("_", " ")} if len(facts.measures) > 1 else {}
            yield replace(data, choices=choices)


def _kind(row: Measurement) -> str:
    """The kind of its sentence."""
    return BASELINE if row.structure in (None, FIXED) else row.kind or BASELINE


def of_one(question: Question, of: Combination, rows: Sequence[Measurement]) -> CellData | None:
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


def _of_two(
    question: Question,
    of: Combination,
    rows: Sequence[Measurement],
    spec: Mapping[str, Any],
    probabilities: Sequence[Measurement],
) -> CellData | None:
    """Values that compare the two groups: of items as they are, beside those of anybody, or by stereotype.

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
        [row.origin if FACTS[of.view].shared_origins else f"{of.source}: {row.origin}" for row in own],
        sides,
        orientation=1 if question.by_stereotype or of.worse > 0 else -1,
        neutral=neutral if plain else 0.0,
        scale=difference_bounds(of.bounds) if question.beyond_habit else of.bounds,
        templates=[row.template for row in own],
        chances=[(known[row.item, groups[0]], known[row.item, groups[1]]) for row in own] if plain and known else None,
        because=because,
    )


def towards_stereotype(
    of: Combination,
    rows: Sequence[Measurement],
    groups: tuple[str, str],
    spec: Mapping[str, Any],
    *,
    apart: bool = False,
) -> Estimate | None:
    """How far values lie towards the stereotyped group, attributes of either weighing the same: above 0 they do.

    That is half of what lies between the two sides of the cell that findings have. With `apart` values are differences
    of two models; None where not both groups have attributes of their own among the items.
    """
    asked = Question("", of.view, of.bias, *groups, by_stereotype=True)
    together = [row._replace(set=None, structure=None) for row in rows]
    data = next(cells_from(asked, replace(of, scale=of.scale.change) if apart else of, together, spec), None)
    return None if data is None else scaled(raw_value(data, groups=groups), 0.5)


def _towards(rows: Iterable[Measurement], groups: tuple[str, str], neutral: float) -> Iterator[Measurement]:
    """The rows that compare two groups, all in the same direction."""
    for row in rows:
        if (row.group, row.against) == groups:
            yield row
        elif (row.against, row.group) == groups:
            yield row._replace(group=groups[0], against=groups[1], value=turned(row.value, neutral))


def turned(value: float | None, neutral: float) -> float | None:
    """The same of the other group."""
    return None if value is None else 2 * neutral - value


def _less(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other
