"""From numbers to places on a chart: axes, the round numbers along them, and the colours of series and groups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

INK, FAINT, LINE, PAPER = "--ink", "--faint", "--line", "--paper"
ABOVE, BELOW = "--above-strong", "--below-strong"
SERIES = tuple(f"--series-{number}" for number in range(6))
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
Unit = Literal["number", "share", "points", "power", "ratio"]
"""How numbers are written: as they are, as shares of 1, as differences of shares, or in powers of ten."""
_LEAST_POWER = -12
_LETTERS_OF_TICKS = 40
"""How many letters the numbers along a scale may have where a chart is narrowest."""


def group_colours(groups: Iterable[str]) -> dict[str, str]:
    """One colour for each group, in the order of the spec, so that a group has the same one in every chart.

    >>> group_colours(["women", "men", "women"])
    {'women': '--series-0', 'men': '--series-1'}
    """
    return {group: colour(position) for position, group in enumerate(dict.fromkeys(groups))}


def colour(position: int) -> str:
    """The colour of the series at a position."""
    return SERIES[position % len(SERIES)]


def shape(position: int) -> str:
    """The mark of the series at a position; when colours repeat, they come with other marks."""
    return _SHAPES[(position + position // len(SERIES)) % len(_SHAPES)]


def finite(numbers: Iterable[float | None]) -> list[float]:
    """The numbers that have a place on a scale."""
    return [number for number in numbers if number is not None and math.isfinite(number)]


@dataclass(frozen=True, slots=True)
class Axis:
    """What a scale is called, where neutral is, and what either direction means."""

    title: str = ""
    unit: Unit = "number"
    neutral: float | None = None
    neutral_name: str = ""
    """What the neutral line means, such as "no preference"."""
    left: str = ""
    """What lower values mean, such as "prefers the other"; arrows are added."""
    right: str = ""
    ends: tuple[float, float] | None = None
    """Where the scale begins and ends at the least, such as 0 and 1 for whole shares."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale that covers all its numbers; `ticks` are places along it and their words."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    power: bool = False

    def place(self, value: float) -> float:
        """Where a value is, in the units of `low` and `high`."""
        if self.power:
            value = math.log10(value) if value > 0 else self.low
        return min(self.high, max(self.low, value))

    def part(self, value: float) -> float:
        """Where a value is, from 0 at the low end to 1 at the high one."""
        return (self.place(value) - self.low) / (self.high - self.low)


def scale_of(axis: Axis, numbers: Iterable[float | None], ticks: int = 5) -> Scale:
    """The scale of an axis for these numbers, with about as many ticks as given, or as fit a narrow place."""
    found = finite([*numbers, axis.neutral, *(axis.ends or ())])
    if axis.unit == "power":
        return _power_scale(found)
    if axis.unit == "ratio":
        return _ratio_scale(found)
    found += _beside(axis, found)
    made = _linear_scale(found, axis.unit, ticks)
    while ticks > 1 and sum(len(words) + 2 for _, words in made.ticks) > _LETTERS_OF_TICKS:
        ticks -= 1
        made = _linear_scale(found, axis.unit, ticks)
    return made


def _linear_scale(numbers: Sequence[float], unit: Unit, ticks: int) -> Scale:
    low, high, step = round_ends(numbers, ticks)
    values = [_rounded(low + number * step, step) for number in range(round((high - low) / step) + 1)]
    return Scale(low, high, tuple((value, written(value, step, unit)) for value in values))


def _beside(axis: Axis, numbers: Sequence[float]) -> list[float]:
    """Numbers on both sides of neutral, where either side has a name: a scale shows what was possible."""
    if axis.neutral is None or not (axis.left and axis.right):
        return []
    reach = max((abs(number - axis.neutral) for number in numbers), default=0.0) / 4
    sides = [axis.neutral - reach, axis.neutral + reach]
    return [min(1.0, max(0.0, side)) for side in sides] if axis.unit == "share" else sides


def _power_scale(numbers: Sequence[float]) -> Scale:
    known = [number for number in numbers if number > 0]
    low = max(_LEAST_POWER, math.floor(math.log10(min(known, default=0.1)) + 1e-9))
    high = max(low + 1, math.ceil(math.log10(max(known, default=1.0)) - 1e-9))
    steps = range(low, high + 1, max(1, -(-(high - low) // 5)))
    ticks = tuple((float(step), f"{10.0**step:g}".replace("e-0", "e−").replace("-", "−")) for step in steps)
    return Scale(float(low), float(high), ticks, power=True)


_MOST_RATIO = 100.0
"""Ratios beyond it, and below one in so many, are drawn at the end of the scale."""


def _ratio_scale(numbers: Sequence[float]) -> Scale:
    """A vertical scale on which twice and half are as far from 1; its ticks are ratios.

    >>> found = _ratio_scale([0.6, 1.0, 3.0])
    >>> [words for _, words in found.ticks], round(found.part(1.0), 3), found.part(5.0)
    (['0.5', '1', '2', '5'], 0.301, 1.0)
    """
    known = [min(_MOST_RATIO, max(1 / _MOST_RATIO, number)) for number in (*numbers, 1.0)]
    steps = [size * 10.0**power for power in (-2, -1, 0, 1) for size in (1, 2, 5)] + [_MOST_RATIO]
    low = max(step for step in steps if step <= min(known) * 1.000001)
    high = min(step for step in steps if step >= max(known) * 0.999999)
    inside = [step for step in steps if low <= step <= high]
    if len(inside) == 1:
        inside = [step for step in steps if low / 2.1 <= step <= high * 2.1]
    # Of many, every other one, and 1 among them.
    kept = (
        inside if len(inside) <= 5 else [step for step in inside if (inside.index(step) - inside.index(1.0)) % 2 == 0]
    )
    ticks = tuple((step, f"{step:g}") for step in kept)
    return Scale(math.log10(inside[0]), math.log10(inside[-1]), ticks, power=True)


def round_ends(numbers: Sequence[float], ticks: int = 4) -> tuple[float, float, float]:
    """Where a scale for these numbers begins and ends, and the round step between its ticks.

    >>> round_ends([0.12, 0.31])
    (0.1, 0.35, 0.05)
    >>> round_ends([])
    (0.0, 1.0, 0.5)
    """
    if not numbers:
        return 0.0, 1.0, 0.5
    low, high = min(numbers), max(numbers)
    # Steps that are tiny beside their numbers could not be written.
    least = max(abs(low), abs(high)) * (1e-3 if high > low else 1 / ticks)
    rough = max((high - low) / ticks, least) or 0.1
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * size for size in (1, 2, 5, 10, 20) if power * size >= rough * 0.999999)
    bottom, top = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    if bottom == top:
        bottom, top = bottom - 1, top + 1
    return _rounded(bottom * step, step), _rounded(top * step, step), step


def _rounded(value: float, step: float) -> float:
    """A place along steps: 0.3, and not 0.30000000000000004."""
    return round(value, max(0, 2 - math.floor(math.log10(step)))) + 0.0


def written(value: float, step: float, unit: Unit) -> str:
    """A number of a scale, with no more decimals than its steps need.

    >>> written(-0.4, 0.2, "number"), written(0.5, 0.25, "share"), written(0.05, 0.05, "points")
    ('−0.4', '50\N{NO-BREAK SPACE}%', '+5')
    >>> written(4e6, 1e6, "number"), written(0, 0.1, "number"), written(2e-7, 1e-7, "number")
    ('4M', '0', '2e−7')
    """
    factor = 1.0 if unit == "number" else 100.0
    value, step = value * factor, step * factor
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    sign = "+" if unit == "points" and value > 0 else ""
    large = next((one for one in _LARGE if step >= one[0]), None)
    if not value:
        number = "0"
    elif step >= 1e10 or decimals > 5:
        number = f"{value:.3g}".replace("e+", "e").replace("e-0", "e-")
    else:
        number = f"{value / large[0]:,g}{large[1]}" if large else f"{value:,.{decimals}f}"
    return sign + number.replace("-", "−") + ("\N{NO-BREAK SPACE}%" if unit == "share" else "")


_LARGE = ((1e9, "B"), (1e6, "M"), (1e3, "k"))


def colours_of(series: Sequence[str], given: Mapping[str, str] | None) -> list[str]:
    """The colours of some series: the given ones, or others by position."""
    return [(given or {}).get(name) or colour(position) for position, name in enumerate(series)]
