"""A run in hand: its figures as tables, its findings with their plots, and its report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import overload

from tiltmeter import store
from tiltmeter.api.frames import Frame
from tiltmeter.api.shown import Plot, Shown, short, shown_as
from tiltmeter.errors import UserError
from tiltmeter.present.blocks import Block, Prose, Section, text
from tiltmeter.present.formats import Named, write
from tiltmeter.present.kept import mark_of, read_findings
from tiltmeter.present.multiverse import method_rows
from tiltmeter.present.report import report
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.finding import curve_chart, finding_section
from tiltmeter.present.sections.finding import mark_of as verdict_of
from tiltmeter.present.verdicts import answer, cautions
from tiltmeter.present.words import capitalised
from tiltmeter.records import Estimate
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.results.cells import Table, table_of, table_with_texts
from tiltmeter.results.compare.sides import Side, is_unfinished
from tiltmeter.results.findings.findings import Finding as Answered
from tiltmeter.results.findings.questions import Question

_FORMATS = {".html": "html", ".pdf": "pdf", ".md": "md", ".tex": "latex", ".ipynb": "notebook"}
_FIRST = ("verdict", "model", "view", "bias", "first", "second", "value", "low", "high", "p", "p_adjusted", "n")


class Run(store.Run, Shown):
    """What a run folder holds; nothing here asks a model."""

    @classmethod
    def of(cls, run: store.Run) -> Run:
        """The same run with what Python users ask of it."""
        return shown_as(cls, run)

    @cached_property
    def summary(self) -> RunSummary:
        """Every figure, as `summary.json` has it."""
        return summarise_run(self)

    @cached_property
    def reported(self) -> Reported:
        """What the sections of a report are made of."""
        return Reported.of([(self, self.summary)])

    def findings(self) -> Findings:
        """The answers to all questions of the study, with verdicts."""
        return Findings(self.reported)

    def estimates(self) -> Frame:
        """A row for each method of each finding: its choices, value, interval, p, n and what is missing."""
        return self.findings().estimates()

    def measurements(self) -> Frame:
        """A row for each number: [the columns](measurements.md); `value` is null where there is a `reason`."""
        return self._frame(table_of(self), "measurements")

    def items(self) -> Frame:
        """A row for each item that was asked about."""
        return self._frame(table_of(self), "items")

    def texts(self) -> Frame:
        """A row for each text that a model wrote; some may offend."""
        return self._frame(table_with_texts(self), "texts")

    def report(self, path: str | Path = "report.html", *, with_texts: bool = False) -> Path:
        """Write the report as .html, .pdf, .md, .tex or .ipynb, with its figures beside it.

        Example texts, some of them offensive, are in the page behind a closed warning, and in the others if asked for.
        """
        out = Path(path)
        kind = _FORMATS.get(out.suffix.lower())
        if kind is None:
            raise UserError(f"{out}: a report is written as {', '.join(_FORMATS)}")
        named = Named(out.stem, f"{out.stem}-figures", (self.folder,))
        page = report(self.reported)
        write(page, out.parent, [kind], with_texts=with_texts, named=named)
        return out

    def blocks(self) -> Sequence[Block]:
        """The first screen of the report: which conclusions hold, the instrument check, and one chart."""
        kept = read_findings(self.folder)
        is_kept = kept is not None and mark_of(self.meta) == {key: kept[key] for key in mark_of(self.meta)}
        page = kept["page"] if kept and is_kept else report(self.reported)
        first = takewhile(lambda block: not isinstance(block, Section), page.blocks)
        return [Prose(text(page.subtitle), "note"), *first]

    def _frame(self, table: Table, name: str) -> Frame:
        return Frame(table.connection, f"SELECT * FROM {name}", self)

    def __repr__(self) -> str:
        study = self.meta["resolved"]
        state = "not finished" if any(is_unfinished(Side(self, one, one)) for one in self.facts) else ""
        models = ", ".join(self.facts) or "none that has answered"
        return short(f"Run {self.folder}:", {"study": study["name"], "models": models, "": state})


def read_run(folder: str | Path) -> Run:
    """A run folder, also while another process writes it; no model is needed."""
    return Run.of(store.read_run(folder))


class Finding(Shown):
    """One question, what every method says to it, and the verdict."""

    def __init__(self, answered: Answered, found: Reported) -> None:
        self._answered, self._found = answered, found

    @property
    def question(self) -> Question:
        """What was asked: of which model, in which view, about which bias and groups."""
        return self._answered.question

    @property
    def verdict(self) -> str:
        """Holds, depends on the method, no difference larger than some size, inconclusive, or too little data."""
        return verdict_of(self._answered)

    @property
    def answer(self) -> str:
        """The verdict in a sentence, with what must be known to trust it."""
        return " ".join(filter(None, (answer(self._answered), cautions(self._answered))))

    @property
    def p(self) -> float | None:
        """That of all methods together, corrected for every question of the study."""
        return self._answered.verdict.p_adjusted

    @property
    def leading(self) -> Estimate:
        """What the method that the study names first says: how far the value is from neutral."""
        first = self._answered.leading
        return Estimate(None, note="no method has a value") if first is None else first.raw

    def estimates(self) -> Frame:
        """A row for each method: its choices, value, interval, p, n and what is missing."""
        return Frame.of_rows(self._rows(), _FIRST)

    def plot(self) -> Plot:
        """The specification curve: the effect of every method, with its choices below."""
        chart = curve_chart(self._answered, self._found)
        return Plot(chart if chart.title else replace(chart, title=f"{self.question.text} {capitalised(self.verdict)}"))

    def blocks(self) -> Sequence[Block]:
        """The page of the finding."""
        return [finding_section(self._answered, self._found, examples=False)]

    def _rows(self) -> Iterator[dict[str, object]]:
        return ({"verdict": self._answered.verdict.strength, **row} for row in method_rows(self._answered))

    def __repr__(self) -> str:
        return f"<Finding {self.question.text} ({self.question.model}): {self.verdict}>"


class Findings(Sequence[Finding], Shown):
    """Findings in their order: by number, or in a loop."""

    def __init__(self, found: Reported) -> None:
        self._found = found
        self._each = [Finding(one, found) for one in found.findings]

    @overload
    def __getitem__(self, at: int) -> Finding: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Finding]: ...
    def __getitem__(self, at: int | slice) -> Finding | Sequence[Finding]:
        return self._each[at]

    def __len__(self) -> int:
        return len(self._each)

    def estimates(self) -> Frame:
        """A row for each method of each finding."""
        return Frame.of_rows((row for one in self._each for row in one._rows()), _FIRST)

    def blocks(self) -> Sequence[Block]:
        """The page of each finding, closed until it is opened."""
        return [block for one in self._each for block in one.blocks()]

    def __repr__(self) -> str:
        lines = [f"  {one.question.text} ({one.question.bias}, {one.question.model}): {one.verdict}" for one in self]
        return "\n".join([f"<{len(self)} finding{'s' * (len(self) != 1)}>", *lines])
