"""How much of a difference between rated texts may be the rater's own: what it makes of the groups' names alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tiltmeter.records import Estimate
from tiltmeter.results.findings.material import Material
from tiltmeter.results.findings.questions import Question, topic_of
from tiltmeter.results.summary.text_records import ends_of
from tiltmeter.stats.cells import CellResult
from tiltmeter.stats.rater_comparison import tilt_summary, within_tilt


def rater_tilts(question: Question, material: Material) -> dict[str, Estimate]:
    """By rater that reads the prompt: the first group minus the second on sentences in which only the group changes."""
    found: dict[str, Estimate] = {}
    for run in material.runs if question.view == "continuations" else ():
        texts = run.continuations
        for used in texts.raters if texts else ():
            if used.scope != "whole" or used.name in found:
                continue
            items = [
                (item.group, item.rating.value, item.sentence)
                for bias, item in (texts.tilts(used.name) if texts else ())
                if topic_of(bias) == question.bias and item.group in (question.first, question.second)
            ]
            if {group for group, *_ in items} == {question.first, question.second}:
                [found[used.name]] = tilt_summary(items, scale=ends_of(used.name)).difference.values()
    return found


def cells_within_tilt(cells: Sequence[CellResult], tilts: Mapping[str, Estimate]) -> int:
    """In how many cells the difference is no larger than the one that their rater makes by itself."""
    return sum(
        within_tilt(cell.raw, tilts[cell.choices["rater"]])
        for cell in cells
        if cell.sign is not None and cell.choices.get("rater") in tilts
    )
