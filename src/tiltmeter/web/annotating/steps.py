"""A place in a queue of texts as an annotator sees it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiltmeter.store.annotations import Annotations, Item, Mark, Queue, Scale
from tiltmeter.web.annotating.items import present
from tiltmeter.web.annotating.tasks import SCALES, kind_of, mark_words
from tiltmeter.web.texts.continuations import ContinuationTexts, line_of
from tiltmeter.web.texts.pairs import PairTexts, lines_of
from tiltmeter.web.texts.records import Line


@dataclass(frozen=True, slots=True)
class Step:
    """A place in a queue as an annotator sees it."""

    queue: Queue
    at: int
    annotator: str
    aware: bool
    item: Item | None
    """None: the queue is at its end, or the text is no longer in the run."""
    lines: tuple[Line, ...]
    mark: Mark | None
    others: tuple[tuple[str, str], ...]
    done: int
    scale: Scale | None

    @property
    def total(self) -> int:
        """How many texts the queue has."""
        return len(self.queue.items)

    @property
    def ended(self) -> bool:
        """Whether nothing comes after this."""
        return self.at >= self.total


def next_place(folder: Path, queue: Queue, annotator: str) -> int:
    """The first place that the annotator has neither judged nor skipped; the end where there is none."""
    own = _judged(folder, queue, annotator)
    return next((at for at, (id_, *_) in enumerate(queue.items) if id_ not in own), len(queue.items))


def step_at(folder: Path, queue: Queue, annotator: str, at: int, *, aware: bool) -> Step:
    """A place in a queue; `aware`: with what others marked."""
    kept = Annotations(folder)
    own = kept.own(annotator, queue.task)
    at = min(at, len(queue.items))
    wanted = Item(*queue.items[at], text="") if at < len(queue.items) else None
    item = present(folder, wanted) if wanted else None
    others: tuple[tuple[str, str], ...] = ()
    if aware and wanted:
        marks = kept.marks(queue.task)
        others = tuple(
            (who, mark_words(queue.task, found[wanted.id]))
            for who, found in marks.items()
            if who != annotator and wanted.id in found
        )
    return Step(
        queue,
        at,
        annotator,
        aware,
        item,
        _lines(folder, item) if item else (),
        own.get(wanted.id) if wanted else None,
        others,
        len({id_ for id_, *_ in queue.items} & set(_judged(folder, queue, annotator))),
        _scale(kept, kind_of(queue.task)),
    )


def _scale(kept: Annotations, kind: str) -> Scale | None:
    """The scale of a kind; a run that was annotated with an earlier version has ours without its labels."""
    found, ours = kept.scales().get(kind), SCALES.get(kind)
    return ours if found and ours and found.numbers == ours.numbers else found


def _judged(folder: Path, queue: Queue, annotator: str) -> dict[str, Mark]:
    """What the annotator has said of the queue; where it shows what others marked, only what was said with that."""
    own = Annotations(folder).own(annotator, queue.task)
    return {id_: mark for id_, mark in own.items() if mark.aware or not queue.aware}


def _lines(folder: Path, item: Item) -> tuple[Line, ...]:
    """The text as the annotator sees it; of a pair only the sentence that is judged, and not which is stereotyped."""
    if item.view == "continuations":
        return tuple(line_of(found.one) for found in ContinuationTexts(folder).texts([item.number]))
    return tuple(
        Line(lines_of(found.pair)[found.pair.texts.index(item.text)].pieces)
        for found in PairTexts(folder).pairs([item.number])
    )
