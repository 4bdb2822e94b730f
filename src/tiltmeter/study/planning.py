"""From a study to its plan: every item that can be made without a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from tiltmeter import specs, toml
from tiltmeter.errors import InvalidData, InvalidStudy, UnknownName, UserError
from tiltmeter.models.family import fills_blanks
from tiltmeter.records import Dropped, Item, Pair, Prompt, Spec
from tiltmeter.sources.interface import Source
from tiltmeter.sources.perturbations import (
    DEFAULTS,
    OF_PROMPTS,
    Perturbed,
    default_prompts,
    no_default,
    perturb,
    reads_english,
)
from tiltmeter.study.disk_lists import DiskList, disk_list, doubled
from tiltmeter.study.records import GENERATED, NextWordChoices, Plan, SourceChoice, Study
from tiltmeter.views import FACTS, View

DEFAULT_SOURCE = "default-behaviour"
"""The label of prompts that say nothing: what a model expects after them is its habit."""
ItemKind = TypeVar("ItemKind", bound=Item)


def plan(study: Study) -> Plan:
    """Make the items of a study, but for those that a model is to write. Nothing is asked of a model."""
    dropped: DiskList[Dropped] = DiskList()
    pairs, prompts = _pairs(study, dropped), _prompts_to_continue(study, dropped)
    asked = disk_list(_perturbed_prompts(study, dropped))
    items = {view: _items(study, view, choices.sources, dropped) for view, choices in study.asked.items()}
    for view, choices in study.asked.items():
        blank = [name for name in study.models if fills_blanks(Path(name.removeprefix("hf:")))]
        if blank and study.views == [view] and not choices.ways(()):
            raise _error(study, ("models",), choices.unfit(blank[0]))
    return Plan(study, pairs, dropped.finished(), prompts, asked, items)


def _pairs(study: Study, dropped: DiskList[Dropped]) -> Sequence[Pair]:
    pairs: DiskList[Pair] = DiskList()
    for choice in study.sources:
        if choice.name == GENERATED:
            continue
        source = Source.named(choice.name, "pairs")
        # A source that reads a file stands for itself; the others make their items from each spec.
        given: Sequence[Spec | str] = [choice.path] if choice.path else study.specs
        settings = choice.options if choice.path else {"seed": study.seed, **choice.options}
        if choice.path and source.takes_specs:
            settings = {**settings, "specs": [*study.specs, *map(specs.load, specs.names())]}
        for one in given:
            _collect(_made(study, source, choice, [one], settings), choice, pairs, dropped)
    if study.sources and not pairs and not (study.generated and study.specs):
        raise _nothing(study, "pairs", dropped)
    return pairs.finished()


def _prompts_to_continue(study: Study, dropped: DiskList[Dropped]) -> Sequence[Prompt]:
    """The prompts of the view of continuations."""
    if study.continuations is None:
        return ()
    prompts = _items(study, "continuations", study.continuations.sources, dropped)
    groups = {one.group for one in prompts if one.group} | {name for one in prompts for name, _ in one.word_sets}
    for name in study.continuations.reference:
        if name not in groups:
            problem = UnknownName("group", name, groups).problem
            raise _error(study, ("continuations", "reference"), problem)
    return prompts


def _perturbed_prompts(study: Study, dropped: DiskList[Dropped]) -> Iterator[Perturbed]:
    """The prompts of the view of next words under each perturbation; the model's habit is a source of its own."""
    if study.next_words is None:
        return
    prompts = _items(study, "next words", study.next_words.sources, dropped)
    _check_labour_groups(study, study.next_words, prompts)
    names = study.next_words.perturbations
    first: dict[str, Prompt] = {}
    english: set[str] = set()
    for prompt in prompts:
        if prompt.bias not in english and reads_english(prompt):
            english.add(prompt.bias)
        # The first of each bias, in the order of the last: the order of the plans of before.
        first[prompt.bias] = first.pop(prompt.bias, prompt)
        yield from (perturb(prompt, name) for name in names if name in OF_PROMPTS)
    for prompt in first.values():
        for name in names:
            unscored = no_default(name, english=prompt.bias in english)
            for one in default_prompts(name, prompt) if name in DEFAULTS else ():
                put = replace(one, id=f"{DEFAULT_SOURCE}:{one.bias}/{one.id}", source=DEFAULT_SOURCE)
                yield Perturbed(put, name, unscored=unscored)


def _check_labour_groups(study: Study, choices: NextWordChoices, prompts: Sequence[Prompt]) -> None:
    """Refuse groups of women and men that are asked for after no prompt: the statistics would be left out unsaid."""
    asked = {tuple(group for group, _ in words.of(prompt)) for words in choices.words for prompt in prompts}
    if not choices.labour_groups or any(set(choices.labour_groups) <= set(groups) for groups in asked):
        return
    known = {group for groups in asked for group in groups}
    unknown = next((name for name in choices.labour_groups if name not in known), None)
    women, men = choices.labour_groups
    problem = (
        UnknownName("group", unknown, known).problem
        if unknown is not None
        else f"no set of words has both `{women}` and `{men}`; name two groups of one set"
    )
    raise _error(study, ("next_words", "labour_groups"), problem)


def _items(
    study: Study,
    view: View,
    choices: Sequence[SourceChoice],
    dropped: DiskList[Dropped],
) -> Sequence[Any]:
    """What the sources of a view make, each of a spec or a file at a time."""
    items: DiskList[Item] = DiskList()
    before = len(dropped)
    for choice in choices:
        source = Source.named(choice.name, view)
        for given in _given(study, source, choice):
            settings = {**({"seed": study.seed} if source.draws else {}), **choice.options}
            _collect(_made(study, source, choice, given, settings), choice, items, dropped)
    if not items:
        raise _nothing(study, view, dropped[before:])
    return items.finished()


def _collect(
    made: Iterable[ItemKind | Dropped], source: SourceChoice, items: DiskList[ItemKind], dropped: DiskList[Dropped]
) -> None:
    """Items under the label of their source, and what could not be made."""
    for one in made:
        if isinstance(one, Dropped):
            dropped.append(one)
        else:
            items.append(replace(one, id=f"{source.label}:{one.id}", source=source.label))


def _given(study: Study, source: Source, choice: SourceChoice) -> Iterable[Sequence[Any]]:
    """What a source of prompts is called with, call by call."""
    if choice.path:
        return [[choice.path]]
    if source.input == "spec" and (study.specs or source.needs_input):
        return [[spec] for spec in study.specs]
    return [[]]


def _made(
    study: Study, source: Source, choice: SourceChoice, given: Sequence[Any], settings: Mapping[str, Any]
) -> Iterator[Any]:
    """What a source makes, and what it drops; what it refuses is said of the study file."""
    made = source.items(given, settings)
    try:
        yield from _refusing_doubles(made, str(given[0])) if source.declared("stream") else made
    except UserError as error:
        if error.file is not None:
            raise
        option = (choice.label, error.key) if error.key else ()
        raise _error(study, (FACTS[source.view].key, "sources", *option), error.problem) from None


def _refusing_doubles(made: Iterable[Item | Dropped], path: str) -> Iterator[Item | Dropped]:
    """What is read of a file; at its end it is refused where an id stands twice."""
    names: DiskList[str] = DiskList()
    for one in made:
        if isinstance(one, Item) and not isinstance(one, Pair):
            names.append(one.id.removeprefix(f"{Path(path).stem}/"))
        yield one
    twice = doubled(names)
    if twice is not None:
        raise InvalidData(f"the id `{twice}` is used more than once", file=path)


def _nothing(study: Study, view: View, dropped: Sequence[Dropped]) -> InvalidStudy:
    reasons = sorted({item.reason for item in dropped})
    bare = [f"`{spec.name}`" for spec in study.specs if not spec.templates]
    why = "; give specs, or a source that reads a file"
    if reasons:
        why = f": {reasons[0]}"
    elif bare:
        why = f": {', '.join(bare)} {'has' if len(bare) == 1 else 'have'} no templates; add some, or another source"
    noun = FACTS[view].asked
    return _error(study, (FACTS[view].key, "sources"), f"the study `{study.name}` makes no {noun}s{why}")


def _error(study: Study, key: tuple[str, ...], problem: str) -> InvalidStudy:
    """What is wrong, with the line of the nearest key that the study file has."""
    line = toml.line_of(toml.lines(study.text), key)
    return InvalidStudy(problem, file=study.file, line=line, key=".".join(key))
