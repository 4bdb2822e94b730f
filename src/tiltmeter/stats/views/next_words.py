"""Two groups' probabilities over many prompts: means of the measures, and the distance of their distributions.

- `emd`: the earth mover's distance between the values P(a) and the values P(b) over prompts
- `kl_histograms`: KL(a ‖ b) of the histograms of these values, in 20 equal bins from 0 to the highest of them, one half
  added to every count
- `kl_vectors`: KL(a ‖ b) of the two lists of values, each normalised over prompts
- `ratio_of_means`: the mean P(a) over the mean P(b), without interval or p

The p-values of the first two come from swapping the two groups, in whole professions and in whole templates; the larger
counts. (KL(s ‖ ½) and |P(a) − P(b)| of a prompt do not change by swapping, so they have none: see the share's. Nor has
`kl_vectors`: a lean that is the same after every prompt is no difference of shape, and swapping would make one of it.)
The intervals of the first three come from how much of each figure is due to each prompt. These lie at an end of their
scale where there is no lean, so nothing is claimed of how often their intervals hold the truth; the p is what tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array, Codes
from tiltmeter.stats.crossed import Crossed, Influence, Swaps
from tiltmeter.stats.estimate import Scale

BINS = 20
"""Bins of the histograms."""

Swapped = Callable[[Swaps], Array]
_AT_LEAST_ZERO = Scale(0.0)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a prompt belongs."""

    profession: str
    template: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where many prompts belong: numbers of professions and templates, in the order of their names."""

    professions: Codes
    templates: Codes

    def at(self, chosen: Codes) -> Places:
        """Those of some prompts."""
        return Places(self.professions[chosen], self.templates[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """One measure's value of each prompt, and the measure's scale."""

    values: Array | Sequence[float | None]
    scale: Scale
    chances: Array | Sequence[tuple[float | None, float | None]] | None = None
    """Where the measure is their difference: the two probabilities of each prompt, which give a better interval."""


def means(
    places: Places | Sequence[Place], measured: Mapping[str, Values], *, level: float = 0.95
) -> dict[str, Estimate]:
    """The mean of every measure over the same prompts.

    >>> values = {"difference": Values([0.2, 0.4], Scale(neutral=0.0))}
    >>> found = means([Place("nurse", None), Place("smith", None)], values)
    >>> round(found["difference"].value, 6)
    0.3
    """
    crossed = _crossed(places, level)
    return {
        name: crossed.mean(each.values, each.scale)
        if each.chances is None
        else crossed.difference(*_sides(each.chances), each.scale)
        for name, each in measured.items()
    }


def distances(
    places: Places | Sequence[Place],
    chances: Array | Sequence[tuple[float | None, float | None]],
    *,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Estimate]:
    """The figures that are no means, over the prompts that have both probabilities.

    >>> found = distances([Place("a", None), Place("b", None)], [(0.5, 0.1), (0.3, 0.1)])
    >>> round(found["emd"].value, 6), round(found["ratio_of_means"].value, 6)
    (0.3, 4.0)
    """
    crossed = _crossed(places, level, seed)
    both = _sides(chances)
    found = {"ratio_of_means": crossed.ratio_of_means(*both)}
    for name, (influence, swapped) in _FIGURES.items():
        figure = crossed.figure(both, influence, _AT_LEAST_ZERO)
        found[name] = figure
        if swapped is not None and figure.value is not None:
            found[name] = replace(figure, p=crossed.swap_p(both, swapped))
    return found


def _sides(chances: Array | Sequence[tuple[float | None, float | None]]) -> tuple[Array, Array]:
    """Either side; what is below zero is no probability, and unscored."""
    both = np.array(chances, dtype=np.float64).reshape(-1, 2)
    both[both < 0] = np.nan
    return both[:, 0], both[:, 1]


def resampled_over(places: Places | Sequence[Place]) -> dict[str, int]:
    """How many professions and templates the figures are uncertain over."""
    return _crossed(places, 0.95).resampled_over


def _crossed(places: Places | Sequence[Place], level: float, seed: int = 0) -> Crossed:
    if isinstance(places, Places):
        return Crossed(places.professions, places.templates, level=level, seed=seed)
    return Crossed([place.profession for place in places], [place.template for place in places], level=level, seed=seed)


def _emd(a: Array, b: Array) -> Influence:
    """With s(x) the sign of F(a) − F(b) at x, a prompt's part is the integral of s from its P(a) to its P(b)."""
    order, gaps, sides = _merged(a, b)
    ahead = np.cumsum(sides, dtype=np.int64)[:-1]
    integral = np.empty(2 * len(a))
    integral[order] = np.append(0.0, np.cumsum(np.sign(ahead) * gaps))
    return Influence(float(np.abs(ahead) @ gaps) / len(a), integral[len(a) :] - integral[: len(a)])


def _emd_swapped(a: Array, b: Array, levels: Codes) -> Swapped:
    order, gaps, sides = _merged(a, b)
    clusters = levels[order % len(a)]

    def figure(swaps: Swaps) -> Array:
        # Whole numbers, which are exact and fast.
        turned = np.where(swaps, np.int8(-1), np.int8(1))[:, clusters] * sides
        area: Array = np.abs(np.cumsum(turned, axis=1, dtype=np.int32)[:, :-1]) @ gaps / len(a)
        return area

    return figure


def _merged(a: Array, b: Array) -> tuple[NDArray[np.intp], Array, NDArray[np.int8]]:
    """The order of all values, the gaps between neighbours, and whose they are (1 and −1)."""
    values = np.concatenate([a, b])
    order = np.argsort(values, kind="stable")
    return order, np.diff(values[order]), np.where(order < len(a), np.int8(1), np.int8(-1))


def _histograms(a: Array, b: Array) -> Influence:
    first, second = _binned(a, b)
    counts = np.bincount(first, minlength=BINS), np.bincount(second, minlength=BINS)
    p, q = ((each + 0.5) / (len(a) + BINS / 2) for each in counts)
    [value] = _divergence_of_counts(*(each[np.newaxis].astype(np.float64) for each in counts)).tolist()
    # What one more of a prompt would do to p and q, and so to the divergence; per prompt, so that the mean has it.
    change = (np.log(p / q)[first] - (p / q)[second]) * len(a) / (len(a) + BINS / 2)
    return Influence(value, value + change - np.mean(change))


def _histograms_swapped(a: Array, b: Array, levels: Codes) -> Swapped:
    counts = [_by_cluster(np.eye(BINS)[bins], levels) for bins in _binned(a, b)]
    return lambda swaps: _divergence_of_counts(*_exchanged(swaps, *counts))


def _binned(a: Array, b: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which bin each value lies in."""
    highest = max(float(a.max()), float(b.max())) or 1.0
    first, second = (np.minimum((values / highest * BINS).astype(np.intp), BINS - 1) for values in (a, b))
    return first, second


def _divergence_of_counts(first: Array, second: Array) -> Array:
    one, other = (counts + 0.5 for counts in (first, second))
    one, other = one / one.sum(axis=1, keepdims=True), other / other.sum(axis=1, keepdims=True)
    nats: Array = np.sum(one * np.log(one / other), axis=1)
    return np.maximum(nats, 0.0)


def _vectors(a: Array, b: Array) -> Influence | None:
    """With U the mean of P(a) ln(P(a)/P(b)) and A and B those of P(a) and P(b), it is U/A − ln(A/B)."""
    parts = _weighed(a, b)
    if not np.isfinite(parts).all():
        return None
    mean_a, mean_b, product = (np.mean(part) for part in parts)
    [value] = _divergence_of_sums(*(np.array([mean]) for mean in (mean_a, mean_b, product))).tolist()
    of_a = (parts[2] - product * a / mean_a) / mean_a - (a / mean_a - 1)
    return Influence(value, value + of_a + (b / mean_b - 1))


def _weighed(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """P(a), P(b), and P(a) times the logarithm of its ratio to P(b); not finite where one is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return a, b, a * np.log(a / b)


def _divergence_of_sums(a: Array, b: Array, product: Array) -> Array:
    return np.maximum(product / a - np.log(a / b), 0.0)


def _by_cluster(columns: Array, levels: Codes) -> Array:
    """The sums of each column in each cluster."""
    clusters = int(levels.max()) + 1
    return np.stack([np.bincount(levels, column, minlength=clusters) for column in columns.T], axis=1)


def _exchanged(swaps: Swaps, straight: Array, turned: Array) -> tuple[Array, Array]:
    """The sums over clusters where some are turned round, and those of what stands against them."""
    moved = swaps.astype(np.float64) @ (turned - straight)
    return straight.sum(axis=0) + moved, turned.sum(axis=0) - moved


_FIGURES: Mapping[
    str, tuple[Callable[[Array, Array], Influence | None], Callable[[Array, Array, Codes], Swapped] | None]
] = {
    "emd": (_emd, _emd_swapped),
    "kl_histograms": (_histograms, _histograms_swapped),
    "kl_vectors": (_vectors, None),
}
