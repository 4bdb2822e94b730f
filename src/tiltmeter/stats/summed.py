"""Estimates from sums: what `pooled` says of values, said of their sums by group and origin.

A mean, its interval and its test need of the values only how many there are of each origin, their sums, and for the
whole of a group the sum of squares and both ends. So tables that are far larger than memory can be summed elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tiltmeter.records import Estimate
from tiltmeter.stats.continuation_notes import notes_on
from tiltmeter.stats.continuations import ContinuationSummary, GroupPair, GroupSummary, pairs_of_groups
from tiltmeter.stats.estimates import adjust
from tiltmeter.stats.extremes import SIGNED
from tiltmeter.stats.pooled import CellSum, Pooled
from tiltmeter.stats.scales import Bounds, Scale, scale_of


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

    def __iter__(self) -> Iterator[float]:
        """The ends, between which all values lie."""
        return iter((self.low, self.high) if self.n else ())


def summarise_sums(
    cells: Sequence[CellSum],
    groups: Mapping[str, GroupSum],
    *,
    scale: Bounds | None = None,
    reference: str | None = None,
    level: float = 0.95,
) -> ContinuationSummary:
    """Means, differences and ratios of groups; nothing that is counted by prompt, label or structure."""
    rated = [found for found in groups.values() if found.n]
    ends = scale_of([end for found in rated for end in found], scale)
    texts = Pooled.of_sums(
        cells,
        {group: sum(found.unrated.values()) for group, found in groups.items()},
        {group: (found.low, found.high) if found.n else None for group, found in groups.items()},
        level=level,
        scale=None if ends is None else ends.ends,
    )
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


def _pair(texts: Pooled, a: GroupSummary, b: GroupSummary, signed: bool) -> GroupPair:
    ratio, withheld = (None, SIGNED) if signed else texts.ratio(a.group, b.group)
    bounds = None if a.bounds is None or b.bounds is None else (a.bounds[0] - b.bounds[1], a.bounds[1] - b.bounds[0])
    return GroupPair(a.group, b.group, texts.difference(a.group, b.group), ratio, withheld, None, None, bounds=bounds)
