"""What a candidate left unanswered that the baseline answered: missing data must not help it to pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tiltmeter.results.cells import Cell, Measurement
from tiltmeter.results.compare.items import Key, Place, choices_of
from tiltmeter.results.compare.records import Compared
from tiltmeter.results.compare.sides import bare
from tiltmeter.results.summary.next_words import ORIGINAL

_Table = Mapping[Place, Cell]


@dataclass(frozen=True, slots=True)
class Lost:
    """How much of what the baseline answered the candidate did not."""

    share: float = 0.0
    """Of the weight of the figure, at most."""
    answers: int = 0
    of: int = 0
    """The answers that the baseline gave."""
    reasons: tuple[tuple[str, int], ...] = ()
    """Why, the most frequent first; what was never asked has no reason."""


def lost(line: Compared, baseline: _Table, candidate: _Table) -> Lost:
    """What is missing of one line: the larger of the shares of items and of origins, of two groups in all."""
    share, answers, given = 0.0, 0.0, 0
    reasons: Counter[str] = Counter()
    groups: dict[str, dict[tuple[Place, Key], list[Measurement]]] = defaultdict(lambda: defaultdict(list))
    there: dict[tuple[Place, Key], list[Measurement]] = defaultdict(list)
    for place in (place for place, cell in baseline.items() if _is_of(place, cell, line)):
        for key, row in _rows(baseline[place], line):
            groups[row.group if line.is_gap else ""][place, key].append(row)
        for key, row in _rows(candidate[place], line) if place in candidate else ():
            there[place, key].append(row)
    for asked in groups.values():
        by_origin: dict[str, list[float]] = defaultdict(list)
        for at, rows in asked.items():
            theirs = there[at]
            had, has = (sum(row.value is not None for row in some) for some in (rows, theirs))
            if had:
                gone = max(0.0, had / len(rows) - has / max(1, len(theirs)))
                by_origin[rows[0].origin].append(gone)
                answers, given = answers + gone * len(rows), given + had
                reasons.update(row.reason or "not scored" for row in theirs if row.value is None and gone)
        every = [gone for some in by_origin.values() for gone in some]
        means = [sum(some) / len(some) for some in by_origin.values()]
        share += max((sum(some) / len(some) for some in (every, means) if some), default=0.0)
    return Lost(min(1.0, share), round(answers), given, tuple(reasons.most_common()))


def _is_of(place: Place, cell: Cell, line: Compared) -> bool:
    """Whether a cell is one of those that a line is made of; a line over all decodings is of all of them."""
    made = {"source": place[0], "bias": place[1], **choices_of(cell)}
    return all(line.choices.get(name) in (words, "all") for name, words in made.items())


def _rows(cell: Cell, line: Compared) -> Iterable[tuple[Key, Measurement]]:
    texts, groups = cell.table.texts_of(cell.view), set(line.groups)
    for row in cell.rows:
        own = {row.group} if row.against is None else {row.group, row.against}
        if row.perturbation in (None, ORIGINAL) and (not groups or own <= groups):
            yield Key((bare(row.item, cell.source), *texts[row.item]), row.group, row.against), row
