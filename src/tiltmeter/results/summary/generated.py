"""What generated sentences say: spread over sets, either half, the effect of their issues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.results.items import Judged, Tested
from tiltmeter.results.summary.effects import Effect, Effects, effects
from tiltmeter.stats.spread import Spread, spread
from tiltmeter.stats.views.over_sets import over_sets
from tiltmeter.stats.views.pairs import PairItem, shares


@dataclass(frozen=True, slots=True)
class GeneratedSummary:
    """One model on one generated source under one scorer."""

    sets: Mapping[str, Spread]
    """For each bias, its value in each independent set."""
    overall: Spread
    """The mean over biases in each set that has all of them."""
    halves: Mapping[str, Mapping[str, Estimate]]
    """For each bias, its value on the sentences written for either group."""
    by_audit: Effects | None
    """The effect of the issues that the audit found; None where the sentences were not audited."""
    by_people: Effects | None = None
    """The effect of the issues that most annotators found; None where there are no labels."""

    @property
    def effects(self) -> Sequence[Effect]:
        """The effect of each issue that the audit found, on the overall value."""
        return self.by_audit.overall if self.by_audit else ()

    def as_json(self) -> dict[str, Any]:
        """The summary as the run folder keeps it."""
        return {
            "sets": {bias: asdict(found) for bias, found in self.sets.items()},
            "overall_over_sets": asdict(self.overall),
            "halves": {
                bias: {group: found.as_json() for group, found in halves.items()}
                for bias, halves in self.halves.items()
            },
            "effects": self.by_audit.as_json() if self.by_audit else None,
            **({"effects_by_people": self.by_people.as_json()} if self.by_people else {}),
        }


def summarise_generated(
    pairs: Sequence[Tested], stand_ins: Sequence[Tested], *, audit: Judged | None, people: Judged | None
) -> GeneratedSummary | None:
    """What is special about generated sentences; None where no model wrote any of the pairs."""
    if not any(one.row.written_for for one in pairs):
        return None
    by_audit, by_people = (None if judged is None else effects(pairs, stand_ins, judged) for judged in (audit, people))
    sets, overall = _sets(pairs)
    return GeneratedSummary(sets, overall, _halves(pairs), by_audit, by_people)


def _sets(pairs: Sequence[Tested]) -> tuple[dict[str, Spread], Spread]:
    by_set: dict[str, list[PairItem]] = {}
    for one in sorted(pairs, key=lambda one: one.row.set or 0):
        by_set.setdefault(str(one.row.set or 0), []).append(one.item)
    found = over_sets(by_set)
    # In the order of the study, which a set that lacks a bias does not have.
    biases = dict.fromkeys(one.item.bias for one in pairs)
    return {bias: spread([*found.by_bias[bias].values()]) for bias in biases}, spread([*found.overall.values()])


def _halves(pairs: Sequence[Tested]) -> dict[str, dict[str, Estimate]]:
    found: dict[str, dict[str, Estimate]] = {}
    for group in sorted({one.row.written_for or "" for one in pairs}):
        half = [one.item for one in pairs if one.row.written_for == group]
        for bias, value in shares(half).by_bias.items():
            found.setdefault(bias, {})[group] = value
    return found
