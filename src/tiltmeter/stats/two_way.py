"""Differences of groups that are uncertain in two ways at once: other origins, and other structures.

Resampling origins alone asks: other verb phrases, the same hundred structures. Where every structure meets every
origin, both are a sample of what could have been asked. The variance is that over origins, plus that over structures,
minus that over single cells, which the two have in common (Cameron, Gelbach and Miller 2011); never less than the
larger of the two. Drawing both with replacement (the pigeonhole bootstrap) counts the noise of the cells three times:
see docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.continuations import RatedItem
from tiltmeter.stats.drawing import Array
from tiltmeter.stats.estimates import FEWEST_ORIGINS, adjust
from tiltmeter.stats.structure_means import Pair

Codes = NDArray[np.intp]


def two_way(items: Sequence[RatedItem], pairs: Sequence[Pair], level: float = 0.95) -> dict[Pair, Estimate]:
    """The difference of each two groups over the items that have a structure, with Student's interval both ways.

    Degrees of freedom are Satterthwaite's of the two variances. A text without an origin is its own. p-values are
    adjusted together.
    """
    texts = sorted(
        (item.group, item.structure, item.origin, float(item.value))
        for item in items
        if item.structure is not None and item.value is not None and item.rated
    )
    structures = _codes([structure for _, structure, _, _ in texts])
    origins = _codes([origin or (place,) for place, (_, _, origin, _) in enumerate(texts)])
    cells = _codes(list(zip(origins.tolist(), structures.tolist(), strict=True)))
    groups = np.array([group for group, *_ in texts])
    values = np.array([value for *_, value in texts])
    unscored = {group: 0 for pair in pairs for group in pair}
    for item in items:
        if item.structure is not None and not item.rated and item.group in unscored:
            unscored[item.group] += 1
    found = {}
    for a, b in pairs:
        mine = (groups == a) | (groups == b)
        counted = Estimate(None, level=level, n=int(mine.sum()), n_unscored=unscored[a] + unscored[b])
        found[a, b] = _difference(
            counted, values[mine], groups[mine] == a, [codes[mine] for codes in (origins, structures, cells)]
        )
    adjusted = adjust({str(place): each for place, each in enumerate(found.values())})
    return dict(zip(found, adjusted.values(), strict=True))


def _difference(found: Estimate, values: Array, first: NDArray[np.bool_], ways: Sequence[Codes]) -> Estimate:
    from scipy.special import stdtr, stdtrit

    origins, structures = (len(np.unique(codes)) for codes in ways[:2])
    found = replace(found, origins=origins)
    if not first.any() or first.all():
        return replace(found, note="nothing was scored of one of the groups")
    means = [math.fsum(values[side]) / int(side.sum()) for side in (first, ~first)]
    found = replace(found, value=means[0] - means[1])
    for noun, count in (("origins", origins), ("structures", structures)):
        if count < FEWEST_ORIGINS:
            return replace(found, note=f"no interval: fewer than {FEWEST_ORIGINS} {noun}")
    over = [_variance(values, first, means, codes) for codes in ways]
    variance = max(over[0] + over[1] - over[2], over[0], over[1])
    if math.sqrt(variance) <= 1e-12 * float(np.max(np.abs(values))):
        return replace(found, note="no interval: there is no spread at all between origins or structures")
    below = (over[0] / variance) ** 2 / (origins - 1) + (over[1] / variance) ** 2 / (structures - 1)
    freedom = min(1 / below, origins + structures - 2)
    error = math.sqrt(variance)
    half = float(stdtrit(freedom, (1 + found.level) / 2)) * error
    difference = means[0] - means[1]
    p = 2 * float(stdtr(freedom, -abs(difference) / error))
    return replace(found, low=difference - half, high=difference + half, p=p)


def _variance(values: Array, first: NDArray[np.bool_], means: Sequence[float], codes: Codes) -> float:
    """The jackknife's variance of the difference where whole clusters of texts are left out in turn."""
    clusters, places = np.unique(codes, return_inverse=True)
    influence = np.zeros(len(clusters))
    for side, mean, turn in ((first, means[0], 1.0), (~first, means[1], -1.0)):
        texts = int(side.sum())
        deviations = np.bincount(places[side], values[side] - mean, minlength=len(clusters)) / texts
        rest = 1 - np.bincount(places[side], minlength=len(clusters)) / texts
        influence += turn * np.divide(deviations, rest, out=deviations.copy(), where=rest > 0)
    return float(np.sum(influence**2)) * (len(clusters) - 1) / len(clusters)


def _codes(names: Sequence[object]) -> Codes:
    """A number for each distinct name."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)
