"""The only place that averages: from values per item to an estimate with its uncertainty.

A value is the mean over strata of the mean over origins of the mean over items. What is resampled is the origin
(the attribute term, the article, the template), since items of one origin resemble one another.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from tiltmeter.records import Estimate
from tiltmeter.stats.intervals import (
    RESAMPLES,
    Stratum,
    can_resample,
    cluster_bootstrap,
    cluster_t,
    exact_binomial,
    standard_error,
    weighted_mean,
    wilson,
)

FEWEST_ORIGINS = 5
"""With fewer there is no interval: nobody can say how much such a mean would change."""
BOOTSTRAP_ORIGINS = 20
"""From here on origins are resampled; below, Student's t is the safer guide."""

LARGEST = 1e70
"""A number beyond this is an accident, and its square would overflow: it is unscored, like NaN."""

StratumPath = str | tuple[str, ...]
"""The name of a stratum; a tuple where strata lie within strata."""


def is_number(value: float | None) -> bool:
    """Whether a value can be averaged."""
    # NaN lies nowhere.
    return value is not None and -LARGEST < value < LARGEST


def excludes_zero(found: Estimate) -> bool:
    """Whether an interval lies on one side of zero.

    >>> excludes_zero(Estimate(0.2, 0.1, 0.3)), excludes_zero(Estimate(0.2))
    (True, False)
    """
    return found.low is not None and found.high is not None and not found.low <= 0 <= found.high


def estimate(
    values: Sequence[float | None],
    origins: Sequence[str | None] | None = None,
    *,
    strata: Sequence[StratumPath] | None = None,
    neutral: float | None = 0.5,
    level: float = 0.95,
    seed: int = 0,
    interval: bool = True,
) -> Estimate:
    """Average items to origins, origins to strata and strata to one value, with interval and p-value.

    None is unscored: counted, never averaged. An item without an origin is its own origin.
    Strata count equally, whatever their size; strata that are tuples count equally within their parent
    (("gender", "career") within "gender"). `neutral` is what p is measured against; no neutral value, no p.
    `interval=False` gives the value alone, where many are needed and nobody asks how sure each is.

    >>> found = estimate([1, 1, 0, None], ["doctor", "doctor", "nurse", "nurse"])
    >>> found.value, found.n, found.n_unscored, found.origins
    (0.5, 3, 1, 2)
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not {level}")
    clusters, n = _clusters(values, origins, strata)
    origin_count = sum(len(means) for means in clusters.values())
    counts = Estimate(None, level=level, n=n, n_unscored=len(values) - n, origins=origin_count)
    if n == 0:
        return replace(counts, note="nothing was scored")
    weights = _weights(list(clusters))
    parts = [Stratum(tuple(sorted(clusters[path])), weights[path]) for path in sorted(clusters)]
    found = replace(counts, value=weighted_mean(parts))
    if not interval:
        return replace(found, note="no interval: none was asked for")
    # One item for each origin: the items themselves are independent, named or not.
    independent = strata is None and n == origin_count
    # Values between 0 and 1 need not be shares: nothing keeps a margin from lying there.
    shares = (neutral is not None and 0 < neutral < 1) or (neutral is None and _are_choices(values))
    return _with_interval(found, parts, independent, shares, neutral, seed)


def adjust(
    estimates: Mapping[str, Estimate], method: Literal["benjamini-hochberg"] = "benjamini-hochberg"
) -> dict[str, Estimate]:
    """Fill `p_adjusted` over the estimates that have a p, for as many comparisons as there are of them.

    >>> {name: e.p_adjusted for name, e in adjust({"a": Estimate(0.9, p=0.01), "b": Estimate(0.6, p=0.03)}).items()}
    {'a': 0.02, 'b': 0.03}
    """
    if method != "benjamini-hochberg":
        raise ValueError(f"p-values are adjusted by benjamini-hochberg, not by {method}")
    ranked = sorted((found.p, name) for name, found in estimates.items() if found.p is not None)
    adjusted: dict[str, float] = {}
    smallest = 1.0
    for rank in range(len(ranked), 0, -1):
        p, name = ranked[rank - 1]
        smallest = min(smallest, p * len(ranked) / rank)
        adjusted[name] = smallest
    return {name: replace(found, p_adjusted=adjusted.get(name)) for name, found in estimates.items()}


def scaled(found: Estimate, factor: float) -> Estimate:
    """The same estimate on another scale: per cent, say.

    >>> scaled(Estimate(0.5, low=0.25), 100).low
    25.0
    """

    return _changed(found, lambda number: number * factor)


def shifted(found: Estimate, by: float) -> Estimate:
    """The same estimate seen from another zero: how far a share is from one half, say.

    >>> shifted(Estimate(0.75, low=0.5), -0.5).value
    0.25
    """
    return _changed(found, lambda number: number + by)


def _changed(found: Estimate, change: Callable[[float], float]) -> Estimate:
    value, low, high = (None if number is None else change(number) for number in (found.value, found.low, found.high))
    return replace(found, value=value, low=low, high=high)


def _clusters(
    values: Sequence[float | None], origins: Sequence[str | None] | None, strata: Sequence[StratumPath] | None
) -> tuple[dict[tuple[str, ...], list[float]], int]:
    """The origin means of each stratum that has a scored item, and the number of scored items."""
    if any(labels is not None and len(labels) != len(values) for labels in (origins, strata)):
        raise ValueError("values, origins and strata are not equally long")
    items: dict[tuple[tuple[str, ...], str | int], list[float]] = defaultdict(list)
    for index, value in enumerate(values):
        if value is not None and is_number(value):
            stratum = () if strata is None else strata[index]
            path = (stratum,) if isinstance(stratum, str) else stratum
            origin = None if origins is None else origins[index]
            items[path, index if origin is None else origin].append(float(value))
    clusters: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for (path, _), scored in items.items():
        # fsum is exact, so that the order of the items cannot show in the last digit.
        clusters[path].append(math.fsum(scored) / len(scored))
    return clusters, sum(map(len, items.values()))


def _weights(paths: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], float]:
    """Equal weight for every child of a parent.

    >>> _weights([("a", "x"), ("a", "y"), ("b", "x")])
    {('a', 'x'): 0.25, ('a', 'y'): 0.25, ('b', 'x'): 0.5}
    """
    nodes = {path[:depth] for path in paths for depth in range(1, len(path) + 1)}
    children = Counter(node[:-1] for node in nodes)
    return {path: 1 / math.prod(children[path[:depth]] for depth in range(len(path))) for path in paths}


def _with_interval(
    found: Estimate, strata: list[Stratum], independent: bool, shares: bool, neutral: float | None, seed: int
) -> Estimate:
    means = [mean for stratum in strata for mean in stratum.means]
    shares = shares and all(0 <= mean <= 1 for mean in means)
    if len(means) < FEWEST_ORIGINS:
        return replace(found, note=f"no interval: fewer than {FEWEST_ORIGINS} origins")
    if independent and shares and all(mean in (0, 0.5, 1) for mean in means):
        return _share(found, len(means), neutral, None)
    if min(len(stratum.means) for stratum in strata) == 1:
        return replace(found, note="no interval: a stratum has a single origin, which shows no spread")
    if not any(_spread(stratum) for stratum in strata):
        if not shares:
            return replace(found, note="no interval: there is no spread at all between origins")
        effective = 1 / math.fsum(stratum.weight**2 / len(stratum.means) for stratum in strata)
        how = "no spread at all between origins: Wilson interval and exact binomial p over origins"
        return _share(found, effective, neutral, how)
    note = None
    if len(means) < BOOTSTRAP_ORIGINS:
        result = cluster_t(strata, neutral, found.level)
    elif not can_resample(strata, found.level):
        result = cluster_t(strata, neutral, found.level)
        fewest = min(len(stratum.means) for stratum in strata)
        why = f"one part of the mean rests on {fewest} origins" if fewest < FEWEST_ORIGINS else f"level {found.level:g}"
        note = f"cluster t-interval: {RESAMPLES:,} resamples are too few here ({why})"
    else:
        result = cluster_bootstrap(strata, neutral, found.level, seed)
    low, high = (max(0.0, result.low), min(1.0, result.high)) if shares else (result.low, result.high)
    return replace(found, low=low, high=high, p=result.p, note=note, method=result.method)


def _are_choices(values: Sequence[float | None]) -> bool:
    """Whether every scored value is a choice: the one, the other, or a tie."""
    return all(value in (0, 0.5, 1) for value in values if is_number(value))


def _share(found: Estimate, trials: float, neutral: float | None, note: str | None) -> Estimate:
    """Interval and p of a share from a number of trials; a fraction of a trial counts for the interval only."""
    # Rounding may leave a sum of weights a hair beyond 0 or 1.
    share = min(1.0, max(0.0, found.value or 0.0))
    low, high = wilson(share, trials, found.level)
    p = None if neutral is None else exact_binomial(share, math.floor(trials + 1e-9), neutral)
    return replace(found, low=low, high=high, p=p, note=note, method="wilson")


def _spread(stratum: Stratum) -> bool:
    """Whether the origins differ by more than rounding."""
    lowest, highest = stratum.means[0], stratum.means[-1]
    if highest - lowest <= 1e-12 * max(abs(lowest), abs(highest)):
        return False
    return standard_error([stratum])[0] > 0
