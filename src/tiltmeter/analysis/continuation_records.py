"""The records of the view of continuations: one summary for every model, source, bias, decoding and rater."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tiltmeter.raters.class_map import declared
from tiltmeter.records import Decoding, Estimate, Scope
from tiltmeter.stats.continuations import ContinuationSummary
from tiltmeter.stats.scales import SHARE, SIGNED, Bounds
from tiltmeter.stats.structures import StructureSummary

PEOPLE = "people"
"""The rater that stands for annotators; `people.toxicity` where the sheets say what they rated."""

_FAVOUR = {"sentiment": 1, "regard": 1, "toxicity": -1, "lexicon": -1}
"""Whether a higher rating is the better one for those whom the text is about."""
_ENDS = {"sentiment": SIGNED, "regard": SIGNED, "toxicity": SHARE, "lexicon": SHARE, "groups": SHARE}
"""The ends of the scales of kinds of raters; others are seen from the values."""

ByGroup = Mapping[tuple[str, str], Mapping[str, Estimate]]
"""By model and source: an estimate for each group, its bias before a colon where the source has several."""


@dataclass(frozen=True, slots=True)
class RaterTilt:
    """A rater's own mean by group on sentences in which only the group changes."""

    rater: str
    by_group: Mapping[str, Estimate]
    difference: Mapping[tuple[str, str], Estimate]
    """For two groups, the difference that the rater makes by itself."""
    bias: str = ""

    def of(self, a: str, b: str) -> float | None:
        """The difference a − b that the rater makes by itself; None where it was not measured."""
        if (a, b) in self.difference:
            return self.difference[a, b].value
        value = self.difference[b, a].value if (b, a) in self.difference else None
        return None if value is None else -value


@dataclass(frozen=True, slots=True)
class ContinuationCell:
    """One combination of choices, and what came of it."""

    model: str
    source: str
    bias: str
    decoding: Decoding
    rater: str
    scope: Scope
    summary: ContinuationSummary
    within_tilt: frozenset[tuple[str, str]]
    """Pairs of groups whose difference is no larger than the rater's own tilt."""
    tilt_measured: bool = True
    """Whether the rater's own tilt is known for these groups."""
    structures: StructureSummary | None = None
    """The same for each structure of the sentences, where the source varies that."""
    families: Mapping[str, ContinuationSummary] = field(default_factory=dict)
    """The same for each family of structures."""

    def as_json(self) -> dict[str, Any]:
        """The cell as the run folder keeps it."""
        return {
            "model": self.model,
            "source": self.source,
            "bias": self.bias,
            "decoding": asdict(self.decoding),
            "rater": self.rater,
            "scope": self.scope,
            **self.summary.as_json(),
            "within_tilt": [list(pair) for pair in sorted(self.within_tilt)],
            **(self.structures.as_json() if self.structures else {}),
            **({"families": {name: found.figures() for name, found in self.families.items()}} if self.families else {}),
        }


@dataclass(frozen=True, slots=True)
class RatersCompared:
    """Two raters of the same kind on the same texts."""

    model: str
    source: str
    first: str
    second: str
    n: int
    rank_correlation: Estimate
    krippendorff: float | None
    opposite: tuple[tuple[str, str, str], ...]
    """(bias, group a, group b) where the two point to opposite groups."""
    surely_opposite: tuple[tuple[str, str, str], ...] = ()
    """Those of them where both intervals exclude zero."""

    def as_json(self) -> dict[str, Any]:
        """The comparison as the run folder keeps it."""
        return {
            "model": self.model,
            "source": self.source,
            "raters": [self.first, self.second],
            "n": self.n,
            "rank_correlation": self.rank_correlation.as_json(),
            "krippendorff": self.krippendorff,
            "opposite": [list(found) for found in self.opposite],
            "surely_opposite": [list(found) for found in self.surely_opposite],
        }


@dataclass(frozen=True, slots=True)
class PeopleSaid:
    """Who rated a sub-sample of the texts, and how far they agree."""

    annotators: Mapping[str, int]
    """How many texts each of them rated."""
    texts: int
    krippendorff: float | None


@dataclass(frozen=True, slots=True)
class SizeCurve:
    """The difference of two groups, worked out on the first so many samples of each prompt, for every rater.

    `cell` is one of the cells that it was worked out on; the others differ in the rater.
    """

    cell: ContinuationCell
    points: Sequence[tuple[str, int, Estimate]]
    """Rater, samples of each prompt, and the difference of the first two groups."""

    def as_json(self) -> dict[str, Any]:
        """The curve as the run folder keeps it."""
        cell, pair = self.cell, self.cell.summary.pairs[0]
        return {
            "model": cell.model,
            "source": cell.source,
            "bias": cell.bias,
            "decoding": asdict(cell.decoding),
            "a": pair.a,
            "b": pair.b,
            "points": [
                {"rater": rater, "samples": samples, "difference": found.as_json()}
                for rater, samples, found in self.points
            ],
        }


@dataclass(frozen=True, slots=True)
class ContinuationsSummary:
    """All cells of a run, in the order of the study."""

    cells: tuple[ContinuationCell, ...]
    tilts: tuple[RaterTilt, ...]
    agreement: tuple[RatersCompared, ...]
    refusals: ByGroup
    """By model and source: the share of refusals of each group."""
    sizes: Sequence[SizeCurve] = ()
    """The curve over sample size, one for each model and bias."""
    empties: ByGroup = field(default_factory=dict)
    """By model and source: the share of empty texts of each group."""
    people: PeopleSaid | None = None

    def as_json(self) -> dict[str, Any]:
        """The summary as the run folder keeps it."""
        return {
            "cells": [cell.as_json() for cell in self.cells],
            "tilts": [
                {
                    "rater": tilt.rater,
                    "bias": tilt.bias,
                    "groups": {group: found.as_json() for group, found in tilt.by_group.items()},
                    "pairs": [{"a": a, "b": b, **found.as_json()} for (a, b), found in tilt.difference.items()],
                }
                for tilt in self.tilts
            ],
            "agreement": [one.as_json() for one in self.agreement],
            "refusals": _by_group(self.refusals),
            "empties": _by_group(self.empties),
            "sizes": [curve.as_json() for curve in self.sizes],
            **({"people": asdict(self.people)} if self.people else {}),
        }


def kind_of(rater: str) -> str:
    """What a rater rates; of a judge, what it is asked.

    >>> kind_of("sentiment.vader.v1"), kind_of("people.toxicity"), kind_of("judge.chat.v1:regard:smollm2-135m")
    ('sentiment', 'toxicity', 'regard')
    >>> kind_of("hf.v1:mine@12ab[good=1,bad=-1;worse=low;axis=sentiment]"), kind_of("hf.v1:mine@12ab[r=5;worse=high]")
    ('sentiment', 'rating (0 to 5, worse high)')
    """
    meaning = declared(rater)
    if meaning is not None:
        known = _ENDS.get(meaning.axis), _FAVOUR.get(meaning.axis)
        # Ratings of one kind are compared as numbers: those on another scale are of another kind.
        if known == (meaning.ends, meaning.favour):
            return meaning.axis
        low, high = meaning.ends
        return f"{meaning.axis} ({low:g} to {high:g}, worse {meaning.worse})"
    name, _, argument = rater.partition(":")
    kind, _, rest = name.partition(".")
    if kind == "judge" and argument:
        return argument.partition(":")[0]
    return rest if kind == PEOPLE and rest else kind


def favour(rater: str) -> int:
    """1 where a higher rating is the better one, −1 where it is the worse one, 0 where neither can be said.

    >>> favour("sentiment.vader.v1"), favour("toxicity.linear.v1"), favour("hf.v1:mine@12ab[fine=0,rude=5;worse=high]")
    (1, -1, -1)
    """
    meaning = declared(rater)
    return meaning.favour if meaning is not None else _FAVOUR.get(kind_of(rater), 0)


def ends_of(rater: str) -> Bounds | None:
    """The ends of the scale of a rater, where they are known.

    >>> ends_of("sentiment.vader.v1"), ends_of("readability.fog.v1")
    ((-1.0, 1.0), None)
    """
    meaning = declared(rater)
    return meaning.ends if meaning is not None else _ENDS.get(kind_of(rater))


def _by_group(found: ByGroup) -> list[dict[str, Any]]:
    return [
        {"model": model, "source": source, "groups": {group: share.as_json() for group, share in shares.items()}}
        for (model, source), shares in found.items()
    ]
