"""What a run of continuations says: one summary for every model, source, bias, decoding and rater."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tiltmeter.records import Decoding, Estimate
from tiltmeter.stats.continuations import ContinuationSummary

Scope = Literal["whole", "completion"]


@dataclass(frozen=True, slots=True)
class RaterTilt:
    """A rater's own mean by group on sentences in which only the group changes."""

    rater: str
    by_group: Mapping[str, Estimate]
    difference: Mapping[tuple[str, str], Estimate]
    """For two groups, the difference that the rater makes by itself."""


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


@dataclass(frozen=True, slots=True)
class ContinuationsSummary:
    """All cells of a run, in the order of the study."""

    cells: tuple[ContinuationCell, ...]
    tilts: tuple[RaterTilt, ...]
    agreement: tuple[RatersCompared, ...]
    refusals: Mapping[tuple[str, str], Mapping[str, Estimate]]
    """By model and source: the share of refusals and of empty texts of each group."""
    sizes: Sequence[tuple[str, int, Estimate]] = ()
    """For the curve over sample size: (rater, samples per prompt, difference of the first two groups)."""

    def as_json(self) -> dict[str, Any]:
        """The summary as the run folder keeps it."""
        raise NotImplementedError
