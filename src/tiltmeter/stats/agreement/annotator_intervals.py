"""How sure the agreement of annotators is: intervals over the items that they judged."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.agreement.annotators import cohens_kappa, fleiss_kappa, krippendorffs_alpha_of_numbers
from tiltmeter.stats.intervals import RESAMPLES, expanded_percentiles, expanded_tail

FEWEST_ITEMS = 10
"""Items that two annotators must have in common before an interval says something."""
_LEVEL = 0.95


def alpha(judged: Sequence[Sequence[float | None]], *, seed: int = 0) -> Estimate:
    """Krippendorff's alpha of numbers, with an interval over items; `judged[i]` are the numbers of annotator i.

    Of marks that are there or not (1 and 0) it is the alpha of labels without order. `n` counts items that two or more
    judged, `n_unscored` those that only one did.

    >>> found = alpha([[1.0, 2.0, 3.0, None], [1.0, 2.0, 4.0, 1.0]])
    >>> round(found.value, 3), found.n, found.n_unscored
    (0.878, 3, 1)
    """
    columns = [[value for value in column if value is not None] for column in zip(*judged, strict=True)]
    items = [values for values in columns if len(values) > 1]
    value = krippendorffs_alpha_of_numbers(judged)
    single = sum(len(values) == 1 for values in columns)
    drawn = _alphas(items, seed) if value is not None and len(items) >= FEWEST_ITEMS else None
    return _with_interval(value, len(items), single, drawn)


def kappa(first: Sequence[Hashable | None], second: Sequence[Hashable | None], *, seed: int = 0) -> Estimate:
    """Cohen's kappa of two annotators, with an interval over the items that both judged.

    >>> found = kappa(["a", "a", "b", None], ["a", "a", "b", "a"])
    >>> found.value, found.n, found.n_unscored
    (1.0, 3, 1)
    """
    both = [(one, two) for one, two in zip(first, second, strict=True) if one is not None and two is not None]
    single = sum((one is None) != (two is None) for one, two in zip(first, second, strict=True))
    value = cohens_kappa(first, second)
    drawn = _kappas(both, seed) if value is not None and len(both) >= FEWEST_ITEMS else None
    return _with_interval(value, len(both), single, drawn)


def fleiss(judged: Sequence[Sequence[Hashable | None]], *, seed: int = 0) -> Estimate:
    """Fleiss' kappa with an interval over items; `n` counts items that two or more judged.

    >>> fleiss([["a", "b", None], ["a", "b", "a"]]).value
    1.0
    """
    columns = [[label for label in column if label is not None] for column in zip(*judged, strict=True)]
    items = [labels for labels in columns if len(labels) > 1]
    value = fleiss_kappa(judged)
    single = sum(len(labels) == 1 for labels in columns)
    drawn = _fleiss(items, seed) if value is not None and len(items) >= FEWEST_ITEMS else None
    return _with_interval(value, len(items), single, drawn)


def _fleiss(items: Sequence[Sequence[Hashable]], seed: int) -> NDArray[np.float64]:
    """Fleiss' kappa of each resample of the items, from how often each has each label."""
    names = list(dict.fromkeys(label for labels in items for label in labels))
    counts = np.array([[labels.count(name) for name in names] for labels in items], dtype=float)
    sizes = counts.sum(axis=1)
    agreed = (counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))
    weights = np.random.default_rng(seed).multinomial(len(items), np.full(len(items), 1 / len(items)), size=RESAMPLES)
    expected = ((weights @ counts / (weights @ sizes)[:, None]) ** 2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected < 1 - 1e-12, (weights @ agreed / len(items) - expected) / (1 - expected), np.nan)


def _with_interval(value: float | None, items: int, single: int, drawn: NDArray[np.float64] | None) -> Estimate:
    if value is None:
        note = "all marks are the same, or none is shared"
        return Estimate(None, n=items, n_unscored=single, origins=items, note=note)
    defined = drawn[np.isfinite(drawn)] if drawn is not None else np.array([])
    freedom = max(items - 1, 1)
    expansion = math.sqrt(items / freedom)
    # A resample in which all marks are the same has no agreement beyond chance; of too many nothing is known.
    if len(defined) < 0.9 * RESAMPLES or expanded_tail(expansion, freedom, _LEVEL) * (len(defined) + 1) < 1:
        note = f"fewer than {FEWEST_ITEMS} shared items" if items < FEWEST_ITEMS else "too few marks that differ"
        return Estimate(value, n=items, n_unscored=single, origins=items, note=note)
    ends = expanded_percentiles(defined, _LEVEL, expansion=expansion, freedom=freedom)
    return Estimate(value, *ends, _LEVEL, n=items, n_unscored=single, origins=items, method="bootstrap")


def _alphas(items: Sequence[Sequence[float]], seed: int) -> NDArray[np.float64]:
    """Alpha of each resample of the items, from the count, sum and squares that each contributes."""
    counts = np.array([len(values) for values in items], dtype=float)
    centre = math.fsum(value for values in items for value in values) / counts.sum()
    sums = np.array([math.fsum(value - centre for value in values) for values in items])
    squares = np.array([math.fsum((value - centre) ** 2 for value in values) for values in items])
    within = counts / (counts - 1) * (squares - sums**2 / counts)
    weights = np.random.default_rng(seed).multinomial(len(items), np.full(len(items), 1 / len(items)), size=RESAMPLES)
    total = weights @ counts
    variance = (weights @ squares - (weights @ sums) ** 2 / total) / (total - 1)
    observed = weights @ within / total
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(variance > 1e-12, 1 - observed / variance, np.nan))


def _kappas(both: Sequence[tuple[Hashable, Hashable]], seed: int) -> NDArray[np.float64]:
    """Kappa of each resample of the items, from the table of the labels of both."""
    labels = {label: at for at, label in enumerate(dict.fromkeys(label for pair in both for label in pair))}
    table = np.zeros((len(labels), len(labels)))
    for one, two in both:
        table[labels[one], labels[two]] += 1
    drawn = np.random.default_rng(seed).multinomial(len(both), table.ravel() / len(both), size=RESAMPLES)
    shares = drawn.reshape(RESAMPLES, *table.shape) / len(both)
    observed = np.trace(shares, axis1=1, axis2=2)
    expected = (shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(expected < 1 - 1e-12, (observed - expected) / (1 - expected), np.nan))
