"""Structure by structure: the stereotyped share of pairs for each form of the sentences, and whether its side holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.views.pairs import PairItem, shares

_NEUTRAL = 0.5


@dataclass(frozen=True, slots=True)
class PairStructures:
    """What the structures of one bias say."""

    whole: Estimate
    """The share over all of them."""
    by_structure: Mapping[str, Estimate]
    side_kept: Estimate
    """The share of structures on the side of one half that all together are on; one half itself does not keep it."""
    reversed: tuple[str, ...]
    """The structures on the other side."""

    def as_json(self) -> dict[str, Any]:
        """The figures of the bias."""
        return {
            "whole": self.whole.as_json(),
            "by_structure": {name: found.as_json() for name, found in self.by_structure.items()},
            "side_kept": self.side_kept.as_json(),
            "reversed": list(self.reversed),
        }


def pair_structures(items: Iterable[PairItem], *, level: float = 0.95) -> dict[str, PairStructures]:
    """By bias, for those whose items have at least two structures; an item without a structure is left out.

    >>> values = {"s": 1.0, "t": 1.0, "u": 0.0}
    >>> items = [PairItem("b", "math", "1", value, structure=name) for name, value in values.items()]
    >>> found = pair_structures(items)["b"]
    >>> round(found.side_kept.value, 3), found.reversed
    (0.667, ('u',))
    """
    by_bias: dict[str, dict[str, list[PairItem]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if item.structure is not None:
            by_bias[item.bias][item.structure].append(item)
    return {bias: _one(bias, parts, level) for bias, parts in by_bias.items() if len(parts) > 1}


def _one(bias: str, parts: Mapping[str, list[PairItem]], level: float) -> PairStructures:
    def share(items: Iterable[PairItem]) -> Estimate:
        return shares(items, level=level).by_bias[bias]

    whole = share(item for part in parts.values() for item in part)
    by_structure = {name: share(part) for name, part in parts.items()}
    side = _side(whole.value)
    if not side:
        none = Estimate(None, level=level, n=len(parts), note="the share over all structures is on no side")
        return PairStructures(whole, by_structure, none, ())
    sides = {name: _side(found.value) for name, found in by_structure.items()}
    same = [None if one is None else float(one == side) for one in sides.values()]
    kept = estimate(same, list(sides), neutral=None, level=level)
    kept = replace(kept, note=kept.note and kept.note.replace("origins", "structures"))
    return PairStructures(whole, by_structure, kept, tuple(name for name, one in sides.items() if one == -side))


def _side(share: float | None) -> int | None:
    return None if share is None else (share > _NEUTRAL) - (share < _NEUTRAL)
