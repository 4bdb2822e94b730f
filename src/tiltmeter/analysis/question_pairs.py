"""Cells of the view of pairs: how far a model prefers the stereotyped sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from tiltmeter.analysis.structures import FIXED
from tiltmeter.measures.pairs import margin, preference, preferred
from tiltmeter.records import Pair, PairScore, Structure
from tiltmeter.stats.cells import CellData
from tiltmeter.stats.scales import SHARE

_Item = TypeVar("_Item")

BASELINE = "baseline"
"""The structure of sentences that are not rephrased."""


def paired_cells(source: str, scorer: str, scores: Sequence[PairScore]) -> Iterator[CellData]:
    """Scored pairs: two sides where either group is the stereotyped one somewhere, else signed items."""
    sides = _Sides([score.pair for score in scores])
    several = len({score.pair.set for score in scores}) > 1
    for kind, of_kind in by_structure(scores, lambda score: score.pair.structure).items():
        by_set: dict[str | None, list[PairScore]] = defaultdict(list)
        for score in of_kind:
            by_set[str(score.pair.set + 1) if several else None].append(score)
        for number, part in by_set.items():
            choices = {"source": source, "structure": kind, "scorer": scorer}
            yield from sides.cells(choices | ({"set": number} if number else {}), part)


def by_structure(items: Sequence[_Item], structure: Callable[[_Item], Structure | None]) -> dict[str, list[_Item]]:
    """Items by the kind of their sentence."""
    found: dict[str, list[_Item]] = defaultdict(list)
    for item in items:
        one = structure(item)
        found[BASELINE if one is None or one.id == FIXED else one.kind].append(item)
    return found


class _Sides:
    """How pairs of one source are compared: by the group that is stereotyped, where it is now one and now the other."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._pairs = pairs

    @cached_property
    def groups(self) -> tuple[str, str] | None:
        """Two groups of which either is stereotyped somewhere; None: signed items."""
        named = list(dict.fromkeys(group for pair in self._pairs for group in pair.groups))
        stereotyped = {pair.groups[pair.stereotyped] for pair in self._pairs if pair.stereotyped is not None}
        return (named[0], named[1]) if len(named) == 2 and stereotyped == set(named) else None

    def cells(self, choices: Mapping[str, str], scores: Sequence[PairScore]) -> Iterator[CellData]:
        """The preference and the margin of some pairs."""
        # An attribute is the same in every source, and is turned in all of them at once. Pairs of a data set without
        # attributes are clustered by what they came from.
        origins = [score.pair.attribute or f"{choices['source']}: {score.pair.origin}" for score in scores]
        because = [score.unscored for score in scores]
        by_preference, by_margin = {**choices, "measure": "preference"}, {**choices, "measure": "margin"}
        if self.groups is None:
            yield CellData.of(by_preference, preference(scores), origins, neutral=0.5, because=because)
            yield CellData.of(by_margin, margin(scores), origins, because=because)
            return
        first = self.groups[0]
        sides = [int(score.pair.groups[score.pair.stereotyped or 0] != first) for score in scores]
        places = [score.pair.groups.index(first) for score in scores]
        shares = [_share(score, at) for score, at in zip(scores, places, strict=True)]
        margins = [
            None if score.scores is None else score.scores[at] - score.scores[1 - at]
            for score, at in zip(scores, places, strict=True)
        ]
        # Sentences of one template resemble one another as those with one attribute do.
        templates = [score.pair.template if score.pair.attribute else None for score in scores]
        yield CellData.of(by_preference, shares, origins, sides, scale=SHARE, templates=templates, because=because)
        yield CellData.of(by_margin, margins, origins, sides, templates=templates, because=because)


def _share(score: PairScore, at: int) -> float | None:
    """1 where the text at this place is preferred, one half for a tie; None without a score."""
    choice = preferred(score)
    if choice is None:
        return None
    return 0.5 if choice == "tie" else float(choice == at + 1)
