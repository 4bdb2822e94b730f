"""What missing values could do to a conclusion, where one group has more of them than the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tiltmeter.amounts import fixed
from tiltmeter.stats.multiverse.cells import CellData

UNEQUAL = 0.01
"""Shares of missing values that differ by more than this are unequal."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The shares of either group that have no value, and between what the difference would lie at worst."""

    shares: tuple[float, float]
    bounds: tuple[float, float] | None
    """None: the ends of the scale are not known."""

    @property
    def difference(self) -> float:
        """How far the shares differ."""
        return abs(self.shares[0] - self.shares[1])

    @property
    def width(self) -> float:
        """How much the missing values leave open."""
        return 0.0 if self.bounds is None else self.bounds[1] - self.bounds[0]

    @property
    def could_reverse(self) -> bool:
        """Whether the difference could have the other sign."""
        return self.bounds is not None and min(self.bounds) < 0 < max(self.bounds)


def missing_of(cell: CellData) -> Missing | None:
    """What is missing in a cell of two groups; None of a cell whose items compare them already, or that lacks one.

    >>> cell = CellData.of({}, [1.0, 0.0, None, 0.0, 0.0, 0.0], list("abcabc"), [0, 0, 0, 1, 1, 1], scale=(0.0, 1.0))
    >>> found = missing_of(cell)
    >>> [round(share, 2) for share in found.shares], [round(end, 2) for end in found.bounds], found.could_reverse
    ([0.33, 0.0], [0.33, 0.67], False)
    """
    if cell.sides is None:
        return None
    parts = [cell.values[cell.sides == side] for side in (0, 1)]
    counts = [int(np.sum(~np.isnan(part))) for part in parts]
    if not all(counts):
        return None
    shares = [1 - count / len(part) for count, part in zip(counts, parts, strict=True)]
    means = [float(np.nanmean(part)) for part in parts]
    bounds = None
    if cell.scale is not None:
        low, high = cell.scale
        least, most = (
            [(1 - share) * mean + share * end for share, mean in zip(shares, means, strict=True)] for end in (low, high)
        )
        bounds = least[0] - most[1], most[0] - least[1]
        # Positive is worse for the first group, as everywhere in a verdict.
        bounds = bounds if cell.orientation == 1 else (-bounds[1], -bounds[0])
    return Missing((shares[0], shares[1]), bounds)


def missing_words(cells: Sequence[CellData], groups: tuple[str, str]) -> str:
    """A sentence on unequal shares of missing values, of the cell where they differ most; blank where they do not."""
    by_cell = [(one, cell) for cell in cells if (one := missing_of(cell)) is not None]
    every = [one for one, _ in by_cell]
    found = [each for each in by_cell if each[0].difference > UNEQUAL]
    if not found:
        return ""
    # One of which the ends are known says more; of several that differ alike, the one that leaves most open.
    most, cell = max(found, key=lambda each: (each[0].bounds is not None, round(each[0].difference, 9), each[0].width))
    first, second = (f"{fixed(share, 1, 100)}\N{NO-BREAK SPACE}%" for share in most.shares)
    said = f"Values are missing unequally: {first} for {groups[0]} and {second} for {groups[1]}"
    varied = [name for name in cell.choices if len({each.choices.get(name) for _, each in by_cell}) > 1]
    named = ", ".join(f"{name} {cell.choices[name]}" for name in varied)
    method = "in a method where they differ most" if len(found) > 1 else "in one method" if len(every) > 1 else ""
    said += f", {method}{f' ({named})' if named else ''}" if method else ""
    if most.bounds is None or cell.scale is None:
        return said
    turned, known = sum(one.could_reverse for one in every), sum(one.bounds is not None for one in every)
    low, high = (f"{end:+.2f}".replace("-", "\N{MINUS SIGN}") for end in most.bounds)
    ends = " to ".join(f"{end:g}".replace("-", "\N{MINUS SIGN}") for end in cell.scale)
    worst = (
        f"whatever values these would have had, the difference observed there would be between {low} and {high} points "
        f"on its scale from {ends}"
    )
    reverse = f"Missing values could reverse the direction in {turned or 'none'} of {known} methods"
    return f"{said}; {worst} (positive: worse for {groups[0]}; sampling error comes on top). {reverse}"
