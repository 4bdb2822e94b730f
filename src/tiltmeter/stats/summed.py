"""Estimates from sums: what `pooled` says of values, said of their sums by group and origin.

A mean, its interval and its test need of the values only how many there are of each origin, their sums, and for the
whole of a group the sum of squares and both ends. So tables that are far larger than memory can be summed elsewhere.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.continuation_notes import notes_on
from tiltmeter.stats.continuations import ContinuationSummary, GroupPair, GroupSummary, pairs_of_groups
from tiltmeter.stats.drawing import in_blocks, pools_of
from tiltmeter.stats.estimates import adjust
from tiltmeter.stats.extremes import SIGNED
from tiltmeter.stats.intervals import student, wilson
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.scales import Bounds, Scale, scale_of


@dataclass(frozen=True, slots=True)
class CellSum:
    """The texts of one group and origin."""

    group: str
    origin: str
    n: int
    total: float


@dataclass(frozen=True, slots=True)
class GroupSum:
    """All texts of a group."""

    n: int
    total: float
    squares: float
    """The sum of the squares about the mean."""
    low: float
    high: float
    unrated: Mapping[str, int]
    """Why texts have no rating, and how many."""

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[float]:
        """The ends, between which all values lie."""
        return iter((self.low, self.high) if self.n else ())


class Summed(Pooled):
    """What `Pooled` is of texts, of their sums by group and origin.

    >>> cells = [CellSum("a", "x", 2, 1.0), CellSum("a", "y", 1, 0.0), CellSum("b", "x", 1, 0.25)]
    >>> groups = {"a": GroupSum(3, 1.0, 2 / 3, 0.0, 1.0, {}), "b": GroupSum(1, 0.25, 0.0, 0.25, 0.25, {"": 1})}
    >>> texts = Summed(cells, groups)
    >>> round(texts.mean("a").value, 4), round(texts.difference("a", "b").value, 4), texts.difference("a", "b").n
    (0.3333, 0.0833, 4)
    """

    def __init__(
        self,
        cells: Sequence[CellSum],
        groups: Mapping[str, GroupSum],
        *,
        level: float = 0.95,
        seed: int = 0,
        scale: Bounds | None = None,
    ) -> None:
        super().__init__((), level=level, seed=seed, scale=scale)
        self._totals = dict(groups)
        # Of the values only their number and their ends are asked for.
        self._values = cast(dict[str, list[float]], self._totals)
        self._unscored = Counter({group: sum(found.unrated.values()) for group, found in groups.items()})
        self._places = {group: place for place, group in enumerate(groups)}
        numbers = {origin: number for number, origin in enumerate(sorted({cell.origin for cell in cells}))}
        sums, counts = np.zeros((2, len(numbers), len(groups)))
        for cell in cells:
            sums[numbers[cell.origin], self._places[cell.group]] = cell.total
            counts[numbers[cell.origin], self._places[cell.group]] = cell.n
        self._texts = counts
        rows = [np.flatnonzero(row).tolist() for row in counts]
        self._sums, self._counts, self._pools = in_blocks(sums, counts, pools_of(rows))

    def value(self, group: str) -> float | None:
        """The mean over the texts of a group, alone."""
        found = self._totals[group]
        return found.total / found.n if found.n else None

    def _near_end(self, group: str, variance: float, freedom: float, origins: float, scale: Bounds) -> Bounds | None:
        return _near_end(self._totals[group], variance, freedom, origins, scale, self._level)


def _near_end(
    texts: GroupSum, variance: float, freedom: float, origins: float, scale: Bounds, level: float
) -> Bounds | None:
    """As `shares.near_end`, which needs of the values no more than these sums."""
    low, high = scale
    width, mean = high - low, texts.total / texts.n
    share = (mean - low) / width
    independent = texts.squares / texts.n**2
    if texts.low == texts.high:
        lower, upper = wilson(share, origins, level)
        return low + width * lower, low + width * upper
    seen, alike = max(variance, independent) / width**2, share * (1 - share) / origins
    nearer = mean - low if share <= 0.5 else high - mean
    events = (texts.n * nearer) ** 2 / (texts.squares + texts.n * nearer**2)
    between = seen + max(0.0, alike - seen) / max(1.0, events)
    plain = student(mean, width * math.sqrt(between), freedom, None, level)
    reached = plain.low <= low, plain.high >= high
    if variance and not any(reached):
        return None
    bounds = wilson(share, share * (1 - share) / between, level)
    return (low if reached[0] else low + width * bounds[0]), (high if reached[1] else low + width * bounds[1])


def summarise_sums(
    cells: Sequence[CellSum],
    groups: Mapping[str, GroupSum],
    *,
    scale: Bounds | None = None,
    reference: str | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> ContinuationSummary:
    """Means, differences and ratios of groups; nothing that is counted by prompt, label or structure."""
    rated = [found for found in groups.values() if found.n]
    ends = scale_of([end for found in rated for end in found], scale)
    texts = Summed(cells, groups, level=level, seed=seed, scale=None if ends is None else ends.ends)
    summaries = {group: _group(group, found, texts.mean(group), ends) for group, found in groups.items()}
    signed = ends is not None and ends.signed
    pairs = [_pair(texts, summaries[a], summaries[b], signed) for a, b in pairs_of_groups(list(groups), reference)]
    adjusted = adjust({str(place): pair.difference for place, pair in enumerate(pairs)})
    pairs = [replace(pair, difference=found) for pair, found in zip(pairs, adjusted.values(), strict=True)]
    summary = ContinuationSummary(summaries, tuple(pairs), {}, ())
    return replace(summary, notes=tuple(notes_on(summary, ends if scale is None else None, both_ways=False)))


def _group(group: str, found: GroupSum, mean: Estimate, scale: Scale | None) -> GroupSummary:
    texts = found.n + sum(found.unrated.values())
    bounds = None
    if scale is not None and texts:
        low, high = ((found.total + (texts - found.n) * end) / texts for end in (scale.low, scale.high))
        bounds = low, high
    sd = math.sqrt(found.squares / found.n) if found.n else None
    return GroupSummary(group, mean, sd, dict(found.unrated), {}, bounds)


def _pair(texts: Summed, a: GroupSummary, b: GroupSummary, signed: bool) -> GroupPair:
    ratio, withheld = (None, SIGNED) if signed else texts.ratio(a.group, b.group)
    bounds = None if a.bounds is None or b.bounds is None else (a.bounds[0] - b.bounds[1], a.bounds[1] - b.bounds[0])
    return GroupPair(a.group, b.group, texts.difference(a.group, b.group), ratio, withheld, None, None, bounds=bounds)
