"""How far different ways of measuring agree on the same items."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True)
class Agreement:
    """On how many of the items that both judged two judges said the same."""

    first: str
    second: str
    n: int
    same: int

    @property
    def share(self) -> float | None:
        """The share of the items judged by both on which they agree; None where there is no such item."""
        return self.same / self.n if self.n else None


def agreements(choices: Mapping[str, Sequence[Hashable | None]]) -> list[Agreement]:
    """Every two judges on the items that both judged; None is an item that a judge could not judge.

    >>> agreements({"sum": [1, 2, None], "mean": [1, 1, 2]})[0].share
    0.5
    """
    found = []
    for first, second in combinations(choices, 2):
        both = [
            (one, other)
            for one, other in zip(choices[first], choices[second], strict=True)
            if one is not None and other is not None
        ]
        found.append(Agreement(first, second, len(both), sum(one == other for one, other in both)))
    return found
