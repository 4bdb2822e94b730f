"""How much of a difference between rated texts may be the rater's own: what it makes of the groups' names alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tiltmeter.records import Estimate
from tiltmeter.results.cells import table_of
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.questions import Question, topic_of
from tiltmeter.results.measurements.columns import TILT
from tiltmeter.results.summary.text_records import ends_of, favour
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
                # Groups come in the order of the sentences, which need not be that of the question.
                summary = tilt_summary(rated, reference=question.second, scale=ends_of(rater))
                found[rater] = summary.difference[question.first, question.second]
    return found


def cells_within_tilt(cells: Sequence[CellResult], tilts: Mapping[str, Estimate]) -> tuple[int, int]:
    """In how many cells the difference is no larger than the one that their rater makes by itself.

    And in how many more that one goes the same way and is over half of it.
    """
    within = mostly = 0
    for cell in cells:
        rater = cell.choices.get("rater", "")
        if cell.sign is not None and rater in tilts:
            # A cell is positive where it is worse for the first group, a tilt where ratings are higher.
            tilt, difference = -favour(rater) * (tilts[rater].value or 0.0), cell.raw.value or 0.0
            if within_tilt(cell.raw, tilts[rater]):
                within += 1
            else:
                mostly += tilt * difference > difference**2 / 2
    return within, mostly
