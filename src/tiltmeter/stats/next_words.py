"""What two groups' chances over many prompts come to: means of the measures, and how far their distributions lie apart.

- `emd`: the earth mover's distance between the values P(a) and the values P(b) over prompts
- `kl_histograms`: KL(a ‖ b) of the histograms of these values, in 20 equal bins from 0 to the highest of them, one half
  added to every count
- `kl_vectors`: KL(a ‖ b) of the two lists of values, each normalised over prompts
- `ratio_of_means`: the mean P(a) over the mean P(b)

The p-values of the first three come from swapping the two groups, in whole professions and in whole templates; the
larger counts. (KL(s ‖ ½) and |P(a) − P(b)| of a prompt do not change by swapping, so they have none: see the share's.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.crossed import Crossed, Scale, Statistic
from tiltmeter.stats.drawing import Array

BINS = 20
"""Bins of the histograms."""

Swapped = Callable[[NDArray[np.bool_]], Array]
Figure = TypeVar("Figure")
_AT_LEAST_ZERO = Scale(None, 0.0, None)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a prompt belongs."""

    profession: str
    template: str | None


@dataclass(frozen=True, slots=True)
class Values:
    """One measure's value of each prompt, and the measure's scale."""

    values: Sequence[float | None]
    scale: Scale


def means(
    places: Sequence[Place], measured: Mapping[str, Values], *, level: float = 0.95, seed: int = 0
) -> dict[str, Estimate]:
    """The mean of every measure over the same prompts.

    >>> found = means([Place("nurse", None), Place("smith", None)], {"difference": Values([0.2, 0.4], Scale(0.0))})
    >>> round(found["difference"].value, 6)
    0.3
    """
    crossed = _crossed(places, level, seed)
    return {name: crossed.mean(each.values, each.scale) for name, each in measured.items()}


def distances(
    places: Sequence[Place],
    chances: Sequence[tuple[float | None, float | None]],
    *,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Estimate]:
    """The figures that are no means, over the prompts that have both chances.

    >>> found = distances([Place("a", None), Place("b", None)], [(0.5, 0.1), (0.3, 0.1)])
    >>> round(found["emd"].value, 6), round(found["ratio_of_means"].value, 6)
    (0.3, 4.0)
    """
    crossed = _crossed(places, level, seed)
    both = [None if one is None or other is None else 1.0 for one, other in chances]
    a = np.array([np.nan if one is None else one for one, _ in chances])
    b = np.array([np.nan if other is None else other for _, other in chances])
    made: dict[str, tuple[Callable[[Array, Array], Statistic], Callable[[Array, Array], Swapped]]] = {
        "emd": (_emd, _emd_swapped),
        "kl_histograms": (_histograms, _histograms_swapped),
        "kl_vectors": (_vectors, _vectors_swapped),
    }
    found = {"ratio_of_means": crossed.ratio_of_means(_listed(a), _listed(b))}
    for name, (weighted, swapped) in made.items():
        figure = crossed.statistic(both, _of(weighted, a, b), _AT_LEAST_ZERO)
        if figure.value is not None:
            figure = replace(figure, p=crossed.swap_p(both, _of(swapped, a, b)))
        found[name] = figure
    return found


def resampled_over(places: Sequence[Place]) -> dict[str, int]:
    """How many professions and templates are resampled."""
    return _crossed(places, 0.95, 0).resampled_over


def _crossed(places: Sequence[Place], level: float, seed: int) -> Crossed:
    return Crossed([place.profession for place in places], [place.template for place in places], level=level, seed=seed)


def _of(make: Callable[[Array, Array], Figure], a: Array, b: Array) -> Callable[[NDArray[np.intp]], Figure]:
    """The figure of the prompts at the places given."""
    return lambda places: make(a[places], b[places])


def _listed(values: Array) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _emd(a: Array, b: Array) -> Statistic:
    gaps, sides, prompts = _merged(a, b)

    def figure(weights: Array) -> Array:
        with np.errstate(invalid="ignore"):
            shares = weights / weights.sum(axis=1, keepdims=True)
        return _area(np.cumsum(shares[:, prompts] * sides, axis=1), gaps)

    return figure


def _emd_swapped(a: Array, b: Array) -> Swapped:
    gaps, sides, prompts = _merged(a, b)

    def figure(swap: NDArray[np.bool_]) -> Array:
        return _area(np.cumsum(np.where(swap[:, prompts], -sides, sides) / len(a), axis=1), gaps)

    return figure


def _merged(a: Array, b: Array) -> tuple[Array, Array, NDArray[np.intp]]:
    """All values in order: gaps between neighbours, whose they are (1 and −1), and of which prompt."""
    values = np.concatenate([a, b])
    order = np.argsort(values, kind="stable")
    sides = np.where(order < len(a), 1.0, -1.0)
    return np.diff(values[order]), sides, order % len(a)


def _area(differences: Array, gaps: Array) -> Array:
    area: Array = np.abs(differences[:, :-1]) @ gaps
    return area


def _binned(a: Array, b: Array) -> tuple[Array, Array]:
    """Which bin each value lies in, as lines of a table of ones."""
    highest = max(float(a.max()), float(b.max())) or 1.0
    first, second = (np.minimum((values / highest * BINS).astype(int), BINS - 1) for values in (a, b))
    return np.eye(BINS)[first], np.eye(BINS)[second]


def _histograms(a: Array, b: Array) -> Statistic:
    first, second = _binned(a, b)
    return lambda weights: _divergence_of_counts(weights @ first, weights @ second)


def _histograms_swapped(a: Array, b: Array) -> Swapped:
    first, second = _binned(a, b)

    def figure(swap: NDArray[np.bool_]) -> Array:
        moved = swap.astype(np.float64)
        change = moved @ (second - first)
        return _divergence_of_counts(first.sum(axis=0) + change, second.sum(axis=0) - change)

    return figure


def _divergence_of_counts(first: Array, second: Array) -> Array:
    one, other = (counts + 0.5 for counts in (first, second))
    one, other = one / one.sum(axis=1, keepdims=True), other / other.sum(axis=1, keepdims=True)
    nats: Array = np.sum(one * np.log(one / other), axis=1)
    return np.maximum(nats, 0.0)


def _vectors(a: Array, b: Array) -> Statistic:
    return lambda weights: _divergence_of_vectors(weights * a, weights * b, a, b)


def _vectors_swapped(a: Array, b: Array) -> Swapped:
    def figure(swap: NDArray[np.bool_]) -> Array:
        first, second = np.where(swap, b, a), np.where(swap, a, b)
        return _divergence_of_vectors(first, second, first, second)

    return figure


def _divergence_of_vectors(first: Array, second: Array, a: Array, b: Array) -> Array:
    """KL of two lists of chances, given with and without weights; undefined where one of them is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = first.sum(axis=1), second.sum(axis=1)
        share = first / totals[0][:, np.newaxis]
        # ln(p/q) is ln of the ratio of the chances, less that of their totals.
        nats: Array = np.sum(share * np.log(a / b), axis=1) - np.log(totals[0] / totals[1])
    return np.where(np.isfinite(nats), np.maximum(nats, 0.0), np.nan)
