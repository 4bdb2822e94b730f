"""Raters held against one another on the same texts of a run, and raters against people."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from tiltmeter.raters.scales import axis_of
from tiltmeter.results.cells import Cell
from tiltmeter.results.items import rated_items
from tiltmeter.results.summary.text_records import PEOPLE, RatersCompared, favour, kind_of
from tiltmeter.stats.agreement.raters import raters_compared
from tiltmeter.stats.views.continuations import RatedItem

_TO_ALL = (PEOPLE, "judge")
"""Kinds of which it is not known what they rate: they are held against every other one."""
_ALONE = ("refusal", "groups", "readability")
"""Kinds of which no two say the same thing twice."""
_BETWEEN = "\N{UNIT SEPARATOR}"

MOST_TEXTS = 10_000
"""Of more texts so many are drawn: a correlation is known well enough from them, and takes long on all."""


def comparable(first: str, second: str) -> bool:
    """Whether two raters rate the same thing, on one scale or on two.

    >>> comparable("sentiment.vader.v1", "sentiment.minilm.v1"), comparable("sentiment.vader.v1", "regard.minilm.v2")
    (True, False)
    >>> stars = "python.v1:f.py:stars@12ab[worse=low;axis=sentiment;range=1..5]"
    >>> comparable("sentiment.vader.v1", stars), comparable(stars, stars.replace("low", "high"))
    (True, False)
    """
    kinds = kind_of(first), kind_of(second)
    if any(kind in _ALONE for kind in kinds):
        return False
    same = axis_of(first) == axis_of(second) and favour(first) == favour(second)
    return same or kinds[0] == kinds[1] or any(kind in _TO_ALL for kind in kinds)


def compare_raters(cells: Sequence[Cell], seed: int) -> Iterator[RatersCompared]:
    """Every two raters of the same kind on the texts of a model and source, in the order of the study."""
    for model, source in dict.fromkeys((cell.model, cell.source) for cell in cells):
        own = [cell for cell in cells if (cell.model, cell.source) == (model, source)]
        pairs = [pair for pair in combinations(dict.fromkeys(cell.rater for cell in own), 2) if comparable(*pair)]
        items = {rater: _of_rater(own, rater) for rater in {rater for pair in pairs for rater in pair}}
        for first, second in pairs:
            if len(items[first]) == len(items[second]):
                yield compared(model, source, (first, second), (items[first], items[second]), seed)


def grouped_by_bias(bias: str, items: Sequence[RatedItem]) -> list[RatedItem]:
    """The items with the bias before the group, so that biases stay apart."""
    return [replace(item, group=f"{bias}{_BETWEEN}{item.group}") for item in items]


def _of_rater(cells: Sequence[Cell], rater: str) -> list[RatedItem]:
    """Every text, whatever its bias and decoding, always in the same order."""
    return [item for cell in cells if cell.rater == rater for item in grouped_by_bias(cell.bias, rated_items(cell))]


def compared(
    model: str,
    source: str,
    raters: tuple[str, str],
    items: tuple[Sequence[RatedItem], Sequence[RatedItem]],
    seed: int,
) -> RatersCompared:
    """Two raters on the same texts, given in the same order."""
    one, two = items
    if len(one) > MOST_TEXTS:
        places = sorted(random.Random(seed).sample(range(len(one)), MOST_TEXTS))
        one, two = [one[place] for place in places], [two[place] for place in places]
    found = raters_compared(one, two)
    alike = favour(raters[0]) == favour(raters[1]) != 0
    return RatersCompared(
        model=model,
        source=source,
        first=raters[0],
        second=raters[1],
        n=found.n,
        rank_correlation=found.rank_correlation,
        krippendorff=found.krippendorff if kind_of(raters[0]) == kind_of(raters[1]) else None,
        opposite=_within(found.opposite) if alike else (),
        surely_opposite=_within(found.surely_opposite) if alike else (),
    )


def _within(pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, str, str], ...]:
    """The pairs of groups of one bias, the bias taken from before their names."""
    apart = [(a.split(_BETWEEN, 1), b.split(_BETWEEN, 1)) for a, b in pairs]
    return tuple((a[0], a[1], b[1]) for a, b in apart if a[0] == b[0])
