"""How far the annotators of a run agree, and on which texts they do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from tiltmeter.raters.issues import ISSUES
from tiltmeter.records import Estimate
from tiltmeter.stats.agreement.annotator_intervals import alpha, kappa
from tiltmeter.store.annotations import Annotations, Item, Mark, Marks
from tiltmeter.web.annotating.items import in_run
from tiltmeter.web.annotating.tasks import ISSUES_TASK, kind_of, mark_words, task_words

_FEW_LABELS = 7
"""Of a scale with more numbers than this kappa says little: it takes a near miss for a miss."""


@dataclass(frozen=True, slots=True)
class LabelAgreement:
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
    gone: tuple[int, int]
    """Marks that are left out since the run does not have their texts any more, and how many texts these are."""
    rows: tuple[LabelAgreement, ...]
    disagreements: tuple[Disagreement, ...]


def task_agreement(kept: Annotations, task: str, *, blind: bool, seed: int = 0) -> TaskAgreement:
    """Agreement on the marks that count; `blind`: on those made before others' were in sight."""
    every = kept.marks(task, blind=blind)
    known = kept.items(list(dict.fromkeys(item for own in every.values() for item in own)))
    here = in_run(kept.folder, known)
    ids = [id_ for id_ in known if id_ in here]
    kept_marks = {name: {id_: mark for id_, mark in own.items() if id_ in here} for name, own in every.items()}
    marks = {name: own for name, own in kept_marks.items() if own}
    shared = [id_ for id_ in ids if sum(id_ in own for own in marks.values()) > 1]
    labels = (*ISSUES, "any") if task == ISSUES_TASK else (kind_of(task),)
    return TaskAgreement(
        task,
        tuple((name, len(own)) for name, own in marks.items()),
        len(shared),
        (sum(map(len, every.values())) - sum(map(len, marks.values())), len(known) - len(ids)),
        tuple(_label_agreement(marks, ids, label, task, seed) for label in labels) if marks else (),
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


def _label_agreement(marks: Marks, ids: Sequence[str], label: str, task: str, seed: int) -> LabelAgreement:
    columns = {name: [_number(own.get(id_), label, task) for id_ in ids] for name, own in marks.items()}
    given = [value for column in columns.values() for value in column if value is not None]
    kappas: tuple[tuple[str, str, Estimate], ...] = ()
    if len(set(given)) <= _FEW_LABELS:
        kappas = tuple((a, b, kappa(columns[a], columns[b], seed=seed)) for a, b in combinations(columns, 2))
    flagged = int(sum(given)) if task == ISSUES_TASK else None
    return LabelAgreement(label, flagged, len(given), alpha(list(columns.values()), seed=seed), kappas)


def _number(mark: Mark | None, label: str, task: str) -> float | None:
    if mark is None:
        return None
    if task != ISSUES_TASK:
        return mark.number
    return float(bool(mark.issues) if label == "any" else label in mark.issues)


def _disagreements(kept: Annotations, marks: Marks, shared: Sequence[str], task: str) -> list[Disagreement]:
    said = {id_: {name: own[id_] for name, own in marks.items() if id_ in own} for id_ in shared}
    apart = {id_: _distance(found, task) for id_, found in said.items()}
    known = kept.items([id_ for id_ in shared if apart[id_]])
    found = [
        Disagreement(item, tuple((name, mark_words(task, mark)) for name, mark in said[id_].items()), apart[id_])
        for id_, item in known.items()
    ]
    return sorted(found, key=lambda one: -one.apart)


def _distance(found: Mapping[str, Mark], task: str) -> float:
    """How far marks are apart: issues that not all have, or the distance of the numbers."""
    if task == ISSUES_TASK:
        sets = [mark.issues for mark in found.values()]
        return float(len(frozenset.union(*sets) - frozenset.intersection(*sets)))
    numbers = [mark.number for mark in found.values()]
    return max(numbers) - min(numbers)
