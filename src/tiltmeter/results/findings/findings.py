"""Which conclusions hold: the questions that runs can answer, each answered in every cell of the runs' choices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.processes import uncollected
from tiltmeter.results.cells import Cell, table_of
from tiltmeter.results.findings.evidence import Evidence, cells_of, has_cells
from tiltmeter.results.findings.instrument import Result
from tiltmeter.results.findings.questions import Question, asked, in_order, topic_of
from tiltmeter.results.findings.stereotypes import group_pairs, spec_of
from tiltmeter.results.findings.support import Support, is_only_tilt, raters_of
from tiltmeter.results.findings.tilts import cells_within_tilt, rater_tilts
from tiltmeter.results.names import names_of
from tiltmeter.results.summary.runs import RunSummary
from tiltmeter.results.views import results_of
from tiltmeter.stats.estimates import holm
from tiltmeter.stats.missing import missing_words
from tiltmeter.stats.multiverse.aggregation import ORIGINS, in_deviations_of, matters_in_most, over_origins
from tiltmeter.stats.multiverse.cells import CellData, CellResult, Cells, evaluate
from tiltmeter.stats.multiverse.conclusion import Multiverse, concluded
from tiltmeter.stats.multiverse.verdict import Verdict, verdict
from tiltmeter.stats.multiverse.whole_curve import PERMUTATIONS, curve_test
from tiltmeter.store import Run
from tiltmeter.views import FACTS

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
    """Cells whose templates are crossed with test words and where one of the two are too few."""
    instrument: Result = "not made"
    """What the checks of the instrument come to for this model in this view."""
    leading: CellResult | None = None
    """The cell of the choices that the study names first, which was settled before any number was seen."""
    mostly_tilt: int = 0
    """Further cells in which that goes the same way and is over half of the difference."""
    support: Support | None = None
    """Whether its raters are good enough for it; None where nothing was rated."""

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

    @property
    def carried(self) -> bool:
        """Whether it may rest on its raters; so where nothing was rated."""
        return self.support is None or self.support.carries(self.verdict)

    def _known(self) -> dict[str, Any]:
        known = {"within_tilt": self.within_tilt, "mostly_tilt": self.mostly_tilt, "instrument": self.instrument}
        return {**known, "raters": self.support.as_json(self.verdict) if self.support else None}


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
    found, whole = _concluded(question, cells, deviations, permutations, seed)
    one_way = sum(
        found.data[place].crossed_with_templates and not found.results[place].both_ways
        for place in (found.valued if FACTS[question.view].crossed else ())
    )
    tilts = rater_tilts(question, material)
    within, mostly = cells_within_tilt(found.results, tilts) if tilts else (None, 0)
    made_by = material.instrument(question.model, question.view)
    good, others = raters_of(found.results)
    support = None
    if good or others:
        alone = None
        if good and others:
            own = [place for place, cell in enumerate(cells) if cell.choices.get("rater") in good]
            some = [cells[place] for place in own], [deviations[place] for place in own]
            alone = _concluded(question, *some, permutations, seed)[1]
        sign = whole.curve.dominant
        support = Support(tuple(good), tuple(others), alone, is_only_tilt(found.results, sign, tilts))
    return Finding(question, whole, within, one_way, made_by, next(iter(found.results), None), mostly, support)


def _concluded(
    question: Question,
    cells: Sequence[CellData],
    deviations: Sequence[float | None],
    permutations: int,
    seed: int,
) -> tuple[Cells, Multiverse]:
    """What some cells of a question say, and what they come to."""
    found = in_deviations_of(evaluate(cells, groups=question.groups), deviations)
    test = curve_test(found, permutations=permutations, seed=seed)
    missing = missing_words([found.data[place] for place in found.valued], question.groups)
    return found, concluded(found, test, groups=question.groups, seed=seed, missing=missing)


def asked_of(
    material: Evidence, question: str | None = None, models: Sequence[str] = ()
) -> tuple[list[Question], list[Question]]:
    """Every question that some runs can answer, and those that are meant: one by its words, those of some models."""
    every = questions(material)
    if not every:
        raise UserError(
            f"{', '.join(str(run.folder) for run in material.runs)}: there is no question to answer, since no two "
            "groups have rated texts, scored pairs or next words; resume an unfinished run with `tiltmeter run`"
        )
    chosen = every if question is None else asked(question, every)
    known = list(dict.fromkeys(one.model for one in chosen))
    for name in models:
        if name not in known:
            raise UnknownName("model", name, known)
    return every, [one for one in chosen if not models or one.model in models]


def answered(
    material: Evidence, chosen: Sequence[Question], every: Sequence[Question], *, permutations: int = PERMUTATIONS
) -> list[Finding]:
    """The answers to some questions; their verdicts count all that the study asks, whichever are asked for."""
    main = [one for one in every if one.main]
    wanted = {(one.model, one.key): one for one in (*main, *chosen)}.values()
    known = [finding(one, material, permutations=permutations) for one in wanted]
    return [one for one in corrected(known, main) if one.question in chosen]


@uncollected()
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
    made = []
    for one in answers:
        if one.question.check:
            made.append(one)
            continue
        others = [p for question, p in main.items() if question != one.question]
        # A question beside the main ones is one more, and changes nothing in what is said to these.
        asked_in_all = family if one.question in main else family + 1
        support = one.support
        if support and support.alone:
            # What the raters that carry it say alone is asked in place of the whole, so it counts the same questions.
            support = replace(support, alone=_with_verdict(support.alone, others, asked_in_all))
        made.append(replace(one, multiverse=_with_verdict(one.multiverse, others, asked_in_all), support=support))
    return made


def _with_verdict(whole: Multiverse, others: Sequence[float | None], questions: int) -> Multiverse:
    """The same with the verdict that counts all questions, of which `others` have these p-values."""
    *_, p_adjusted = holm([*others, whole.test.p], of=questions)
    missing = whole.verdict.missing
    said = verdict(whole.curve, whole.test, p_adjusted=p_adjusted, questions=questions, missing=missing)
    return replace(whole, verdict=said)


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
    facts = FACTS[question.view]
    if facts.by_items or not matters_in_most(cells):
        return list(cells), [None] * len(cells)
    made: list[CellData] = []
    deviations: list[float | None] = []
    for cell in cells:
        if cell.sides is not None:
            made.append(replace(cell, choices={**cell.choices, AGGREGATION: f"{facts.item}s"}, equal_origins=False))
            made.append(over_origins(replace(cell, choices={**cell.choices, AGGREGATION: ORIGINS})))
            deviations += [None, cell.sums().spread]
        else:
            # The mean of signed items is one over origins.
            made.append(replace(cell, choices={**cell.choices, AGGREGATION: ORIGINS}))
            deviations.append(None)
    return made, deviations


def _of_run(material: Evidence, place: int) -> Iterator[Question]:
    """What can be asked of a run: every two groups of a bias, those that a spec names where it names some."""
    run = material.runs[place]
    for view, facts in FACTS.items():
        by_bias: dict[tuple[str, str], list[Cell]] = {}
        for cell in material.cells(place, view):
            by_bias.setdefault((cell.model, cell.bias if facts.of_groups else topic_of(cell.bias)), []).append(cell)
        for (model, _), cells in by_bias.items():
            bias = cells[0].bias
            spec = spec_of(run, bias)
            asked = Question(model, view, topic_of(bias), main=True, check=bool(spec.get("benchmark")))
            own = results_of(view).asked
            yield from own(asked, cells, spec) if own else _every_two(asked, cells, run)


def _every_two(asked: Question, cells: Sequence[Cell], run: Run) -> Iterator[Question]:
    """The groups that values compare; otherwise those that are to be compared."""
    if cells[0].compares:
        pairs = list(dict.fromkeys((row.group, row.against or "") for cell in cells for row in cell.rows))
    else:
        bias = cells[0].bias
        pairs = group_pairs(table_of(run).groups(asked.view).get(bias, []), run.meta["resolved"], bias, asked.view)
    return (replace(asked, first=first, second=second) for first, second in pairs)
