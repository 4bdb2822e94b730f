"""Which conclusions hold: the questions that runs can answer, each answered in every cell of the runs' choices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter.results.cells import Cell, table_of
from tiltmeter.results.findings.compared import PERSON, sides_of
from tiltmeter.results.findings.evidence import Evidence, cells_of, has_cells
from tiltmeter.results.findings.instrument import Result
from tiltmeter.results.findings.questions import Question, in_order, topic_of
from tiltmeter.results.findings.stereotypes import spec_of, stereotype
from tiltmeter.results.findings.tilts import cells_within_tilt, rater_tilts
from tiltmeter.results.names import names_of
from tiltmeter.results.summary.runs import RunSummary
from tiltmeter.stats.estimates import holm
from tiltmeter.stats.missing import missing_words
from tiltmeter.stats.multiverse.aggregation import ORIGINS, in_deviations_of, matters_in_most, over_origins
from tiltmeter.stats.multiverse.cells import CellData, CellResult, evaluate
from tiltmeter.stats.multiverse.conclusion import Multiverse, concluded
from tiltmeter.stats.multiverse.verdict import Verdict, verdict
from tiltmeter.stats.multiverse.whole_curve import PERMUTATIONS, curve_test
from tiltmeter.stats.views.continuations import pairs_of_groups
from tiltmeter.store import Run
from tiltmeter.views import VIEWS

AGGREGATION = "aggregation"
REPORT_QUESTIONS = 24
"""Questions that a report answers; the command answers all."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A question and what all cells say to it."""

    question: Question
    multiverse: Multiverse
    within_tilt: int | None = None
    """Cells whose difference is no larger than what their rater makes of the groups' names; None: it is not known."""
    one_way: int = 0
    """Cells of next words whose templates are crossed with professions and where one of the two are too few."""
    instrument: Result = "not made"
    """What the checks of the instrument come to for this model in this view."""
    leading: CellResult | None = None
    """The cell of the choices that the study names first, which was settled before any number was seen."""
    mostly_tilt: int = 0
    """Further cells in which that goes the same way and is over half of the difference."""

    @property
    def verdict(self) -> Verdict:
        """What can be concluded."""
        return self.multiverse.verdict

    @property
    def without(self) -> dict[str, list[CellResult]]:
        """The cells that have no value, by the reason, the commonest first."""
        found: dict[str, list[CellResult]] = {}
        for cell in self.multiverse.curve.cells:
            if cell.without:
                found.setdefault(cell.without, []).append(cell)
        return dict(sorted(found.items(), key=lambda each: -len(each[1])))

    def as_json(self) -> dict[str, Any]:
        """The question and everything that is said of it."""
        return {"question": self.question.as_json(), **self.multiverse.as_json(), **self._known()}

    def _known(self) -> dict[str, Any]:
        return {"within_tilt": self.within_tilt, "mostly_tilt": self.mostly_tilt, "instrument": self.instrument}


@dataclass(frozen=True, slots=True)
class Findings:
    """What a report says of the questions of some runs."""

    findings: tuple[Finding, ...]
    left_out: int
    """Main questions that were not answered, since there are too many."""


def questions(material: Evidence) -> list[Question]:
    """Every question that some runs can answer, which is in one cell at least; main ones first."""
    found: dict[tuple[str, Any], Question] = {}
    names = names_of(material.runs)
    for place in range(len(material.runs)):
        for question in _of_run(material, place):
            called = names.group(question.first, question.bias), names.group(question.second, question.bias)
            found.setdefault((question.model, question.key), replace(question, called=called))
    return in_order([one for one in found.values() if has_cells(one, material)])


def finding(question: Question, material: Evidence, *, permutations: int = PERMUTATIONS) -> Finding:
    """Answer a question in all of its cells."""
    seed = int(material.runs[0].meta["resolved"]["seed"])
    cells, deviations = _aggregated(question, cells_of(question, material))
    evaluated = evaluate(cells, groups=question.groups)
    found = in_deviations_of(evaluated, deviations)
    test = curve_test(found, permutations=permutations, seed=seed)
    one_way = sum(
        found.data[place].crossed_with_templates and not found.results[place].both_ways
        for place in (found.valued if question.view != "continuations" else ())
    )
    missing = missing_words([found.data[place] for place in found.valued], question.groups)
    whole = concluded(found, test, groups=question.groups, seed=seed, missing=missing)
    tilts = rater_tilts(question, material)
    within, mostly = cells_within_tilt(found.results, tilts) if tilts else (None, 0)
    made_by = material.instrument(question.model, question.view)
    return Finding(question, whole, within, one_way, made_by, next(iter(found.results), None), mostly)


def summarise_findings(runs: Sequence[tuple[Run, RunSummary]]) -> Findings:
    """The main questions of some runs, answered for a report."""
    material = Evidence([run for run, _ in runs])
    every = questions(material)
    main = [one for one in every if one.main]
    shown = _spread_out(main, REPORT_QUESTIONS)
    answers = corrected([finding(one, material) for one in shown], main)
    return Findings(tuple(answers), len(main) - len(shown))


def corrected(answers: Sequence[Finding], asked: Sequence[Question]) -> list[Finding]:
    """The answers with verdicts that count all questions that were asked, after Holm; checks of the instrument do not.

    With ten questions to which the truth is "no", one would otherwise be answered with "holds" in a third of studies.
    """
    family = sum(not one.check for one in asked)
    main = {one.question: one.multiverse.test.p for one in answers if one.question.main and not one.question.check}
    adjusted = dict(zip(main, holm(list(main.values()), of=family), strict=True))
    made = []
    for one in answers:
        if one.question in adjusted:
            made.append(_verdict_of(one, adjusted[one.question], family))
        elif one.question.check:
            made.append(one)
        else:
            # A question beside the main ones is one more, and changes nothing in what is said to these.
            *_, p = holm([*main.values(), one.multiverse.test.p], of=family + 1)
            made.append(_verdict_of(one, p, family + 1))
    return made


def _verdict_of(one: Finding, p_adjusted: float | None, questions: int) -> Finding:
    whole = one.multiverse
    missing = whole.verdict.missing
    said = verdict(whole.curve, whole.test, p_adjusted=p_adjusted, questions=questions, missing=missing)
    return replace(one, multiverse=replace(whole, verdict=said))


def _spread_out(every: Sequence[Question], most: int) -> list[Question]:
    """At most so many questions, in their order; where they are more, each model and view has its turn."""
    turns: Counter[tuple[str, str]] = Counter()
    ranked = []
    for place, one in enumerate(every):
        ranked.append((turns[one.model, one.view], place))
        turns[one.model, one.view] += 1
    return [every[place] for place in sorted(place for _, place in sorted(ranked)[:most])]


def _aggregated(question: Question, cells: Sequence[CellData]) -> tuple[list[CellData], list[float | None]]:
    """The cells again with every origin counting the same, where that matters in half of them; and their units."""
    if question.view == "next words":
        # As in the tables of the view, every prompt counts the same.
        return list(cells), [None] * len(cells)
    if not matters_in_most(cells):
        return list(cells), [None] * len(cells)
    made: list[CellData] = []
    deviations: list[float | None] = []
    alone = "pairs" if question.view == "pairs" else "texts"
    for cell in cells:
        if cell.sides is not None:
            made.append(replace(cell, choices={**cell.choices, AGGREGATION: alone}, equal_origins=False))
            made.append(over_origins(replace(cell, choices={**cell.choices, AGGREGATION: ORIGINS})))
            deviations += [None, cell.sums().spread]
        else:
            # The mean of signed items is one over origins.
            made.append(replace(cell, choices={**cell.choices, AGGREGATION: ORIGINS}))
            deviations.append(None)
    return made, deviations


def _of_run(material: Evidence, place: int) -> Iterator[Question]:
    """What can be asked of a run: every two groups of a bias, those that a spec names where it names some.

    Of pairs, whether the stereotyped sentence is preferred; of next words also whether one group is expected less than
    by habit, and whether the stereotyped group is expected.
    """
    run = material.runs[place]
    references = (run.meta["resolved"].get("continuations") or {}).get("reference", ())
    for view in VIEWS:
        by_bias: dict[tuple[str, str], list[Cell]] = {}
        for cell in material.cells(place, view):
            by_bias.setdefault((cell.model, topic_of(cell.bias) if view == "pairs" else cell.bias), []).append(cell)
        groups = table_of(run).groups(view)
        for (model, _), cells in by_bias.items():
            bias = cells[0].bias
            spec = spec_of(run, bias)
            asked = Question(model, view, topic_of(bias), main=True, check=bool(spec.get("benchmark")))
            if view == "pairs":
                # One question, whatever sources and data sets speak of it; each compares the groups that it has.
                yield _between(asked, only_two(sides_of(cells[0].rows), spec))
            elif view == "continuations":
                for pair in compared_groups(groups.get(bias, []), spec, references):
                    yield _between(asked, pair)
            else:
                yield from _of_words(asked, cells, spec)


def _between(question: Question, groups: tuple[str, str]) -> Question:
    return replace(question, first=groups[0], second=groups[1])


def only_two(groups: Sequence[str], spec: Mapping[str, Any]) -> tuple[str, str]:
    """The two groups that pairs are of, as a spec compares them; blank where they are of more, or of none."""
    named = [(one, other) for one, other in spec.get("compare", ()) if {one, other} == set(groups)]
    first, second = [*named, tuple(groups)][0] if len(groups) == 2 else ("", "")
    return first, second


def _of_words(asked: Question, cells: Sequence[Cell], spec: Mapping[str, Any]) -> Iterator[Question]:
    """Which of two groups a model expects less often, whether more so than by habit, and whether by stereotype."""
    for cell in cells:
        rows = cell.rows
        for pair in dict.fromkeys((row.group, row.against or "") for row in rows):
            yield _between(asked, pair)
            if any(row.perturbation == PERSON for row in rows):
                yield replace(_between(asked, pair), beyond_habit=True, main=False)
        groups = {group for row in rows for group in (row.group, row.against)}
        for first, second in spec.get("compare", ()):
            tied = stereotype(spec, (first, second)) if {first, second} <= groups else None
            # With the attributes of one group alone, a stereotype could not be told from a lean to that group.
            if tied and tied.balanced:
                yield replace(_between(asked, (first, second)), by_stereotype=True)


def compared_groups(groups: list[str], spec: Mapping[str, Any], references: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs that a spec names; else every other group against the reference of the study; else every two."""
    named = [(one, other) for one, other in spec.get("compare", ()) if one in groups and other in groups]
    if named:
        return named
    return pairs_of_groups(groups, next((name for name in references if name in groups), None))
