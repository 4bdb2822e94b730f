"""From a study to its plan: every probe that can be made without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from tiltmeter import registry
from tiltmeter.errors import InvalidStudy, UnknownName, UserError
from tiltmeter.records import Dropped, Pair, Prompt, Spec
from tiltmeter.study.reader import material
from tiltmeter.study.records import GENERATED, Plan, SourceChoice, Study

Probe = TypeVar("Probe", Pair, Prompt)
Made: TypeAlias = tuple[list[Probe], list[Dropped]]


def plan(study: Study) -> Plan:
    """Make the probes of a study, but for those that a model is to write. Nothing is asked of a model."""
    pairs, dropped = _pairs(study)
    prompts, left_out = _prompts(study)
    return Plan(study, tuple(pairs), (*dropped, *left_out), tuple(prompts))


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


def _prompts(study: Study) -> Made[Prompt]:
    prompts: list[Prompt] = []
    dropped: list[Dropped] = []
    for source in study.continuations.sources if study.continuations else ():
        make = registry.load("prompt-source", source.name)
        for given in _given(study, source):
            settings = {"seed": study.seed, **source.options}
            made, left_out = _made(study, "continuations", source, make, given, settings)
            prompts += (replace(one, id=f"{source.label}:{one.id}", source=source.label) for one in made)
            dropped += left_out
    if study.continuations and not prompts:
        raise _nothing(study, "continuations", dropped)
    groups = {one.group for one in prompts if one.group}
    for name in study.continuations.reference if study.continuations else ():
        if name not in groups:
            problem = UnknownName("group", name, groups).problem
            raise InvalidStudy(problem, file=study.file, key="continuations.reference")
    return prompts, dropped


def _given(study: Study, source: SourceChoice) -> Iterable[Sequence[Any]]:
    """What a source of prompts is called with, call by call."""
    if source.path:
        return [[source.path]]
    if material("prompt-source", source.name).name == "spec" and (study.specs or source.name == "templates.v1"):
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
        option = f"{view}.sources.{source.label}.{error.key}" if error.key else f"{view}.sources"
        raise InvalidStudy(error.problem, file=study.file, key=option) from None


def _nothing(study: Study, view: str, dropped: Sequence[Dropped]) -> InvalidStudy:
    reasons = sorted({item.reason for item in dropped})
    why = f": {reasons[0]}" if reasons else "; give specs, or a source that reads a file"
    noun = "pairs" if view == "pairs" else "prompts"
    return InvalidStudy(f"the study `{study.name}` makes no {noun}{why}", file=study.file, key=f"{view}.sources")
