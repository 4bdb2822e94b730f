"""One cell of a run whose prompts have several sentence structures, as its charts and tables read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tiltmeter.present.sections.texts.of_run import RunTexts
from tiltmeter.records import Estimate, Structure
from tiltmeter.results.summary.text_records import ContinuationCell
from tiltmeter.stats.structures.by_structure import StructureSummary
from tiltmeter.stats.views.continuations import ContinuationSummary

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ShownStructures:
    """One cell with structures, and the pairs of groups that are shown of it."""

    texts: RunTexts
    cell: ContinuationCell
    found: StructureSummary
    known: Mapping[str, Structure]
    pairs: tuple[Pair, ...]
    part: str = ""
    """The set of prompts alone that it is of; blank: all of them."""

    def difference(self, summary: ContinuationSummary, pair: Pair) -> Estimate:
        """The difference of two groups in some of the texts."""
        return next((one.difference for one in summary.pairs if (one.a, one.b) == pair), Estimate(None))

    def named(self, structure: str) -> str:
        """A structure, and whether it is the plain prompt."""
        return f"{structure}: the plain prompt" if structure == self.found.settings.fixed else structure

    def with_family(self, structure: str) -> str:
        """A structure with its family, where it has one: files of others may not say."""
        family = self.known[structure].family
        return f"{structure} ({family})" if family else structure

    def place(self, *groups: str, **more: str) -> Mapping[str, str]:
        """Where its texts are."""
        return self.texts.place(self.cell, *groups, **more)

    def name(self, kind: str) -> str:
        """The name of a chart's files."""
        cell = self.cell
        return self.texts.name(kind, cell.model, cell.bias, cell.rater, cell.source, self.part)
