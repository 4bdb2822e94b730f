"""The report as one HTML file that loads nothing: style, script and figures are inside it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tiltmeter.analysis import RunSummary, correlate_runs, of_the_test
from tiltmeter.analysis.multiverse import MultiverseSummary, summarise_multiverse
from tiltmeter.files import whole_file
from tiltmeter.measures.pairs import TIE
from tiltmeter.report import words
from tiltmeter.report.contents import Contents, SourceSection
from tiltmeter.report.continuations import ContinuationsView, continuation_views
from tiltmeter.report.decodings import decoding_words
from tiltmeter.report.drawn import Drawn, draw, write_figures
from tiltmeter.report.figures import forest
from tiltmeter.report.findings import write_findings
from tiltmeter.report.multiverse import MultiverseView, multiverse_view
from tiltmeter.report.next_word_readings import without_answers
from tiltmeter.report.next_words import NextWordsView, next_word_views
from tiltmeter.report.order import OrderView, order_view
from tiltmeter.report.pair_structures import PairStructuresView, pair_structure_views
from tiltmeter.report.paper_tables import write_paper_tables
from tiltmeter.report.sentences import SentenceView, sentence_views
from tiltmeter.report.series import Series, make_series
from tiltmeter.report.tables import write_tables
from tiltmeter.report.view_agreement import ViewsView, views_view
from tiltmeter.report.written import WrittenSection, written_sections
from tiltmeter.stats.estimates import BOOTSTRAP_ORIGINS, FEWEST_ORIGINS
from tiltmeter.stats.intervals import RESAMPLES
from tiltmeter.store import Run

REPORT = "report.html"
"""The name of the report in a run folder."""


def write_run(run: Run, summary: RunSummary) -> Path:
    """Put tables, figures and report into the run's own folder; the path of the report, which is `REPORT` there."""
    write_tables(run, summary, run.folder)
    page = run.folder / REPORT
    answered = summarise_multiverse([(run, summary)])
    parts = _write([(run, summary)], page, answered, figures=run.folder / "figures")
    write_findings(run, summary, answered)
    write_paper_tables([board.table for one in parts.completed for board in one.boards], run.folder / "tables")
    return page


def write_report(runs: Sequence[tuple[Run, RunSummary]], out: Path, *, figures: Path | None) -> None:
    """Write the report of one run, or of several side by side; `figures` is a folder for the figures as files."""
    _write(runs, out, summarise_multiverse(runs), figures=figures)


def _write(
    runs: Sequence[tuple[Run, RunSummary]], out: Path, answered: MultiverseSummary, *, figures: Path | None
) -> _Parts:
    series = make_series(runs)
    contents = Contents(series)
    drawn = [(section, _draw(section)) for section in contents.sources()]
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
    html = _render(runs, series, contents, drawn, parts)
    if figures is not None:
        write_figures([*(figure for _, figure in drawn if figure), *parts.figures], figures)
    with whole_file(out) as file:
        file.write(html)
    return parts


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


def _render(
    runs: Sequence[tuple[Run, RunSummary]],
    series: Sequence[Series],
    contents: Contents,
    drawn: Sequence[tuple[SourceSection, Drawn | None]],
    parts: _Parts,
) -> str:
    environment = Environment(
        loader=PackageLoader("tiltmeter.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["signed"] = words.signed
    style, script = _asset("report.css"), _asset("report.js")
    return environment.get_template("report.html.jinja").render(
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        title=_title(runs),
        runs=[_facts_of_run(run, summary) for run, summary in runs],
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
        specs=_specs(runs),
        method={
            "tie": f"{TIE:g}",
            "fewest": FEWEST_ORIGINS,
            "bootstrap": BOOTSTRAP_ORIGINS,
            "resamples": f"{RESAMPLES:,}",
        },
    )


def _asset(name: str) -> str:
    return files("tiltmeter.report").joinpath("assets", name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """What the page may do: show its own style, run its own script, and nothing else."""

    def permitted(text: str) -> str:
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

    return (
        f"default-src 'none'; style-src {permitted(style)}; script-src {permitted(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _title(runs: Sequence[tuple[Run, RunSummary]]) -> str:
    studies = list(dict.fromkeys(summary.study for _, summary in runs))
    return studies[0] if len(runs) == 1 else f"{len(runs)} runs side by side: {', '.join(studies)}"


def _facts_of_run(run: Run, summary: RunSummary) -> dict[str, Any]:
    resolved = run.meta["resolved"]
    return {
        "study": summary.study,
        "folder": run.folder.name,
        "text": run.meta["study"],
        "fingerprint": run.meta["fingerprint"],
        "seed": resolved["seed"],
        "pairs": len(of_the_test(run.pairs)),
        **_facts_of_texts(run),
        "asked": _facts_of_words(run),
        "sources": [_source_words(source) for source in resolved["sources"]],
        "scorers": list(resolved["scorers"]),
        "versions": dict(run.meta["versions"]),
        "dropped": sorted(summary.dropped.items(), key=lambda item: -item[1]),
        "notes": [
            (cell.model, cell.source, cell.scorer, note) for cell in summary.cells for note in cell.summary.notes
        ],
    }


def _facts_of_texts(run: Run) -> dict[str, Any]:
    found = run.continuations
    if found is None:
        return {"prompts": 0, "decodings": [], "raters": []}
    return {
        "prompts": len(found.prompts),
        "decodings": [decoding_words(one, found.decodings) for one in found.decodings],
        "raters": [
            (one.name, ", ".join(f"{name} {value}" for name, value in sorted(one.facts.items())))
            for one in found.raters
        ],
    }


def _facts_of_words(run: Run) -> list[tuple[str, str]]:
    """What was asked about next words, as names and values; empty where nothing was."""
    if run.next_words is None:
        return []
    choices = run.meta["resolved"]["next_words"]
    sets = [
        "; ".join(f"{group}: {', '.join(words)}" for group, words in one["sets"]) or "those of each source"
        for one in choices["words"]
    ]
    counted = [*("bounded" if one else "not bounded" for one in choices["bounded"])]
    counted += ["all words of a group" if one == "sum" else "the first word of a group" for one in choices["combine"]]
    return [
        ("Prompts asked", f"{len(run.next_words.asked):,}, perturbed ones among them"),
        ("Sources of prompts", ", ".join(_source_words(source) for source in choices["sources"])),
        *(("Words", f"{one['label']} ({words})".strip()) for one, words in zip(choices["words"], sets, strict=True)),
        ("Counted", ", ".join(counted)),
        ("Perturbations", ", ".join(choices["perturbations"])),
        *([("Saliency", choices["saliency"])] if choices["saliency"] else []),
        *([("Labour", f"{len(choices['labour']):,} occupations")] if choices["labour"] else []),
    ]


def _source_words(source: Mapping[str, Any]) -> str:
    options = [f"{key} = {value}" for key, value in sorted(source["options"].items())]
    file = [f"file {source['path']}, sha256 {source['sha256']}"] if source["path"] else []
    return "; ".join([source["name"], *file, *options])


def _specs(runs: Sequence[tuple[Run, RunSummary]]) -> list[Mapping[str, Any]]:
    found = {spec["name"]: spec for run, _ in runs for spec in run.meta["resolved"]["specs"]}
    return list(found.values())
