"""How far the annotators of a run agree, and on which texts they do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from tiltmeter.raters.issues import ISSUES
from tiltmeter.records import Estimate
from tiltmeter.stats.annotator_intervals import alpha, kappa
from tiltmeter.store.annotations import Annotations, Item, Mark, Marks
from tiltmeter.web.annotating_tasks import ISSUES_TASK, kind_of, mark_words, task_words

_FEW_LABELS = 7
"""Of a scale with more numbers than this kappa says little: it takes a near miss for a miss."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """Agreement on one label or number: over all annotators, and of every two."""

    label: str
    marked: int | None
    """How many marks it has, of labels."""
    judged: int
    alpha: Estimate
    kappas: tuple[tuple[str, str, Estimate], ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A text that annotators judged differently, and what each said."""

    item: Item
    said: tuple[tuple[str, str], ...]
    apart: float


@dataclass(frozen=True, slots=True)
class TaskAgreement:
    """The agreement of the annotators on one task."""

    task: str
    annotators: tuple[tuple[str, int], ...]
    shared: int
    """Texts that two or more judged."""
    rows: tuple[Agreed, ...]
    disagreements: tuple[Disagreement, ...]


def task_agreement(kept: Annotations, task: str, *, blind: bool, seed: int = 0) -> TaskAgreement:
    """Agreement on the marks that count; `blind`: on those made before others' were in sight."""
    marks = kept.marks(task, blind=blind)
    ids = list(dict.fromkeys(item for own in marks.values() for item in own))
    shared = [id_ for id_ in ids if sum(id_ in own for own in marks.values()) > 1]
    labels = (*ISSUES, "any") if task == ISSUES_TASK else (kind_of(task),)
    return TaskAgreement(
        task,
        tuple((name, len(own)) for name, own in marks.items()),
        len(shared),
        tuple(_agreed(marks, ids, label, task, seed) for label in labels) if marks else (),
        tuple(_disagreements(kept, marks, shared, task)),
    )


def said_of(kept: Annotations, item: str) -> tuple[tuple[str, str, str], ...]:
    """What people say of one text: the task, who, and what."""
    return tuple(
        (task_words(task), who, mark_words(task, own[item]))
        for task in kept.tasks()
        for who, own in kept.marks(task).items()
        if item in own
    )


def _agreed(marks: Marks, ids: Sequence[str], label: str, task: str, seed: int) -> Agreed:
    columns = {name: [_number(own.get(id_), label, task) for id_ in ids] for name, own in marks.items()}
    given = [value for column in columns.values() for value in column if value is not None]
    kappas: tuple[tuple[str, str, Estimate], ...] = ()
    if len(set(given)) <= _FEW_LABELS:
        kappas = tuple((a, b, kappa(columns[a], columns[b], seed=seed)) for a, b in combinations(columns, 2))
    flagged = int(sum(given)) if task == ISSUES_TASK else None
    return Agreed(label, flagged, len(given), alpha(list(columns.values()), seed=seed), kappas)


def _number(mark: Mark | None, label: str, task: str) -> float | None:
    if mark is None:
        return None
    if task != ISSUES_TASK:
        return mark.number
    return float(bool(mark.issues) if label == "any" else label in mark.issues)


def _disagreements(kept: Annotations, marks: Marks, shared: Sequence[str], task: str) -> list[Disagreement]:
    said = {id_: {name: own[id_] for name, own in marks.items() if id_ in own} for id_ in shared}
    apart = {id_: _apart(found, task) for id_, found in said.items()}
    known = kept.items([id_ for id_ in shared if apart[id_]])
    found = [
        Disagreement(item, tuple((name, mark_words(task, mark)) for name, mark in said[id_].items()), apart[id_])
        for id_, item in known.items()
    ]
    return sorted(found, key=lambda one: -one.apart)


def _apart(found: Mapping[str, Mark], task: str) -> float:
    """How far marks are apart: issues that not all have, or the distance of the numbers."""
    if task == ISSUES_TASK:
        sets = [mark.issues for mark in found.values()]
        return float(len(frozenset.union(*sets) - frozenset.intersection(*sets)))
    numbers = [mark.number for mark in found.values()]
    return max(numbers) - min(numbers)
