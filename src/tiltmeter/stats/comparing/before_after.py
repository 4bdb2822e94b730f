"""The gap between two groups, before and after: how large it is on either side, and by how much it changed.

What was asked of both sides is compared on the same prompts. Texts are averaged to prompts first, since texts of two
sides are no pairs, then to origins; every origin counts the same, as in `comparisons.paired`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array
from tiltmeter.stats.comparing.changes import ratio_change
from tiltmeter.stats.comparing.effect_sizes import Side
from tiltmeter.stats.comparing.equivalence import Equivalence, equivalence
from tiltmeter.stats.comparing.worsening import Moved
from tiltmeter.stats.estimates import FEWEST_ORIGINS, is_number
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.resampling import flipped
from tiltmeter.stats.scales import Bounds, cut_off, difference_bounds

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Prompted:
    """What two sides make of one prompt about a group."""

    group: str
    a: float
    b: float
    origin: str


@dataclass(frozen=True, slots=True)
class GapChange:
    """The difference of two groups on either side, and the difference of these differences."""

    groups: tuple[str, str]
    a: Estimate
    b: Estimate
    difference: Estimate
    """The gap of a − the gap of b."""
    p_permutation: float | None
    """Two-sided, from exchanging a and b by whole origins, all groups of an origin together."""
    ratio_change: Estimate | None
    """How many per cent the ratio of the groups' means changes from a to b."""
    no_ratio: str | None
    """Why there is no such change."""
    total: Estimate
    """The gap of a + the gap of b."""
    moved: Moved
    """How many origins differ."""

    def as_json(self) -> dict[str, Any]:
        """The figures; null where there is none."""
        return {
            "groups": list(self.groups),
            "gap_a": self.a.as_json(),
            "gap_b": self.b.as_json(),
            "difference": self.difference.as_json(),
            "p_permutation": self.p_permutation,
            "ratio_change_per_cent": None if self.ratio_change is None else self.ratio_change.as_json(),
            "no_ratio": self.no_ratio,
            "note": self.difference.note,
        }


def means_of(values: Iterable[tuple[Name, float | None]]) -> dict[Name, float | None]:
    """The mean of the scored values of each name; None where it has none.

    >>> means_of([("x", 1.0), ("y", None), ("x", 2.0)])
    {'x': 1.5, 'y': None}
    """
    found: dict[Name, list[float]] = {}
    for name, value in values:
        kept = found.setdefault(name, [])
        if value is not None and is_number(value):
            kept.append(value)
    return {name: math.fsum(kept) / len(kept) if kept else None for name, kept in found.items()}


def gap_change(
    prompts: Sequence[Prompted],
    groups: tuple[str, str],
    *,
    scale: Bounds | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> GapChange:
    """Compare the gap between two groups on either side; ratings whose `scale` goes below zero have no ratio.

    >>> made = [Prompted(group, a, b, origin) for origin in "vwxyz"
    ...         for group, a, b in (("women", 0.2, 0.4), ("men", 0.6, 0.5))]
    >>> found = gap_change(made, ("women", "men"))
    >>> round(found.a.value, 3), round(found.b.value, 3), round(found.difference.value, 3)
    (-0.4, -0.1, -0.3)
    """
    rows = _by_origin(prompts, groups)
    of_a, of_b, between, together = (
        Pooled([(group, side(*sides), origin) for group, origin, *sides in rows], level=level, scale=ends)
        # What changes nowhere shows no spread: a scale would make up the widest there can be.
        for side, ends in zip(_SIDES, (scale, scale, None, None), strict=True)
    )
    signed = scale is not None and scale[0] < 0
    change, reason = (None, "ratings may be below zero") if signed else _ratio(rows, groups, level)
    before, after, found, total = (side.difference(*groups) for side in (of_a, of_b, between, together))
    found = cut_off(found, difference_bounds(difference_bounds(scale)))
    parts = _contributions(rows, groups)
    p = _swap_p(rows, groups, parts, seed)
    moved = Moved.of(parts, [a for *_, a, _ in rows], [b for *_, b in rows], scale)
    return GapChange(groups, before, after, found, p, change, reason, total, moved)


def gap_equivalence(prompts: Sequence[Prompted], groups: tuple[str, str], *, margin: float) -> Equivalence:
    """Whether the gap changes by no more than a margin."""
    rows = _by_origin(prompts, groups)

    def measured(shift: float, level: float) -> Estimate:
        # Half to each group, so that exchanging them turns everything round exactly.
        halves = {groups[0]: shift / 2, groups[1]: -shift / 2}
        moved = ((group, a - b + halves[group], origin) for group, origin, a, b in rows)
        return Pooled(moved, level=level).difference(*groups)

    return equivalence(measured, margin)


_SIDES: tuple[Callable[[float, float], float], ...] = (
    lambda a, b: a,
    lambda a, b: b,
    lambda a, b: a - b,
    lambda a, b: a + b,
)


def _by_origin(prompts: Sequence[Prompted], groups: tuple[str, str]) -> list[tuple[str, str, float, float]]:
    """Group, origin and the means of both sides; groups in the order that was asked for."""
    cells: dict[tuple[str, str], list[Prompted]] = defaultdict(list)
    for one in prompts:
        if one.group in groups:
            cells[one.group, one.origin].append(one)
    ordered = sorted(cells.items(), key=lambda cell: (groups.index(cell[0][0]), cell[0][1]))
    return [
        (group, origin, math.fsum(one.a for one in own) / len(own), math.fsum(one.b for one in own) / len(own))
        for (group, origin), own in ordered
    ]


def _swap_p(
    rows: Sequence[tuple[str, str, float, float]], groups: tuple[str, str], contributions: Array, seed: int
) -> float | None:
    if min(_origins(rows, groups)) < FEWEST_ORIGINS:
        return None
    # Without their signs and by size, so that neither order nor which side is called a shows in the draws.
    return flipped(np.sort(np.abs(contributions)), observed=[math.fsum(contributions)], seed=seed).p[0]


def _contributions(rows: Sequence[tuple[str, str, float, float]], groups: tuple[str, str]) -> Array:
    """What each origin adds to the difference."""
    origins = _origins(rows, groups)
    parts: dict[str, float] = defaultdict(float)
    for group, origin, a, b in rows:
        first = group == groups[0]
        parts[origin] += (a - b) / (origins[0] if first else -origins[1])
    return np.array(list(parts.values()))


def _origins(rows: Sequence[tuple[str, str, float, float]], groups: tuple[str, str]) -> list[int]:
    """How many origins each group has."""
    return [sum(group == name for group, *_ in rows) for name in groups]


def _ratio(
    rows: Sequence[tuple[str, str, float, float]], groups: tuple[str, str], level: float
) -> tuple[Estimate | None, str | None]:
    codes = {origin: place for place, origin in enumerate(sorted({origin for _, origin, *_ in rows}))}
    sides = [
        Side(
            np.array([row[2 + side] for row in rows if row[0] == name], dtype=np.float64),
            np.array([codes[row[1]] for row in rows if row[0] == name], dtype=np.intp),
        )
        for side in (0, 1)
        for name in groups
    ]
    return ratio_change((sides[0], sides[1]), (sides[2], sides[3]), level=level)
