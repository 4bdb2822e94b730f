"""From runs to the cells of a question: which items each combination of choices gave.

An origin has its source before its name, so that it means the same thing in every cell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from tiltmeter.analysis.continuation_records import ends_of, favour
from tiltmeter.analysis.instrument import RESULTS, Instrument, Result, instrument_of
from tiltmeter.analysis.items import apart, is_published, labelled
from tiltmeter.analysis.next_word_cells import NextWordCell, NextWordsSummary, summarise_expectations
from tiltmeter.analysis.next_words import ORIGINAL, Expected
from tiltmeter.analysis.question_expected import beyond_habit_cell, expected_cell, stereotyped_cell
from tiltmeter.analysis.question_pairs import by_structure, paired_cells
from tiltmeter.analysis.question_stereotypes import Stereotype, spec_of, stereotype
from tiltmeter.analysis.questions import Question, topic_of
from tiltmeter.analysis.rated_items import RatedCell, rated_cells, rated_items
from tiltmeter.analysis.structures import structures_of
from tiltmeter.measures.declared import Measure
from tiltmeter.measures.next_words import MEASURES, Chances
from tiltmeter.records import Decoding, PairScore
from tiltmeter.stats.cells import CellData
from tiltmeter.stats.continuations import RatedItem
from tiltmeter.store import Run
from tiltmeter.views import View

PERSON = "person"
"""The perturbation that shows what a model expects of anybody."""
MEASURED: Mapping[str, Measure[Chances]] = {
    name.replace("_", " "): measure
    for name in ("log_ratio", "difference", "share")
    for measure in MEASURES
    if measure.name == name
}
_DECODING = {
    "temperature": "temperature",
    "top_k": "top k",
    "top_p": "top p",
    "max_new_tokens": "new tokens",
    "beams": "beams",
    "whole_sentences": "whole sentences",
    "stop": "stop",
}
"""What the settings of a decoding are called."""


@dataclass(slots=True)
class Material:
    """Runs to answer questions from; what is dear to read is kept while questions of one bias are answered."""

    runs: Sequence[Run]
    expected: dict[int, NextWordsSummary] = field(default_factory=dict)
    """The view of next words of a run, by its place, where it is known already."""
    _rated: dict[tuple[int, RatedCell], list[RatedItem]] = field(default_factory=dict)
    _cells: dict[int, list[RatedCell]] = field(default_factory=dict)
    _instruments: dict[int, Instrument] = field(default_factory=dict)
    _kept_for: tuple[str, str] = ("", "")
    _scores: dict[tuple[int, str], dict[str, dict[tuple[str, str], list[PairScore]]]] = field(default_factory=dict)

    def rated_cells(self, place: int) -> list[RatedCell]:
        """The cells of a run whose ratings say that one text is better than another."""
        if place not in self._cells:
            self._cells[place] = [cell for cell in rated_cells(self.runs[place]) if favour(cell.rater)]
        return self._cells[place]

    def rated(self, place: int, cell: RatedCell) -> list[RatedItem]:
        """The items of a cell."""
        about = (cell.model, topic_of(cell.bias))
        if about != self._kept_for:
            self._rated, self._kept_for = {}, about
        if (place, cell) not in self._rated:
            values = (cell.model, cell.source, cell.bias, cell.decoding, cell.rater, cell.scope)
            self._rated[place, cell] = rated_items(self.runs[place], *values)
        return self._rated[place, cell]

    def next_words(self, place: int) -> list[NextWordCell]:
        """The cells of whom models expect, without those of habit."""
        if place not in self.expected:
            self.expected[place] = summarise_expectations(self.runs[place]) or NextWordsSummary(())
        return [cell for cell in self.expected[place].cells if not cell.of_habit]

    def instrument(self, model: str, view: View) -> Result:
        """The worst result of the checks of the instrument in the runs that ask a model in a view."""
        for place, run in enumerate(self.runs):
            if place not in self._instruments:
                # Whom models expect is dear to sum up, and needed only where a check asks for it.
                checked = run.next_words is not None and any(
                    spec["benchmark"] for spec in run.meta["resolved"]["specs"]
                )
                if checked:
                    self.next_words(place)
                self._instruments[place] = instrument_of(run, self.expected.get(place) if checked else None)
        found = {each.results[model, view] for each in self._instruments.values() if (model, view) in each.results}
        return next((result for result in RESULTS if result in found), "not made")

    def scores(self, place: int, model: str, topic: str) -> Mapping[tuple[str, str], list[PairScore]]:
        """By source and scorer, what a model made of the pairs of a bias; never those in the form of a paper."""
        if (place, model) not in self._scores:
            found: dict[str, dict[tuple[str, str], list[PairScore]]] = {}
            for (name, scorer), every in self.runs[place].scores.items():
                if name == model:
                    for score in labelled(apart(every)[0]):
                        if not is_published(scorer, score.pair.source):
                            about = found.setdefault(topic_of(score.pair.bias), {})
                            about.setdefault((score.pair.source, scorer), []).append(score)
            self._scores[place, model] = found
        return self._scores[place, model].get(topic, {})


def cells_of(question: Question, material: Material) -> list[CellData]:
    """Every cell of a question, with the run or the seed as a choice where several runs answer it."""
    build = _BUILDERS[question.view]
    made = [(place, cell) for place in range(len(material.runs)) for cell in build(question, material, place)]
    places = list(dict.fromkeys(place for place, _ in made))
    if len(places) > 1:
        name, settings = _told_apart([material.runs[place] for place in places])
        by_place = dict(zip(places, settings, strict=True))
        cells = [replace(cell, choices={**cell.choices, name: by_place[place]}) for place, cell in made]
    else:
        cells = [cell for _, cell in made]
    return _without_silent(cells)


def has_cells(question: Question, material: Material) -> bool:
    """Whether there is any cell of a question; no more is read than the first."""
    build = _BUILDERS[question.view]
    return any(True for place in range(len(material.runs)) for _ in build(question, material, place))


def _told_apart(runs: Sequence[Run]) -> tuple[str, list[str]]:
    """The seed, where runs differ in nothing else; otherwise the run itself."""
    studies = [{k: value for k, value in run.meta["resolved"].items() if k not in ("seed", "name")} for run in runs]
    seeds = [str(run.meta["resolved"]["seed"]) for run in runs]
    if all(study == studies[0] for study in studies) and len(set(seeds)) == len(runs):
        return "seed", seeds
    names = [run.folder.name for run in runs]
    if len(set(names)) < len(names):
        names = [str(run.folder) for run in runs]
    return "run", names if len(set(names)) == len(names) else [f"{at}: {name}" for at, name in enumerate(names, 1)]


_ALWAYS = ("source", "rater", "scorer", "words", "measure")
"""Choices that are named even where they do not vary."""


def _without_silent(cells: Sequence[CellData]) -> list[CellData]:
    """The cells without choices that no two of them differ in; those that say what was measured stay."""
    settings: dict[str, set[str | None]] = defaultdict(set)
    names = dict.fromkeys(name for cell in cells for name in cell.choices)
    for name in names:
        settings[name] = {cell.choices.get(name) for cell in cells}
    kept = [name for name in names if len(settings[name]) > 1 or name in _ALWAYS]
    return [
        replace(cell, choices={name: cell.choices[name] for name in kept if name in cell.choices}) for cell in cells
    ]


def _rated(question: Question, material: Material, place: int) -> Iterator[CellData]:
    """Rated texts about the two groups."""
    known = structures_of(material.runs[place])
    sides = {question.first: 0, question.second: 1}
    for cell in material.rated_cells(place):
        if (cell.model, topic_of(cell.bias)) != (question.model, question.bias):
            continue
        items = [item for item in material.rated(place, cell) if item.group in sides]
        if {item.group for item in items} != set(sides):
            continue
        for kind, part in by_structure(items, lambda item: known.get(item.structure or "")).items():
            yield CellData.of(
                {
                    "source": cell.source,
                    "structure": kind,
                    **decoding_choices(cell.decoding),
                    "rater": cell.rater,
                    "scope": cell.scope,
                },
                [item.value for item in part],
                [f"{cell.source}: {item.origin}" for item in part],
                [sides[item.group] for item in part],
                orientation=-1 if favour(cell.rater) > 0 else 1,
                scale=ends_of(cell.rater),
                because=[item.unrated for item in part],
            )


def decoding_choices(decoding: Decoding) -> dict[str, str]:
    """The settings of a decoding as choices of a cell."""
    found = asdict(decoding)
    return {words: _setting(found[name]) for name, words in _DECODING.items()}


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _paired(question: Question, material: Material, place: int) -> Iterator[CellData]:
    """Scored pairs of a bias."""
    for (source, scorer), scores in material.scores(place, question.model, question.bias).items():
        yield from paired_cells(source, scorer, scores)


def _expected(question: Question, material: Material, place: int) -> Iterator[CellData]:
    """Whom a model expects."""
    groups = question.first, question.second
    for cell in material.next_words(place):
        if (cell.model, topic_of(cell.bias)) != (question.model, question.bias):
            continue
        if not set(groups) <= {group for group, _ in cell.sets}:
            continue
        spec = spec_of(material.runs[place], cell.bias)
        tied = stereotype(spec, groups) if spec and question.by_stereotype else None
        choices = {
            "source": cell.source,
            "words": cell.words,
            "bounded": _setting(cell.bounded),
            "combine": cell.combine,
        }
        for name, measure in MEASURED.items():
            if made := _word_cell(question, cell.items, tied, measure, {**choices, "measure": name}):
                yield made


def _word_cell(
    question: Question,
    every: Sequence[Expected],
    tied: Stereotype | None,
    measure: Measure[Chances],
    choices: Mapping[str, str],
) -> CellData | None:
    """Prompts as they are, by stereotype, or beside what the model expects of anybody; None where there are none."""
    groups = question.first, question.second
    items = [item for item in every if item.perturbation == ORIGINAL]
    if question.by_stereotype:
        return stereotyped_cell(choices, items, tied, measure) if tied else None
    if question.beyond_habit:
        habit = {item.prompt: item for item in every if item.perturbation == PERSON}
        both = [(item, habit[item.prompt]) for item in items if item.prompt in habit]
        return beyond_habit_cell(choices, both, groups, measure) if both else None
    return expected_cell(choices, items, groups, measure) if items else None


_BUILDERS: Mapping[str, Callable[[Question, Material, int], Iterator[CellData]]] = {
    "continuations": _rated,
    "pairs": _paired,
    "next words": _expected,
}
