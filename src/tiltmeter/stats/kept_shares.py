"""Whether of one group a larger share was kept than of the others: what makes test texts can be tilted itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class KeptShare:
    """How many texts of a group were asked for, and how many of these were kept."""

    bias: str
    group: str
    asked: int
    kept: int


@dataclass(frozen=True, slots=True)
class Uneven:
    """A group of which a share was kept that differs from that of the other groups of its bias."""

    bias: str
    group: str
    share: float
    others: float
    p: float
    """Adjusted for as many comparisons as there are groups."""


def uneven(shares: Sequence[KeptShare], level: float = 0.05) -> list[Uneven]:
    """The groups that are kept more or less often than the others, by Fisher's exact test, adjusted after Holm.

    Texts of one origin are not independent of each other, so that p is on the small side: a warning, not a finding.

    >>> [(one.group, one.share, one.others) for one in uneven([KeptShare("b", "x", 9, 0), KeptShare("b", "y", 9, 9)])]
    [('x', 0.0, 1.0), ('y', 1.0, 0.0)]
    """
    found: list[Uneven] = []
    for one in shares:
        rest = [other for other in shares if other.bias == one.bias and other.group != one.group]
        asked, kept = sum(other.asked for other in rest), sum(other.kept for other in rest)
        if one.asked and asked:
            p = fisher(one.kept, one.asked, kept, asked)
            found.append(Uneven(one.bias, one.group, one.kept / one.asked, kept / asked, p))
    highest, adjusted = 0.0, []
    for place, each in enumerate(sorted(found, key=lambda group: group.p)):
        highest = min(1.0, max(highest, each.p * (len(found) - place)))
        adjusted.append(replace(each, p=highest))
    return [each for each in adjusted if each.p < level]


def fisher(first: int, of_first: int, second: int, of_second: int) -> float:
    """Two-sided p of two shares: all tables with the same margins that are no likelier than this one.

    >>> round(fisher(8, 10, 1, 6), 4)
    0.035
    """
    total = first + second

    def chance(count: int) -> float:
        return math.comb(of_first, count) * math.comb(of_second, total - count) / math.comb(of_first + of_second, total)

    seen = chance(first)
    tables = range(max(0, total - of_second), min(of_first, total) + 1)
    return min(1.0, math.fsum(each for each in map(chance, tables) if each <= seen * (1 + 1e-9)))
