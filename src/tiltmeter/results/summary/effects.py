"""What the issues of written sentences do to the score: without the flagged ones, and with others in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tiltmeter.records import Estimate
from tiltmeter.results.items import Judged, Tested
from tiltmeter.sources.generated.annotations import ISSUES
from tiltmeter.stats.spread import mean_size
from tiltmeter.stats.views.pairs import Shares, shares

Place = tuple[str, str | None, str | None, int | None]
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


def effects(pairs: Sequence[Tested], stand_ins: Sequence[Tested], judged: Judged) -> Effects:
    """The effect of every issue. Stand-ins take the place of what a bias, attribute and set loses, and of nothing else:
    those written anew first, one for each that was lost, and templates only where nothing is left otherwise."""
    known = [one for one in pairs if one.row.item in judged]
    worker = _Worker(known, stand_ins, judged)
    steps = [worker.remove(issue) for issue in ("any", *ISSUES)]
    touched = [bias for bias in worker.before.by_bias if any(bias in _biases(step.lost) for step in steps)]
    return Effects(
        overall=[worker.effect(step) for step in steps],
        by_bias={bias: [worker.effect(step, bias) for step in steps] for bias in touched},
        judged=len(known),
        unjudged=len(pairs) - len(known),
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """One issue removed: what is gone, what is left, what stands in, and the shares of it all."""

    issue: str
    lost: Sequence[Tested]
    kept: Sequence[Tested]
    regenerated: Sequence[Tested]
    templates: Sequence[Tested]
    after: Shares
    replaced: Shares | None


class _Worker:
    """Removes one issue after another from the same scores."""

    def __init__(self, pairs: Sequence[Tested], stand_ins: Sequence[Tested], judged: Judged) -> None:
        self.pairs, self.stand_ins, self.judged = pairs, stand_ins, judged
        self.social = {one.item.bias for one in pairs if not one.item.benchmark}
        self.before = self._shares(pairs, "any")

    def remove(self, issue: str) -> _Step:
        lost = [one for one in self.pairs if self._has(one, issue)]
        kept = [one for one in self.pairs if not self._has(one, issue)]
        places = {_place(one) for one in lost}
        fitting = [one for one in self.stand_ins if _place(one) in places and not self._has(one, issue)]
        regenerated = _instead(lost, [one for one in fitting if one.row.role == "regenerated"])
        filled = {_place(one) for one in (*kept, *regenerated)}
        templates = [one for one in fitting if one.row.role == "template" and _place(one) not in filled]
        after = self._shares(kept, issue) if lost else self.before
        replaced = None
        if self.stand_ins:
            added = [*regenerated, *templates]
            replaced = self._shares([*kept, *added], issue) if added else after
        return _Step(issue, lost, kept, regenerated, templates, after, replaced)

    def effect(self, step: _Step, bias: str | None = None) -> Effect:
        """The effect on one bias, or on the overall value."""

        def part(pairs: Sequence[Tested]) -> list[Tested]:
            if bias is not None:
                return [one for one in pairs if one.item.bias == bias]
            return [one for one in pairs if not one.item.benchmark]

        def value(found: Shares) -> Estimate:
            return found.overall if bias is None else found.by_bias.get(bias, _NOTHING)

        kept, regenerated, templates = part(step.kept), part(step.regenerated), part(step.templates)
        every = _attributes(part(self.pairs))
        return Effect(
            issue=step.issue,
            flagged=len(part(step.lost)),
            pairs=len(part(self.pairs)),
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
        counted = [bias for bias in self.before.by_bias if bias in self.social]
        return mean_size([_relative(self.before.by_bias[bias], final.by_bias.get(bias)) for bias in counted])

    def _has(self, one: Tested, issue: str) -> bool:
        found = self.judged.get(one.row.item, ())
        return bool(found) if issue == "any" else issue in found

    def _shares(self, pairs: Sequence[Tested], issue: str) -> Shares:
        # How sure a single bias is under a single issue nobody asks: 13 biases by 9 issues would take minutes.
        wanted: Literal["all", "overall"] = "all" if issue == "any" else "overall"
        return shares([one.item for one in pairs], intervals=wanted)


_NOTHING = Estimate(None, note="nothing is left")


def _place(one: Tested) -> Place:
    return one.item.bias, one.row.attribute_set, one.row.attribute, one.row.set


def _instead(lost: Sequence[Tested], fresh: Sequence[Tested]) -> list[Tested]:
    """Of what was written anew, one for each that a place lost, for the same group as far as there are such."""
    left = list(fresh)
    chosen: list[Tested] = []
    for same_group in (True, False):
        wanted = Counter((*_place(one), one.row.written_for if same_group else None) for one in lost)
        taken = Counter((*_place(one), one.row.written_for if same_group else None) for one in chosen)
        for one in list(left):
            key = (*_place(one), one.row.written_for if same_group else None)
            if taken[key] < wanted[key]:
                taken[key] += 1
                chosen.append(one)
                left.remove(one)
    return chosen


def _attributes(pairs: Sequence[Tested]) -> set[tuple[str, str | None]]:
    return {(one.item.bias, one.row.attribute) for one in pairs}


def _biases(pairs: Sequence[Tested]) -> set[str]:
    return {one.item.bias for one in pairs}


def _change(before: Estimate, after: Estimate | None) -> float | None:
    if after is None or before.value is None or after.value is None:
        return None
    return after.value - before.value


def _relative(before: Estimate, after: Estimate | None) -> float | None:
    change = _change(before, after)
    return change / before.value if change is not None and before.value else None
