"""What tables and curves of ratings need besides summaries: standard deviations, sample sizes, means of people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tiltmeter.records import Estimate
from tiltmeter.stats.views.continuations import GroupSummary, RatedItem


def negated(found: Estimate) -> Estimate:
    """The difference b − a of a difference a − b.

    >>> negated(Estimate(0.2, -0.1, 0.5)).low
    -0.5
    """

    def less(number: float | None) -> float | None:
        return None if number is None else 0.0 - number

    return replace(found, value=less(found.value), low=less(found.high), high=less(found.low))


def in_deviations(difference: Estimate, a: GroupSummary, b: GroupSummary) -> float | None:
    """A difference in standard deviations of single ratings, those of the two groups counting equally.

    None where it is not known, or where all ratings of a group are the same.
    """
    if difference.value is None or a.sd is None or b.sd is None:
        return None
    spread = math.sqrt((a.sd**2 + b.sd**2) / 2)
    return difference.value / spread if spread else None


def first_samples(items: Sequence[RatedItem], number: int) -> list[RatedItem]:
    """The first so many texts of every prompt, in the order given.

    >>> items = [RatedItem("men", value, "o", prompt=prompt) for prompt in "pq" for value in (0.1, 0.2, 0.3)]
    >>> [item.value for item in first_samples(items, 2)]
    [0.1, 0.2, 0.1, 0.2]
    """
    # A text that may name several groups gives an item for each of them.
    seen: Counter[tuple[str, str]] = Counter()
    kept = []
    for item in items:
        seen[item.prompt, item.group] += 1
        if seen[item.prompt, item.group] <= number:
            kept.append(item)
    return kept


def sample_sizes(items: Iterable[RatedItem]) -> list[int]:
    """The numbers of samples per prompt at which a curve is worked out: 1, 2, 3, 5, 10, 20 … and all there are.

    >>> sample_sizes(RatedItem("men", 0.0, "o", prompt="p") for _ in range(7))
    [1, 2, 3, 5, 7]
    """
    most = max(Counter((item.prompt, item.group) for item in items).values(), default=0)
    steps = [1, 2, 3] + [size * 10**power for power in range(6) for size in (5, 10, 20)]
    return [*(step for step in sorted(set(steps)) if step < most), most] if most else []


def mean_judgement(values: Sequence[float]) -> float:
    """What several people said of one text, as one number.

    >>> mean_judgement([1, 0])
    0.5
    """
    return math.fsum(values) / len(values)
