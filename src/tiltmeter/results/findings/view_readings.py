"""What each view of a run says of each bias: see `view_agreement`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tiltmeter.results.cells import table_of
from tiltmeter.results.findings.compared import cells_from
from tiltmeter.results.findings.questions import Question
from tiltmeter.results.findings.stereotypes import Stereotype, spec_of, stereotype
from tiltmeter.results.findings.view_agreement import ViewAgreement, ViewReading, agree
from tiltmeter.results.views import results_of
from tiltmeter.stats.multiverse.cells import CellResult, cell_result
from tiltmeter.store import Run
from tiltmeter.views import FACTS, View

if TYPE_CHECKING:
    from tiltmeter.results.summary.runs import Cell


def summarise_agreement(run: Run, cells: Sequence[Cell]) -> ViewAgreement | None:
    """The agreement of the views of a run; None where it has fewer than two views of any spec."""
    specs = {spec["name"]: spec for spec in run.meta["resolved"]["specs"] if not spec["benchmark"]}
    known = {name: found for name, spec in specs.items() if (found := stereotype(spec))}
    views = sorted(FACTS, key=lambda view: len(FACTS[view].read_as))
    return agree([one for view in views for one in readings_of(run, view, known, cells)])


def readings_of(
    run: Run, view: View, known: Mapping[str, Stereotype], cells: Sequence[Cell] | None = None
) -> Iterator[ViewReading]:
    """What a view says of some biases; without `cells`, which are those of pairs, of checks of the instrument."""
    own = results_of(view).readings
    if own:
        yield from own(run, known, cells)
    else:
        for reading, result in by_stereotype(run, view, FACTS[view].lead, known):
            yield replace(reading, found=result.effect)


def by_stereotype(
    run: Run, view: View, measure: str, known: Mapping[str, Stereotype]
) -> Iterator[tuple[ViewReading, CellResult]]:
    """Whether the stereotyped group is ahead, on the first source that has the bias, by the first way of asking."""
    seen = set()
    for cell in table_of(run).of(view, measure=measure):
        tied = known.get(cell.bias)
        if tied is None or not cell.compares or (cell.model, cell.bias) in seen:
            continue
        asked = Question(cell.model, cell.view, cell.bias, *tied.groups, by_stereotype=True)
        for data in cells_from(asked, cell, cell.rows, spec_of(run, cell.bias)):
            seen.add((cell.model, cell.bias))
            found = cell_result(data, groups=tied.groups)
            yield ViewReading(cell.model, cell.bias, view, found.raw, {"source": cell.source}), found
