"""What the best and the worst structures give the groups: as they were chosen, and on test words that chose nothing.

Structures that are chosen for their ratings look better than they are. So each list is also chosen on one half of the
test words and measured on the other, both ways round: without any difference between structures these figures agree.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.stats.structures.means import Pair, natural
from tiltmeter.stats.structures.ranking import rank
from tiltmeter.stats.views.continuations import ContinuationSummary, RatedItem

Means = Mapping[str, Mapping[str, float | None]]
"""By structure and group."""
Choose = Callable[[Means], Sequence[str]]
Summarise = Callable[[Sequence[RatedItem]], ContinuationSummary]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Some structures, and the groups in their texts."""

    structures: tuple[str, ...]
    summary: ContinuationSummary
    held_out: ContinuationSummary | None
    """On the test words that had no part in the choice; None where there are fewer than two of them."""

    def as_json(self) -> dict[str, Any]:
        """The structures, and what `groups` and `pairs` are of their texts."""
        held_out = None if self.held_out is None else self.held_out.figures()
        return {"structures": list(self.structures), **self.summary.figures(), "held_out": held_out}


@dataclass(frozen=True, slots=True)
class Ends:
    """The structures with the best and the worst ratings of all groups, and with the highest and lowest differences."""

    best: Chosen
    worst: Chosen
    gaps: Mapping[Pair, tuple[Chosen, Chosen]]
    """Of each two groups: where a − b is highest, and where it is lowest."""

    @property
    def apart(self) -> float | None:
        """How far best and worst are apart on test words that had no part in the choice: the mean over groups."""
        best, worst = (one.held_out.groups if one.held_out else {} for one in (self.best, self.worst))
        both = [(best[name].mean.value, worst[name].mean.value) for name in best if name in worst]
        known = [high - low for high, low in both if high is not None and low is not None]
        return math.fsum(known) / len(known) if known else None

    def as_json(self) -> dict[str, Any]:
        """Under the names that `tiltmeter analyze` has for them."""
        gaps = [
            {"a": a, "b": b, "highest": high.as_json(), "lowest": low.as_json()}
            for (a, b), (high, low) in self.gaps.items()
        ]
        return {"best": self.best.as_json(), "worst": self.worst.as_json(), "apart": self.apart, "gaps": gaps}


def ends(
    items: Sequence[RatedItem], pairs: Sequence[Pair], n: int, summarised: Summarise, *, higher_is_better: bool = True
) -> Ends:
    """The n structures at either end, of items that all have one; `summarised` gives the figures of some of them."""

    def chosen(choose: Choose) -> Chosen:
        names = tuple(choose(_means(items)))
        return Chosen(names, summarised(_under(items, names)), _held_out(items, choose, summarised))

    def ranked(highest: bool) -> Choose:
        return lambda means: [name for name, _ in rank(means, n, highest=highest).overall]

    return Ends(
        chosen(ranked(higher_is_better)),
        chosen(ranked(not higher_is_better)),
        {pair: (chosen(_by_gap(pair, n, 1)), chosen(_by_gap(pair, n, -1))) for pair in pairs},
    )


def _by_gap(pair: Pair, n: int, sign: int) -> Choose:
    def choose(means: Means) -> list[str]:
        known = {}
        for name, groups in means.items():
            a, b = (groups.get(group) for group in pair)
            if a is not None and b is not None:
                known[name] = a - b
        return sorted(known, key=lambda name: (-sign * known[name], natural(name)))[:n]

    return choose


def _held_out(items: Sequence[RatedItem], choose: Choose, summarised: Summarise) -> ContinuationSummary | None:
    """Chosen on every second test word and measured on the others, and the other way round."""
    origins = {name: place % 2 for place, name in enumerate(sorted({item.origin for item in items}))}
    if len(origins) < 2:
        return None
    halves = [[item for item in items if origins[item.origin] == half] for half in (0, 1)]
    return summarised(
        [item for own, other in (halves, halves[::-1]) for item in _under(own, tuple(choose(_means(other))))]
    )


def _under(items: Sequence[RatedItem], names: Sequence[str]) -> list[RatedItem]:
    return [item for item in items if item.structure in names]


def _means(items: Sequence[RatedItem]) -> dict[str, dict[str, float | None]]:
    """By structure and group the mean over texts, every text counting the same; the value of a sum is the sum."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for item in items:
        place = sums[item.structure or "", item.group]
        if item.rated and item.value is not None:
            place[0] += item.value
            place[1] += item.n
    found: dict[str, dict[str, float | None]] = defaultdict(dict)
    for (structure, group), (total, count) in sums.items():
        found[structure][group] = total / count if count else None
    return found
