"""The specification curve: cells in the order of their effects, and below them the choices that each is made of.

After Simonsohn, Simmons and Nelson 2020, Specification curve analysis, Nature Human Behaviour 4:1208-1214.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    round_number,
    wrapped,
)

_CURVE = 190
"""The height of the curve."""
_ROW = 15
_INSET = 40
"""Room for the numbers of the scale, where there is none beside the plot."""
_POSITIVE, _NEGATIVE = 1, 0
"""Which colours the two directions have."""


@dataclass(frozen=True, slots=True)
class SpecificationCell:
    """A cell on the curve; without a value it is beyond all bounds, on the side of its sign."""

    sign: int
    firm: bool
    settings: Mapping[str, str]
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class SpecificationKey:
    """What the marks mean: what is said above the line, what below it, and what makes a mark a filled one."""

    above: str
    below: str
    firm: str
    open: str


def specification(
    cells: Sequence[SpecificationCell],
    choices: Sequence[tuple[str, Sequence[str]]],
    key: SpecificationKey,
    layout: Layout = WIDE,
) -> dict[str, Any]:
    """The curve and the choices with their settings below it, as a Vega-Lite dictionary."""
    numbers = [end for cell in cells for end in (cell.value, cell.low, cell.high) if end is not None]
    # The curve needs the whole width: nothing stands at its right.
    plot = Layout(layout.left, layout.plot + layout.right, 0, layout.characters)
    drawing = _Specification(plot, len(cells), _ends(numbers))
    drawing.key(key)
    drawing.curve(cells, key)
    for name, settings in choices:
        drawing.choice(name, settings, cells)
    return drawing.chart()


class _Specification:
    """What is drawn so far, and how far down it reaches."""

    def __init__(self, layout: Layout, cells: int, ends: tuple[float, float, float]) -> None:
        self.layout = layout
        self.low, self.high, self.step = ends
        self.inset = 0 if layout.left else _INSET
        self.apart = (layout.plot - self.inset) / max(1, cells)
        self.height = 0.0
        self.texts = Texts()
        self.rules: list[dict[str, Any]] = []
        self.zero: list[dict[str, Any]] = []
        self.intervals: list[dict[str, Any]] = []
        self.ticks: list[dict[str, Any]] = []
        self.points: list[dict[str, Any]] = []

    def key(self, key: SpecificationKey) -> None:
        """Say what filled and open marks mean."""
        for label, filled in ((key.firm, True), (key.open, False)):
            self.height += LINE + 2
            for place, sign in enumerate((1, -1)):
                self._point(7 + 12 * place, self.height - 8, sign, filled, 36)
            characters = (self.layout.plot - 34) // 7
            self.texts.add(label, self.height - 8, 34, "left", characters=characters)
        self.height += 10

    def curve(self, cells: Sequence[SpecificationCell], key: SpecificationKey) -> None:
        """Draw the points with their intervals on a scale of effects."""
        self._words(f"↑ {key.above}", 1)
        top = self.height + 6
        bottom = top + _CURVE
        down = (bottom - top) / (self.high - self.low)
        for number in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + number * self.step
            y = bottom - (value - self.low) * down
            line = {"x": self.inset, "x2": self.layout.plot, "y": y, "y2": y}
            (self.zero if abs(value) < self.step / 2 else self.rules).append(line)
            self.texts.add(round_number(value, self.step), y, self.inset - 8, "right", color=FAINT)
        for place, cell in enumerate(cells):
            x = self._across(place)
            if cell.low is not None and cell.high is not None:
                ends = [bottom - (end - self.low) * down for end in (cell.low, cell.high)]
                shade = {"color": _shade(cell.sign)}
                self.intervals.append({"x": x, "x2": x, "y": ends[0], "y2": ends[1], **shade})
            beyond = top if cell.sign > 0 else bottom
            y = beyond if cell.value is None else bottom - (cell.value - self.low) * down
            self._point(x, y, cell.sign, cell.firm, self._size, beyond=cell.value is None)
        self.height = bottom + 6
        self._words(f"↓ {key.below}", -1)
        self.height += 8

    def choice(self, name: str, settings: Sequence[str], cells: Sequence[SpecificationCell]) -> None:
        """Draw one line for each setting of a choice, with a mark below every cell that has it."""
        self.rules.append({"x": -self.layout.left, "x2": self.layout.plot, "y": self.height, "y2": self.height})
        self.height += 4
        beside = bool(self.layout.left)
        self.texts.add(
            name,
            self.height + 8,
            -16 if beside else 0,
            "right" if beside else "left",
            weight=600,
            characters=self.layout.characters,
        )
        self.height += LINE + 2
        for setting in settings:
            if beside:
                self.texts.add(setting, self.height + 7, -16, "right", color=FAINT, characters=self.layout.characters)
            else:
                self.texts.add(setting, self.height + 7, 0, "left", color=FAINT, characters=self.layout.characters)
                self.height += LINE
            for place, cell in enumerate(cells):
                if cell.settings.get(name) == setting:
                    x = self._across(place)
                    tick = {"x": x, "x2": x, "y": self.height + 2, "y2": self.height + 12}
                    self.ticks.append({**tick, "color": _shade(cell.sign)})
            self.height += _ROW if beside else _ROW + 3
        self.height += 6

    def _words(self, text: str, sign: int) -> None:
        """What is said on one side of the line."""
        label = wrapped(text, (self.layout.plot - self.inset) // 7)
        self.texts.add(label, self.height + 8, self.inset, "left", color=_shade(sign))
        self.height += LINE * (label.count("\n") + 1)

    @property
    def _size(self) -> float:
        """How large a point may be among so many."""
        return max(6.0, min(36.0, (self.apart * 0.8) ** 2))

    def _across(self, place: int) -> float:
        return self.inset + (place + 0.5) * self.apart

    def _point(self, x: float, y: float, sign: int, firm: bool, size: float, *, beyond: bool = False) -> None:
        shade = _shade(sign)
        mark = {"circle": not beyond, "triangle-up": beyond and sign > 0, "triangle-down": beyond and sign <= 0}
        shape = next(name for name, chosen in mark.items() if chosen)
        self.points.append(
            {"x": x, "y": y, "size": size, "color": shade, "fill": shade if firm else PAPER, "shape": shape}
        )

    def chart(self) -> dict[str, Any]:
        """The Vega-Lite dictionary of all that was drawn."""
        y = downward(self.height)
        line = {"x": PIXELS | {"field": "x"}, "x2": {"field": "x2"}, "y": y, "y2": {"field": "y2"}}
        own = line | {"color": OWN | {"field": "color"}}
        size = {"field": "size", "type": "quantitative", "scale": None, "legend": None}
        width = max(0.5, min(4.5, self.apart * 0.5))
        marks = [
            layer(self.rules, {"type": "rule", "color": HAIRLINE}, line),
            layer(self.zero, {"type": "rule", "color": FAINT, "strokeDash": [3, 3]}, line),
            layer(self.intervals, {"type": "rule", "strokeWidth": max(0.5, min(1.4, width)), "opacity": 0.5}, own),
            layer(self.ticks, {"type": "rule", "strokeWidth": width}, own),
            layer(
                self.points,
                {"type": "point", "opacity": 1, "strokeWidth": 1.2},
                {"x": PIXELS | {"field": "x"}, "y": y, "size": size, **point_marks()},
            ),
        ]
        return chart(self.layout, self.height, [*marks, *self.texts.layers(y)], bottom=6)


def _ends(numbers: Sequence[float]) -> tuple[float, float, float]:
    """Where the scale begins and ends, and the round number between two of its lines: about five of them, zero too.

    >>> _ends([-1.1, 0.6])
    (-1.5, 1.0, 0.5)
    >>> _ends([])
    (-1.0, 1.0, 0.5)
    """
    low, high = min([0.0, *numbers]), max([0.0, *numbers])
    if low == high:
        # No cell has an effect that can be drawn: their items do not vary.
        low, high = -1.0, 1.0
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * size for size in (1, 2, 5, 10) if power * size >= rough)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step


def _shade(sign: int) -> str:
    """The colour of a direction; none, none."""
    return FAINT if not sign else colour(_POSITIVE if sign > 0 else _NEGATIVE)
