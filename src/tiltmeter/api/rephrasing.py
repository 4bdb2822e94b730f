"""The same prompts in many sentence structures: a spec's by a grammar, anybody's by their parse and a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tiltmeter import models, specs
from tiltmeter.api.frames import Frame
from tiltmeter.engine import rephrasing
from tiltmeter.errors import UserError
from tiltmeter.models import ModelSettings
from tiltmeter.models.interface import as_writer
from tiltmeter.progress import Progress
from tiltmeter.records import Dropped, Prompt, Spec
from tiltmeter.sources import rephrased
from tiltmeter.sources.rephrased import paraphrasing

COLUMNS = (
    *("id", "text", "group", "term", "verb_phrase", "attribute", "structure", "kind", "family", "skeleton"),
    *("origin", "bias", "source", "spec_term"),
)
"""Of prompts by a grammar; `term` has the words of the text that name the group, `spec_term` those of the spec."""


def rephrase(
    given: str | Path | Spec | Sequence[Prompt],
    *,
    by: str | Path | object = None,
    structures: int | None = None,
    kind: str | None = None,
    fixed: bool = False,
    per_group: int | None = None,
    seed: int = 0,
    settings: ModelSettings | None = None,
    progress: Progress | None = None,
) -> Frame:
    """Put the groups and verb phrases of a spec into many structures, or prompts by their parse and the model `by`.

    >>> frame = rephrase("regard-six-groups", structures=3, per_group=30)
    >>> len({row["structure"] for row in frame}), frame.columns[:3]
    (3, ['id', 'text', 'group'])
    """
    if not isinstance(given, str | Path | Spec):
        if by is None:
            raise UserError("prompts are rephrased by a model: rephrase(prompts, by=MODEL)")
        prompts = list(given)
        if not all(isinstance(one, Prompt) for one in prompts):
            raise UserError("prompts are tiltmeter.Prompt, as template_prompts and file_prompts make them")
        return _by_model(prompts, by, seed, settings, progress)
    if by is not None:
        raise UserError("a spec is rephrased by a grammar, without a model; give prompts to have one rephrase them")
    options = {"structures": structures, "kind": kind, "fixed": fixed, "per_group": per_group, "seed": seed}
    made, _ = by_grammar(given, options)
    return Frame.of_rows(map(grammar_row, made), COLUMNS)


def by_grammar(spec: str | Path | Spec, options: Mapping[str, Any]) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of a spec in many structures, and those that could not be made."""
    opened = spec if isinstance(spec, Spec) else specs.load(spec)
    made, dropped = rephrased.prompts(opened, **{key: value for key, value in options.items() if value is not None})
    if not made:
        why = f": {dropped[0].reason}" if dropped else ""
        raise UserError(f"`{opened.name}` makes no prompts{why}")
    return made, dropped


def grammar_row(prompt: Prompt) -> dict[str, object]:
    """A prompt by a grammar as a row of a file."""
    form = prompt.structure
    return {
        "id": prompt.id,
        "text": prompt.text,
        "group": prompt.group,
        "term": prompt.text[slice(*prompt.group_spans[0])] if prompt.group_spans else prompt.term,
        "verb_phrase": prompt.origin,
        "attribute": prompt.attribute,
        "structure": form.id if form else None,
        "kind": form.kind if form else None,
        "family": form.family if form else None,
        "skeleton": form.skeleton if form else None,
        "origin": prompt.origin,
        "bias": prompt.bias,
        "source": prompt.source,
        "spec_term": prompt.term,
    }


def _by_model(
    prompts: Sequence[Prompt], by: object, seed: int, settings: ModelSettings | None, progress: Progress | None
) -> Frame:
    pen = as_writer(models.load(by, settings or ModelSettings()))
    targets, wanted = paraphrasing.targets([]), paraphrasing.ParaphraseSettings(seed=seed)
    results = rephrasing.rephrase(prompts, targets, pen, rephrasing.judge, wanted, progress=progress)
    lines = paraphrasing.rephrased_prompts(list(prompts), results, targets)
    return Frame.of_rows(
        {
            "id": made.id,
            "text": made.text,
            "group": made.group,
            "structure": attempt.target,
            "original": prompt.text,
            "origin": made.origin,
            "rejected": attempt.dropped,
        }
        for made, prompt, attempt in lines
    )
