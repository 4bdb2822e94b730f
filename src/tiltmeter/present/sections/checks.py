"""Checks of the instrument by every scorer of a study, of which the first decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tiltmeter.present.decodings import short_scorer
from tiltmeter.present.reported import Reported
from tiltmeter.present.words import count, listed
from tiltmeter.results import RunSummary
from tiltmeter.results.findings.findings import Finding
from tiltmeter.results.findings.instrument import RESULTS, InstrumentCheck
from tiltmeter.stats.estimates import shifted


def other_scorers(one: InstrumentCheck, summary: RunSummary) -> list[InstrumentCheck]:
    """The same check by the other scorers of the study, which do not decide it."""
    return [
        replace(one, found=shifted(cell.summary.headline_by_bias[one.bias], -0.5), by=cell.scorer)
        for cell in summary.cells
        if (cell.model, cell.source, cell.published) == (one.model, one.source, False)
        and one.view == "pairs"
        and cell.scorer != one.by
        and one.bias in cell.summary.headline_by_bias
    ]


def results_words(checks: Sequence[InstrumentCheck]) -> str:
    """How many of some checks came to what, the worst first."""
    counted = Counter(one.result for one in checks)
    return listed([f"{result} under {counted[result]}" for result in RESULTS if counted[result]])


def failed_scorers(one: Finding, found: Reported) -> Iterator[str]:
    """How many methods of a finding use a scorer by which a check of the instrument failed; they count all the same."""
    if one.question.check or not found.summaries:
        return
    failed = {
        each.by
        for _, summary in found.runs
        for check in summary.instrument.checks
        if (check.model, check.view) == (one.question.model, one.question.view) and check.is_scored
        for each in (check, *other_scorers(check, summary))
        if each.result == "failed"
    }
    cells = [cell for cell in one.multiverse.curve.cells if cell.sign is not None and "scorer" in cell.choices]
    own = [cell.choices["scorer"] for cell in cells if cell.choices["scorer"] in failed]
    if own:
        named = listed([short_scorer(name) for name in sorted(set(own))])
        uses = "uses a scorer" if len(own) == 1 else "use scorers"
        yield f"{len(own)} of {count(len(cells), 'method')} {uses} by which an instrument check failed ({named})."
