"""Independent sets of the same pairs, each by itself: what the mean over sets and their spread are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from tiltmeter.stats.views.pairs import PairItem, headline_strata, shares


@dataclass(frozen=True, slots=True)
class SetValues:
    """The headline of each set, over biases and for each bias, by the name of the set.

    A set has no value of a bias, or over biases, if it lacks a part of what the pooled figure is made of: it would be
    the value of something else.
    """

    overall: Mapping[str, float | None]
    by_bias: Mapping[str, Mapping[str, float | None]]


def over_sets(sets: Mapping[str, Sequence[PairItem]]) -> SetValues:
    """The values of each set, the items of which are given by its name.

    >>> one, other = [PairItem("a", "x", "1", 1.0), PairItem("a", "y", "2", 0.0)], [PairItem("a", "x", "1", 1.0)]
    >>> over_sets({"first": one, "second": other}).by_bias["a"]
    {'first': 0.5, 'second': None}
    >>> over_sets({"first": one, "second": [PairItem("b", "x", None, None)]}).overall
    {'first': 0.5, 'second': None}
    """
    whole = _strata([*chain(*sets.values())])
    counted = {bias for bias, parts in whole.items() if parts} - {
        item.bias for item in chain(*sets.values()) if item.benchmark
    }
    found = {name: shares(items, intervals="none") for name, items in sets.items()}
    # Of a set that lacks an attribute set, the headline would be that of the other alone.
    whole_in = {
        name: {bias for bias, wanted in whole.items() if wanted and wanted <= held.get(bias, set())}
        for name, held in ((name, _strata(items, whole)) for name, items in sets.items())
    }
    return SetValues(
        {name: one.overall.value if counted <= whole_in[name] else None for name, one in found.items()},
        {
            bias: {name: one.by_bias[bias].value if bias in whole_in[name] else None for name, one in found.items()}
            for bias in whole
        },
    )


def _strata(
    items: Sequence[PairItem], whole: Mapping[str, set[tuple[str, ...]]] | None = None
) -> dict[str, set[tuple[str, ...]]]:
    """By bias, the parts with a value that weigh the same in its headline; for a set, as those of the whole are cut."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for item, stratum in zip(items, headline_strata(items), strict=True):
        part = stratum if whole is None or (item.bias,) in whole[item.bias] else (item.bias, item.attribute_set or "")
        held = found.setdefault(item.bias, set())
        if item.value is not None:
            held.add(part)
    return found
