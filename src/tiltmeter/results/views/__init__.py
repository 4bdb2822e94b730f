"""What of the results of a view differs from what every view gets: one module for each.

A view whose measurements either belong to one group or compare two already needs no more than what makes them: all
features have a way that does for it. A module says what a view does otherwise.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tiltmeter.parquet import Rows
from tiltmeter.store import Run
from tiltmeter.views import View

if TYPE_CHECKING:
    from tiltmeter.results.cells import Cell, Combination, Measurement
    from tiltmeter.results.compare.items import Wanted
    from tiltmeter.results.compare.records import Compared
    from tiltmeter.results.compare.sides import Side
    from tiltmeter.results.compare.views import Items, Kept
    from tiltmeter.results.findings.feasibility import Feasibility
    from tiltmeter.results.findings.questions import Question
    from tiltmeter.results.findings.stereotypes import Stereotype
    from tiltmeter.results.findings.view_agreement import ViewReading
    from tiltmeter.results.plan_size.pilots import Pilot
    from tiltmeter.results.plan_size.records import TooSmall
    from tiltmeter.results.rank.boards import Common
    from tiltmeter.results.rank.records import Leaderboard
    from tiltmeter.results.summary.runs import Cell as Summarised
    from tiltmeter.stats.multiverse.cells import CellData
    from tiltmeter.stats.planning.precision import Design

Spec = Mapping[str, Any]


def _none(run: Run) -> Rows:
    return ()


@dataclass(frozen=True, slots=True)
class ViewResults:
    """What a view does in its own way; None: as every view does."""

    measured: Callable[[Run], Rows] = _none
    """Its measurements; required."""
    items: Callable[[Run], Rows] = _none
    """Its items; required."""
    summarised: bool = False
    """Whether it has a summary and sections of its own; otherwise every figure is in a table."""
    answers: Callable[[Cell], bool] | None = None
    """Whether a cell answers questions; by itself where its values say what is worse for a group."""
    asked: Callable[[Question, Sequence[Cell], Spec], Iterator[Question]] | None = None
    """The questions about a bias; by itself one for every two groups that are compared."""
    data: Callable[[Question, Combination, Sequence[Measurement]], CellData | None] | None = None
    """What measurements say to a question; by itself the difference of two groups, or how far one is from neutral."""
    further: Callable[[Sequence[Cell]], list[Measurement]] | None = None
    """Measurements that tell more of those of some cells."""
    feasible: Callable[[Spec, Any], Iterator[Feasibility]] | None = None
    """What could come of the items of a resolved study, before anything is asked."""
    unlike: Callable[[Side, Side], list[str]] | None = None
    """What makes two models incomparable, besides versions of sources, scorers and raters."""
    notes: Callable[[Side, Side], list[str]] | None = None
    """What differs without doing so."""
    compared: Callable[[Side, Mapping[str, str], Items, Wanted], Iterator[Compared]] | None = None
    """Two models under one combination of choices; by itself each group and each gap, or each comparison of groups."""
    overall: Callable[[Side, Kept, Sequence[Compared], Wanted], Iterator[Compared]] | None = None
    """What leads of these; by itself of each bias the first two groups, over all decodings."""
    boards: Callable[[Sequence[Side], Common], Iterator[Leaderboard]] | None = None
    """Leaderboards; by itself of each bias the gap of the first two groups, or their mean."""
    pilots: Callable[[Run, int | None], Iterator[Pilot | TooSmall]] | None = None
    """What can be planned for, with at most so many origins; by itself the gap of every two groups, or their mean."""
    options: Callable[[Pilot, Design], dict[str, int]] | None = None
    """What to write into a study file to get a design; by itself sources give what they have."""
    readings: Callable[[Run, Mapping[str, Stereotype], Sequence[Summarised] | None], Iterator[ViewReading]] | None = (
        None
    )
    """What it says of stereotypes, above 0 where it sides with them; without summaries of pairs, of instrument checks.

    By itself whether values that compare two groups do so as their origins are stereotyped.
    """
    unchecked: Callable[[Sequence[Stereotype]], str | None] | None = None
    """Why stereotypes cannot check the instrument."""
    terms: Callable[[Run, Question], Iterator[tuple[tuple[str, str], ...]]] | None = None
    """The words for the groups of a question, each set of them on its own; by itself those that items name."""


RESULTS: dict[View, ViewResults | str] = {
    "pairs": "tiltmeter.results.views.pairs",
    "continuations": "tiltmeter.results.views.continuations",
    "next words": "tiltmeter.results.views.next_words",
    "choices": "tiltmeter.results.views.choices",
}
"""By view, what it does in its own way, or the module whose `RESULTS` says so; items are kept in this order."""

_BY_ITSELF = ViewResults()


def results_of(view: View) -> ViewResults:
    """What a view does in its own way; nothing, where all that is known of it are its facts."""
    found = RESULTS.get(view, _BY_ITSELF)
    if isinstance(found, str):
        found = RESULTS[view] = importlib.import_module(found).RESULTS
    assert isinstance(found, ViewResults)
    return found
