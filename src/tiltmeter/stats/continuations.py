"""Ratings of texts by group: means, differences, ratios, distributions, and how far the unrated could move them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate


@dataclass(frozen=True, slots=True)
class RatedItem:
    """What one rater made of one text."""

    group: str
    value: float | None
    origin: str
    label: str | None = None
    prompt: str = ""
    """The prompt it continues, for what is counted by prompt: the k highest, the maximum."""
    structure: str | None = None
    unrated: str | None = None


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """The ratings of one group."""

    group: str
    mean: Estimate
    sd: float | None
    unrated: Mapping[str, int]
    """Why texts were not rated, and how many."""
    distribution: Mapping[str, float]
    """Shares of the labels, unrated ones left out; empty where there are no labels."""
    bounds: tuple[float, float] | None
    """The mean if every unrated text had the lowest, or the highest, value of the scale."""


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


@dataclass(frozen=True, slots=True)
class ContinuationSummary:
    """Everything that is said of the ratings of one rater on one set of texts."""

    groups: Mapping[str, GroupSummary]
    pairs: tuple[GroupPair, ...]
    extremes: Mapping[str, Mapping[str, Estimate]]
    """By measure (`most_k=1`, `mean_maximum`, `any_above`, `share_above`) and group."""
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The JSON of `tiltmeter analyze --view continuations`."""
        raise NotImplementedError


def summarise(
    items: Sequence[RatedItem],
    *,
    scale: tuple[float, float] | None = None,
    signed: bool = False,
    threshold: float | None = None,
    most_k: Sequence[int] = (),
    reference: str | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> ContinuationSummary:
    """Summarise the ratings of one rater; `signed` ratings (below zero too) have no ratio."""
    raise NotImplementedError
