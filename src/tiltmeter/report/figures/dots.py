"""Dots: values with their intervals on one scale, in shares around one half or in powers of ten."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.report.figures.canvas import (
    FAINT,
    HAIRLINE,
    LINE,
    OWN,
    PAPER,
    PIXELS,
    WIDE,
    Layout,
    Texts,
    chart,
    colour,
    downward,
    layer,
    point_marks,
    shape,
    wrapped,
)

_INSET = 14
"""Room at both ends of the scale, for the numbers below them."""


@dataclass(frozen=True, slots=True)
class DotRow:
    """One line: a label, and an estimate (or none) for each series."""

    label: str
    estimates: tuple[Estimate | None, ...]


@dataclass(frozen=True, slots=True)
class DotBlock:
    """Rows that belong together, under a heading where they need one."""

    rows: tuple[DotRow, ...]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class DotAxis:
    """A scale: its ends, its numbers in words, and the value that favours nobody, where it has one."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    write: Callable[[Estimate], tuple[str, str]]
    """A value and its interval in words."""
    neutral: float | None = None
    powers: bool = False
    """Whether every step is a factor and not a difference."""
    left: str = ""
    right: str = ""

    def place(self, value: float) -> float:
        """Where a value stands, from 0 at the low end to 1 at the high one; what lies beyond stands at the end."""
        low, high, value = (
            math.log10(max(one, 1e-300)) if self.powers else one for one in (self.low, self.high, value)
        )
        return min(1.0, max(0.0, (value - low) / (high - low)))


def share_axis(write: Callable[[Estimate], tuple[str, str]], left: str = "", right: str = "") -> DotAxis:
    """The whole scale of shares, with one half marked."""
    ticks = tuple((number / 100, f"{number}\N{NO-BREAK SPACE}%") for number in (0, 25, 50, 75, 100))
    return DotAxis(0.0, 1.0, ticks, write, neutral=0.5, left=left, right=right)


def power_axis(numbers: Sequence[float], write: Callable[[Estimate], tuple[str, str]]) -> DotAxis:
    """Powers of ten around these chances.

    >>> [label for _, label in power_axis([0.004, 0.03], lambda found: ("", "")).ticks]
    ['0.001', '0.01', '0.1']
    """
    known = [number for number in numbers if number > 0]
    first = math.floor(math.log10(min(known, default=0.1)))
    last = min(0, max(first + 1, math.ceil(math.log10(max(known, default=1.0)))))
    first = max(min(first, last - 1), -12)
    steps = range(first, last + 1, max(1, -(-(last - first) // 6)))
    ticks = tuple((10.0**step, f"{10.0**step:.{max(0, -step)}f}" if step > -6 else f"1e−{-step}") for step in steps)
    return DotAxis(10.0**first, 10.0**last, ticks, write, powers=True)


def dots(blocks: Sequence[DotBlock], series: Sequence[str], axis: DotAxis, layout: Layout = WIDE) -> dict[str, Any]:
    """Rows of dots with whiskers on one scale, as a Vega-Lite dictionary."""
    drawing = _Dots(layout, len(series), axis)
    drawing.key(series)
    for block in blocks:
        drawing.block(block)
    drawing.scale()
    return drawing.chart()


class _Dots:
    """The rows so far, and how far down they reach."""

    def __init__(self, layout: Layout, series: int, axis: DotAxis) -> None:
        self.layout, self.series, self.axis = layout, series, axis
        self.height = 0.0
        self.texts = Texts()
        self.rules: list[dict[str, Any]] = []
        self.dashes: list[dict[str, Any]] = []
        self.whiskers: list[dict[str, Any]] = []
        self.points: list[dict[str, Any]] = []

    def key(self, series: Sequence[str]) -> None:
        """Name the series, one line each; one series alone needs no key."""
        if len(series) > 1:
            for position, label in enumerate(series):
                self.height += LINE + 2
                self._point(7, self.height - 8, position, sure=True)
                characters = (self.layout.plot + self.layout.right) // 7
                self.texts.add(label, self.height - 8, 20, "left", characters=characters)
            self.height += 8

    def block(self, block: DotBlock) -> None:
        """Draw the rows of a block below what is there."""
        if block.heading:
            self.height += 26
            characters = (self.layout.left + self.layout.plot + self.layout.right) // 8
            self.texts.add(
                block.heading, self.height - 11, -self.layout.left, "left", color=FAINT, weight=600,
                characters=characters,
            )  # fmt: skip
        for row in block.rows:
            self._row(row)

    def _row(self, row: DotRow) -> None:
        label = wrapped(row.label, self.layout.characters)
        lines = label.count("\n") + 1
        above = not self.layout.left
        spread = self.series * LINE
        head = lines * LINE + 8 if above else 0
        tall = head + max(spread, 0 if above else lines * LINE) + 12
        middle = self.height + head + (tall - head) / 2
        self.rules.append({"y": self.height, "x": -self.layout.left, "x2": self.layout.plot + self.layout.right})
        if self.axis.neutral is not None:
            at = self._across(self.axis.neutral)
            self.dashes.append({"x": at, "x2": at, "y": self.height + head, "y2": self.height + tall})
        if above:
            self.texts.add(label, self.height + LINE - 2, 0, "left")
        else:
            self.texts.add(label, middle - (lines - 1) * LINE / 2, -16, "right")
        for position, found in enumerate(row.estimates):
            if found is not None and found.value is not None:
                self._mark(found, position, middle - spread / 2 + (position + 0.5) * LINE)
        self.height += tall

    def _mark(self, found: Estimate, position: int, y: float) -> None:
        assert found.value is not None
        sure = found.low is not None and found.high is not None
        if found.low is not None and found.high is not None:
            ends = {"x": self._across(found.low), "x2": self._across(found.high)}
            self.whiskers.append({**ends, "y": y, "color": colour(position)})
        self._point(self._across(found.value), y, position, sure=sure)
        value, interval = self.axis.write(found)
        if self.layout.right:
            self.texts.add(value, y, self.layout.plot + 74, "right")
            self.texts.add(interval, y, self.layout.plot + 86, "left", color=FAINT, characters=24)
        elif self.series == 1:
            self.texts.add(value, self.height + LINE - 2, self.layout.plot, "right")

    def _point(self, x: float, y: float, series: int, *, sure: bool) -> None:
        fill = colour(series) if sure else PAPER
        self.points.append({"x": x, "y": y, "color": colour(series), "fill": fill, "shape": shape(series)})

    def _across(self, value: float) -> float:
        return _INSET + self.axis.place(value) * (self.layout.plot - 2 * _INSET)

    def scale(self) -> None:
        """Draw the scale below the rows."""
        self.rules.append({"y": self.height, "x": -self.layout.left, "x2": self.layout.plot + self.layout.right})
        for value, label in self.axis.ticks:
            self.texts.add(label, self.height + 14, self._across(value), "center", color=FAINT)
        self.height += LINE + 8
        if self.axis.left or self.axis.right:
            half = self.layout.plot // 15
            self.texts.add(self.axis.left, self.height + 10, 0, "left", color=FAINT, characters=half)
            self.texts.add(self.axis.right, self.height + 10, self.layout.plot, "right", color=FAINT, characters=half)
            self.height += LINE + 4

    def chart(self) -> dict[str, Any]:
        """The Vega-Lite dictionary of all that was drawn."""
        y = downward(self.height)
        x = PIXELS | {"field": "x"}
        line = {"x": x, "x2": {"field": "x2"}, "y": y}
        marks = [
            layer(self.rules, {"type": "rule", "color": HAIRLINE}, line),
            layer(self.dashes, {"type": "rule", "color": FAINT, "strokeDash": [3, 3]}, {**line, "y2": {"field": "y2"}}),
            layer(
                self.whiskers,
                {"type": "rule", "strokeWidth": 1.8, "strokeCap": "round"},
                {**line, "stroke": OWN | {"field": "color"}},
            ),
            layer(
                self.points,
                {"type": "point", "opacity": 1, "strokeWidth": 1.8, "size": 62},
                {"x": x, "y": y, **point_marks()},
            ),
        ]
        return chart(self.layout, self.height, [*marks, *self.texts.layers(y)], bottom=6)
