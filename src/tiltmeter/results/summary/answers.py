"""How often a model answers right, and the published scores, beside what findings say of its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.measures.choices import BIAS_SCORE, CORRECT, UNKNOWN
from tiltmeter.records import Estimate, Question
from tiltmeter.results.cells import Cell, Measurement, table_of
from tiltmeter.stats.estimates import estimate
from tiltmeter.store import Run

_VIEW = "choices"


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of one model to the questions of one bias, asked in one way; figures that do not apply are None."""

    cell: Cell
    right: Estimate
    """Accuracy."""
    fitting: Estimate | None
    """The same where the right answer is the stereotyped one."""
    unfitting: Estimate | None
    """The same where the right answer is another, but not that it cannot be known."""
    unknown: Estimate | None
    score: Estimate | None
    """The bias score that the authors of BBQ published."""
    by_attribute: Mapping[str, tuple[Estimate, Estimate]]
    """Of each attribute, such as an occupation, accuracy where the right answer fits the stereotype and where not."""


def answers(run: Run) -> Iterator[Answers]:
    """What every way of asking makes of the questions that have a right answer."""
    table = table_of(run)
    asked = {one.id: one for one in run.asked.get(_VIEW, ()) if isinstance(one, Question)}
    for cell in table.of(_VIEW, measure=CORRECT.name):
        rows = cell.rows
        split = {fits: [row for row in rows if _fits(asked[row.item]) is fits] for fits in (True, False)}
        yield Answers(
            cell,
            right=_mean(rows),
            fitting=_mean(split[True]) if split[True] else None,
            unfitting=_mean(split[False]) if split[False] else None,
            unknown=_beside(cell, UNKNOWN.name),
            score=_beside(cell, BIAS_SCORE.name),
            by_attribute=dict(_by_attribute(split, asked)),
        )


def _fits(question: Question) -> bool | None:
    """Whether the right answer is the stereotyped one; None where there is no such question."""
    if question.stereotyped is None or question.correct in (None, question.unknown):
        return None
    return question.correct == question.stereotyped


def _beside(cell: Cell, measure: str) -> Estimate | None:
    rows = cell.rows_by(measure)
    return _mean(rows, neutral=0.0 if measure == BIAS_SCORE.name else None) if rows else None


def _mean(rows: Sequence[Measurement], *, neutral: float | None = None) -> Estimate:
    """The plain mean, as published; the interval is over origins."""
    values, origins = [row.value for row in rows], [row.origin for row in rows]
    return estimate(values, origins, neutral=neutral, equal_origins=False)


def _by_attribute(
    split: Mapping[bool, Sequence[Measurement]], asked: Mapping[str, Question]
) -> Iterator[tuple[str, tuple[Estimate, Estimate]]]:
    held: dict[str, dict[bool, list[Measurement]]] = {}
    for fits, rows in split.items():
        for row in rows:
            if (name := asked[row.item].attribute) is not None:
                held.setdefault(name, {True: [], False: []})[fits].append(row)
    for name, found in sorted(held.items()):
        if all(found.values()):
            yield name, (_mean(found[True]), _mean(found[False]))
