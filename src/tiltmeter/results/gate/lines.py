"""The lines of a gate: one for each figure that leads, and what a rule says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tiltmeter.records import Estimate
from tiltmeter.results.cells import Cell
from tiltmeter.results.compare.items import Place, cells_by_choices
from tiltmeter.results.compare.names import as_pair, split_pair
from tiltmeter.results.compare.records import Compared, ComparedView, RunComparison
from tiltmeter.results.compare.sides import Matched, views_measured
from tiltmeter.results.findings.stereotypes import group_pairs
from tiltmeter.results.gate.lost import Lost, lost
from tiltmeter.results.gate.records import GateLine, Outcome
from tiltmeter.results.gate.rules import Rule
from tiltmeter.results.scores import is_published
from tiltmeter.stats.comparing.paired import Paired
from tiltmeter.stats.comparing.worsening import ALPHA, Sides, departure, negated, worsening
from tiltmeter.stats.estimates import shifted
from tiltmeter.stats.planning.detectable import pass_probability, standard_error_of
from tiltmeter.views import FACTS, View

_Table = Mapping[Place, Cell]
Key = tuple[View, frozenset[tuple[str, str | frozenset[str]]]]
"""What a line of the baseline is found by among those of the candidate."""


@dataclass(frozen=True)
class Lines:
    """The lines of a comparison of a baseline (A) with a candidate (B)."""

    of: RunComparison

    @cached_property
    def leading(self) -> list[Compared]:
        """What leads of each view, source, bias and way of asking; what checks the instrument is left out."""
        every = [one for one in self._all if self.lost[id(one)].of]
        own = [one for one in every if not is_published(one.choices.get("scorer", ""), one.choices["source"])]
        return own or every

    @cached_property
    def _all(self) -> list[Compared]:
        return [one for view in self.of.views for one in _leading(view) if not self._is_check(one)]

    @cached_property
    def lost(self) -> Mapping[int, Lost]:
        """What the candidate left out of each line."""
        return {id(one): lost(one, *self._tables[one.view]) for one in self._all}

    @property
    def silent(self) -> list[str]:
        """What the baseline has no answer to, so that nothing can be held against a candidate."""
        empty = [GateLine(Rule("worse", None), one.view, one.choices, "not shown") for one in self._all]
        return [line.name for one, line in zip(self._all, empty, strict=True) if not self.lost[id(one)].of]

    @cached_property
    def missing(self) -> list[tuple[View, dict[str, str]]]:
        """What the baseline has a line of and the candidate has not."""
        there = {_key(one.view, one.choices, one.is_gap) for one in self._all}
        views = [view for view in self.of.asked if view in self._tables]
        expected = {
            _key(view, about, "groups" in about): (view, about) for view in views for about in self._expected(view)
        }
        return [about for key, about in expected.items() if key not in there]

    @cached_property
    def names(self) -> dict[str, None]:
        """All that rules can be restricted to."""
        lines = [(one.view, dict(one.choices)) for one in self.leading] + self.missing
        return {name: None for view, about in lines for name in names_of(view, about)}

    def selected(self, rule: Rule) -> Iterator[tuple[View, Mapping[str, str]]]:
        """The lines that a rule is about."""
        every = [*((one.view, one.choices) for one in self.leading), *self.missing]
        return (each for each in every if rule.where <= names_of(*each))

    def judged(self, rule: Rule) -> Iterator[GateLine]:
        """What a rule says of the lines that it is about."""
        own = [one for one in self.leading if rule.where <= names_of(one.view, one.choices)]
        gone = [(view, about) for view, about in self.missing if rule.where <= names_of(view, about)]
        sources = Counter(view for view, _ in {(one.view, one.choices["source"]) for one in self.leading})
        for one in own:
            same = self._same(one)
            made = _judged(rule, one, self.lost[id(one)], same, len(own) + len(gone))
            yield replace(made, source=one.choices["source"] if sources[one.view] > 1 else "")
        for view, about in gone:
            reason = f"{self.of.b.name} has no answers to it, or none to the same items"
            yield GateLine(rule, view, about, "not shown", reason=reason, source=about["source"])

    @cached_property
    def _tables(self) -> Mapping[View, tuple[_Table, _Table]]:
        """By view the cells of the baseline and of the candidate."""
        a, b = self.of.a, self.of.b
        found = {}
        for view in {*self.of.asked, *(one.view for one in self.of.views)} & {*views_measured(a)}:
            sources = Matched.of(a, b, view)
            found[view] = cells_by_choices(a, view, sources.of_a), cells_by_choices(b, view, sources.of_b)
        return found

    def _is_check(self, one: Compared) -> bool:
        cells = self._tables[one.view][0].items()
        return any(cell.benchmark for place, cell in cells if place[:2] == (one.choices["source"], one.choices["bias"]))

    def _expected(self, view: View) -> Iterator[dict[str, str]]:
        """What the baseline has, in as much as a line of it is found by."""
        for (source, bias, *_), cell in self._tables[view][0].items():
            about = {"source": source, "bias": bias}
            if cell.benchmark or is_published(cell.scorer, source) or all(row.value is None for row in cell.rows):
                continue
            if not FACTS[view].of_groups:
                yield {**about, **_chosen(cell)}
            elif cell.compares:
                yield about
            elif cell.worse:
                groups = list(dict.fromkeys(row.group for row in cell.rows if row.value is not None))
                for two in group_pairs(groups, self.of.a.resolved, bias, view):
                    yield {**about, **_chosen(cell), "groups": as_pair(two)}

    def _same(self, line: Compared) -> bool:
        """Whether both sides give the same number to every item of the bias, by every measure, and that tells.

        It does not where all numbers are alike on a scale with ends: two models may both write nothing toxic.
        """
        place = line.choices["source"], line.choices["bias"]
        every = [one for view in self.of.views if view.view == line.view for one in view.cells]
        own = [one for one in every if (one.choices["source"], one.choices["bias"]) == place]
        whole = all(not one.found.only_a and not one.found.only_b for one in own if isinstance(one.found, Paired))
        telling = any(one.found.moved.spread > 0 or _is_endless(one) for one in own)
        return line.found.a.value is not None and whole and telling and not any(one.found.moved.items for one in own)


def _is_endless(one: Compared) -> bool:
    """Whether it is of a known scale without ends."""
    return one.scale.neutral is not None and one.scale.low is None


def _leading(view: ComparedView) -> Sequence[Compared]:
    facts = FACTS[view.view]
    if facts.of_groups:
        return [*view.overall, *view.further]
    return [one for one in view.cells if one.choices.get("measure", facts.lead) == facts.lead]


def _key(view: View, about: Mapping[str, str], gap: bool) -> Key:
    """By every way of asking where all of them are lines, by the groups of a gap, otherwise by source and bias."""
    facts = FACTS[view]
    names = ["source", "bias", *(facts.named_by if gap or not facts.of_groups else ())]
    told = {(name, about[name]) for name in names if name in about}
    return view, frozenset({*told, ("groups", frozenset(split_pair(about["groups"])))} if gap else told)


def _chosen(cell: Cell) -> dict[str, str]:
    """The choices that figures are named by."""
    return {name: str(getattr(cell, name)) for name in FACTS[cell.view].named_by}


def names_of(view: View, about: Mapping[str, str]) -> set[str]:
    """What a line may be called by."""
    words = {view, view.replace(" ", "-"), view.replace(" ", "_")}
    chosen = {about[name] for name in ("source", "bias", "scorer", "rater", "groups") if about.get(name)}
    bias = about["bias"]
    return words | chosen | {bias.partition(":")[0], bias.rpartition("/")[2]}


def sides_of_line(one: Compared) -> Sides:
    """The baseline, the difference and the sum of both, as deviations from neutral."""
    neutral = one.scale.neutral or 0.0
    found = one.found
    return Sides(shifted(found.a, -neutral), negated(found.difference), shifted(found.total, -2 * neutral), found.moved)


def tolerance_of(one: Compared, by: float) -> float:
    """A tolerance on the scale of a line."""
    ended = one.scale.low is not None and one.scale.high is not None
    return by if ended else by * FACTS[one.view].per_share


def power_of(line: GateLine, by: float, *, alone: bool = False) -> float:
    """The probability that a line passes if both sides are alike, as sure as their difference is known to be.

    `alone`: if their answers were unrelated, of which each side's own standard error tells.
    """
    one, rule = line.compared, line.rule
    if one is None:
        return 0.0
    sides, tolerance = sides_of_line(one), tolerance_of(one, by)
    if alone:
        own = standard_error_of(one.found.a)
        error = None if own is None else 2**0.5 * own
    elif line.same:
        return 1.0
    else:
        error = 0.0 if sides.moved.constant else standard_error_of(one.difference)
    if error is None or (not alone and max(map(sides.moved.unseen, (1, -1))) >= tolerance):
        return 0.0
    either = rule.kind == "different" or not sides.side
    alpha = ALPHA if rule.kind == "different" or sides.side else ALPHA / 2
    return pass_probability(error, max(1, one.difference.origins - 1), tolerance, alpha=alpha, either=either)


def _judged(rule: Rule, one: Compared, gone: Lost, same: bool, of: int) -> GateLine:
    sides = sides_of_line(one)
    # Without a tolerance it is a test of each line, so what is claimed is corrected for their number.
    alpha = ALPHA if rule.by is not None else ALPHA / max(1, of)
    found = (worsening if rule.kind == "worse" else departure)(sides, alpha=alpha)
    if same:
        found = replace(found, value=0.0, low=0.0, high=0.0, note=None)
    tolerance = None if rule.by is None else tolerance_of(one, rule.by)
    outcome, reason = _outcome(one, found, tolerance, gone)
    made = GateLine(rule, one.view, one.choices, outcome, found, tolerance, one, gone, None, reason, same)
    return made if rule.by is None else replace(made, power=power_of(made, rule.by))


def _outcome(one: Compared, found: Estimate, tolerance: float | None, gone: Lost) -> tuple[Outcome, str]:
    """What is shown, and why nothing is."""
    why = f" (most often: {gone.reasons[0][0]:.100})" if gone.reasons else ""
    missing = f"{gone.answers:,} of {gone.of:,} answers of the baseline are missing in the candidate{why}"
    if found.low is None or found.high is None:
        note = (found.note or one.difference.note or "it has no interval").removeprefix("no interval: ")
        return "not shown", f"{note}; {missing}" if gone.share else note
    if found.low > 0 and (tolerance is None or found.high >= tolerance):
        return "worse", ""
    # Whatever is missing may lie anywhere.
    worst = (1 - gone.share) * found.high + gone.share * _range(one) if gone.share else found.high
    if worst < tolerance if tolerance is not None else not gone.share:
        return "no worse", ""
    return "not shown", missing if gone.share else ""


def _range(one: Compared) -> float:
    """How far what is missing may lie from what was said, at most; without a scale, as far as values were seen."""
    low, high = one.scale.low, one.scale.high
    if low is None or high is None:
        return one.found.moved.spread
    return (high - low) / 2 if one.is_gap else high - low
