"""From runs to the cells of a question: which items each combination of choices gave.

An origin has its source before its name, so that it means the same thing in every cell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from typing import TypeVar

from tiltmeter.analysis.continuation_records import ends_of, favour
from tiltmeter.analysis.items import apart, labelled
from tiltmeter.analysis.next_word_cells import NextWordCell, NextWordsSummary, summarise_expectations
from tiltmeter.analysis.next_words import ORIGINAL, Expected
from tiltmeter.analysis.questions import Question, topic_of
from tiltmeter.analysis.rated_items import RatedCell, rated_cells, rated_items
from tiltmeter.analysis.structures import FIXED, structures_of
from tiltmeter.measures.declared import Measure
from tiltmeter.measures.next_words import MEASURES, Chances
from tiltmeter.measures.pairs import margin, preference, preferred
from tiltmeter.records import Decoding, Pair, PairScore, Structure
from tiltmeter.stats.cells import CellData
from tiltmeter.stats.continuations import RatedItem
from tiltmeter.stats.scales import SHARE
from tiltmeter.store import Run

_Item = TypeVar("_Item")

BASELINE = "baseline"
"""The structure of sentences that are not rephrased."""
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

    def scores(self, place: int, model: str, topic: str) -> Mapping[tuple[str, str], list[PairScore]]:
        """By source and scorer, what a model made of the pairs of a bias; never those in the form of a paper."""
        if (place, model) not in self._scores:
            found: dict[str, dict[tuple[str, str], list[PairScore]]] = {}
            for (name, scorer), every in self.runs[place].scores.items():
                if name == model and ".as-published." not in scorer:
                    for score in labelled(apart(every)[0]):
                        if "as-published" not in score.pair.source:
                            about = found.setdefault(topic_of(score.pair.bias), {})
                            about.setdefault((score.pair.source, scorer), []).append(score)
            self._scores[place, model] = found
        return self._scores[place, model].get(topic, {})


def cells_of(question: Question, material: Material, *, over_templates: bool = False) -> list[CellData]:
    """Every cell of a question, with the run or the seed as a choice where several runs answer it.

    `over_templates` has the templates of next words for origins, in the place of professions.
    """
    made: list[tuple[int, CellData]] = []
    builders: Mapping[str, Callable[[Question, Material, int], Iterator[CellData]]] = {
        "continuations": _rated,
        "pairs": _paired,
        "next words": partial(_expected, over_templates=over_templates),
    }
    build = builders[question.view]
    for place in range(len(material.runs)):
        made += [(place, cell) for cell in build(question, material, place)]
    places = list(dict.fromkeys(place for place, _ in made))
    if len(places) > 1:
        name, settings = _told_apart([material.runs[place] for place in places])
        by_place = dict(zip(places, settings, strict=True))
        cells = [replace(cell, choices={**cell.choices, name: by_place[place]}) for place, cell in made]
    else:
        cells = [cell for _, cell in made]
    return _without_silent(cells)


def _told_apart(runs: Sequence[Run]) -> tuple[str, list[str]]:
    """The seed, where runs differ in nothing else; otherwise the run itself."""
    studies = [{key: value for key, value in run.meta["resolved"].items() if key != "seed"} for run in runs]
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
        for kind, part in _by_structure(items, lambda item: known.get(item.structure or "")).items():
            yield CellData.of(
                {
                    "source": cell.source,
                    "structure": kind,
                    **_decoding(cell.decoding),
                    "rater": cell.rater,
                    "scope": cell.scope,
                },
                [item.value for item in part],
                [f"{cell.source}: {item.origin}" for item in part],
                [sides[item.group] for item in part],
                orientation=-1 if favour(cell.rater) > 0 else 1,
                scale=ends_of(cell.rater),
            )


def _by_structure(items: Sequence[_Item], structure: Callable[[_Item], Structure | None]) -> dict[str, list[_Item]]:
    found: dict[str, list[_Item]] = defaultdict(list)
    for item in items:
        one = structure(item)
        found[BASELINE if one is None or one.id == FIXED else one.kind].append(item)
    return found


def _decoding(decoding: Decoding) -> dict[str, str]:
    found = asdict(decoding)
    return {words: _setting(found[name]) for name, words in _DECODING.items()}


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _paired(question: Question, material: Material, place: int) -> Iterator[CellData]:
    """Scored pairs: two sides where either group is the stereotyped one somewhere, else signed items."""
    for (source, scorer), scores in material.scores(place, question.model, question.bias).items():
        sides = _Sides([score.pair for score in scores])
        several = len({score.pair.set for score in scores}) > 1
        parts = _by_structure(scores, lambda score: score.pair.structure)
        for kind, of_kind in parts.items():
            by_set: dict[str | None, list[PairScore]] = defaultdict(list)
            for score in of_kind:
                by_set[str(score.pair.set + 1) if several else None].append(score)
            for number, part in by_set.items():
                choices = {"source": source, "structure": kind, "scorer": scorer}
                yield from sides.cells(choices | ({"set": number} if number else {}), part)


class _Sides:
    """How pairs of one source are compared: by the group that is stereotyped, where it is now one and now the other."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._pairs = pairs

    @cached_property
    def groups(self) -> tuple[str, str] | None:
        """Two groups of which either is stereotyped somewhere; None: signed items."""
        named = list(dict.fromkeys(group for pair in self._pairs for group in pair.groups))
        stereotyped = {pair.groups[pair.stereotyped] for pair in self._pairs if pair.stereotyped is not None}
        return (named[0], named[1]) if len(named) == 2 and stereotyped == set(named) else None

    def cells(self, choices: Mapping[str, str], scores: Sequence[PairScore]) -> Iterator[CellData]:
        """The preference and the margin of some pairs."""
        # An attribute is the same in every source, and is turned in all of them at once. Pairs of a data set without
        # attributes are clustered by what they came from.
        origins = [score.pair.attribute or f"{choices['source']}: {score.pair.origin}" for score in scores]
        if self.groups is None:
            yield CellData.of({**choices, "measure": "preference"}, preference(scores), origins, neutral=0.5)
            yield CellData.of({**choices, "measure": "margin"}, margin(scores), origins)
            return
        first = self.groups[0]
        sides = [int(score.pair.groups[score.pair.stereotyped or 0] != first) for score in scores]
        places = [score.pair.groups.index(first) for score in scores]
        shares = [_share(score, at) for score, at in zip(scores, places, strict=True)]
        margins = [
            None if score.scores is None else score.scores[at] - score.scores[1 - at]
            for score, at in zip(scores, places, strict=True)
        ]
        yield CellData.of({**choices, "measure": "preference"}, shares, origins, sides, scale=SHARE)
        yield CellData.of({**choices, "measure": "margin"}, margins, origins, sides)


def _share(score: PairScore, at: int) -> float | None:
    """1 where the text at this place is preferred, one half for a tie; None without a score."""
    choice = preferred(score)
    if choice is None:
        return None
    return 0.5 if choice == "tie" else float(choice == at + 1)


def _expected(
    question: Question, material: Material, place: int, *, over_templates: bool = False
) -> Iterator[CellData]:
    """Whom a model expects after prompts as they are, or how far that goes beyond what it expects of anybody.

    A profession is the same in every source, and is turned in all of them at once.
    """
    origin_of = _template_or_profession if over_templates else _profession
    for cell in material.next_words(place):
        named = {group for group, _ in cell.sets}
        if (cell.model, topic_of(cell.bias)) != (question.model, question.bias):
            continue
        if not {question.first, question.second} <= named:
            continue
        choices = {
            "source": cell.source,
            "words": cell.words,
            "bounded": _setting(cell.bounded),
            "combine": cell.combine,
        }
        habit = {item.prompt: item for item in cell.items if item.perturbation == PERSON}
        items = [item for item in cell.items if item.perturbation == ORIGINAL]
        if question.beyond_habit:
            items = [item for item in items if item.prompt in habit]
        origins = [origin_of(item) for item in items]
        for name, measure in MEASURED.items() if items else ():
            values, neutral = _values(question, items, measure), measure.neutral or 0.0
            if question.beyond_habit:
                usual = _values(question, [habit[item.prompt] for item in items], measure)
                values, neutral = [_minus(*both) for both in zip(values, usual, strict=True)], 0.0
            yield CellData.of({**choices, "measure": name}, values, origins, orientation=-1, neutral=neutral)


def _profession(item: Expected) -> str:
    return item.profession


def _template_or_profession(item: Expected) -> str:
    """The template, which several professions share; a sentence of its own is as good as its profession."""
    return item.profession if item.template is None else f"template {item.template}"


def _values(question: Question, items: Sequence[Expected], measure: Measure[Chances]) -> list[float | None]:
    return measure.values([(item.chances.get(question.first), item.chances.get(question.second)) for item in items])


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
