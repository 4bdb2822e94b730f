"""Structure by structure: the same comparison of groups for each form of the prompt, and whether its sign holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.stats.continuations import (
    Bounds,
    ContinuationSummary,
    GroupPair,
    RatedItem,
    inferred_scale,
    summarise,
)
from tiltmeter.stats.divergence import label_names
from tiltmeter.stats.estimates import adjust, estimate


@dataclass(frozen=True, slots=True)
class SignKept:
    """The share of structures under which a − b has the sign that it has over all; a difference of zero is half."""

    a: str
    b: str
    share: Estimate
    reversed: tuple[str, ...]
    """The structures under which the sign is the other one."""

    def as_json(self) -> dict[str, Any]:
        """The share and the structures that speak against it."""
        return {"a": self.a, "b": self.b, "share": self.share.as_json(), "reversed": list(self.reversed)}


@dataclass(frozen=True, slots=True)
class StructureSummary:
    """A summary for each structure. Their p-values are adjusted together: every pair of every structure is a test."""

    structures: Mapping[str, ContinuationSummary]
    sign_kept: tuple[SignKept, ...]

    @property
    def n_comparisons(self) -> int:
        """How many p-values were adjusted together."""
        return sum(found.n_comparisons for found in self.structures.values())

    def as_json(self) -> dict[str, Any]:
        """Groups and pairs of each structure, and how far the signs hold."""
        parts = ((name, found.as_json()) for name, found in self.structures.items())
        return {
            "structures": {name: {key: found[key] for key in ("groups", "pairs", "notes")} for name, found in parts},
            "sign_kept": [kept.as_json() for kept in self.sign_kept],
            "n_comparisons": self.n_comparisons,
        }


def by_structure(
    items: Sequence[RatedItem],
    whole: ContinuationSummary,
    *,
    scale: Bounds | None = None,
    signed: bool = False,
    reference: str | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> StructureSummary:
    """Summarise each structure of the items of which `whole` is the summary; items without a structure are left out.

    >>> items = [RatedItem("a", 1.0, "x", structure="s"), RatedItem("b", 0.0, "x", structure="s")]
    >>> by_structure(items, summarise(items)).sign_kept[0].share.value
    1.0
    """
    order = {group: place for place, group in enumerate(whole.groups)}
    parts: dict[str, list[RatedItem]] = defaultdict(list)
    for item in sorted(items, key=lambda item: order[item.group]):
        if item.structure is not None:
            parts[item.structure].append(item)
    ends = scale or inferred_scale(items)
    signed = signed or any(item.value is not None and item.value < 0 for item in items)
    labels = label_names([item.label for item in items if item.rated])

    def one(part: Sequence[RatedItem]) -> ContinuationSummary:
        groups = {item.group for item in part}
        against = reference if reference in groups else None
        found = summarise(part, scale=ends, signed=signed, reference=against, labels=labels, level=level, seed=seed)
        return found if against == reference else replace(found, pairs=())

    structures = _adjusted({name: one(parts[name]) for name in sorted(parts)})
    kept = tuple(_sign_kept(pair, structures, level) for pair in whole.pairs)
    return StructureSummary(structures, kept)


def _adjusted(structures: Mapping[str, ContinuationSummary]) -> dict[str, ContinuationSummary]:
    """The same summaries with the p-values of all of them adjusted together."""
    every = {
        f"{name}\0{place}": pair.difference
        for name, found in structures.items()
        for place, pair in enumerate(found.pairs)
    }
    adjusted = adjust(every)
    return {
        name: replace(
            found,
            pairs=tuple(
                replace(pair, difference=adjusted[f"{name}\0{place}"]) for place, pair in enumerate(found.pairs)
            ),
            notes=tuple(note for note in found.notes if not note.startswith("p_adjusted")),
        )
        for name, found in structures.items()
    }


def _sign_kept(whole: GroupPair, structures: Mapping[str, ContinuationSummary], level: float) -> SignKept:
    values = {
        name: next((pair.difference.value for pair in found.pairs if (pair.a, pair.b) == (whole.a, whole.b)), None)
        for name, found in structures.items()
    }
    over_all = whole.difference.value
    if not over_all:
        return SignKept(whole.a, whole.b, Estimate(None, level=level, note="the difference over all has no sign"), ())
    agree = {
        name: None if value is None else 0.5 if value == 0 else float((value > 0) == (over_all > 0))
        for name, value in values.items()
    }
    share = estimate(list(agree.values()), neutral=None, level=level)
    return SignKept(whole.a, whole.b, share, tuple(name for name, kept in agree.items() if kept == 0))
