"""Under which sentence structures the groups come off best and worst."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiltmeter.stats.structures.means import natural

Ranked = tuple[str, float]
"""A structure and its mean."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The n first structures: of each group, of all groups together, and those on every group's list."""

    groups: Mapping[str, tuple[Ranked, ...]]
    overall: tuple[Ranked, ...]
    """By the mean over the groups' means; structures that lack a group are left out."""
    tied: int = 0
    """Structures left off a list whose mean is that of the last one on it."""

    @property
    def intersection(self) -> tuple[str, ...]:
        """The structures on every group's list; often none."""
        lists = [[name for name, _ in ranked] for ranked in self.groups.values()]
        return tuple(name for name in lists[0] if all(name in other for other in lists)) if lists else ()

    def as_json(self) -> dict[str, Any]:
        """The lists, best (or worst) first."""

        def listed(ranked: tuple[Ranked, ...]) -> list[dict[str, Any]]:
            return [{"structure": name, "mean": mean} for name, mean in ranked]

        return {
            "groups": {group: listed(ranked) for group, ranked in self.groups.items()},
            "overall": listed(self.overall),
            "intersection": list(self.intersection),
        }


def rank(means: Mapping[str, Mapping[str, float | None]], n: int, *, highest: bool) -> Ranking:
    """The n structures with the highest or the lowest means; `means` are by structure and group.

    >>> found = rank({"s": {"a": 1.0, "b": 0.0}, "t": {"a": 0.5, "b": 0.75}}, 1, highest=True)
    >>> found.groups, found.overall, found.intersection
    ({'a': (('s', 1.0),), 'b': (('t', 0.75),)}, (('t', 0.625),), ())
    """
    names = list(dict.fromkeys(group for groups in means.values() for group in groups))
    lists: dict[str | None, tuple[Ranked, ...]] = {}
    tied = 0
    for group in (*names, None):
        found = {name: _mean(groups, names) if group is None else groups.get(group) for name, groups in means.items()}
        known = [(name, value) for name, value in found.items() if value is not None]
        known.sort(key=lambda each: (-each[1] if highest else each[1], natural(each[0])))
        lists[group] = tuple(known[:n])
        tied += sum(value == known[n - 1][1] for _, value in known[n:])
    overall = lists.pop(None)
    return Ranking({group: ranked for group, ranked in lists.items() if group is not None}, overall, tied)


def _mean(groups: Mapping[str, float | None], names: list[str]) -> float | None:
    values = [groups.get(name) for name in names]
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None
