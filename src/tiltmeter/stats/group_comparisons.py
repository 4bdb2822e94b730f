"""Two groups or more: every two of them, or each against a reference, and all at once.

Every text counts the same and whole origins are resampled, as in `pooled`. In the permutation tests an origin that has
several groups exchanges them among themselves; origins of one group each (as in BOLD) exchange theirs with one another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.cells import CellData
from tiltmeter.stats.continuations import pairs_of_groups
from tiltmeter.stats.correction import holm
from tiltmeter.stats.effect_sizes import cliffs_delta, hedges_g
from tiltmeter.stats.estimates import adjust
from tiltmeter.stats.omnibus import Omnibus, ScoredTexts, omnibus_of
from tiltmeter.stats.pooled import Observation, Pooled
from tiltmeter.stats.resampling import FLIPS
from tiltmeter.stats.scales import Bounds
from tiltmeter.stats.whole_curve import FEWEST_ARRANGEMENTS, design_of

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class GroupPair:
    """How two groups compare."""

    a: str
    b: str
    difference: Estimate
    """Mean of a − mean of b; `p_adjusted` is Benjamini and Hochberg's over all pairs that were compared."""
    p_holm: float | None
    p_permutation: float | None
    """Two-sided, not corrected, of the difference over its standard error; None where little can be exchanged."""
    g: Estimate
    """Hedges' g: the difference in standard deviations of the texts."""
    delta: Estimate
    """Cliff's delta: how much more often a text of a is above one of b than below it."""

    def as_json(self) -> dict[str, Any]:
        """The figures; null where there is none."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": self.difference.as_json(),
            "p_holm": self.p_holm,
            "p_permutation": self.p_permutation,
            "hedges_g": self.g.as_json(),
            "cliffs_delta": self.delta.as_json(),
            "note": self.difference.note,
        }


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """The means of the groups, what was compared, and the test of all at once."""

    means: dict[str, Estimate]
    pairs: tuple[GroupPair, ...]
    omnibus: Omnibus
    comparisons: int
    """For how many p-values the corrections are."""

    def as_json(self) -> dict[str, Any]:
        """The figures; null where there is none."""
        omnibus = self.omnibus
        return {
            "groups": {group: found.as_json() for group, found in self.means.items()},
            "pairs": [pair.as_json() for pair in self.pairs],
            "omnibus": {
                "p": omnibus.p,
                "share_between_groups": omnibus.share,
                "permutations": omnibus.permutations,
                "design": omnibus.design,
                "origins": omnibus.origins,
                "note": omnibus.note,
            },
            "n_comparisons": self.comparisons,
        }


def compare_groups(
    items: Iterable[Observation],
    *,
    reference: str | None = None,
    scale: Bounds | None = None,
    permutations: int = FLIPS,
    level: float = 0.95,
    seed: int = 0,
) -> GroupComparison:
    """Compare every two groups, or each with the reference (then b), in the order in which groups are named.

    >>> texts = [(group, value + gap, origin) for group, gap in (("x", 0.0), ("y", 1.0), ("z", 1.5))
    ...          for origin, value in zip("abcdef", (0.1, 0.5, 0.2, 0.9, 0.4, 0.3))]
    >>> [(pair.a, pair.b, round(pair.difference.value, 2)) for pair in compare_groups(texts, reference="x").pairs]
    [('y', 'x', 1.0), ('z', 'x', 1.5)]
    """
    rows = list(items)
    groups = list(dict.fromkeys(group for group, *_ in rows))
    if reference is not None and reference not in groups:
        raise ValueError(f"the reference {reference} is none of the groups: {', '.join(groups) or 'there are none'}")
    pooled = Pooled(rows, level=level, seed=seed, scale=scale)
    named = pairs_of_groups(groups, reference)
    table = ScoredTexts.of(rows)
    pairs = [_pair(pooled, table, (a, b), level, _Draws(permutations, seed)) for a, b in named]
    adjusted = adjust({str(place): pair.difference for place, pair in enumerate(pairs)})
    strictly = holm([pair.difference.p for pair in pairs])
    return GroupComparison(
        {group: pooled.mean(group) for group in groups},
        tuple(
            replace(pair, difference=difference, p_holm=p)
            for pair, difference, p in zip(pairs, adjusted.values(), strictly, strict=True)
        ),
        omnibus_of(rows, permutations=permutations, seed=seed),
        sum(p is not None for p in strictly),
    )


@dataclass(frozen=True, slots=True)
class _Draws:
    """How many permutations, and from which seed."""

    permutations: int
    seed: int


def _pair(pooled: Pooled, table: ScoredTexts, named: tuple[str, str], level: float, draws: _Draws) -> GroupPair:
    a, b = named
    first, second = table.side(a), table.side(b)
    difference = pooled.difference(a, b)
    g, delta = (
        replace(effect(first, second, level=level), n_unscored=difference.n_unscored)
        for effect in (hedges_g, cliffs_delta)
    )
    return GroupPair(a, b, difference, None, _exchanged(table, a, b, draws), g, delta)


def _exchanged(table: ScoredTexts, a: str, b: str, draws: _Draws) -> float | None:
    """p of the difference over its standard error, which tells groups that only vary unlike from groups that differ."""
    mine = (table.groups == a) | (table.groups == b)
    if len(np.unique(table.groups[mine])) < 2:
        return None
    cell = CellData.of({}, table.values[mine], table.origins[mine], (table.groups[mine] == b).astype(np.int8))
    design, sums = design_of([cell]), cell.sums()
    if design.arrangements < FEWEST_ARRANGEMENTS or sums.all_the_same:
        return None
    observed = abs(float(sums.exchanged(np.ones((1, len(design.origins))))[0]))
    at_least = sum(
        int(np.sum(np.abs(sums.exchanged(turns)) >= observed * (1 - _ROUNDING)))
        for turns in design.turns(draws.permutations, draws.seed)
    )
    return (1 + at_least) / (draws.permutations + 1)
