"""What generated sentences say: spread over sets, either half, the effect of their issues, templates beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.records import Estimate, PairScore
from tiltmeter.stats.pairs import PairSummary
from tiltmeter.stats.spread import Spread, spearman, spread

ISSUES = ("I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8")


@dataclass(frozen=True, slots=True)
class Effect:
    """What removing the sentences with an issue does to the overall share of stereotyped choices."""

    issue: str
    """`any`, or one of I1 to I8."""
    flagged: int
    pairs: int
    before: Estimate
    after: Estimate
    attributes_lost: int
    """Attributes of which no sentence is left; they are missing from `after`."""

    @property
    def change(self) -> float | None:
        """After minus before, in points of share."""
        if self.before.value is None or self.after.value is None:
            return None
        return self.after.value - self.before.value

    @property
    def relative(self) -> float | None:
        """The change as a share of the value before: 55.2 → 54.3 is −1.6 %, as the paper counts it."""
        return self.change / self.before.value if self.change is not None and self.before.value else None


@dataclass(frozen=True, slots=True)
class GeneratedSummary:
    """One model on one generated source under one scorer."""

    sets: Mapping[str, Spread]
    """For each bias, its value in each independent set."""
    halves: Mapping[str, Mapping[str, Estimate]]
    """For each bias, its value on the sentences written for either group."""
    effects: Sequence[Effect]
    """Empty where the sentences were not audited."""

    def as_json(self) -> dict[str, Any]:
        """The summary as the run folder keeps it."""
        return {
            "sets": {bias: asdict(found) for bias, found in self.sets.items()},
            "halves": {
                bias: {group: found.as_json() for group, found in halves.items()}
                for bias, halves in self.halves.items()
            },
            "effects": [
                {
                    "issue": one.issue,
                    "flagged": one.flagged,
                    "pairs": one.pairs,
                    "before": one.before.as_json(),
                    "after": one.after.as_json(),
                    "change": one.change,
                    "relative": one.relative,
                    "attributes_lost": one.attributes_lost,
                }
                for one in self.effects
            ],
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sources on the same biases, under the same model and scorer."""

    model: str
    scorer: str
    first: str
    second: str
    biases: Mapping[str, tuple[float | None, float | None]]
    correlation: float | None
    n: int

    def as_json(self) -> dict[str, Any]:
        """The comparison as the run folder keeps it."""
        return asdict(self)


class Summariser:
    """Given how to summarise scores, summarises what is special about generated ones."""

    def __init__(self, summarise: Any, findings: Mapping[str, Sequence[tuple[str, str]]]) -> None:
        self._summarise, self._findings = summarise, findings

    def summary(self, scores: Sequence[PairScore]) -> GeneratedSummary | None:
        """None where the scores are not of generated sentences."""
        if not any(score.pair.written_for for score in scores):
            return None
        whole: PairSummary = self._summarise(scores)
        numbers = sorted({score.pair.set for score in scores})
        by_set = [self._summarise([score for score in scores if score.pair.set == number]) for number in numbers]
        return GeneratedSummary(
            sets={
                bias: spread([one.by_bias[bias].value for one in by_set if bias in one.by_bias])
                for bias in whole.by_bias
            },
            halves=self._halves(scores, list(whole.by_bias)),
            effects=self._effects(scores, whole) if self._findings else (),
        )

    def _halves(self, scores: Sequence[PairScore], biases: Sequence[str]) -> dict[str, dict[str, Estimate]]:
        found: dict[str, dict[str, Estimate]] = {bias: {} for bias in biases}
        for group in sorted({score.pair.written_for or "" for score in scores}):
            part = self._summarise([score for score in scores if score.pair.written_for == group])
            for bias, value in part.by_bias.items():
                found[bias][group] = value
        return found

    def _effects(self, scores: Sequence[PairScore], whole: PairSummary) -> list[Effect]:
        issues = {score.pair.id: {issue for issue, _ in self._findings.get(score.pair.id, ())} for score in scores}
        cells = {(score.pair.bias, score.pair.attribute) for score in scores}
        effects = []
        for issue in ("any", *ISSUES):
            kept = [
                score
                for score in scores
                if not (issues[score.pair.id] if issue == "any" else issue in issues[score.pair.id])
            ]
            left = {(score.pair.bias, score.pair.attribute) for score in kept}
            after = self._summarise(kept).overall if kept else Estimate(None, note="nothing is left")
            flagged = len(scores) - len(kept)
            effects.append(Effect(issue, flagged, len(scores), whole.overall, after, len(cells - left)))
        return effects


def compare_sources(
    model: str, scorer: str, first: tuple[str, PairSummary], second: tuple[str, PairSummary]
) -> Comparison:
    """The biases that two sources share, side by side, with the rank correlation over them."""
    shared = [bias for bias in first[1].by_bias if bias in second[1].by_bias]
    values = {bias: (first[1].by_bias[bias].value, second[1].by_bias[bias].value) for bias in shared}
    correlation, n = spearman([one for one, _ in values.values()], [other for _, other in values.values()])
    return Comparison(model, scorer, first[0], second[0], values, correlation, n)
