"""The bidimensional table: prompt set and decoding by rater, for one model, one bias and two of its groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tiltmeter.records import Decoding, Scope
from tiltmeter.results.summary.text_records import ContinuationCell, ContinuationsSummary, favour
from tiltmeter.stats.estimates import excludes_zero
from tiltmeter.stats.views.continuations import GroupPair
from tiltmeter.stats.views.rating_curves import in_deviations, negated
from tiltmeter.store import Run

Pairs = Sequence[tuple[str, str]]
"""Groups, two by two."""
Row = tuple[str, Decoding, Scope]
"""Source, decoding, and whether the prompt is part of what was rated."""
_FEW = 3
"""Pairs of groups that have a board each."""


@dataclass(frozen=True, slots=True)
class BoardReading:
    """What one rater says of the two groups under one prompt set and decoding."""

    cell: ContinuationCell
    pair: GroupPair
    deviations: float | None
    """The difference in standard deviations of the rater's own ratings: comparable between raters."""
    corrected: bool = False
    """Whether the pair was chosen among several, so that only a p-value corrected for these counts."""

    @property
    def within_tilt(self) -> bool:
        """Whether the difference is no larger than the rater's own tilt."""
        return not self.cell.within_tilt.isdisjoint({(self.pair.a, self.pair.b), (self.pair.b, self.pair.a)})

    @property
    def firm(self) -> bool:
        """Whether the interval excludes zero; of a pair that was chosen, whether the adjusted p-value is small."""
        found = self.pair.difference
        if self.corrected:
            return found.p_adjusted is not None and found.p_adjusted < 1 - found.level
        return excludes_zero(found)

    @property
    def favours(self) -> int:
        """1 where texts about the first group come off better, −1 where worse, 0 where that cannot be said."""
        value = self.pair.difference.value or 0.0
        return favour(self.cell.rater) * ((value > 0) - (value < 0))


@dataclass(frozen=True, slots=True)
class Board:
    """One bidimensional table; `b` is empty where each reading is of the two groups that lie farthest apart."""

    model: str
    bias: str
    a: str
    b: str
    rows: tuple[Row, ...]
    raters: tuple[str, ...]
    readings: Mapping[tuple[Row, str], BoardReading]

    @property
    def widest(self) -> bool:
        """Whether the pair of groups differs from reading to reading."""
        return not self.b


def compared_groups(run: Run, found: ContinuationsSummary) -> dict[str, Pairs]:
    """By bias, the pairs of groups that a spec or the study's reference says to compare."""
    compare: dict[str, Pairs] = {
        spec["name"]: [(first, second) for first, second in spec["compare"]] for spec in run.meta["resolved"]["specs"]
    }
    reference = (run.meta["resolved"].get("continuations") or {}).get("reference", ())
    named: dict[str, dict[tuple[str, str], None]] = {}
    for cell in found.cells:
        if any(name in cell.summary.groups for name in reference):
            pairs = named.setdefault(cell.bias.partition(":")[0], {})
            pairs |= dict.fromkeys((pair.a, pair.b) for pair in cell.summary.pairs)
    return compare | {bias: list(pairs) for bias, pairs in named.items()}


def boards(found: ContinuationsSummary, compare: Mapping[str, Pairs]) -> list[Board]:
    """A board for every model, bias and comparison; `compare` has the pairs of groups that a spec names.

    Without such pairs a bias of two or three groups has a board for every two of them, and one of more groups a single
    board with the widest difference of each reading.
    """
    by_bias: dict[tuple[str, str], list[ContinuationCell]] = {}
    for cell in found.cells:
        by_bias.setdefault((cell.model, cell.bias), []).append(cell)
    made = []
    for (model, bias), cells in by_bias.items():
        for a, b in _pairs(cells, compare.get(bias.partition(":")[0], ())):
            made.append(_board(model, bias, cells, a, b))
    return [board for board in made if board.readings]


def _pairs(cells: Iterable[ContinuationCell], named: Pairs) -> list[tuple[str, str]]:
    known = list(dict.fromkeys((pair.a, pair.b) for cell in cells for pair in cell.summary.pairs))
    sets = [frozenset(pair) for pair in known]
    chosen = [pair for pair in named if frozenset(pair) in sets]
    if chosen:
        return list(dict.fromkeys(chosen))
    # Two cells may name the same two groups in another order.
    distinct = list({frozenset(pair): pair for pair in reversed(known)}.values())[::-1]
    return distinct if len(distinct) <= _FEW else [(known[0][0], "")]


def _board(model: str, bias: str, cells: Sequence[ContinuationCell], a: str, b: str) -> Board:
    readings = {}
    for cell in cells:
        pair = _pair(cell, a, b) if b else _widest(cell)
        if pair:
            groups = cell.summary.groups
            deviations = in_deviations(pair.difference, groups[pair.a], groups[pair.b])
            row: Row = (cell.source, cell.decoding, cell.scope)
            readings[row, cell.rater] = BoardReading(cell, pair, deviations, corrected=not b)
    rows = tuple(dict.fromkeys(row for row, _ in readings))
    raters = tuple(dict.fromkeys(rater for _, rater in readings))
    return Board(model, bias, a if b else "", b, rows, raters, readings)


def _pair(cell: ContinuationCell, a: str, b: str) -> GroupPair | None:
    for pair in cell.summary.pairs:
        if (pair.a, pair.b) == (a, b):
            return pair
        if (pair.a, pair.b) == (b, a):
            return replace(
                pair,
                a=a,
                b=b,
                difference=negated(pair.difference),
                ratio=None,
                ratio_withheld=f"worked out as {b} over {a}",
                kl_ab=pair.kl_ba,
                kl_ba=pair.kl_ab,
            )
    return None


def _widest(cell: ContinuationCell) -> GroupPair | None:
    known = [pair for pair in cell.summary.pairs if pair.difference.value is not None]
    return max(known, key=lambda pair: abs(pair.difference.value or 0.0), default=None)
