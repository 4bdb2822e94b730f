"""From a study to its plan: every probe that can be made without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from tiltmeter import registry, toml
from tiltmeter.errors import InvalidStudy, UnknownName, UserError
from tiltmeter.records import Dropped, Pair, Prompt, Spec
from tiltmeter.sources.perturbing import DEFAULTS, OF_PROMPTS, Perturbed, default_prompts, perturb
from tiltmeter.study.reader import material
from tiltmeter.study.records import GENERATED, NextWordChoices, Plan, SourceChoice, Study

Probe = TypeVar("Probe", Pair, Prompt)
DEFAULT_SOURCE = "default-behaviour"
"""The label of prompts that say nothing: what a model expects after them is its habit."""
Made: TypeAlias = tuple[list[Probe], list[Dropped]]


def plan(study: Study) -> Plan:
    """Make the probes of a study, but for those that a model is to write. Nothing is asked of a model."""
    pairs, without_pair = _pairs(study)
    prompts, without_prompt = _continued(study)
    asked, without_question = _asked(study)
    dropped = (*without_pair, *without_prompt, *without_question)
    return Plan(study, tuple(pairs), dropped, tuple(prompts), tuple(asked))


def _pairs(study: Study) -> Made[Pair]:
    pairs: list[Pair] = []
    dropped: list[Dropped] = []
    for source in study.sources:
        if source.name == GENERATED:
            continue
        # A source that reads a file stands for itself; the others make their probes from each spec.
        given: Sequence[Spec | str] = [source.path] if source.path else study.specs
        settings = source.options if source.path else {"seed": study.seed, **source.options}
        make = registry.load("source", source.name)
        for one in given:
            made, left_out = _made(study, "pairs", source, make, [one], settings)
            pairs += (replace(pair, id=f"{source.label}:{pair.id}", source=source.label) for pair in made)
            dropped += left_out
    if study.sources and not pairs and not (study.generated and study.specs):
        raise _nothing(study, "pairs", dropped)
    return pairs, dropped


def _continued(study: Study) -> Made[Prompt]:
    """The prompts of the view of continuations."""
    if study.continuations is None:
        return [], []
    prompts, dropped = _prompts(study, "continuations", "prompt-source", study.continuations.sources)
    groups = {one.group for one in prompts if one.group}
    for name in study.continuations.reference:
        if name not in groups:
            problem = UnknownName("group", name, groups).problem
            raise _error(study, ("continuations", "reference"), problem)
    return prompts, dropped


def _asked(study: Study) -> tuple[list[Perturbed], list[Dropped]]:
    """The prompts of the view of next words under each perturbation; the model's habit is a source of its own."""
    if study.next_words is None:
        return [], []
    prompts, dropped = _prompts(study, "next_words", "open-prompt-source", study.next_words.sources)
    _check_labour_groups(study, study.next_words, prompts)
    names = study.next_words.perturbations
    asked = [perturb(prompt, name) for prompt in prompts for name in names if name in OF_PROMPTS]
    first = {prompt.bias: prompt for prompt in reversed(prompts)}
    for prompt in reversed(first.values()):
        for name in names:
            if name in DEFAULTS:
                made = default_prompts(name, prompt)
                asked += [
                    Perturbed(replace(one, id=f"{DEFAULT_SOURCE}:{one.bias}/{one.id}", source=DEFAULT_SOURCE), name)
                    for one in made
                ]
    return asked, dropped


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


def _prompts(study: Study, view: str, noun: str, sources: Sequence[SourceChoice]) -> Made[Prompt]:
    prompts: list[Prompt] = []
    dropped: list[Dropped] = []
    for source in sources:
        make = registry.load(noun, source.name)
        for given in _given(study, noun, source):
            settings = {"seed": study.seed, **source.options}
            made, left_out = _made(study, view, source, make, given, settings)
            prompts += (replace(one, id=f"{source.label}:{one.id}", source=source.label) for one in made)
            dropped += left_out
    if not prompts:
        raise _nothing(study, view, dropped)
    return prompts, dropped


def _given(study: Study, noun: str, source: SourceChoice) -> Iterable[Sequence[Any]]:
    """What a source of prompts is called with, call by call."""
    if source.path:
        return [[source.path]]
    made_from = material(noun, source.name)
    if made_from.name == "spec" and (study.specs or made_from.needed):
        return [[spec] for spec in study.specs]
    return [[]]


def _made(
    study: Study,
    view: str,
    source: SourceChoice,
    make: Callable[..., Any],
    given: Sequence[Any],
    settings: Mapping[str, Any],
) -> Any:
    try:
        return make(*given, **settings)
    except UserError as error:
        if error.file is not None:
            raise
        option = (source.label, error.key) if error.key else ()
        raise _error(study, (view, "sources", *option), error.problem) from None


def _nothing(study: Study, view: str, dropped: Sequence[Dropped]) -> InvalidStudy:
    reasons = sorted({item.reason for item in dropped})
    why = f": {reasons[0]}" if reasons else "; give specs, or a source that reads a file"
    noun = "pairs" if view == "pairs" else "prompts"
    return _error(study, (view, "sources"), f"the study `{study.name}` makes no {noun}{why}")


def _error(study: Study, key: tuple[str, ...], problem: str) -> InvalidStudy:
    """What is wrong, with the line of the nearest key that the study file has."""
    line = toml.line_of(toml.lines(study.text), key)
    return InvalidStudy(problem, file=study.file, line=line, key=".".join(key))
