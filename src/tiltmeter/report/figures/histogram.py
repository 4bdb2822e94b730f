"""Histograms of two groups back to back: the first upward, the second downward, in the same bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.figures.canvas import FAINT, LINE, WIDE, Layout, round_number
from tiltmeter.report.figures.panels import Grid

_HALF = 62
"""The height of the tallest bar."""
_MARGIN = 44


@dataclass(frozen=True, slots=True)
class HistogramPanel:
    """How many values of either group lie in each of the equal bins from 0 to `top`."""

    title: str
    counts: tuple[tuple[int, ...], tuple[int, ...]]
    top: float


def histograms(
    panels: Sequence[HistogramPanel], groups: tuple[str, str], axis: str, layout: Layout = WIDE
) -> dict[str, Any]:
    """Panels of histograms, each with scales of its own, as a Vega-Lite dictionary."""
    grid = Grid(layout)
    grid.key(groups)

    def draw(panel: HistogramPanel, left: float, wide: float) -> None:
        _panel(grid, panel, axis, left, wide)

    grid.panels(panels, LINE + 8 + 2 * _HALF + 2 * LINE + 26, draw)
    return grid.chart()


def _panel(grid: Grid, panel: HistogramPanel, axis: str, left: float, wide: float) -> None:
    top, x0, x1 = grid.height + LINE + 12, left + _MARGIN, left + wide - 16
    middle = top + _HALF
    grid.texts.add(panel.title, grid.height + LINE / 2, left, "left", weight=600, characters=int(wide // 7))
    tallest = max((count for counts in panel.counts for count in counts), default=0) or 1
    for number, counts in enumerate(panel.counts):
        step = (x1 - x0) / max(1, len(counts))
        for place, count in enumerate(counts):
            height = count / tallest * _HALF
            upper, lower = (middle - height, middle) if number == 0 else (middle, middle + height)
            if count:
                grid.bar(x0 + place * step + 0.5, x0 + (place + 1) * step - 0.5, upper, lower, number)
    for y, words in ((middle - _HALF, f"{tallest:,}"), (middle, "0"), (middle + _HALF, f"{tallest:,}")):
        grid.rules.append({"x": x0, "x2": x1, "y": y, "y2": y})
        grid.texts.add(words, y, x0 - 8, "right", color=FAINT)
    for part in (0.0, 0.5, 1.0):
        value, at = part * panel.top, x0 + part * (x1 - x0)
        # Two digits tell the bins apart, however small the chances are.
        words = round_number(value, panel.top / 50) if panel.top >= 1e-4 else f"{value:.1e}"
        grid.texts.add(words if value else "0", middle + _HALF + 14, at, "center", color=FAINT)
    grid.texts.add(axis, middle + _HALF + 14 + LINE, (x0 + x1) / 2, "center", color=FAINT)
