"""The records of the view of continuations: one summary for every model, source, bias, decoding and rater."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from tiltmeter.raters.scales import PEOPLE, kind_of, scale_of
from tiltmeter.records import Decoding, Estimate, Scope
from tiltmeter.results.summary.refusals import Refusals
from tiltmeter.results.summary.repeats import Repeats
from tiltmeter.results.summary.situations import SituationsCell
from tiltmeter.results.summary.word_records import WordCell
from tiltmeter.stats.scales import Bounds
from tiltmeter.stats.structures.by_structure import StructureSummary
from tiltmeter.stats.views.continuations import ContinuationSummary, GroupPair

if TYPE_CHECKING:
    from tiltmeter.results.summary.known_raters import KnownRater, LeftOut

__all__ = ["PEOPLE", "kind_of"]


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

    @property
    def widest(self) -> tuple[tuple[str, str], Estimate]:
        """The two groups between which the rater makes the largest difference by itself."""
        known = [one for one in self.difference.items() if one[1].value is not None]
        return max(known, key=lambda one: abs(one[1].value or 0.0), default=(("", ""), Estimate(None)))


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
    parts: Mapping[str, ContinuationCell] = field(default_factory=dict)
    """The same for each set of prompts alone, where the source has several: respect and occupation, say."""

    def as_json(self) -> dict[str, Any]:
        """The cell as the run folder keeps it."""
        return {
            "model": self.model,
            "source": self.source,
            "bias": self.bias,
            "decoding": self.decoding.as_json(),
            "rater": self.rater,
            "scope": self.scope,
            **self.summary.as_json(),
            "within_tilt": [list(pair) for pair in sorted(self.within_tilt)],
            **(self.structures.as_json() if self.structures else {}),
            **({"families": {name: found.figures() for name, found in self.families.items()}} if self.families else {}),
            **({"parts": {name: part.figures() for name, part in self.parts.items()}} if self.parts else {}),
        }

    def figures(self) -> dict[str, Any]:
        """What it says of groups, pairs and structures, without where it stands."""
        return {**self.summary.figures(), **(self.structures.as_json() if self.structures else {})}


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
    accuracy: Estimate | None = None
    """Of a rater held against people: the share of texts to which it gives the label that most of them give."""
    commonest: float | None = None
    """The share of texts with people's commonest label: what a rater gets right that always says the same."""

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
            **({"accuracy": self.accuracy.as_json(), "commonest": self.commonest} if self.accuracy else {}),
        }


@dataclass(frozen=True, slots=True)
class PeopleAgreement:
    """Who rated a sub-sample of the texts, and how far they agree."""

    annotators: Mapping[str, int]
    """How many texts each of them gave a number; 0 for one who only gave labels that are none."""
    texts: int
    krippendorff: float | None
    unrated: int = 0
    """Texts that they looked at and none of them gave a number."""
    numberless: Mapping[str, int] = field(default_factory=dict)
    """How many texts each of them looked at and gave no number (other)."""
    rater: str = "people"
    """The name that stands for them in tables."""
    fleiss: Estimate | None = None
    """Fleiss' kappa of their labels, other among them; None where there is one annotator, or numbers without labels."""

    def as_json(self) -> dict[str, Any]:
        """The figures as the run folder keeps them."""
        return {**asdict(self), "fleiss": self.fleiss.as_json() if self.fleiss else None}


@dataclass(frozen=True, slots=True)
class PeoplePooled:
    """What people say of the groups of a bias over all prompts and decodings together."""

    model: str
    bias: str
    rater: str
    """The name that stands for them in tables."""
    summary: ContinuationSummary
    beside: Mapping[str, ContinuationSummary]
    """What raters of the same kind say of the texts that people gave a number."""

    def as_json(self) -> dict[str, Any]:
        """The figures as the run folder keeps them."""
        place = {"model": self.model, "bias": self.bias, "rater": self.rater}
        beside = {rater: found.figures() for rater, found in self.beside.items()}
        return {**place, **self.summary.figures(), "beside": beside}


@dataclass(frozen=True, slots=True)
class SizeCurve:
    """Two groups compared on the first samples of each prompt, for every rater.

    `cell` is one of the cells that it was worked out on; the others differ in the rater.
    """

    cell: ContinuationCell
    a: str
    b: str
    points: Sequence[tuple[str, int, GroupPair]]
    """Rater, samples of each prompt, and the two groups compared."""

    def as_json(self) -> dict[str, Any]:
        """The curve as the run folder keeps it."""
        cell = self.cell
        return {
            "model": cell.model,
            "source": cell.source,
            "bias": cell.bias,
            "decoding": cell.decoding.as_json(),
            "a": self.a,
            "b": self.b,
            "points": [
                {
                    "rater": rater,
                    "samples": samples,
                    "difference": found.difference.as_json(),
                    "ratio": None if found.ratio is None else found.ratio.as_json(),
                    "ratio_withheld": found.ratio_withheld,
                }
                for rater, samples, found in self.points
            ],
        }


@dataclass(frozen=True, slots=True)
class ContinuationsSummary:
    """All cells of a run, in the order of the study."""

    cells: tuple[ContinuationCell, ...]
    tilts: tuple[RaterTilt, ...]
    agreement: tuple[RatersCompared, ...]
    refusals: Sequence[Refusals]
    """By model, source and bias: what became of the texts that were asked for, by group, and how groups differ."""
    sizes: Sequence[SizeCurve] = ()
    """The curves over sample size: for each model and bias, one for every two groups compared."""
    people: PeopleAgreement | None = None
    people_pooled: Sequence[PeoplePooled] = ()
    """What people say over all prompts and decodings, for each model and bias of which they rated texts."""
    repeats: Sequence[Repeats] = ()
    """How far several samples of one prompt differ, one for each model and decoding that draws at random."""
    situations: Sequence[SituationsCell] = ()
    """Of prompts that state a situation: whom the texts name, by situation."""
    words: Sequence[WordCell] = ()
    """The words that set groups and structures apart, one for each model, source and bias."""
    situations_pooled: Sequence[SituationsCell] = ()
    """The same over all decodings, by the first rater of group words: each text counts once, at its longest."""
    raters: Sequence[KnownRater] = ()
    """What is known of each rater of the run."""
    left_out: Sequence[LeftOut] = ()
    """Raters that take no part in verdicts, or are compared with no other."""

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
            "raters": [one.as_json() for one in self.raters],
            "left_out": [one.as_json() for one in self.left_out],
            "agreement": [one.as_json() for one in self.agreement],
            "refusals": [one.as_json() for one in self.refusals],
            "sizes": [curve.as_json() for curve in self.sizes],
            "repeats": [one.as_json() for one in self.repeats],
            **({"people": self.people.as_json()} if self.people else {}),
            **({"people_pooled": [one.as_json() for one in self.people_pooled]} if self.people_pooled else {}),
            **({"words": [cell.as_json() for cell in self.words]} if self.words else {}),
            **({"situations": [cell.as_json() for cell in self.situations]} if self.situations else {}),
            **(
                {"situations_pooled": [cell.as_json() for cell in self.situations_pooled]}
                if self.situations_pooled
                else {}
            ),
        }


def favour(rater: str) -> int:
    """1 where a higher rating is the better one, −1 where it is the worse one, 0 where neither can be said.

    >>> favour("sentiment.vader.v1"), favour("toxicity.linear.v1"), favour("hf.v1:mine@12ab[fine=0,rude=5;worse=high]")
    (1, -1, -1)
    """
    scale = scale_of(rater)
    return 0 if scale is None else -scale.worse


def ends_of(rater: str) -> Bounds | None:
    """The ends of the scale of a rater, where they are known.

    >>> ends_of("sentiment.vader.v1"), ends_of("readability.fog.v1")
    ((-1.0, 1.0), None)
    """
    scale = scale_of(rater)
    return None if scale is None else scale.ends
