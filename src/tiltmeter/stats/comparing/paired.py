"""Two models on the same items, or one before and after an intervention: what changed, how sure that is, how large.

Only items that both have scored make a pair. A difference is a − b; pairs are averaged to origins, origins to strata
and strata to one value, as everywhere. `docs/comparisons.md` says in words what each figure is.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array
from tiltmeter.stats.comparing.changes import per_cent_change
from tiltmeter.stats.comparing.effect_sizes import OriginMeans, paired_standardised
from tiltmeter.stats.comparing.worsening import Moved
from tiltmeter.stats.estimates import FEWEST_ORIGINS, NOTHING_MORE, StratumPath, estimate, is_number
from tiltmeter.stats.resampling import flipped
from tiltmeter.stats.scales import Bounds, cut_off, difference_bounds

NAMES = ("a", "b")
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Paired:
    """What two sides say of the same items; every mean is over the pairs alone."""

    a: Estimate
    b: Estimate
    difference: Estimate
    """a − b; p is that of its interval."""
    p_permutation: float | None
    """Two-sided, from exchanging a and b by whole origins; None below 5 origins."""
    flips: int
    """How many exchanges that rests on."""
    exact: bool
    """Whether these are all that there are."""
    standardised: Estimate
    """The difference in standard deviations of the origins' differences (d_z)."""
    superiority: Estimate
    """The probability that a is above b on an item, a tie counting half; 0.5 is neutral."""
    change: Estimate | None
    """From a to b in per cent of a: 100 · (b − a) / a, so its sign is not that of a − b."""
    no_change: str | None
    """Why there is no per-cent change."""
    a_higher: int
    b_higher: int
    same: int
    """Items on which a is above, b is above, and neither."""
    only_a: int
    only_b: int
    neither: int
    """Items that only a has scored, that only b has scored, and that neither has: in no pair."""
    total: Estimate
    """a + b."""
    moved: Moved
    """How many origins differ."""

    def as_json(self) -> dict[str, Any]:
        """The figures; null where there is none."""
        return {
            "a": self.a.as_json(),
            "b": self.b.as_json(),
            "difference": self.difference.as_json(),
            "p_permutation": self.p_permutation,
            "flips": self.flips,
            "exact": self.exact,
            "standardised": self.standardised.as_json(),
            "superiority": self.superiority.as_json(),
            "change_per_cent": None if self.change is None else self.change.as_json(),
            "no_change": self.no_change,
            "items": {"a_higher": self.a_higher, "b_higher": self.b_higher, "same": self.same},
            "unpaired": {"only_a": self.only_a, "only_b": self.only_b, "neither": self.neither},
            "note": self.difference.note,
        }


@dataclass(frozen=True, slots=True)
class Pairs:
    """The items that both sides have scored, and how many they have not."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    origins: tuple[str | None, ...]
    strata: tuple[StratumPath, ...] | None
    further: Mapping[str, tuple[str | None, ...]]
    only_a: int
    only_b: int
    neither: int

    @property
    def unscored(self) -> int:
        """How many items make no pair."""
        return self.only_a + self.only_b + self.neither

    @property
    def gaps(self) -> list[float]:
        """a − b of each pair; 0 where they differ by rounding alone."""
        return [
            0.0 if abs(one - other) <= _ROUNDING * max(abs(one), abs(other)) else one - other
            for one, other in zip(self.a, self.b, strict=True)
        ]

    def estimate(self, values: Sequence[float], *, neutral: float | None, level: float = 0.95) -> Estimate:
        """The mean of one value for each pair; items without a pair are counted as unscored."""
        found = estimate(values, self.origins, strata=self.strata, further=self.further, neutral=neutral, level=level)
        return replace(found, n_unscored=self.unscored)


def pairs_of(
    values_a: Sequence[float | None],
    values_b: Sequence[float | None],
    origins: Sequence[str | None] | None = None,
    strata: Sequence[StratumPath] | None = None,
    further: Mapping[str, Sequence[str | None]] = NOTHING_MORE,
) -> Pairs:
    """Put two lists of values of the same items together; None, NaN and the like are unscored.

    >>> found = pairs_of([1.0, None, 2.0, None], [0.5, 1.0, None, None], list("xxyy"))
    >>> found.gaps, found.only_a, found.only_b, found.neither
    ([0.5], 1, 1, 1)
    """
    given = [each for each in (values_b, origins, strata, *further.values()) if each is not None]
    if any(len(each) != len(values_a) for each in given):
        raise ValueError("the values of both sides, origins and strata are not equally long")
    has = [(is_number(one), is_number(other)) for one, other in zip(values_a, values_b, strict=True)]
    kept = [place for place, both in enumerate(has) if all(both)]
    return Pairs(
        tuple(float(values_a[place] or 0.0) for place in kept),
        tuple(float(values_b[place] or 0.0) for place in kept),
        tuple(None if origins is None else origins[place] for place in kept),
        None if strata is None else tuple(strata[place] for place in kept),
        {name: tuple(way[place] for place in kept) for name, way in further.items()},
        has.count((True, False)),
        has.count((False, True)),
        has.count((False, False)),
    )


def paired(
    values_a: Sequence[float | None],
    values_b: Sequence[float | None],
    origins: Sequence[str | None] | None = None,
    *,
    strata: Sequence[StratumPath] | None = None,
    further: Mapping[str, Sequence[str | None]] = NOTHING_MORE,
    names: tuple[str, str] = NAMES,
    level: float = 0.95,
    seed: int = 0,
    scale: Bounds | None = None,
) -> Paired:
    """Compare two sides on the same items; an item without an origin is its own. `scale` has the ends of the values,
    `further` what else was sampled.

    >>> found = paired([3.0, 4.0, 5.0, 4.0, 9.0], [2.0, 2.0, 4.0, 3.0, None], list("vwxyz"))
    >>> found.difference.value, found.difference.n, found.difference.n_unscored, found.a_higher
    (1.25, 4, 1, 4)
    """
    pairs = pairs_of(values_a, values_b, origins, strata, further)
    gaps = pairs.gaps
    difference = cut_off(pairs.estimate(gaps, neutral=0.0, level=level), difference_bounds(scale))
    before, after = (cut_off(pairs.estimate(side, neutral=None, level=level), scale) for side in (pairs.a, pairs.b))
    signs = [0.5 if not gap else float(gap > 0) for gap in gaps]
    means = _origin_means(pairs)
    change, no_change = per_cent_change(means, before, names) if gaps else (None, "nothing was scored by both")
    contributions = _contributions(pairs, gaps)
    # Without their signs and by size, so that neither order nor which side is called a shows in the draws.
    turned = flipped(np.sort(np.abs(contributions)), observed=[math.fsum(contributions)], seed=seed)
    enough = difference.origins >= FEWEST_ORIGINS
    return Paired(
        before,
        after,
        difference,
        turned.p[0] if enough else None,
        turned.flips if enough else 0,
        turned.exact,
        paired_standardised(means, difference),
        pairs.estimate(signs, neutral=0.5, level=level),
        change,
        no_change,
        signs.count(1.0),
        signs.count(0.0),
        signs.count(0.5),
        pairs.only_a,
        pairs.only_b,
        pairs.neither,
        pairs.estimate([one + other for one, other in zip(pairs.a, pairs.b, strict=True)], neutral=0.0, level=level),
        Moved.of(contributions, pairs.a, pairs.b, scale),
    )


def _origin_means(pairs: Pairs) -> list[OriginMeans]:
    """The means of origins by stratum, in an order that depends on the values alone."""
    items: dict[StratumPath, dict[str | int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, origin in enumerate(pairs.origins):
        items[() if pairs.strata is None else pairs.strata[place]][place if origin is None else origin].append(place)
    found = []
    for stratum, rows in items.items():
        means = sorted(
            tuple(math.fsum(side[place] for place in places) / len(places) for side in (pairs.a, pairs.b))
            for places in rows.values()
        )
        columns = np.array(means).T
        found.append(OriginMeans(columns[0], columns[1], _weight(pairs, stratum)))
    return found


def _weight(pairs: Pairs, stratum: StratumPath) -> float:
    """How much a stratum counts: what the estimate of a value is that is 1 there and 0 elsewhere."""
    if pairs.strata is None:
        return 1.0
    inside = [float(each == stratum) for each in pairs.strata]
    return estimate(inside, pairs.origins, strata=pairs.strata, interval=False).value or 0.0


def _contributions(pairs: Pairs, gaps: Sequence[float]) -> Array:
    """What each origin adds to the difference.

    An origin that lies in several strata is exchanged in all of them or in none.
    """
    cells: dict[tuple[StratumPath, str | int], list[float]] = defaultdict(list)
    for place, (gap, origin) in enumerate(zip(gaps, pairs.origins, strict=True)):
        cells[() if pairs.strata is None else pairs.strata[place], place if origin is None else origin].append(gap)
    origins_of = Counter(stratum for stratum, _ in cells)
    shares = {stratum: _weight(pairs, stratum) / origins for stratum, origins in origins_of.items()}
    parts: dict[str | int, list[float]] = defaultdict(list)
    for (stratum, key), values in cells.items():
        parts[key].append(shares[stratum] * math.fsum(values) / len(values))
    return np.array([math.fsum(each) for each in parts.values()])
