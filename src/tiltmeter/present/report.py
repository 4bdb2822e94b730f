"""The report of one run, or of several side by side: the answer first, a page for each finding, then the appendix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tiltmeter.present.blocks import Document, Section
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.answers import answers
from tiltmeter.present.sections.figures import figures
from tiltmeter.present.sections.finding import finding_section
from tiltmeter.present.sections.instrument import instrument
from tiltmeter.present.sections.limits import limits
from tiltmeter.present.sections.methods import methods
from tiltmeter.present.sections.next_words.section import next_words
from tiltmeter.present.sections.order import order
from tiltmeter.present.sections.pairs.section import pairs
from tiltmeter.present.sections.pairs.written import written
from tiltmeter.present.sections.study import what_was_run
from tiltmeter.present.sections.summary import sorted_findings, summary
from tiltmeter.present.sections.texts.raters import raters
from tiltmeter.present.sections.texts.section import texts
from tiltmeter.present.sections.texts.structures import structures
from tiltmeter.present.sections.views import views
from tiltmeter.present.words import listed

_FEW = 3
"""Models that fit into a title."""


def report(found: Reported) -> Document:
    """The whole report as blocks."""
    findings = sorted_findings(found.findings)
    pages = [finding_section(one, found) for one in findings if not one.question.check]
    blocks = [*summary(found), *([Section("Findings", tuple(pages), anchor="findings")] if pages else [])]
    about = (
        f"Social bias in {listed(found.models)}"
        if len(found.models) <= _FEW
        else f"Social bias in {len(found.models)} models"
    )
    return Document(about, title_of(found), tuple(blocks), _closed(details(found)), _closed(appendix(found)))


def _closed(sections: Iterable[Section]) -> tuple[Section, ...]:
    """Sections that a reader opens one by one, so that what is on the page at first is the answer."""
    return tuple(replace(one, folded=True) for one in sections)


def details(found: Reported) -> list[Section]:
    """Every figure, view by view."""
    return [
        *views(found),
        *pairs(found),
        *written(found),
        *order(found),
        *answers(found),
        *texts(found),
        *structures(found),
        *raters(found),
        *next_words(found),
        *figures(found),
    ]


def appendix(found: Reported) -> list[Section]:
    """Whether the instrument can be trusted, what the study leaves open, how it was made, and what was run."""
    return [*instrument(found), *limits(found), *methods(found), *what_was_run(found)]


def title_of(found: Reported) -> str:
    """What a report on these runs is called."""
    studies = list(dict.fromkeys(summary.study for _, summary in found.runs))
    return (
        f"Study “{studies[0]}”"
        if len(found.runs) == 1
        else f"{len(found.runs)} runs side by side: {', '.join(studies)}"
    )
