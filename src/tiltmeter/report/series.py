"""What is shown side by side: the models of one run or of several, each under a name of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.records import ModelFacts
from tiltmeter.results import Cell, RunSummary
from tiltmeter.results.leading import rank_of
from tiltmeter.results.summary.sources_compared import Comparison
from tiltmeter.store import Run

Runs = Sequence[tuple[Run, RunSummary]]
"""Runs with what they say, as a report is made of them."""


@dataclass(frozen=True, slots=True)
class Series:
    """One model of one run; the label tells it from every other in the report."""

    label: str
    facts: ModelFacts
    run: Run
    summary: RunSummary
    cells: tuple[Cell, ...]

    @property
    def sources(self) -> list[str]:
        """The sources that this model has results on, in the order of the run."""
        return list(dict.fromkeys(cell.source for cell in self.cells))

    def on(self, source: str, *, published: bool) -> list[Cell]:
        """The cells on one source: those of a paper's own scorer, or the others with the leading one first."""
        found = [cell for cell in self.cells if cell.source == source and cell.published == published]
        named = self.run.meta["resolved"]["scorers"]
        return sorted(found, key=lambda cell: rank_of(cell.scorer, named, self.facts.family))

    def leading(self, source: str) -> Cell | None:
        """The cell that headlines are made of; None where every scorer is a paper's own.

        It is that of the first scorer which the study names, or of the family's default: settled before any result.
        """
        return next(iter(self.on(source, published=False)), None)

    def beside_templates(self, cell: Cell) -> list[tuple[Comparison, Cell]]:
        """The comparisons of a cell of written sentences with templates, and the cells of the templates."""
        by_source = {other.source: other for other in self.cells if other.scorer == cell.scorer}
        return [
            (found, by_source[found.first])
            for found in self.summary.comparisons
            if (found.model, found.second, found.scorer) == (cell.model, cell.source, cell.scorer)
        ]


def make_series(runs: Runs) -> list[Series]:
    """Every model of every run; where a model occurs twice, the study and the folder tell which is which."""
    occurrences = Counter(model for _, summary in runs for model in summary.facts)
    made = []
    for run, summary in runs:
        for model, facts in summary.facts.items():
            label = model if occurrences[model] == 1 else f"{model} ({summary.study}, {run.folder.name})"
            cells = tuple(cell for cell in summary.cells if cell.model == model)
            made.append(Series(label, facts, run, summary, cells))
    return made


def short_scorer(scorer: str) -> str:
    """A scorer's name without family and version, as a column heading.

    >>> short_scorer("causal.prior-corrected.v1")
    'prior-corrected'
    """
    return scorer.rsplit(".v", 1)[0].split(".", 1)[-1]


def titles(series: Sequence[Series]) -> Mapping[str, str]:
    """The title of each spec that the runs used, by its name."""
    return {spec["name"]: spec["title"] for one in series for spec in one.run.meta["resolved"]["specs"]}


def benchmarks(series: Sequence[Series]) -> set[str]:
    """The names of the specs that check the instrument."""
    return {spec["name"] for one in series for spec in one.run.meta["resolved"]["specs"] if spec["benchmark"]}


def spec_of(bias: str) -> str:
    """The spec that a bias belongs to: a spec with several comparisons names them after a colon.

    >>> spec_of("religion:christian-jewish")
    'religion'
    """
    return bias.partition(":")[0]
