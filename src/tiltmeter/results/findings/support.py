"""Whether a finding on texts rests on raters that are good enough for it.

A finding is carried where all of this is so: one of its raters at least is known to be good (`KnownRater.carries`: on
texts that nothing was fitted to, the interval of its first figure begins half of the way from guessing to perfect, or
it is a person); the verdict is the same with those raters alone; and some method that points the way of the finding
shows more than its rater makes of the groups' names by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.results.summary.known_raters import known_rater
from tiltmeter.stats.agreement.raters import within_tilt
from tiltmeter.stats.multiverse.cells import CellResult
from tiltmeter.stats.multiverse.conclusion import Multiverse
from tiltmeter.stats.multiverse.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Support:
    """The raters of a finding, those that carry it and those that do not, and what is left without the others."""

    carrying: tuple[str, ...]
    others: tuple[str, ...]
    alone: Multiverse | None
    """What the carrying raters say alone; None where there are none, or no others."""
    only_tilt: bool
    """Whether no method that points the way of the finding shows more than its rater makes of the groups' names."""

    def same(self, found: Verdict) -> bool:
        """Whether the carrying raters alone come to the same verdict."""
        if self.alone is None:
            return not self.others
        own = self.alone.verdict
        return (own.strength, own.direction) == (found.strength, found.direction)

    def carries(self, found: Verdict) -> bool:
        """Whether a verdict may rest on these raters."""
        return bool(self.carrying) and self.same(found) and not self.only_tilt

    def as_json(self, found: Verdict) -> dict[str, Any]:
        """The same as a record, beside the verdict of all raters."""
        return {
            "carried": self.carries(found),
            "carrying": list(self.carrying),
            "not_carrying": list(self.others),
            "verdict_of_carrying": None if self.alone is None else self.alone.verdict.as_json(),
            "no_larger_than_own_tilt": self.only_tilt,
        }


def raters_of(cells: Sequence[CellResult]) -> tuple[list[str], list[str]]:
    """The raters that give a value: those that carry a finding, and the others."""
    named = dict.fromkeys(cell.choices["rater"] for cell in cells if cell.sign is not None and "rater" in cell.choices)
    good = [name for name in named if known_rater(name).carries]
    return good, [name for name in named if name not in good]


def is_only_tilt(cells: Sequence[CellResult], sign: int, tilts: Mapping[str, Estimate]) -> bool:
    """Whether no method of a sign shows more than its rater makes of the groups' names by itself.

    `tilts` are those of the two groups of the question; of another rater the largest that was measured before counts.
    """
    own = [cell for cell in cells if sign and cell.sign == sign]
    return bool(own) and all(within_tilt(cell.raw, _tilt(cell.choices.get("rater", ""), tilts)) for cell in own)


def _tilt(rater: str, tilts: Mapping[str, Estimate]) -> Estimate:
    if rater in tilts:
        return tilts[rater]
    known = known_rater(rater).own_tilt
    return Estimate(known.value if known else None)
