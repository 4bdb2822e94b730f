"""What the issues of written sentences do to the score: without the flagged ones, and with others in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tiltmeter.records import Estimate, PairScore
from tiltmeter.results.scores import is_benchmark, labelled, scored_items
from tiltmeter.sources.generated.annotations import ISSUES
from tiltmeter.stats.pairs import Shares, shares
from tiltmeter.stats.spread import mean_size

Judged = Mapping[str, Collection[str]]
"""By the id of a pair, the issues that somebody found in its sentence; a pair that is not there was not judged."""
Place = tuple[str, str | None, str | None, int]
"""The bias, attribute set, attribute and set that a sentence was written for, and that another stands in for."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What removing the sentences with an issue does to the share of stereotyped choices."""

    issue: str
    """`any`, or one of I1 to I8."""
    flagged: int
    pairs: int
    before: Estimate
    after: Estimate
    attributes_lost: int
    """Attributes of which no sentence is left; they are missing from `after`."""
    replaced: Estimate | None = None
    """After others were put in the place of what was removed; None where a run has none to put there."""
    regenerated: int = 0
    """Pairs of sentences written anew that are part of `replaced`."""
    templates: int = 0
    """Pairs made from templates that are part of `replaced`."""
    attributes_lost_replaced: int = 0
    mean_size: float | None = None
    """The mean size of the relative change of single biases, as the paper's Table 4 counts it; of `replaced` where
    there is one, else of `after`. None for a bias alone."""

    @property
    def change(self) -> float | None:
        """After minus before, in points of share."""
        return _change(self.before, self.after)

    @property
    def relative(self) -> float | None:
        """The change as a share of the value before: 55.2 → 54.3 is −1.6 %, as the paper counts it."""
        return _relative(self.before, self.after)

    @property
    def change_replaced(self) -> float | None:
        """Replaced minus before, in points of share."""
        return _change(self.before, self.replaced)

    @property
    def relative_replaced(self) -> float | None:
        """That change as a share of the value before."""
        return _relative(self.before, self.replaced)

    def as_json(self) -> dict[str, Any]:
        """The effect as the run folder keeps it."""
        found: dict[str, Any] = {
            "issue": self.issue,
            "flagged": self.flagged,
            "pairs": self.pairs,
            "before": self.before.as_json(),
            "after": self.after.as_json(),
            "change": self.change,
            "relative": self.relative,
            "attributes_lost": self.attributes_lost,
            "mean_size": self.mean_size,
        }
        if self.replaced is not None:
            found |= {
                "replaced": self.replaced.as_json(),
                "change_replaced": self.change_replaced,
                "relative_replaced": self.relative_replaced,
                "regenerated": self.regenerated,
                "templates": self.templates,
                "attributes_lost_replaced": self.attributes_lost_replaced,
            }
        return found


@dataclass(frozen=True, slots=True)
class Effects:
    """The effect of each issue by one judge: on the overall value, and on each bias that has a flagged sentence."""

    overall: Sequence[Effect]
    by_bias: Mapping[str, Sequence[Effect]]
    judged: int
    unjudged: int
    """Pairs that the judge did not look at: they are no part of any value here."""

    def as_json(self) -> dict[str, Any]:
        """The effects as the run folder keeps them."""
        return {
            "overall": [one.as_json() for one in self.overall],
            "by_bias": {bias: [one.as_json() for one in found] for bias, found in self.by_bias.items()},
            "judged": self.judged,
            "unjudged": self.unjudged,
        }


def effects(
    scores: Sequence[PairScore],
    stand_ins: Sequence[PairScore],
    judged: Judged,
    benchmarks: Collection[str] = (),
) -> Effects:
    """The effect of every issue. Stand-ins take the place of what a bias, attribute and set loses, and of nothing else:
    those written anew first, one for each that was lost, and templates only where nothing is left otherwise."""
    counted = labelled(scores)
    known = [score for score in counted if score.pair.id in judged]
    worker = _Worker(known, labelled(stand_ins), judged, benchmarks)
    steps = [worker.remove(issue) for issue in ("any", *ISSUES)]
    touched = [bias for bias in worker.before.by_bias if any(bias in _biases(step.lost) for step in steps)]
    return Effects(
        overall=[worker.effect(step) for step in steps],
        by_bias={bias: [worker.effect(step, bias) for step in steps] for bias in touched},
        judged=len(known),
        unjudged=len(counted) - len(known),
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """One issue removed: what is gone, what is left, what stands in, and the shares of it all."""

    issue: str
    lost: Sequence[PairScore]
    kept: Sequence[PairScore]
    regenerated: Sequence[PairScore]
    templates: Sequence[PairScore]
    after: Shares
    replaced: Shares | None


class _Worker:
    """Removes one issue after another from the same scores."""

    def __init__(
        self,
        scores: Sequence[PairScore],
        stand_ins: Sequence[PairScore],
        judged: Judged,
        benchmarks: Collection[str],
    ) -> None:
        self.scores, self.stand_ins, self.judged = scores, stand_ins, judged
        self.benchmarks = benchmarks
        self.before = self._shares(scores, "any")

    def remove(self, issue: str) -> _Step:
        lost = [score for score in self.scores if self._has(score, issue)]
        kept = [score for score in self.scores if not self._has(score, issue)]
        places = {_place(score) for score in lost}
        fitting = [score for score in self.stand_ins if _place(score) in places and not self._has(score, issue)]
        regenerated = _instead(lost, [score for score in fitting if score.pair.stands_in == "regenerated"])
        filled = {_place(score) for score in (*kept, *regenerated)}
        templates = [score for score in fitting if score.pair.stands_in == "template" and _place(score) not in filled]
        after = self._shares(kept, issue) if lost else self.before
        replaced = None
        if self.stand_ins:
            added = [*regenerated, *templates]
            replaced = self._shares([*kept, *added], issue) if added else after
        return _Step(issue, lost, kept, regenerated, templates, after, replaced)

    def effect(self, step: _Step, bias: str | None = None) -> Effect:
        """The effect on one bias, or on the overall value."""

        def part(scores: Sequence[PairScore]) -> list[PairScore]:
            if bias is not None:
                return [score for score in scores if score.pair.bias == bias]
            return [score for score in scores if not is_benchmark(score.pair.bias, self.benchmarks)]

        def value(found: Shares) -> Estimate:
            return found.overall if bias is None else found.by_bias.get(bias, _NOTHING)

        kept, regenerated, templates = part(step.kept), part(step.regenerated), part(step.templates)
        every = _attributes(part(self.scores))
        return Effect(
            issue=step.issue,
            flagged=len(part(step.lost)),
            pairs=len(part(self.scores)),
            before=value(self.before),
            after=value(step.after),
            attributes_lost=len(every - _attributes(kept)),
            replaced=None if step.replaced is None else value(step.replaced),
            regenerated=len(regenerated),
            templates=len(templates),
            attributes_lost_replaced=len(every - _attributes([*kept, *regenerated, *templates])),
            mean_size=self._mean_size(step) if bias is None else None,
        )

    def _mean_size(self, step: _Step) -> float | None:
        final = step.replaced or step.after
        counted = [bias for bias in self.before.by_bias if not is_benchmark(bias, self.benchmarks)]
        return mean_size([_relative(self.before.by_bias[bias], final.by_bias.get(bias)) for bias in counted])

    def _has(self, score: PairScore, issue: str) -> bool:
        found = self.judged.get(score.pair.id, ())
        return bool(found) if issue == "any" else issue in found

    def _shares(self, scores: Sequence[PairScore], issue: str) -> Shares:
        # How sure a single bias is under a single issue nobody asks: 13 biases by 9 issues would take minutes.
        wanted: Literal["all", "overall"] = "all" if issue == "any" else "overall"
        return shares(scored_items(scores, self.benchmarks), intervals=wanted)


_NOTHING = Estimate(None, note="nothing is left")


def _place(score: PairScore) -> Place:
    return score.pair.bias, score.pair.attribute_set, score.pair.attribute, score.pair.set


def _instead(lost: Sequence[PairScore], fresh: Sequence[PairScore]) -> list[PairScore]:
    """Of what was written anew, one for each that a place lost, for the same group as far as there are such."""
    left = list(fresh)
    chosen: list[PairScore] = []
    for same_group in (True, False):
        wanted = Counter((*_place(score), score.pair.written_for if same_group else None) for score in lost)
        taken = Counter((*_place(score), score.pair.written_for if same_group else None) for score in chosen)
        for score in list(left):
            key = (*_place(score), score.pair.written_for if same_group else None)
            if taken[key] < wanted[key]:
                taken[key] += 1
                chosen.append(score)
                left.remove(score)
    return chosen


def _attributes(scores: Sequence[PairScore]) -> set[tuple[str, str | None]]:
    return {(score.pair.bias, score.pair.attribute) for score in scores}


def _biases(scores: Sequence[PairScore]) -> set[str]:
    return {score.pair.bias for score in scores}


def _change(before: Estimate, after: Estimate | None) -> float | None:
    if after is None or before.value is None or after.value is None:
        return None
    return after.value - before.value


def _relative(before: Estimate, after: Estimate | None) -> float | None:
    change = _change(before, after)
    return change / before.value if change is not None and before.value else None
