"""Several models on the same items: in which order they stand, and how often another draw of origins would change that.

The order of means says little where their intervals overlap, and the overlap of intervals says little where models are
asked the same: what makes an item hard makes it hard for all of them. So the origins are drawn anew for all models at
once, and the places are counted. A place is not certain because every draw has it, though: where two models differ on a
few origins alone, hardly a draw turns them round. Which places a model may have therefore follows from its differences
to the others: it is below those that are shown to be above it, and above those that are shown to be below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.drawing import Array
from tiltmeter.stats.estimates import FEWEST_ORIGINS
from tiltmeter.stats.intervals import RESAMPLES
from tiltmeter.stats.resampling import OriginTable, resampled_means

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Items whose values (a row for each item, a column for each model) are averaged over origins.

    `weight` is how much that mean counts: a share of 1 for each of several strata, or 1 and −1 for two groups.
    """

    weight: float
    values: Array
    origins: Sequence[str]


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of one model: 1 has the highest value. Models of the same value share the better place."""

    place: int
    low: int | None = None
    high: int | None = None
    """The places that it may have, at 95 %: those above it and below it beyond chance; None where nothing was drawn."""
    shares: tuple[float, ...] = ()
    """In which share of the draws it has each place; models that a draw does not tell apart share their places."""

    def as_json(self) -> dict[str, Any]:
        """Places and shares."""
        return {"place": self.place, "low": self.low, "high": self.high, "shares": list(self.shares)}


@dataclass(frozen=True, slots=True)
class Order:
    """The places of all models, in the order in which these were given."""

    standings: tuple[Standing, ...]
    kept: float | None
    """In which share of the draws the whole order is the same."""
    draws: int
    note: str | None = None
    """Why nothing was drawn."""


def order_of(
    pools: Sequence[Sequence[Part]], *, above: NDArray[np.bool_] | None = None, level: float = 0.95, seed: int = 0
) -> Order:
    """The order of models by the weighted sum of the means of all parts; the origins of a pool are drawn together.

    `above`: whether the model of a row is shown to be above that of a column, where more than the origins has a part in
    that; otherwise the draws say so.

    >>> values = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.9, 0.2], [0.6, 0.1]])
    >>> found = order_of([[Part(1.0, values, list("vwxyz"))]])
    >>> [one.place for one in found.standings], found.kept
    ([1, 2], 1.0)
    """
    tables = [(_table(pool), [part.weight for part in pool]) for pool in pools]
    models = pools[0][0].values.shape[1]
    observed = np.zeros(models)
    for table, weights in tables:
        means = table.means.sum(axis=0) / np.maximum(1, table.present.sum(axis=0))
        observed += _weighted(means[np.newaxis], weights, models)[0]
    places = _places(observed[np.newaxis])[0]
    counts = [int(table.present.sum(axis=0).min()) for table, _ in tables]
    if sum(counts) < FEWEST_ORIGINS or min(counts) < min(2, len(counts)):
        note = f"fewer than {FEWEST_ORIGINS} origins: how far the order would hold cannot be said"
        if sum(counts) >= FEWEST_ORIGINS:
            note = "a part of the items has one origin: how far the order would hold cannot be said"
        return Order(tuple(Standing(int(place)) for place in places), None, 0, note)
    drawn = np.zeros((RESAMPLES, models))
    for number, (table, weights) in enumerate(tables):
        drawn += _weighted(resampled_means(table, seed=seed + number), weights, models)
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    apart = _apart(observed, drawn, counts, level) if above is None else above
    shares = _shares(drawn)
    standings = [
        Standing(place, 1 + int(apart[:, at].sum()), models - int(apart[at].sum()), tuple(shares[at].tolist()))
        for at, place in enumerate(places.tolist())
    ]
    return Order(tuple(standings), float(np.mean((_places(drawn) == places).all(axis=1))), len(drawn))


def _apart(observed: Array, drawn: Array, counts: Sequence[int], level: float) -> NDArray[np.bool_]:
    """Whether the model of a row is above that of a column beyond chance, corrected for every two of the board.

    `counts` are the origins of each pool. The error of a difference is that of the draws, which vary less than samples
    do, most so in the smallest pool; the quantile is Student's, and Bonferroni's for all pairs.
    """
    from scipy.special import stdtrit

    models, free, fewest = len(observed), sum(counts) - len(counts), min(counts)
    alpha = (1 - level) / max(1, models * (models - 1) // 2)
    beyond = float(stdtrit(free, 1 - alpha / 2))
    found = np.zeros((models, models), dtype=np.bool_)
    for one in range(models):
        error = np.std(drawn[:, [one]] - drawn, axis=0) * np.sqrt(fewest / (fewest - 1))
        difference = observed[one] - observed
        rounding = _ROUNDING * max(1.0, float(np.max(np.abs(observed))))
        # Without any spread there is no error to go by: then all origins lie on one side, which few may do by chance.
        shown = (error > rounding) | (2.0**-free <= alpha)
        found[one] = shown & (difference > np.maximum(beyond * error, rounding))
    return found


def _shares(drawn: Array) -> Array:
    """In which share of the draws each model (a row) has each place (a column); equal values share theirs evenly.

    >>> _shares(np.array([[0.9, 0.2, 0.2], [0.5, 0.6, 0.1]])).tolist()
    [[0.5, 0.5, 0.0], [0.5, 0.25, 0.25], [0.0, 0.25, 0.75]]
    """
    models = drawn.shape[1]
    best, worst = _places(drawn), models + 1 - _places(-drawn)
    width = worst - best + 1
    shares = [((best <= place) & (place <= worst)) / width for place in range(1, models + 1)]
    found: Array = np.stack(shares, axis=2).mean(axis=0)
    return found


def _table(pool: Sequence[Part]) -> OriginTable:
    """The parts of a pool beside one another: a column for each part and model."""
    models = pool[0].values.shape[1]
    rows = np.full((sum(len(part.origins) for part in pool), models * len(pool)), np.nan)
    start = 0
    for place, part in enumerate(pool):
        rows[start : start + len(part.origins), place * models : (place + 1) * models] = part.values
        start += len(part.origins)
    return OriginTable.of(rows, [origin for part in pool for origin in part.origins])


def _weighted(means: Array, weights: Sequence[float], models: int) -> Array:
    found: Array = np.einsum("rpm,p->rm", means.reshape(len(means), len(weights), models), np.array(weights))
    return found


def _places(values: Array) -> NDArray[np.intp]:
    """The place of each value in its row; what differs by rounding alone is the same.

    >>> _places(np.array([[0.2, 0.9, 0.2]])).tolist()
    [[2, 1, 2]]
    """
    size = np.max(np.abs(values), axis=1, initial=0.0)[:, np.newaxis, np.newaxis]
    above = values[:, np.newaxis, :] > values[:, :, np.newaxis] + _ROUNDING * size
    found: NDArray[np.intp] = 1 + above.sum(axis=2)
    return found
