"""From the measurements of runs to the cells of a question: one for each combination of choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tiltmeter.results.cells import Cell, table_of
from tiltmeter.results.findings.compared import cells_from
from tiltmeter.results.findings.instrument import RESULTS, Instrument, Result, instrument_of
from tiltmeter.results.findings.questions import Question, topic_of
from tiltmeter.results.findings.stereotypes import spec_of
from tiltmeter.results.summary.known_raters import KnownRater, LeftOut, left_out
from tiltmeter.results.views import results_of
from tiltmeter.stats.multiverse.cells import CellData
from tiltmeter.store import Run
from tiltmeter.views import FACTS, View

_ALWAYS = ("source", "rater", "scorer", "words", "measure")
"""Choices that are named even where they do not vary."""


@dataclass(slots=True)
class Evidence:
    """Runs to answer questions from."""

    runs: Sequence[Run]
    _instruments: dict[int, Instrument] = field(default_factory=dict)

    def cells(self, place: int, view: View) -> list[Cell]:
        """The cells of a run that can answer a question."""
        answers = results_of(view).answers or _says_what_is_worse
        return [cell for cell in table_of(self.runs[place]).of(view) if answers(cell)]

    def left_out(self) -> list[LeftOut]:
        """The raters whose ratings no verdict counts, and why."""
        every = (cell for run in self.runs for view in FACTS for cell in table_of(run).of(view))
        cells = [cell for cell in every if cell.rater]
        raters = list(dict.fromkeys(cell.rater for cell in cells))
        judging = {cell.rater for cell in cells if cell.worse}
        return list(left_out(list(map(KnownRater, raters)), judging, [(one, one) for one in raters]))

    def instrument(self, model: str, view: View) -> Result:
        """The worst result of the checks of the instrument in the runs that ask a model in a view."""
        for place, run in enumerate(self.runs):
            if place not in self._instruments:
                self._instruments[place] = instrument_of(run)
        found = {each.results[model, view] for each in self._instruments.values() if (model, view) in each.results}
        return next((result for result in RESULTS if result in found), "not made")


def cells_of(question: Question, material: Evidence) -> list[CellData]:
    """Every cell of a question, with the run or the seed as a choice where several runs answer it."""
    made = [(place, cell) for place in range(len(material.runs)) for cell in _of_run(question, material, place)]
    places = list(dict.fromkeys(place for place, _ in made))
    if len(places) > 1:
        name, settings = _distinct_names([material.runs[place] for place in places])
        by_key = dict(zip(places, settings, strict=True))
        cells = [replace(cell, choices={**cell.choices, name: by_key[place]}) for place, cell in made]
    else:
        cells = [cell for _, cell in made]
    return _without_silent(cells)


def has_cells(question: Question, material: Evidence) -> bool:
    """Whether there is any cell of a question; no more is read than the first."""
    return any(True for place in range(len(material.runs)) for _ in _of_run(question, material, place))


def _says_what_is_worse(cell: Cell) -> bool:
    return cell.worse != 0 and cell.measure in FACTS[cell.view].measures


def _of_run(question: Question, material: Evidence, place: int) -> Iterator[CellData]:
    alike: dict[tuple[str, ...], list[Cell]] = {}
    for cell in material.cells(place, question.view):
        if (cell.model, topic_of(cell.bias)) == (question.model, question.bias):
            alike.setdefault((cell.source, *cell.choices.values(), cell.measure), []).append(cell)
    for cells in alike.values():
        first, rows = cells[0], [row for cell in cells for row in cell.rows]
        further = results_of(question.view).further
        more = further(cells) if further else ()
        yield from cells_from(question, first, rows, spec_of(material.runs[place], first.bias), more)


def _distinct_names(runs: Sequence[Run]) -> tuple[str, list[str]]:
    """The seed, where runs differ in nothing else; otherwise the run itself."""
    studies = [{k: value for k, value in run.meta["resolved"].items() if k not in ("seed", "name")} for run in runs]
    seeds = [str(run.meta["resolved"]["seed"]) for run in runs]
    if all(study == studies[0] for study in studies) and len(set(seeds)) == len(runs):
        return "seed", seeds
    names = [run.folder.name for run in runs]
    if len(set(names)) < len(names):
        names = [str(run.folder) for run in runs]
    return "run", names if len(set(names)) == len(names) else [f"{at}: {name}" for at, name in enumerate(names, 1)]


def _without_silent(cells: Sequence[CellData]) -> list[CellData]:
    """The cells without choices that no two of them differ in; those that say what was measured stay."""
    names = dict.fromkeys(name for cell in cells for name in cell.choices)
    kept = [name for name in names if len({cell.choices.get(name) for cell in cells}) > 1 or name in _ALWAYS]
    return [
        replace(cell, choices={name: cell.choices[name] for name in kept if name in cell.choices}) for cell in cells
    ]
