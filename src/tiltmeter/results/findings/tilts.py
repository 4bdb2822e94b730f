"""How much of a difference between rated texts may be the rater's own: what it makes of the groups' names alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tiltmeter.records import Estimate
from tiltmeter.results.cells import table_of
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.questions import Question, topic_of
from tiltmeter.results.measurements.columns import TILT
from tiltmeter.results.summary.text_records import ends_of
from tiltmeter.stats.agreement.raters import tilt_summary, within_tilt
from tiltmeter.stats.multiverse.cells import CellResult


def rater_tilts(question: Question, material: Evidence) -> dict[str, Estimate]:
    """By rater that reads the prompt: the first group minus the second on sentences in which only the group changes."""
    found: dict[str, Estimate] = {}
    for run in material.runs:
        items: dict[str, list[tuple[str, float | None, str]]] = {}
        for cell in table_of(run).of(question.view, measure=TILT):
            if cell.scope == "whole" and cell.rater not in found and topic_of(cell.bias) == question.bias:
                own = [row for row in cell.rows if row.group in (question.first, question.second)]
                items.setdefault(cell.rater, []).extend((row.group, row.value, row.origin) for row in own)
        for rater, rated in items.items():
            if {group for group, *_ in rated} == {question.first, question.second}:
                [found[rater]] = tilt_summary(rated, scale=ends_of(rater)).difference.values()
    return found


def cells_within_tilt(cells: Sequence[CellResult], tilts: Mapping[str, Estimate]) -> int:
    """In how many cells the difference is no larger than the one that their rater makes by itself."""
    return sum(
        within_tilt(cell.raw, tilts[cell.choices["rater"]])
        for cell in cells
        if cell.sign is not None and cell.choices.get("rater") in tilts
    )
