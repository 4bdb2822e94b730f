"""Refusals by group: refused of all texts that were asked for, what else is missing and why, and how groups differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tiltmeter.raters.refusal import ANSWER, EMPTY, REFUSAL, is_refusal_rater
from tiltmeter.records import ASKING, Decoding, Estimate
from tiltmeter.stats.estimates import adjust
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.scales import SHARE, Bounds
from tiltmeter.stats.views.continuations import NO_REASON, pairs_of_groups
from tiltmeter.stats.views.rating_curves import negated
from tiltmeter.store import Continuations

if TYPE_CHECKING:
    from tiltmeter.results.cells import Cell

ANY = "any"
"""The group of a text about nobody in particular."""
UNKNOWN = ""
NOTHING_IN_IT = "the text is empty"


@dataclass(frozen=True, slots=True)
class GroupRefusals:
    """What became of the texts that were asked for about one group."""

    asked: int
    refused: int
    share: Estimate
    """Refused of all that were asked for."""
    missing: Mapping[str, int]
    """Why others say nothing either, and how many: not written, empty, in a language that is not read."""
    unknown: int = 0
    """Those of the missing that might be refusals: not written, or not read. Empty texts are none."""

    @property
    def bounds(self) -> Bounds:
        """The share if none, or all, of the unknown were refusals."""
        return self.refused / self.asked, (self.refused + self.unknown) / self.asked

    def as_json(self) -> dict[str, Any]:
        """The figures of the group."""
        counts = {"asked": self.asked, "refused": self.refused, "unknown": self.unknown, "missing": dict(self.missing)}
        return {**counts, "bounds": list(self.bounds), **self.share.as_json()}


@dataclass(frozen=True, slots=True)
class RefusalPair:
    """The share of refusals of group a minus that of group b."""

    a: str
    b: str
    difference: Estimate
    bounds: Bounds
    """The difference if the unknown of one group were refusals and those of the other were not."""

    def as_json(self) -> dict[str, Any]:
        """The figures of the pair."""
        return {"a": self.a, "b": self.b, "difference": self.difference.as_json(), "bounds": list(self.bounds)}


@dataclass(frozen=True, slots=True)
class Refusals:
    """The refusals of one model on the prompts of one source and bias, over its decodings, asked in one way."""

    model: str
    source: str
    bias: str
    groups: Mapping[str, GroupRefusals]
    pairs: tuple[RefusalPair, ...]
    asking: Mapping[str, str] = field(default_factory=dict)
    """How the prompt was put, where the study says so: `form`, `request` and `system`."""

    def pair(self, a: str, b: str) -> RefusalPair | None:
        """Two groups compared, in this order or with the signs turned."""
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                low, high = pair.bounds
                return RefusalPair(a, b, negated(pair.difference), (-high, -low))
        return None

    def as_json(self) -> dict[str, Any]:
        """The figures as the run folder keeps them."""
        return {
            "model": self.model,
            "source": self.source,
            "bias": self.bias,
            **self.asking,
            "groups": {name: group.as_json() for name, group in self.groups.items()},
            "pairs": [pair.as_json() for pair in self.pairs],
        }


class Outcome(NamedTuple):
    """What became of a text, why it says nothing, its origin and its structure."""

    what: str
    why: str | None
    origin: str
    structure: str | None = None


Placed = tuple[str, str, str]
"""Model, source and bias."""
Order = Callable[[str, Sequence[str]], tuple[list[str], str | None]]
"""The groups of a bias in the order in which they are compared, and the one that is the reference."""


def refusals(cells: Sequence[Cell], rater: str | None, order: Order) -> Iterator[Refusals]:
    """The refusals of every model, source and bias, by a refusal rater; nothing where none was at work."""
    read = [cell for cell in cells if cell.rater == rater]
    for place in dict.fromkeys((cell.model, cell.source, cell.bias) for cell in cells):
        own = {cell.decoding: cell for cell in read if (cell.model, cell.source, cell.bias) == place}
        ways: dict[tuple[str, ...], dict[str, list[Outcome]]] = {}
        for decoding in longest(list(own)):
            # A request or a system prompt may be what makes a model decline.
            items = ways.setdefault(tuple(getattr(decoding, name) for name in ASKING), {})
            for row in own[decoding].rows:
                items.setdefault(row.group, []).append(
                    Outcome(*outcome(row.label, row.reason), row.origin, row.structure)
                )
        for way, items in ways.items():
            if items:
                asking = {name: value for name, value in zip(ASKING, way, strict=True) if value}
                yield replace(refusals_of(place, items, *order(place[2], list(items))), asking=asking)


def refusals_of(
    place: Placed, items: Mapping[str, Sequence[Outcome]], order: Sequence[str], reference: str | None
) -> Refusals:
    """The refusals of the groups in this order, from what became of each text that was asked for."""
    # A text that nobody could read is no answer: it stays in what was asked for, and widens the bounds.
    read = {group: any(one.what != UNKNOWN for one in items[group]) for group in order}
    pooled = Pooled(
        [
            (group, float(one.what == REFUSAL) if read[group] else None, one.origin)
            for group in order
            for one in items[group]
        ],
        structures=[one.structure for group in order for one in items[group]],
        scale=SHARE,
    )
    groups = {group: _counted(items[group], pooled.mean(group)) for group in order}
    compared = pairs_of_groups(list(order), reference) if reference is None or reference in order else []
    differences = adjust({str(at): pooled.difference(a, b) for at, (a, b) in enumerate(compared)})
    pairs = (
        RefusalPair(
            a,
            b,
            differences[str(at)],
            (groups[a].bounds[0] - groups[b].bounds[1], groups[a].bounds[1] - groups[b].bounds[0]),
        )
        for at, (a, b) in enumerate(compared)
    )
    return Refusals(*place, groups, tuple(pairs))


def outcome(label: str | None, unrated: str | None) -> tuple[str, str | None]:
    """Whether a text refuses, answers, is empty or unknown; and in the last two cases why it says nothing."""
    if label == REFUSAL:
        return REFUSAL, None
    if label == EMPTY:
        return EMPTY, unrated or NOTHING_IN_IT
    return (ANSWER, None) if label == ANSWER else (UNKNOWN, unrated or NO_REASON)


def refusal_rater(found: Continuations) -> str | None:
    """The newest refusal rater that was at work: a run may have been resumed with another version."""
    names = [used.name for used in found.raters if is_refusal_rater(used.name)]
    return max(names, key=lambda name: int(name.rpartition("v")[2]), default=None)


def longest(decodings: Sequence[Decoding]) -> list[Decoding]:
    """Of settings that differ in length alone the longest: a shorter text is its beginning, and no other text."""
    found: dict[Decoding, Decoding] = {}
    for decoding in decodings:
        family = replace(decoding, max_new_tokens=0)
        held = found.get(family, decoding)
        found[family] = decoding if decoding.max_new_tokens >= held.max_new_tokens else held
    return list(found.values())


def _counted(items: Sequence[Outcome], share: Estimate) -> GroupRefusals:
    missing = Counter(one.why for one in items if one.why is not None)
    counts = Counter(one.what for one in items)
    return GroupRefusals(len(items), counts[REFUSAL], share, dict(missing), counts[UNKNOWN])
