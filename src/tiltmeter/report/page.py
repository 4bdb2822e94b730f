"""The report as one HTML file that loads nothing: style, script and figures are inside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tiltmeter.files import refuse_links_in, whole_file
from tiltmeter.report import words
from tiltmeter.report.cells import Table
from tiltmeter.report.contents import Contents, SourceSection
from tiltmeter.report.continuations import ContinuationsView, continuation_views
from tiltmeter.report.drawn import Drawn, by_file, draw, write_figures
from tiltmeter.report.figures import forest
from tiltmeter.report.findings import FINDINGS, write_findings
from tiltmeter.report.limitations import limitations, not_meant
from tiltmeter.report.methods import methods
from tiltmeter.report.multiverse import MultiverseView, multiverse_view
from tiltmeter.report.next_word_readings import without_answers
from tiltmeter.report.next_words import NextWordsView, next_word_views
from tiltmeter.report.order import OrderView, order_view
from tiltmeter.report.pair_structures import PairStructuresView, pair_structure_views
from tiltmeter.report.paper_tables import write_paper_tables
from tiltmeter.report.references import Reference
from tiltmeter.report.rendering import render
from tiltmeter.report.run_facts import facts_of_run, specs_of
from tiltmeter.report.sentences import SentenceView, sentence_views
from tiltmeter.report.series import Runs, make_series
from tiltmeter.report.tables import write_tables
from tiltmeter.report.view_agreement import ViewsView, views_view
from tiltmeter.report.written import WrittenSection, written_sections
from tiltmeter.results import RunSummary, correlate_runs
from tiltmeter.results.account import account
from tiltmeter.results.cells import table_of, write_measurements
from tiltmeter.results.findings.findings import Findings, summarise_findings
from tiltmeter.results.measurements import MADE
from tiltmeter.store import Run
from tiltmeter.store.run_folder import ledger_hash, note_made

REPORT = "report.html"
"""The name of the report in a run folder."""


@dataclass(frozen=True, slots=True)
class Page:
    """The page as HTML, the figures in it by the names of their files, and what other files are made of."""

    html: str
    figures: Mapping[str, Drawn]
    boards: Sequence[Table]
    """The bidimensional tables."""
    references: Sequence[Reference]
    answered: Findings


def write_run(run: Run, summary: RunSummary, page: Page | None = None) -> Path:
    """Put tables, figures and report into the run's own folder; the path of the report, which is `REPORT` there."""
    refuse_links_in(run.folder, "tables", "figures", "summary.json", FINDINGS, REPORT, *MADE)
    written = [*write_tables(run, summary, run.folder), *write_measurements(run, run.folder)]
    found = page or make_page([(run, summary)])
    written += write_paper_tables(found.boards, run.folder / "tables")
    write_findings(run, summary, found.answered)
    out = run.folder / REPORT
    # Where there is a report, everything that it stands for is there.
    write_page(found, out, figures=run.folder / "figures")
    # What another process has added meanwhile is not in what was made.
    if table_of(run).ledger == ledger_hash(run.folder):
        note_made(run.folder, [*written, out])
    return out


def write_report(runs: Runs, out: Path, *, figures: Path | None) -> None:
    """Write the report of one run, or of several side by side; `figures` is a folder for the figures as files."""
    write_page(make_page(runs), out, figures=figures)


def write_page(page: Page, out: Path, *, figures: Path | None) -> None:
    """Write a page that was made before; `figures` is a folder for the figures as files."""
    if figures is not None:
        write_figures(page.figures, figures)
    with whole_file(out) as file:
        file.write(page.html)


def make_page(runs: Runs) -> Page:
    """The report of one run, or of several side by side, not written yet."""
    series = make_series(runs)
    contents = Contents(series)
    drawn = [(section, _draw(section)) for section in contents.sources()]
    answered = summarise_findings(runs)
    parts = _Parts(
        written_sections(contents),
        sentence_views(runs),
        order_view(contents, correlate_runs(runs)),
        continuation_views([(run, summary.continuations) for run, summary in runs], contents.label),
        pair_structure_views(contents),
        next_word_views(series, contents.label),
        multiverse_view(answered, contents.label),
        views_view([summary.views for _, summary in runs], contents.label),
    )
    figures = by_file([*(figure for _, figure in drawn if figure), *parts.figures])
    done = account(runs, answered)
    method = methods(runs, answered, done)
    html = render(
        "report.html.jinja",
        figures,
        title=title_of(runs),
        runs=[facts_of_run(run, summary) for run, summary in runs],
        series=series,
        contents=contents,
        paired=any(run.pairs for run, _ in runs) or not (parts.completed or any(run.next_words for run, _ in runs)),
        written=parts.sections,
        sentences=parts.sentences,
        order=parts.order,
        completed=parts.completed,
        expected=parts.expected,
        unexplained=sorted({name for _, one in runs if one.next_words for name in one.next_words.without_saliency}),
        silent=list(dict.fromkeys(name for run, _ in runs for name in without_answers(run))),
        structures=parts.structures,
        survives=parts.survives,
        views=parts.views,
        writers=sorted({name for run, _ in runs for name in run.writers}),
        drawn=drawn,
        specs=specs_of(runs),
        instrument=[line for _, one in runs for line in words.instrument_words(one.instrument)],
        instrument_failed=any(one.instrument.counted()["failed"] for _, one in runs),
        not_meant=not_meant(done),
        done=done,
        limits=limitations(runs, answered, done),
        method=method,
    )
    boards = [board.table for one in parts.completed for board in one.boards]
    return Page(html, figures, boards, method.references, answered)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts on written sentences, on the order of the biases, on texts, structures and next words, and on all."""

    sections: Sequence[WrittenSection]
    sentences: Sequence[SentenceView]
    order: OrderView
    completed: Sequence[ContinuationsView]
    structures: Sequence[PairStructuresView]
    expected: Sequence[NextWordsView]
    survives: MultiverseView
    views: ViewsView | None

    @property
    def figures(self) -> list[Drawn]:
        """Every figure of these parts, in the order of the page."""
        by_themselves = [figure for one in self.sentences for figure in (one.quality_figure, one.issues_figure)]
        of_sections = [figure for one in self.sections for figure in one.figures]
        of_texts = [figure for one in self.completed for figure in one.figures]
        of_pairs = [one.figure for one in self.structures]
        of_words = [figure for one in self.expected for figure in one.figures]
        parts = (
            *self.survives.figures,
            *of_pairs,
            *by_themselves,
            *of_sections,
            *self.order.figures,
            *of_texts,
            *of_words,
        )
        return [figure for figure in parts if figure]


def _draw(section: SourceSection) -> Drawn | None:
    labels = [one.label for one in section.shown]
    if not section.blocks:
        return None
    shown = [(row, bool(block.heading)) for block in section.blocks for row in block.rows if not row.summary]
    biases, checks = (
        [(row.label, row.estimates) for row, check in shown if check == wanted] for wanted in (False, True)
    )
    alternative = words.what_the_forest_shows(labels, biases, checks)
    return draw(f"biases {section.source}", partial(forest, section.blocks, labels), alternative)


def title_of(runs: Runs) -> str:
    """What a report on these runs is called."""
    studies = list(dict.fromkeys(summary.study for _, summary in runs))
    return studies[0] if len(runs) == 1 else f"{len(runs)} runs side by side: {', '.join(studies)}"
