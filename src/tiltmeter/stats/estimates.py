"""From values per item to an estimate, by the one estimator (`stats/estimate.py`); and corrections of p-values.

A value is the mean over strata of the mean over origins of the mean over items. Standard errors are clustered by the
origin (the attribute term, the article), since items of one origin resemble one another: see `estimate`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import or_origins
from tiltmeter.stats.estimate import EQUAL_CLUSTERS, Scale, noted_alone
from tiltmeter.stats.estimate import estimate as clustered_estimate

FEWEST_ORIGINS = 5
"""With fewer there is no interval: nobody can say how much such a mean would change."""
LARGEST = 1e70
"""A number beyond this is an accident, and its square would overflow: it is unscored, like NaN."""

NOTHING_MORE: Mapping[str, Sequence[str | None]] = MappingProxyType({})
"""Nothing was sampled beside the origins."""

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
    rows: Sequence[int] | None = None,
    unscored: Sequence[int] | None = None,
    strata: Sequence[StratumPath] | None = None,
    further: Mapping[str, Sequence[str | None]] = NOTHING_MORE,
    neutral: float | None = 0.5,
    level: float = 0.95,
    interval: bool = True,
    equal_origins: bool = True,
) -> Estimate:
    """Average items to origins, origins to strata and strata to one value, with interval and p-value.

    None is unscored: counted, never averaged. An item without an origin is its own origin. With `rows` an item is a sum
    of so many scored ones, beside which `unscored` were not.
    Strata count equally, whatever their size; strata that are tuples count equally within their parent
    (("gender", "career") within "gender"). `further` are other things that were sampled, by their names: items that
    share a template or a group term resemble one another too. `neutral` is what p is measured against; without
    one there is no p. `interval=False` gives the value alone, where many are needed and nobody asks how sure each is.
    Without `equal_origins` every item counts the same, and not every origin.

    >>> found = estimate([1, 1, 0, None], ["doctor", "doctor", "nurse", "nurse"])
    >>> found.value, found.n, found.n_unscored, found.origins
    (0.5, 3, 1, 2)
    """
    if any(labels is not None and len(labels) != len(values) for labels in (origins, strata, *further.values())):
        raise ValueError("values, origins and strata are not equally long")
    # In an order of their own, so that the order in which items come cannot show in the last digit.
    labels = [labels for labels in (origins, strata, rows, unscored, *further.values()) if labels is not None]
    order = _places_in_order([*labels, values])

    def ordered(given: Sequence[Any]) -> list[Any]:
        return [given[at] for at in order]

    values, named = ordered(values), [None] * len(values) if origins is None else ordered(origins)
    rows, unscored = rows and ordered(rows), unscored and ordered(unscored)
    # Values between 0 and 1 need not be shares: nothing keeps a margin from lying there.
    shares = neutral is not None and 0 < neutral < 1
    shares = (shares or (neutral is None and _are_choices(values))) and _clipped(values, rows)
    clusters = [f"\0{at}" if name is None else name for at, name in enumerate(named)]
    ways = {name: or_origins(ordered(way), clusters) for name, way in further.items() if len({*way}) > 1}
    found = clustered_estimate(
        values,
        clusters,
        rows=rows,
        unscored=unscored,
        second=next(iter(ways.values()), None),
        third=next(iter([*ways.values()][1:]), None),
        weights=EQUAL_CLUSTERS if equal_origins else None,
        balanced_over=None if strata is None else ordered(strata),
        scale=Scale(0.0, 1.0, neutral) if shares else Scale(neutral=neutral),
        level=level,
        names=("origins", *ways),
    )
    if interval or found.value is None:
        counts = rows or [1] * len(values)
        alone = sum(
            count
            for name, value, count in zip(named, values, counts, strict=True)
            if name is None and value is not None and is_number(value)
        )
        return noted_alone(found, alone)
    return replace(found, low=None, high=None, p=None, method=None, note="no interval: none was asked for")


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


def _places_in_order(columns: Sequence[Sequence[Any]]) -> list[int]:
    """The places of rows by what they say as text, column after column; those that say the same as they come.

    >>> _places_in_order([["b", "a", "a"], [1.0, 2.0, None]])
    [1, 2, 0]
    """
    # What all rows have in common orders none of them.
    telling = [column for column in columns if len(set(column)) > 1]
    keys = list(zip(*(map(str, column) for column in telling), strict=True)) if telling else [()] * len(columns[0])
    return sorted(range(len(keys)), key=keys.__getitem__)


def _are_choices(values: Sequence[float | None]) -> bool:
    """Whether every scored value is a choice: the one, the other, or a tie."""
    return all(value in (0, 0.5, 1) for value in values if is_number(value))


def _clipped(values: Sequence[float | None], rows: Sequence[int] | None) -> bool:
    """Whether every scored value lies between 0 and 1; of a sum, whether it can be one of such values."""
    counts = [1] * len(values) if rows is None else rows
    pairs = zip(values, counts, strict=True)
    return all(value is None or not is_number(value) or 0 <= value <= count for value, count in pairs)


def holm(p_values: Sequence[float | None], of: int = 0) -> list[float | None]:
    """Holm's adjusted p-values, in the order given; None is no comparison and is not counted.

    `of`: how many comparisons there are, where not all are here; the others count as the largest.
    The chance that any true null hypothesis among them falls below 0.05 is at most 5 %, however they hang together.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    >>> holm([0.01], of=4)
    [0.04]
    """
    ranked = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(ranked):
        largest = max(largest, min(1.0, p * (max(of, len(ranked)) - rank)))
        adjusted[place] = largest
    return adjusted
