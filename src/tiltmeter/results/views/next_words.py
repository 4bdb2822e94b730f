"""Next words: which group a model expects after a prompt, also beside what it expects of anybody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tiltmeter.measures.next_words import COMPARED, DIFFERENCE, LOG_RATIO
from tiltmeter.results.cells import Cell, Measurement, table_of
from tiltmeter.results.compare.sides import Matched, Side
from tiltmeter.results.findings.compared import PERSON
from tiltmeter.results.findings.feasibility import Feasibility, cells_of_items, reach
from tiltmeter.results.findings.questions import Question, topic_of
from tiltmeter.results.findings.stereotypes import Stereotype, spec_in, tied_pairs
from tiltmeter.results.findings.view_agreement import ViewReading, by_stereotype
from tiltmeter.results.measurements.columns import PROBABILITY
from tiltmeter.results.measurements.next_words import OWN_WORDS, items, measured
from tiltmeter.results.plan_size.pilots import Pilot
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.results.summary.runs import Cell as Summarised
from tiltmeter.results.views import Spec, ViewResults
from tiltmeter.sources.perturbations import Perturbed
from tiltmeter.stats.estimates import scaled
from tiltmeter.stats.multiverse.cells import CellData
from tiltmeter.stats.planning.precision import Design
from tiltmeter.stats.views.continuations import pairs_of_groups
from tiltmeter.store import Run
from tiltmeter.store.next_words import AskedPrompt
from tiltmeter.study.planning import DEFAULT_SOURCE
from tiltmeter.views import FACTS

_VIEW = "next words"


def _answers(cell: Cell) -> bool:
    return cell.measure in FACTS[_VIEW].measures and cell.source != DEFAULT_SOURCE


def _asked(question: Question, cells: Sequence[Cell], spec: Spec) -> Iterator[Question]:
    """Which of two groups a model expects less often, whether more so than by habit, and whether by stereotype."""
    for cell in cells:
        rows = cell.rows
        for first, second in dict.fromkeys((row.group, row.against or "") for row in rows):
            yield replace(question, first=first, second=second)
            if any(row.perturbation == PERSON for row in rows):
                yield replace(question, first=first, second=second, beyond_habit=True, main=False)
        for first, second in tied_pairs({group for row in rows for group in (row.group, row.against)}, spec):
            yield replace(question, first=first, second=second, by_stereotype=True)


def _probabilities(cells: Sequence[Cell]) -> list[Measurement]:
    """Those that values are differences of, which tell more of how sure these are."""
    differences = [cell for cell in cells if cell.measure == DIFFERENCE.name]
    return [row for cell in differences for row in cell.beside(PROBABILITY).rows]


def _feasible(resolved: Spec, asked: Iterable[Perturbed]) -> Iterator[Feasibility]:
    """What could come of the prompts of a study."""
    choices = FACTS[_VIEW].settings(resolved)
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
        spec = spec_in(resolved, bias)
        for source, found in places.items():
            for words in choices["words"]:
                sets = words["sets"] or next(iter(found.values())).asked.prompt.word_sets
                groups = [group for group, _ in sets]
                for two, tied in _asked_of(groups, spec):
                    cells = made.setdefault((topic_of(bias), two, tied), [])
                    cells += _word_cells(found.values(), source, words["label"], two, spec, tied)
    for (topic, two, _), cells in made.items():
        yield reach(_VIEW, topic, two, cells, times)


def _asked_of(groups: list[str], spec: Spec) -> Iterator[tuple[tuple[str, str], bool]]:
    """Which two groups are compared, and which by stereotype."""
    yield from ((two, False) for two in pairs_of_groups(groups))
    yield from ((two, True) for two in tied_pairs(groups, spec))


def _word_cells(
    asked: Iterable[AskedPrompt], source: str, words: str, groups: tuple[str, str], spec: Spec, tied: bool
) -> Iterator[CellData]:
    rows = {
        at: Measurement(
            one.asked.prompt.id,
            one.asked.prompt.origin,
            *groups,
            template=one.template,
            value=0.0,
            structure=form.id if (form := one.asked.prompt.structure) else None,
            kind=form.kind if form else None,
        )
        for at, one in enumerate(asked)
    }
    question = Question("", _VIEW, "", *groups, by_stereotype=tied)
    for measure in COMPARED:
        for cell in cells_of_items(question, source, measure, rows, spec):
            yield replace(cell, choices={**cell.choices, "words": words})


def _unlike(a: Side, b: Side) -> list[str]:
    """Which words were asked for."""
    one, other = (
        {choice["label"]: choice["sets"] for choice in FACTS[_VIEW].settings(side.resolved)["words"]} for side in (a, b)
    )
    unlike = [
        f"the set of words {label or 'of the source'} has other words"
        for label in one
        if label in other and _plain(one[label]) != _plain(other[label])
    ]
    named = Matched.of(a, b, _VIEW)
    own, theirs = (_words_of_side(side, names) for side, names in ((a, named.of_a), (b, named.of_b)))
    return unlike + [
        f"the set of words {OWN_WORDS} has other words for {place[1]}"
        for place in own
        if "" in one and "" in other and place in theirs and own[place] != theirs[place]
    ]


def _words_of_side(side: Side, named: Mapping[str, str]) -> dict[tuple[str, str], Any]:
    """By source and bias, the words that a source asks for by itself."""
    found: dict[tuple[str, str], Any] = {}
    for one in side.run.next_words.asked if side.run.next_words else ():
        prompt = one.asked.prompt
        found.setdefault((named.get(prompt.source, prompt.source), prompt.bias), _plain(prompt.word_sets))
    return found


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def _options(one: Pilot, design: Design) -> dict[str, int]:
    """How many professions, where that can be said."""
    return {"limit": design.origins} if one.source.name in ("profession-templates", "natural", "templates") else {}


def _readings(run: Run, known: Mapping[str, Stereotype], cells: Sequence[Summarised] | None) -> Iterator[ViewReading]:
    """By the logarithm of the ratio; of the two sets of attributes together: half of what lies between them."""
    for reading, result in by_stereotype(run, _VIEW, LOG_RATIO.name, known):
        yield replace(reading, found=scaled(result.raw, 0.5), place={**reading.place, "perturbation": ORIGINAL})


def _terms(run: Run, question: Question) -> Iterator[tuple[tuple[str, str], ...]]:
    """The sets of words that were asked for; those that the study does not name are those of each prompt."""
    cells = table_of(run).of(_VIEW, model=question.model)
    labels = {cell.words for cell in cells if topic_of(cell.bias) == question.bias}
    every = FACTS[_VIEW].settings(run.meta["resolved"]).get("words", ())
    named = [one["sets"] for one in every if one["label"] in labels and one["sets"]]
    asked = run.next_words.asked if run.next_words and not named else ()
    named += [one.asked.prompt.word_sets for one in asked if topic_of(one.asked.prompt.bias) == question.bias]
    sets = (((group, word) for group, words in some for word in words if group and word) for some in named)
    return (tuple(dict.fromkeys(one)) for one in sets)


RESULTS = ViewResults(
    measured,
    items,
    summarised=True,
    answers=_answers,
    asked=_asked,
    further=_probabilities,
    feasible=_feasible,
    unlike=_unlike,
    options=_options,
    readings=_readings,
    terms=_terms,
)
