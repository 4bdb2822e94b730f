"""Raters held against one another: what a rater makes of the groups by itself, and where two raters part ways."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.stats.agreement.annotators import krippendorffs_alpha_of_numbers
from tiltmeter.stats.agreement.correlation import spearman
from tiltmeter.stats.estimates import FEWEST_ORIGINS, adjust, excludes_zero
from tiltmeter.stats.pooled import Observation, Pooled
from tiltmeter.stats.scales import Bounds
from tiltmeter.stats.views.continuations import RatedItem, pairs_of_groups

_MOST_BLOCKS = 50
"""Origins are left out one at a time up to here, in blocks beyond."""
_NO_TILT = 1e-12
"""A tilt no larger than this is zero, but for rounding."""


@dataclass(frozen=True, slots=True)
class TiltSummary:
    """A rater's mean by group on sentences in which only the group changes, and the differences it makes by itself."""

    by_group: Mapping[str, Estimate]
    difference: Mapping[tuple[str, str], Estimate]

    def as_json(self) -> dict[str, Any]:
        """Means by group, and every pair."""
        return {
            "groups": {group: found.as_json() for group, found in self.by_group.items()},
            "pairs": [
                {"a": a, "b": b, "difference": found.as_json(), "note": found.note}
                for (a, b), found in self.difference.items()
            ],
        }


@dataclass(frozen=True, slots=True)
class RaterComparison:
    """Two raters on the same texts."""

    n: int
    """Texts that both rated."""
    rank_correlation: Estimate
    krippendorff: float | None
    opposite: tuple[tuple[str, str], ...]
    """Pairs of groups of which either rater puts another first."""
    surely_opposite: tuple[tuple[str, str], ...]
    """Those of them where both intervals exclude zero."""


def tilt_summary(
    items: Sequence[Observation],
    *,
    reference: str | None = None,
    level: float = 0.95,
    scale: Bounds | None = None,
) -> TiltSummary:
    """The tilt of a rater from (group, value, sentence); the same sentences for each group, so they vary together.

    >>> items = [("a", 0.5, "one"), ("b", 0.25, "one"), ("a", 0.75, "two"), ("b", 0.25, "two")]
    >>> tilt_summary(items).difference["a", "b"].value
    0.375
    """
    pooled = Pooled(items, level=level, scale=scale)
    groups = list(dict.fromkeys(group for group, *_ in items))
    pairs = pairs_of_groups(groups, reference)
    adjusted = adjust({str(index): pooled.difference(a, b) for index, (a, b) in enumerate(pairs)})
    return TiltSummary(
        {group: pooled.mean(group) for group in groups}, dict(zip(pairs, adjusted.values(), strict=True))
    )


def within_tilt(difference: Estimate, tilt: Estimate) -> bool:
    """Whether a difference is no larger than the one that the rater makes by itself, whichever way either goes.

    A rater that makes none explains none, not even one of zero.

    >>> within_tilt(Estimate(0.1), Estimate(-0.2)), within_tilt(Estimate(0.3), Estimate(-0.2))
    (True, False)
    >>> within_tilt(Estimate(0.0), Estimate(0.0)), within_tilt(Estimate(0.0), Estimate(-0.2))
    (False, True)
    """
    if difference.value is None or tilt.value is None or math.isclose(tilt.value, 0.0, abs_tol=_NO_TILT):
        return False
    return abs(difference.value) <= abs(tilt.value)


def raters_compared(first: Sequence[RatedItem], second: Sequence[RatedItem], *, level: float = 0.95) -> RaterComparison:
    """Two raters of the same kind on the same texts, given in the same order.

    A text that only one of them rated counts for neither.

    >>> texts = [RatedItem("a", 0.1, "x"), RatedItem("b", 0.2, "x"), RatedItem("b", 0.4, "y")]
    >>> raters_compared(texts, texts).rank_correlation.value
    1.0
    """
    if any((one.group, one.origin) != (two.group, two.origin) for one, two in zip(first, second, strict=True)):
        raise ValueError("the two raters did not rate the same texts in the same order")
    both = [(one, two) for one, two in zip(first, second, strict=True) if one.rated and two.rated]
    values = [[pair[side].value for pair in both] for side in (0, 1)]
    alone = sum(one.rated != two.rated for one, two in zip(first, second, strict=True))
    origins = [one.origin or f"\0{index}" for index, (one, _) in enumerate(both)]
    correlation = replace(clustered_spearman(values[0], values[1], origins, level=level), n_unscored=alone)
    pooled = [
        Pooled([(pair[side].group, pair[side].value, pair[side].origin) for pair in both], level=level)
        for side in (0, 1)
    ]
    opposite, surely = [], []
    for a, b in pairs_of_groups(list(dict.fromkeys(one.group for one, _ in both))):
        signs = {math.copysign(1, gap) if gap else 0 for gap in (_gap(side, a, b) for side in pooled)}
        if signs == {-1, 1}:
            opposite.append((a, b))
            surely += [(a, b)] if all(excludes_zero(side.difference(a, b)) for side in pooled) else []
    alpha = krippendorffs_alpha_of_numbers(values)
    return RaterComparison(len(both), correlation, alpha, tuple(opposite), tuple(surely))


def clustered_spearman(
    first: Sequence[float | None], second: Sequence[float | None], origins: Sequence[str], *, level: float = 0.95
) -> Estimate:
    """Spearman's correlation over texts that come in clusters: Fisher's z, its error by leaving out origins in turn.

    >>> found = clustered_spearman([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], list("abcdef"))
    >>> round(found.value, 3), found.origins
    (0.829, 6)
    """
    value, n = spearman(first, second)
    names = sorted(set(origins))
    found = Estimate(value, level=level, n=n, origins=len(names))
    if value is None:
        reason = "fewer than 3 common values" if n < 3 else "the values of one side are all the same"
        return replace(found, note=f"no correlation: {reason}")
    if len(names) < FEWEST_ORIGINS:
        return replace(found, note=f"no interval: fewer than {FEWEST_ORIGINS} origins")
    if abs(value) == 1:
        return replace(found, note="no interval: the order is the same throughout, which shows no spread")
    blocks = min(len(names), _MOST_BLOCKS)
    block = {name: index % blocks for index, name in enumerate(names)}
    without = []
    for left_out in range(blocks):
        kept = [index for index, origin in enumerate(origins) if block[origin] != left_out]
        part, _ = spearman([first[index] for index in kept], [second[index] for index in kept])
        if part is None or abs(part) == 1:
            return replace(found, note="no interval: too few texts are left without one origin")
        without.append(math.atanh(part))
    low, high = _jackknife(math.atanh(value), without, level)
    return replace(found, low=math.tanh(low), high=math.tanh(high), method="jackknife")


def _jackknife(value: float, without: Sequence[float], level: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    count = len(without)
    error = math.sqrt((count - 1) ** 2 / count * statistics.variance(without))
    half = float(stdtrit(count - 1, (1 + level) / 2)) * error
    return value - half, value + half


def _gap(pooled: Pooled, a: str, b: str) -> float:
    return (pooled.value(a) or 0.0) - (pooled.value(b) or 0.0)
