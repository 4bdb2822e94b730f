"""Models side by side: every model of every run, under a label of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tiltmeter.present.blocks import Place, TableCell
from tiltmeter.present.reported import Reported
from tiltmeter.present.words import capitalised, count, listed
from tiltmeter.records import ModelFacts, Pair
from tiltmeter.results import Cell, RunSummary
from tiltmeter.results.scorer_order import rank_of
from tiltmeter.results.summary.sources_compared import Comparison
from tiltmeter.store import Run


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
        """The sources of pairs that this model has results on, in the order of the run."""
        return list(dict.fromkeys(cell.source for cell in self.cells))

    def on(self, source: str, *, published: bool = False) -> list[Cell]:
        """The cells on one source: those of a paper's own scorer, or the others with the leading one first."""
        found = [cell for cell in self.cells if cell.source == source and cell.published == published]
        named = self.run.meta["resolved"]["scorers"]
        return sorted(found, key=lambda cell: rank_of(cell.scorer, named, self.facts.family))

    def leading(self, source: str) -> Cell | None:
        """The cell that headlines are made of; None where every scorer is a paper's own.

        It is that of the first scorer which the study names, or of the family's default: settled before any result.
        """
        return next(iter(self.on(source)), None)

    def beside_templates(self, cell: Cell) -> list[tuple[Comparison, Cell]]:
        """The comparisons of a cell of written sentences with templates, and the cells of the templates."""
        by_source = {other.source: other for other in self.cells if other.scorer == cell.scorer}
        return [
            (found, by_source[found.first])
            for found in self.summary.comparisons
            if (found.model, found.second, found.scorer) == (cell.model, cell.source, cell.scorer)
        ]


def series_of(found: Reported) -> list[Series]:
    """Every model of every run; where a model occurs twice, the study and the folder tell which is which."""
    occurrences = Counter(model for _, summary in found.runs for model in summary.facts)
    made = []
    for run, summary in found.runs:
        for model, facts in summary.facts.items():
            label = model if occurrences[model] == 1 else f"{model} ({summary.study}, {run.folder.name})"
            cells = tuple(cell for cell in summary.cells if cell.model == model)
            made.append(Series(label, facts, run, summary, cells))
    return made


def several_sources(series: list[Series]) -> bool:
    """Whether a table must say which source it is of."""
    return len({source for one in series for source in one.sources}) > 1


def titled(one: Series, source: str, series: list[Series]) -> str:
    """What a model on a source is called: without the source where there is only one."""
    return f"{one.label}, {source}" if several_sources(series) else one.label


def bias_label(found: Reported, bias: str) -> str:
    """What a bias is called at the beginning of a line."""
    return capitalised(found.names.bias(bias))


def bias_cell(found: Reported, bias: str) -> TableCell:
    """A bias as the heading of a row."""
    return TableCell(bias_label(found, bias), "instrument check" if is_check(found, bias) else "")


def is_check(found: Reported, bias: str) -> bool:
    """Whether a bias checks the instrument; a spec with several comparisons names them after a colon."""
    spec = bias.partition(":")[0]
    return any(
        one["benchmark"] for run, _ in found.runs for one in run.meta["resolved"]["specs"] if one["name"] == spec
    )


def pair_kinds(found: Reported, pairs: Iterable[Pair]) -> str:
    """How many pairs there are, and what they are for where that differs."""
    kinds = Counter(_pair_kind(found, pair) for pair in pairs)
    parts = [f"{number:,} {kind}" for kind, number in kinds.items()]
    every = count(sum(kinds.values()), "pair")
    return f"{every} ({listed(parts)})" if len(parts) > 1 else every


def _pair_kind(found: Reported, pair: Pair) -> str:
    if pair.contrast == "meaning":
        return "of a meaningful and a meaningless sentence"
    if is_check(found, pair.bias):
        return "for instrument checks"
    return "on social biases" if pair.stereotyped is not None else "with control words"


def pair_place(cell: Cell, bias: str = "", **more: str) -> Place:
    """Where the pairs behind a figure are; those of a bias are the ones with a stereotyped sentence."""
    labelled: Mapping[str, str] = {"bias": bias, "labelled": "yes"} if bias else {}
    return {"view": "pairs", "model": cell.model, "source": cell.source, "scorer": cell.scorer, **labelled, **more}


def sets_of(cell: Cell, bias: str) -> tuple[float, ...]:
    """The value of a bias in each of several independent sets of written sentences."""
    found = cell.generated.sets.get(bias) if cell.generated else None
    return found.values if found and len(found.values) > 1 else ()
