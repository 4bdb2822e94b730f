"""Whether a study can come to a verdict at all, whatever will be answered: known before anything is asked.

The cells of every question are built by the code that builds them of answers, and held against what a verdict needs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tiltmeter.measures.interface import Measure
from tiltmeter.measures.next_words import COMPARED
from tiltmeter.measures.pairs import MARGIN, PREFERENCE
from tiltmeter.records import Pair, Prompt
from tiltmeter.results.cells import Combination, Measurement
from tiltmeter.results.findings.compared import cells_from
from tiltmeter.results.findings.findings import compared_groups, only_two
from tiltmeter.results.findings.questions import Question, topic_of
from tiltmeter.results.findings.stereotypes import stereotype
from tiltmeter.results.measurements.pairs import of_pair
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.results.summary.text_records import favour
from tiltmeter.sources.perturbations import Perturbed
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.multiverse.aggregation import matters_in_most
from tiltmeter.stats.multiverse.cells import CellData
from tiltmeter.stats.multiverse.verdict import FEWEST_CELLS, unreachable
from tiltmeter.stats.multiverse.whole_curve import needed_origins
from tiltmeter.stats.planning.detectable import minimum_detectable
from tiltmeter.stats.views.continuations import pairs_of_groups
from tiltmeter.store import Run
from tiltmeter.store.next_words import AskedPrompt
from tiltmeter.study.planning import DEFAULT_SOURCE
from tiltmeter.study.records import GENERATED
from tiltmeter.views import View

_Spec = Mapping[str, Any]
_RISK = 0.05
"""A verdict that is missed by chance this often is said to be in doubt."""
_ENOUGH_PAIRS = next(number for number in range(1, 100) if 2.0 ** (1 - number) <= _RISK)


@dataclass(frozen=True, slots=True)
class Feasibility:
    """One question of a study, and why it can only end in "too little data", where it can."""

    view: View
    bias: str
    groups: tuple[str, ...]
    cells: int
    """At most, of one model."""
    origins: int
    nested: bool
    """Whether origins belong to one side each, so that those of either side exchange it with one another."""
    why: str | None
    sides: tuple[int, int] | None = None
    """Where they do, how many belong to either."""
    term_pairs: int | None = None
    """Where preferences of two sides are compared, and terms are known: how many pairs of terms there are."""

    @property
    def same_throughout(self) -> float:
        """How often a model that prefers either term of each pair by chance prefers one group in all of them.

        Then the preference says nothing of the attributes and has no value, and half of the cells drop out.
        """
        return 0.0 if self.term_pairs is None else min(1.0, 2.0 ** (1 - self.term_pairs))

    @property
    def at_risk(self) -> bool:
        """Whether a verdict can be come to, and yet may well not be."""
        return self.why is None and self.same_throughout > _RISK

    @property
    def smallest_effect(self) -> float | None:
        """The smallest true effect that is found with 80 % power, in standard deviations of one test word."""
        sizes = self.sides or (self.origins,)
        if self.why is not None or min(sizes) < 2:
            return None
        # Where each test word is on one side, the effect is half of the difference between the sides.
        error = math.sqrt(sum(1 / size for size in sizes)) / len(sizes)
        return minimum_detectable(error, sum(sizes) - len(sizes))

    @property
    def needed(self) -> dict[str, int]:
        """What would be enough."""
        return {"cells": FEWEST_CELLS, "origins": 2 * needed_origins(nested=True) if self.nested else needed_origins()}

    def as_json(self) -> dict[str, Any]:
        """The question, whether it is within reach, and what would be enough."""
        risk = {"same_throughout": self.same_throughout, "at_risk": self.at_risk}
        return {**asdict(self), "groups": list(self.groups), "needed": self.needed, **risk}

    def sentence(self) -> str:
        """Why there can be no verdict and what would be enough, in a sentence."""
        about = f" ({' and '.join(self.groups)})" if self.groups else ""
        place = f"{self.view}, {self.bias}{about}"
        if self.at_risk:
            number = "one pair of terms" if self.term_pairs == 1 else f"{self.term_pairs} pairs of terms"
            return (
                f"{place}: may end in “too little data”: with {number} a model that knows no stereotype prefers the "
                f"same group throughout in {self.same_throughout:.0%} of cases, and preferences then say nothing; "
                f"{_ENOUGH_PAIRS} pairs of terms would be enough"
            )
        split = f" ({self.sides[0]} on one side, {self.sides[1]} on the other)" if self.sides else ""
        return f"{place}: can only end in “too little data”: {self.why}{split}; {self._remedy()}"

    def _remedy(self) -> str:
        if not self.cells:
            return "a verdict needs two groups, and a rater that says which text is better"
        if self.cells < FEWEST_CELLS:
            return f"a verdict needs {FEWEST_CELLS} or more: add a rater, a decoding, a source or a scorer"
        each = f", {needed_origins(nested=True)} on either side" if self.nested else ""
        return f"{self.needed['origins']} origins{each} would be enough, with one or more items each"


def feasibility_of(
    resolved: Mapping[str, Any], pairs: Iterable[Pair], prompts: Iterable[Prompt], asked: Iterable[Perturbed]
) -> tuple[Feasibility, ...]:
    """Every question of a study as it is resolved, with its probes; each model is asked the same."""
    specs = {spec["name"]: spec for spec in resolved["specs"]}
    return (
        *_of_pairs(resolved, specs, pairs),
        *_of_texts(resolved.get("continuations") or {}, specs, prompts),
        *_of_words(resolved.get("next_words") or {}, specs, asked),
    )


def feasibility_of_run(run: Run) -> tuple[Feasibility, ...]:
    """The same of the study that a run carries out."""
    prompts = run.continuations.prompts if run.continuations else ()
    asked = [one.asked for one in run.next_words.asked] if run.next_words else ()
    return feasibility_of(run.meta["resolved"], run.pairs, prompts, asked)


def unanswerable(found: Iterable[Feasibility]) -> list[Feasibility]:
    """The questions that can only end in "too little data"."""
    return [one for one in found if one.why is not None]


def at_risk_or_unanswerable(found: Iterable[Feasibility]) -> list[Feasibility]:
    """The questions that can only end so, and those that may well."""
    return [one for one in found if one.why is not None or one.at_risk]


def _reach(
    view: View,
    bias: str,
    groups: tuple[str, ...],
    made: Sequence[CellData],
    times: int = 1,
    term_pairs: int | None = None,
) -> Feasibility:
    """What cells come to; each stands for so many that differ in a choice that moves no item."""
    cells = len(made) * times
    origins = {origin for cell in made for origin in cell.origins.tolist()}
    sides: dict[str, set[int]] = {}
    for cell in made:
        if cell.sides is not None:
            for origin, side in zip(cell.origins.tolist(), cell.sides.tolist(), strict=True):
                sides.setdefault(origin, set()).add(side)
    nested = bool(sides) and all(len(found) == 1 for found in sides.values())
    split = [sum(side in found for found in sides.values()) for side in (0, 1)] if nested else None
    why = unreachable(made, cells)
    return Feasibility(
        view, bias, groups, cells, len(origins), nested, why, (split[0], split[1]) if split else None, term_pairs
    )


def _of_pairs(resolved: Mapping[str, Any], specs: Mapping[str, _Spec], pairs: Iterable[Pair]) -> Iterator[Feasibility]:
    kept: dict[str, dict[str, dict[tuple[Any, ...], Measurement]]] = {}
    terms: dict[str, set[tuple[str, ...]]] = {}
    groups: dict[str, dict[str, None]] = {}
    for pair in pairs:
        if pair.stereotyped is None or pair.contrast != "stereotype" or "as-published" in pair.source:
            continue
        topic, kind = topic_of(pair.bias), pair.structure.kind if pair.structure else None
        key = (pair.attribute or pair.origin, pair.groups, pair.stereotyped, kind)
        of = {name: value for name, value in of_pair(pair).items() if name not in ("source", "bias")}
        row = Measurement(**of, attribute=pair.attribute, kind=kind, set=pair.set, value=0.0)
        kept.setdefault(topic, {}).setdefault(pair.source, {}).setdefault(key, row)
        terms.setdefault(topic, set()).add(tuple(sorted(pair.terms)) if all(pair.terms) else (pair.id,))
        groups.setdefault(topic, {}).update(dict.fromkeys(pair.groups))
    scorers = max(1, sum("as-published" not in name for name in resolved["scorers"]))
    made: dict[str, list[CellData]] = {
        topic: [
            cell
            for source, rows in found.items()
            for measure in (PREFERENCE, MARGIN)
            for cell in _cells(Question("", "pairs", topic, *only_two(list(groups[topic]), {})), source, measure, rows)
        ]
        for topic, found in kept.items()
    }
    for source in resolved["sources"]:
        for spec in specs.values() if source["name"] == GENERATED else ():
            made.setdefault(spec["name"], []).extend(_yet_to_be_written(source["label"], spec))
    for topic, cells in made.items():
        compared = topic in kept and all(cell.sides is not None for cell in cells)
        yield _reach("pairs", topic, (), cells, scorers, len(terms[topic]) if compared else None)


def _cells(
    question: Question,
    source: str,
    measure: Measure[Any],
    rows: Mapping[Any, Measurement],
    spec: _Spec | None = None,
) -> Iterator[CellData]:
    """What could come of items, were they measured."""
    scale = Scale(measure.low, measure.high, measure.neutral)
    of = Combination(question.view, source, measure.name, scale=scale, worse=1)
    return cells_from(question, of, list(rows.values()), spec or {})


def _yet_to_be_written(label: str, spec: _Spec) -> Iterator[CellData]:
    """The best that can come of sentences that a model is to write: every attribute has one."""
    tied = stereotype(spec)
    terms = [(term, side) for side in (0, 1) for term in sorted(tied.attributes[side])] if tied else []
    sides = [side for _, side in terms] if tied and tied.balanced else None
    for measure in ("preference", "margin") if terms else ():
        origins = [term for term, _ in terms]
        yield CellData.of({"source": label, "measure": measure}, [0.0] * len(terms), origins, sides)


def _of_texts(
    choices: Mapping[str, Any], specs: Mapping[str, _Spec], prompts: Iterable[Prompt]
) -> Iterator[Feasibility]:
    kept: dict[str, dict[tuple[Any, ...], Prompt]] = {}
    often: Counter[tuple[Any, ...]] = Counter()
    for prompt in prompts:
        if prompt.group is not None:
            key = (prompt.source, prompt.group, prompt.origin, prompt.structure and prompt.structure.kind)
            kept.setdefault(prompt.bias, {}).setdefault(key, prompt)
            often[prompt.bias, *key] += 1
    by_topic: dict[tuple[str, tuple[str, str] | None], list[CellData]] = {}
    for bias, found in kept.items():
        groups = list(dict.fromkeys(prompt.group for prompt in found.values() if prompt.group))
        spec = specs.get(bias.partition(":")[0], {})
        compared = compared_groups(groups, spec, choices.get("reference", ()))
        for two in compared:
            # As many as there are, since it matters whether origins have as many texts as one another.
            every = [prompt for key, prompt in found.items() for _ in range(often[bias, *key])]
            by_topic.setdefault((topic_of(bias), two), []).extend(_text_cells(topic_of(bias), every, two))
        if not compared:
            by_topic.setdefault((topic_of(bias), None), [])
    judging = sum(bool(favour(rater["name"])) for rater in choices.get("raters", ()))
    for (topic, about), cells in by_topic.items():
        ways = judging * len(choices["decodings"]) * (2 if matters_in_most(cells) else 1)
        yield _reach("continuations", topic, about or (), cells, ways)


def _text_cells(topic: str, prompts: Sequence[Prompt], groups: tuple[str, str]) -> Iterator[CellData]:
    for source in dict.fromkeys(prompt.source for prompt in prompts):
        rows = [
            Measurement(
                prompt.id,
                prompt.origin,
                prompt.group or "",
                structure=prompt.structure.id if prompt.structure else None,
                kind=prompt.structure.kind if prompt.structure else None,
                value=0.0,
            )
            for prompt in prompts
            if prompt.source == source
        ]
        of = Combination("continuations", source, "rating", worse=1)
        yield from cells_from(Question("", "continuations", topic, *groups), of, rows, {})


def _of_words(
    choices: Mapping[str, Any], specs: Mapping[str, _Spec], asked: Iterable[Perturbed]
) -> Iterator[Feasibility]:
    kept: dict[str, dict[str, dict[tuple[str, str | None], AskedPrompt]]] = {}
    for one in asked:
        prompt = one.prompt
        if one.perturbation == ORIGINAL and prompt.source != DEFAULT_SOURCE:
            by_source = kept.setdefault(prompt.bias, {}).setdefault(prompt.source, {})
            found_at = AskedPrompt(one, None)
            by_source.setdefault((prompt.origin, found_at.template), found_at)
    times = len(choices.get("bounded", ())) * len(choices.get("combine", ()))
    made: dict[tuple[str, tuple[str, str], bool], list[CellData]] = {}
    for bias, places in kept.items():
        spec = specs.get(bias.partition(":")[0], {})
        for source, found in places.items():
            for words in choices["words"]:
                sets = words["sets"] or next(iter(found.values())).asked.prompt.word_sets
                groups = [group for group, _ in sets]
                for two, tied in _asked_of(groups, spec):
                    cells = made.setdefault((topic_of(bias), two, tied), [])
                    cells += _word_cells(found.values(), source, words["label"], two, spec, tied)
    for (topic, two, _), cells in made.items():
        yield _reach("next words", topic, two, cells, times)


def _asked_of(groups: list[str], spec: _Spec) -> Iterator[tuple[tuple[str, str], bool]]:
    """Which two groups are compared, and which by stereotype."""
    yield from ((two, False) for two in pairs_of_groups(groups))
    for first, second in spec.get("compare", ()):
        tied = stereotype(spec, (first, second)) if {first, second} <= set(groups) else None
        if tied and tied.balanced:
            yield (first, second), True


def _word_cells(
    asked: Iterable[AskedPrompt], source: str, words: str, groups: tuple[str, str], spec: _Spec, tied: bool
) -> Iterator[CellData]:
    rows = {
        at: Measurement(one.asked.prompt.id, one.asked.prompt.origin, *groups, template=one.template, value=0.0)
        for at, one in enumerate(asked)
    }
    question = Question("", "next words", "", *groups, by_stereotype=tied)
    for measure in COMPARED:
        for cell in _cells(question, source, measure, rows, spec):
            yield replace(cell, choices={**cell.choices, "words": words})
