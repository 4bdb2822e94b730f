"""Which scorer a headline is made of: settled by the study, before any result."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

from tiltmeter.measures.scorers import DEFAULTS
from tiltmeter.records import Family
from tiltmeter.results.scores import is_published
from tiltmeter.store import Run


class Scored(Protocol):
    """What has a model and a scorer."""

    @property
    def model(self) -> str:
        """The model."""

    @property
    def scorer(self) -> str:
        """Its scorer."""


_Scored = TypeVar("_Scored", bound=Scored)


def in_order(run: Run, cells: Iterable[_Scored]) -> list[_Scored]:
    """Those of the scorers that the study names first before the others, those of a paper's own form last."""
    named = run.meta["resolved"]["scorers"]

    def rank(cell: _Scored) -> tuple[bool, int]:
        return is_published(cell.scorer, ""), rank_of(cell.scorer, named, run.facts[cell.model].family)

    return sorted(cells, key=rank)


def leading(run: Run, cells: Sequence[_Scored], of: Callable[[_Scored], Hashable]) -> list[_Scored]:
    """Of cells that are alike in something the first in order, as they come."""
    found: dict[Hashable, _Scored] = {}
    for cell in in_order(run, cells):
        found.setdefault(of(cell), cell)
    leaders = {id(cell) for cell in found.values()}
    return [cell for cell in cells if id(cell) in leaders]


def rank_of(scorer: str, named: Sequence[str], family: Family) -> int:
    """The place of a scorer in the study's list, or in that of the family's default where the study names none."""
    names = named or [DEFAULTS[family]]
    known = [position for position, name in enumerate(names) if is_named(name, scorer)]
    return known[0] if known else len(names)


def is_named(name: str, scorer: str) -> bool:
    """Whether a study's name for a scorer, short or full, means this one.

    >>> is_named("sum", "causal.sum.v1"), is_named("causal.sum", "causal.sum.v1"), is_named("mean", "x.sum.v1")
    (True, True, False)
    """
    versionless = scorer.rsplit(".v", 1)[0]
    return name in (scorer, versionless, versionless.split(".", 1)[-1], scorer.split(".", 1)[-1])
