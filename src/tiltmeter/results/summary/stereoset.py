"""StereoSet's own scores, from its pairs in a run or from a file of predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tiltmeter.measures.stereoset import Scores, choices
from tiltmeter.results.cells import Cell
from tiltmeter.sources.datasets import stereoset
from tiltmeter.stats.views.stereoset import TargetItem, TargetSummary, summarise


def summarise_pairs(cells: Sequence[Cell], seed: int) -> TargetSummary | None:
    """StereoSet's scores from those of the three pairs that its source makes of each example."""
    found: dict[tuple[str, str, str, str], dict[str, float]] = {}
    if not cells or not cells[0].source.startswith("stereoset.v"):
        return None
    biases = {row.item: cell.bias for cell in cells for row in cell.rows}
    for row in cells[0].table.rows(*(cell.number for cell in cells)):
        _, task, domain = biases[row.item].split("/", 2)
        scores = found.setdefault((task, domain, row.origin, row.item.rsplit("/", 1)[0]), {})
        scores |= {} if row.value is None else {row.group: row.value}
    examples = [_labelled(by_label) for by_label in found.values()]
    return _targets([key[:3] for key in found], examples, seed=seed)


def _labelled(scores: Mapping[str, float]) -> Scores:
    stereotype, anti_stereotype, unrelated = (scores.get(label) for label in stereoset.LABELS)
    return stereotype, anti_stereotype, unrelated


def _targets(
    places: Sequence[tuple[str, str, str]], examples: Sequence[Scores], *, level: float = 0.95, seed: int = 0
) -> TargetSummary:
    items = [
        TargetItem(*place, choice.stereotyped, choice.stereotyped_ties_half, choice.related)
        if choice
        else TargetItem(*place, None, None, None)
        for place, choice in zip(places, choices(examples), strict=True)
    ]
    return summarise(items, level=level, seed=seed)


def summarise_predictions(
    predictions: str | Path, data: str | Path, *, level: float = 0.95, seed: int = 0
) -> dict[str, Any]:
    """LM, SS and ICAT, as StereoSet's authors define them, from a file of scores per sentence."""
    scored, notes = stereoset.scores_of(stereoset.read(data), stereoset.read_predictions(predictions), predictions)
    places = [(example.task, example.bias_type, example.target) for example, _ in scored]
    result = _targets(places, [scores for _, scores in scored], level=level, seed=seed).as_json()
    return {**result, "notes": notes + result["notes"]}
