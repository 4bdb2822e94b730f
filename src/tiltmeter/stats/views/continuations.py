"""Ratings of texts by group: means, differences, ratios, distributions, and how far the unrated could move them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import adjust, is_number
from tiltmeter.stats.pooled import Pooled, Summed
from tiltmeter.stats.scales import Bounds, Scale, scale_of
from tiltmeter.stats.views.continuation_notes import notes_on
from tiltmeter.stats.views.divergence import divergence, label_counts, label_names, shares
from tiltmeter.stats.views.extremes import SIGNED, ExtremePair, extremes

MOST_GROUPS = 300
"""Of more, not every two are compared: a thousand groups make half a million comparisons."""

NOT_A_NUMBER = "the rating is not a number"
NO_REASON = "no reason was given"


@dataclass(frozen=True, slots=True)
class RatedItem:
    """What one rater made of one text; of very many texts, of all that differ in nothing else here: their sum."""

    group: str
    value: float | None
    origin: str
    label: str | None = None
    prompt: str = ""
    """The prompt it continues, for what is counted by prompt: the k highest, the maximum."""
    structure: str | None = None
    """The form of its sentence; texts with two and more of these are uncertain both ways: see `stats.pooled`."""
    unrated: str | None = None
    n: int = 1
    squares: float = 0.0
    """Of a sum: the squares about its own mean, added up."""
    ends: Bounds | None = None
    """Of a sum: its lowest and its highest rating."""

    @property
    def rated(self) -> bool:
        """Whether there is a number; NaN is none."""
        return is_number(self.value)

    @property
    def within(self) -> Bounds:
        """Between which ratings the texts lie; not numbers where there is none."""
        value = math.nan if self.value is None else self.value
        return self.ends or (value, value)


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """The ratings of one group; the mean is over texts, and `sd` is the standard deviation of these very texts."""

    group: str
    mean: Estimate
    sd: float | None
    unrated: Mapping[str, int]
    """Why texts were not rated, and how many."""
    distribution: Mapping[str, float]
    """Shares of the labels, unrated ones left out; empty where there are no labels."""
    bounds: Bounds | None
    """The mean if every unrated text had the lowest, or the highest, value of the scale."""

    def as_json(self) -> dict[str, Any]:
        """The figures of the group; `mean` is a number, `estimate` the same with its interval."""
        texts = self.mean.n + self.mean.n_unscored
        return {
            "mean": self.mean.value,
            "sd": self.sd,
            "n": self.mean.n,
            "n_unscored": self.mean.n_unscored,
            "share_unscored": self.mean.n_unscored / texts if texts else None,
            "unscored": dict(self.unrated),
            "bounds": None if self.bounds is None else list(self.bounds),
            "distribution": dict(self.distribution),
            "estimate": self.mean.as_json(),
        }


@dataclass(frozen=True, slots=True)
class GroupPair:
    """Two groups compared: a − b, a / b, and the divergence of their labels."""

    a: str
    b: str
    difference: Estimate
    ratio: Estimate | None
    ratio_withheld: str | None
    kl_ab: float | None
    kl_ba: float | None
    kl_smoothed: bool = False
    bounds: Bounds | None = None
    """The difference if the unrated texts of one group had the lowest and those of the other the highest value."""

    def as_json(self) -> dict[str, Any]:
        """The figures of the pair."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": self.difference.as_json(),
            "bounds": None if self.bounds is None else list(self.bounds),
            "ratio": None if self.ratio is None else self.ratio.as_json(),
            "ratio_withheld": self.ratio_withheld,
            "kl_ab": self.kl_ab,
            "kl_ba": self.kl_ba,
            "kl_smoothed": self.kl_smoothed,
        }


@dataclass(frozen=True, slots=True)
class ContinuationSummary:
    """Everything that is said of the ratings of one rater on one set of texts."""

    groups: Mapping[str, GroupSummary]
    pairs: tuple[GroupPair, ...]
    extremes: Mapping[str, Mapping[str, Estimate]]
    """By measure (`most_k=1`, `mean_maximum`, `any_above`, `share_above`) and group."""
    notes: tuple[str, ...]
    extreme_pairs: Mapping[str, tuple[ExtremePair, ...]] = field(default_factory=dict)
    """The same measures compared between groups."""
    threshold: float | None = None
    """What `any_above` and `share_above` are above."""

    @property
    def n_comparisons(self) -> int:
        """How many p-values there are, and so what they were adjusted for."""
        return sum(pair.difference.p is not None for pair in self.pairs)

    @property
    def n_extreme_comparisons(self) -> int:
        """The same of the measures of the far end, whose p-values are adjusted among themselves."""
        return sum(pair.difference.p is not None for pairs in self.extreme_pairs.values() for pair in pairs)

    def pair(self, a: str, b: str) -> GroupPair:
        """The comparison of two groups, in that order."""
        return next(pair for pair in self.pairs if (pair.a, pair.b) == (a, b))

    def figures(self) -> dict[str, Any]:
        """Groups and pairs alone, for a part of the texts."""
        return {
            "groups": {name: group.as_json() for name, group in self.groups.items()},
            "pairs": [pair.as_json() for pair in self.pairs],
        }

    def as_json(self) -> dict[str, Any]:
        """The JSON of `tiltmeter analyze texts`."""
        return {
            "view": "continuations",
            **self.figures(),
            "extremes": {
                measure: {group: found.as_json() for group, found in by_group.items()}
                for measure, by_group in self.extremes.items()
            },
            "extreme_pairs": {
                measure: [pair.as_json() for pair in pairs] for measure, pairs in self.extreme_pairs.items()
            },
            "threshold": self.threshold,
            "n_comparisons": self.n_comparisons,
            "notes": list(self.notes),
        }


def summarise(
    items: Sequence[RatedItem],
    *,
    scale: Bounds | Scale | None = None,
    signed: bool = False,
    threshold: float | None = None,
    most_k: Sequence[int] = (),
    reference: str | None = None,
    labels: Sequence[str] | None = None,
    level: float = 0.95,
) -> ContinuationSummary:
    """Summarise the ratings of one rater; `signed` ratings (below zero too) have no ratio.

    Without a `scale` it is worked out from the values, and without `labels` the cells of the distributions are. Where
    the texts have several structures, means and pairs are uncertain over origins and structures, the rest over origins.

    >>> items = [RatedItem("a", 0.5, "x"), RatedItem("a", 0.25, "y"), RatedItem("b", 0.25, "x")]
    >>> summarise(items).pairs[0].difference.value
    0.125
    """
    by_group: dict[str, list[RatedItem]] = defaultdict(list)
    for item in items:
        by_group[item.group].append(item)
    ends = scale_of([end for item in items if item.rated for end in item.within], scale)
    known = None if ends is None else ends.ends
    signed = signed or (ends is not None and ends.signed)
    names = tuple(labels) if labels is not None else label_names([item.label for item in items if item.rated])
    texts, structures = [(item.group, item.value, item.origin) for item in items], [item.structure for item in items]
    within = np.array([item.within for item in items], dtype=np.float64).reshape(-1, 2).T
    summed = Summed(np.array([item.n for item in items], dtype=np.float64), *within)
    means = Pooled(texts, structures=structures, summed=summed, level=level, scale=known)
    counts = {
        group: label_counts([(item.label, item.n) for item in found if item.rated], names)
        for group, found in by_group.items()
    }
    groups = {group: _group(group, found, means.mean(group), counts[group], ends) for group, found in by_group.items()}
    compared = pairs_of_groups(list(groups), reference)
    pairs = _adjusted(_pair(means, groups[a], groups[b], (counts[a], counts[b]), signed) for a, b in compared)
    prompted = [(item.group, item.value, item.origin, item.prompt) for item in items]
    far = extremes(
        prompted,
        threshold=threshold,
        most_k=most_k,
        pairs=compared,
        signed=signed,
        level=level,
        scale=known,
    )
    summary = ContinuationSummary(groups, pairs, far.groups, (), far.pairs, threshold)
    inferred = ends if scale is None else None
    return replace(summary, notes=tuple(notes_on(summary, inferred, both_ways=means.over_structures)))


def pairs_of_groups(groups: Sequence[str], reference: str | None = None) -> list[tuple[str, str]]:
    """Every two groups, in the order given; with a reference, each other group against it.

    >>> pairs_of_groups(["a", "b", "c"], "a")
    [('b', 'a'), ('c', 'a')]
    """
    if reference is None:
        if len(groups) > MOST_GROUPS:
            raise UserError(
                f"{len(groups):,} groups make {math.comb(len(groups), 2):,} comparisons, and more than {MOST_GROUPS} "
                "groups are compared only with one of them: name it with `--reference`, in a study under `reference`; "
                "or is this the wrong column?"
            )
        return list(combinations(groups, 2))
    if reference not in groups:
        raise UnknownName("group", reference, groups)
    return [(group, reference) for group in groups if group != reference]


def _group(
    group: str, items: Sequence[RatedItem], mean: Estimate, counts: Mapping[str, int], scale: Scale | None
) -> GroupSummary:
    rated = [(item, item.value) for item in items if item.value is not None and item.rated]
    sd = None
    if mean.value is not None:
        centre = mean.value
        spread = math.fsum(item.squares + item.n * (total / item.n - centre) ** 2 for item, total in rated)
        sd = math.sqrt(spread / sum(item.n for item, _ in rated))
    unrated: Counter[str] = Counter()
    for item in items:
        if not item.rated:
            unrated[item.unrated or (NO_REASON if item.value is None else NOT_A_NUMBER)] += item.n
    bounds = _bounds([total for _, total in rated], sum(unrated.values()), mean.n, scale)
    return GroupSummary(group, mean, sd, unrated, shares(counts), bounds)


def _bounds(totals: Sequence[float], unrated: int, rated: int, scale: Scale | None) -> Bounds | None:
    texts = rated + unrated
    if scale is None or not texts:
        return None
    total = math.fsum(totals)
    low, high = ((total + unrated * end) / texts for end in (scale.low, scale.high))
    return low, high


def _pair(
    means: Pooled,
    a: GroupSummary,
    b: GroupSummary,
    counts: tuple[Mapping[str, int], Mapping[str, int]],
    signed: bool,
) -> GroupPair:
    ratio, withheld = (None, SIGNED) if signed else means.ratio(a.group, b.group)
    apart = divergence(*counts)
    bounds = None if a.bounds is None or b.bounds is None else (a.bounds[0] - b.bounds[1], a.bounds[1] - b.bounds[0])
    difference = means.difference(a.group, b.group)
    return GroupPair(
        a.group, b.group, difference, ratio, withheld, apart.ab, apart.ba, kl_smoothed=apart.smoothed, bounds=bounds
    )


def _adjusted(pairs: Iterable[GroupPair]) -> tuple[GroupPair, ...]:
    found = list(pairs)
    adjusted = adjust({str(index): pair.difference for index, pair in enumerate(found)})
    return tuple(replace(pair, difference=adjusted[str(index)]) for index, pair in enumerate(found))
