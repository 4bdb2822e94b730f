"""Scatter plots of two shares, around the line on which they are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.figures.canvas import FAINT, LINE, WIDE, Layout, colour
from tiltmeter.report.figures.panels import Grid

_TALL = 250
_MARGIN = 46
_NAMED = 5
"""How many points have their names beside them: those farthest from the line on which both are the same."""
_APART = LINE - 2


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """A name with its two shares."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class ScatterPanel:
    """Points, and slope and height at zero of the line through them where there is one."""

    title: str
    points: tuple[ScatterPoint, ...]
    line: tuple[float, float] | None = None


def scatter(panels: Sequence[ScatterPanel], across: str, up: str, layout: Layout = WIDE) -> dict[str, Any]:
    """Panels of points from 0 to 100 % both ways, as a Vega-Lite dictionary; dashed: both shares are the same."""
    grid = Grid(layout)

    def draw(panel: ScatterPanel, left: float, wide: float) -> None:
        _Panel(grid, left, wide).draw(panel, across, up)

    grid.panels(panels, 2 * LINE + 16 + _TALL + 2 * LINE + 22, draw)
    return grid.chart()


class _Panel:
    """One panel in the making."""

    def __init__(self, grid: Grid, left: float, wide: float) -> None:
        self.grid, self.left, self.wide = grid, left, wide
        self.top = grid.height + 2 * LINE + 12
        self.x0, self.x1 = left + _MARGIN, left + wide - 16

    def draw(self, panel: ScatterPanel, across: str, up: str) -> None:
        grid, characters = self.grid, int(self.wide // 7)
        grid.texts.add(panel.title, grid.height + LINE / 2, self.left, "left", weight=600, characters=characters)
        grid.texts.add(up, grid.height + 1.5 * LINE + 2, self.left, "left", color=FAINT, characters=characters)
        for number in (0, 25, 50, 75, 100):
            words, x, y = f"{number}\N{NO-BREAK SPACE}%", self._across(number / 100), self._down(number / 100)
            grid.rules += [
                {"x": self.x0, "x2": self.x1, "y": y, "y2": y},
                {"x": x, "x2": x, "y": self.top, "y2": self.top + _TALL},
            ]
            grid.texts.add(words, y, self.x0 - 8, "right", color=FAINT)
            grid.texts.add(words, self.top + _TALL + 14, x, "center", color=FAINT)
        grid.texts.add(across, self.top + _TALL + 14 + LINE, (self.x0 + self.x1) / 2, "center", color=FAINT)
        grid.dashes.append(self._line(0.0, 0.0, 1.0, 1.0))
        if panel.line is not None:
            self._through(*panel.line)
        for point in panel.points:
            grid.point(self._across(point.x), self._down(point.y))
        self._names(panel.points)

    def _through(self, slope: float, height: float) -> None:
        """The part of a line that lies within both scales."""
        ends = [x for x in (0.0, 1.0) if 0 <= height + slope * x <= 1]
        if slope:
            ends += [x for y in (0.0, 1.0) if 0 < (x := (y - height) / slope) < 1]
        if len(ends) >= 2:
            low, high = min(ends), max(ends)
            line = self._line(low, height + slope * low, high, height + slope * high)
            self.grid.segments.append({**line, "color": colour(1)})

    def _names(self, points: Sequence[ScatterPoint]) -> None:
        taken: list[float] = []
        for point in sorted(points, key=lambda one: -abs(one.y - one.x)):
            y = self._down(point.y)
            if len(taken) < _NAMED and all(abs(y - other) >= _APART for other in taken):
                right = point.x < 0.6
                x = self._across(point.x) + (8 if right else -8)
                self.grid.texts.add(point.name, y, x, "left" if right else "right", color=FAINT, characters=24)
                taken.append(y)

    def _line(self, x: float, y: float, x2: float, y2: float) -> dict[str, Any]:
        return {"x": self._across(x), "y": self._down(y), "x2": self._across(x2), "y2": self._down(y2)}

    def _across(self, share: float) -> float:
        return self.x0 + share * (self.x1 - self.x0)

    def _down(self, share: float) -> float:
        return self.top + (1 - share) * _TALL
