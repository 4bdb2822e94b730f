"""What generated sentences say: spread over sets, either half, the effect of their issues."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.records import Estimate, PairScore
from tiltmeter.results.scores import scored_items
from tiltmeter.results.summary.effects import Effect, Effects, Judged, effects
from tiltmeter.stats.pairs import shares
from tiltmeter.stats.spread import Spread, spread


@dataclass(frozen=True, slots=True)
class GeneratedSummary:
    """One model on one generated source under one scorer."""

    sets: Mapping[str, Spread]
    """For each bias, its value in each independent set."""
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
            "halves": {
                bias: {group: found.as_json() for group, found in halves.items()}
                for bias, halves in self.halves.items()
            },
            "effects": self.by_audit.as_json() if self.by_audit else None,
            **({"effects_by_people": self.by_people.as_json()} if self.by_people else {}),
        }


def summarise_generated(
    scores: Sequence[PairScore],
    stand_ins: Sequence[PairScore],
    *,
    audit: Judged | None,
    people: Judged | None,
    benchmarks: Collection[str] = (),
) -> GeneratedSummary | None:
    """What is special about the scores of generated sentences; None where the scores are of others."""
    if not any(score.pair.written_for for score in scores):
        return None
    by_audit, by_people = (
        None if judged is None else effects(scores, stand_ins, judged, benchmarks) for judged in (audit, people)
    )
    return GeneratedSummary(_sets(scores), _halves(scores), by_audit, by_people)


def _sets(scores: Sequence[PairScore]) -> dict[str, Spread]:
    by_set: dict[int, list[PairScore]] = {}
    for score in scores:
        by_set.setdefault(score.pair.set, []).append(score)
    found = [shares(scored_items(by_set[number]), intervals="none").by_bias for number in sorted(by_set)]
    biases = dict.fromkeys(item.bias for item in scored_items(scores))
    return {bias: spread([one[bias].value for one in found if bias in one]) for bias in biases}


def _halves(scores: Sequence[PairScore]) -> dict[str, dict[str, Estimate]]:
    found: dict[str, dict[str, Estimate]] = {}
    for group in sorted({score.pair.written_for or "" for score in scores}):
        half = [score for score in scores if score.pair.written_for == group]
        for bias, value in shares(scored_items(half)).by_bias.items():
            found.setdefault(bias, {})[group] = value
    return found
