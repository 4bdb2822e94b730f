"""Which conclusions survive: the questions that runs can answer, each answered in every cell of the runs' choices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter.analysis.question_cells import PERSON, Material, cells_of
from tiltmeter.analysis.question_tilts import cells_within_tilt, rater_tilts
from tiltmeter.analysis.questions import Question, in_order, topic_of
from tiltmeter.analysis.runs import RunSummary
from tiltmeter.records import Prompt
from tiltmeter.stats.aggregation import ORIGINS, in_deviations_of, matters, over_origins
from tiltmeter.stats.cells import CellData, evaluate
from tiltmeter.stats.continuations import pairs_of_groups
from tiltmeter.stats.multiverse import Multiverse, concluded
from tiltmeter.stats.verdict import Verdict
from tiltmeter.stats.whole_curve import PERMUTATIONS, curve_test
from tiltmeter.store import Run

AGGREGATION = "aggregation"
REPORT_QUESTIONS = 24
"""Questions that a report answers; the command answers all."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A question and what all cells say to it."""

    question: Question
    multiverse: Multiverse
    within_tilt: int | None = None
    """Cells whose difference is no larger than what their rater makes of the groups' names; None: it is not known."""
    few_templates: bool = False
    """Whether there are too few templates to say what others would have shown."""

    @property
    def verdict(self) -> Verdict:
        """The verdict, in words of the question."""
        return self.multiverse.verdict

    @property
    def caution(self) -> str:
        """What the verdict does not know, in a sentence; blank where there is nothing of the kind."""
        if self.few_templates:
            return "There are too few templates to say what others would show: p is over professions alone."
        if not self.within_tilt:
            return ""
        cells = f"{self.within_tilt} of {self.verdict.of} cells {'has' if self.within_tilt == 1 else 'have'}"
        return f"{cells} a difference no larger than what the rater makes of the groups' names alone."

    def as_json(self) -> dict[str, Any]:
        """The question and everything that is said of it."""
        return {"question": self.question.as_json(), **self.multiverse.as_json(), "within_tilt": self.within_tilt}


@dataclass(frozen=True, slots=True)
class MultiverseSummary:
    """What a report says of the questions of some runs."""

    answers: tuple[Answer, ...]
    left_out: int
    """Main questions that were not answered, since there are too many."""


def questions(material: Material) -> list[Question]:
    """Every question that some runs can answer, main ones first."""
    found: dict[tuple[str, Any], Question] = {}
    for place, run in enumerate(material.runs):
        for ask in (_of_texts, _of_pairs, _of_words):
            for question in ask(run, material, place):
                found.setdefault((question.model, question.key), question)
    return in_order(list(found.values()))


def answer(question: Question, material: Material, *, permutations: int = PERMUTATIONS) -> Answer:
    """Answer a question in all of its cells."""
    seed = int(material.runs[0].meta["resolved"]["seed"])
    cells, deviations = _aggregated(question, cells_of(question, material))
    evaluated = evaluate(cells, groups=question.groups, seed=seed)
    found = in_deviations_of(evaluated, deviations)
    test = curve_test(found, permutations=permutations, seed=seed)
    few_templates = False
    if question.view == "next words":
        # Another choice of templates could have turned the conclusion as well: the larger p counts.
        others = cells_of(question, material, over_templates=True)
        if any(set(one.origins) != set(other.origins) for one, other in zip(cells, others, strict=True)):
            over = curve_test(evaluate(others, groups=question.groups, seed=seed), permutations=permutations, seed=seed)
            few_templates = over.p is None
            test = over if over.p is not None and (test.p is None or over.p > test.p) else test
    whole = concluded(found, test, groups=question.groups, seed=seed)
    whole = replace(whole, verdict=_worded(question, whole.verdict))
    tilts = rater_tilts(question, material)
    return Answer(question, whole, cells_within_tilt(found.results, tilts) if tilts else None, few_templates)


def summarise_multiverse(runs: Sequence[tuple[Run, RunSummary]]) -> MultiverseSummary:
    """The main questions of some runs, answered for a report."""
    expected = {place: one.next_words for place, (_, one) in enumerate(runs) if one.next_words}
    material = Material([run for run, _ in runs], expected)
    main = [one for one in questions(material) if one.main]
    shown = _spread_out(main, REPORT_QUESTIONS)
    answers = tuple(answer(one, material) for one in shown)
    return MultiverseSummary(answers, len(main) - len(shown))


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
    two_sided = [cell for cell in cells if cell.sides is not None]
    if not two_sided or 2 * sum(map(matters, two_sided)) < len(two_sided):
        return list(cells), [None] * len(cells)
    made: list[CellData] = []
    deviations: list[float | None] = []
    alone = "pairs" if question.view == "pairs" else "texts"
    for cell in cells:
        if cell.sides is not None:
            made.append(replace(cell, choices={**cell.choices, AGGREGATION: alone}))
            made.append(over_origins(replace(cell, choices={**cell.choices, AGGREGATION: ORIGINS})))
            deviations += [None, cell.sums().spread]
        else:
            # The mean of signed items is one over origins.
            made.append(replace(cell, choices={**cell.choices, AGGREGATION: ORIGINS}))
            deviations.append(None)
    return made, deviations


def _worded(question: Question, found: Verdict) -> Verdict:
    """The verdict in the words of the question."""
    if found.direction is None:
        return found
    turned = found.direction == "second"
    worse, better = question.groups[::-1] if turned else question.groups
    plain = f"worse for {worse} than for {better}"
    return replace(found, sentence=found.sentence.replace(plain, question.claim(turned=turned), 1))


def _of_texts(run: Run, material: Material, place: int) -> Iterator[Question]:
    """What can be asked of rated texts: every two groups of a bias, those that a spec names where it names some."""
    if run.continuations is None:
        return
    chosen = run.meta["resolved"].get("continuations") or {}
    by_bias: dict[str, list[Prompt]] = {}
    for prompt in run.continuations.prompts:
        if prompt.group is not None:
            by_bias.setdefault(prompt.bias, []).append(prompt)
    asked = dict.fromkeys((cell.model, cell.bias) for cell in material.rated_cells(place))
    for model, bias in asked:
        prompts = by_bias.get(bias, [])
        terms: dict[str, set[str]] = {}
        for prompt in prompts:
            terms.setdefault(prompt.group or "", set()).update(filter(None, (prompt.term, prompt.person)))
        spec = _spec(run, bias)
        pairs = _pairs(list(terms), spec, chosen.get("reference", ()))
        for number, (first, second) in enumerate(pairs):
            yield Question(
                model,
                "continuations",
                topic_of(bias),
                first,
                second,
                # Pairs that a spec names stand for themselves; of every two groups the first two lead.
                main=not number or bool(spec.get("compare")),
                check=bool(spec.get("benchmark")),
                terms=(_terms(spec, first, terms[first]), _terms(spec, second, terms[second])),
                titles=_titles(bias, spec),
            )


def _of_pairs(run: Run, material: Material, place: int) -> Iterator[Question]:
    """Whether a model prefers the stereotyped sentence, for each bias."""
    biases = dict.fromkeys(pair.bias for pair in run.pairs if pair.contrast == "stereotype")
    for model in dict.fromkeys(model for model, _ in run.scores):
        for bias in biases:
            scores = next(iter(material.scores(place, model, topic_of(bias)).values()), None)
            if scores is None:
                continue
            named = list(dict.fromkeys(group for score in scores for group in score.pair.groups))
            first, second = named if len(named) == 2 and all(named) else ("", "")
            terms: dict[str, set[str]] = {first: set(), second: set()}
            for score in scores:
                for group, term in zip(score.pair.groups, score.pair.terms, strict=True):
                    terms.setdefault(group, set()).add(term)
            spec = _spec(run, bias)
            yield Question(
                model,
                "pairs",
                topic_of(bias),
                first,
                second,
                main=True,
                check=bool(spec.get("benchmark")),
                terms=(_terms(spec, first, terms[first]), _terms(spec, second, terms[second])),
                titles=_titles(bias, spec),
            )


def _of_words(run: Run, material: Material, place: int) -> Iterator[Question]:
    """Which of two groups a model expects less often, and whether more so than by habit."""
    if run.next_words is None:
        return
    seen: set[tuple[str, str]] = set()
    for cell in material.next_words(place):
        spec, words = _spec(run, cell.bias), dict(cell.sets)
        for first, second in pairs_of_groups(list(words)):
            question = Question(
                cell.model,
                "next words",
                topic_of(cell.bias),
                first,
                second,
                main=(cell.model, cell.bias) not in seen,
                check=bool(spec.get("benchmark")),
                terms=(_terms(spec, first, set(words[first])), _terms(spec, second, set(words[second]))),
                titles=_titles(cell.bias, spec),
            )
            seen.add((cell.model, cell.bias))
            yield question
            if any(item.perturbation == PERSON for item in cell.items):
                yield replace(question, beyond_habit=True, main=False)


def _spec(run: Run, bias: str) -> dict[str, Any]:
    name = bias.partition(":")[0]
    return next((dict(spec) for spec in run.meta["resolved"]["specs"] if spec["name"] == name), {})


def _pairs(groups: list[str], spec: dict[str, Any], references: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs that a spec names; else every other group against the reference of the study; else every two."""
    named = [(one, other) for one, other in spec.get("compare", ()) if one in groups and other in groups]
    if named:
        return named
    return pairs_of_groups(groups, next((name for name in references if name in groups), None))


def _terms(spec: dict[str, Any], group: str, others: set[str]) -> tuple[str, ...]:
    own = next((one["terms"] for one in spec.get("groups", ()) if one["name"] == group), ())
    return tuple(sorted({*own, *others}))


def _titles(bias: str, spec: dict[str, Any]) -> tuple[str, ...]:
    return tuple(name for name in (bias, spec.get("title", "")) if name)
