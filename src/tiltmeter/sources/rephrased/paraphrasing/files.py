"""Rephrased prompts as rows of a file, which reads back as a `prompts-file`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tiltmeter.files import write_csv
from tiltmeter.records import Prompt, Structure
from tiltmeter.sources.rephrased.paraphrasing.group import mentions_of
from tiltmeter.sources.rephrased.paraphrasing.records import Attempt, Rephrased
from tiltmeter.sources.rephrased.paraphrasing.targets import Target

SOURCE = "rephrased.v1"
COLUMNS = (
    *("id", "text", "group", "term", "attribute", "structure", "kind", "family", "skeleton", "origin", "bias"),
    *("source", "rephrased_from", "rephrased_from_id", "similarity", "made_by", "attempt", "dropped", "rejected_group"),
)


def rephrased_prompts(
    prompts: Sequence[Prompt], found: Sequence[Rephrased], targets: Sequence[Target]
) -> list[tuple[Prompt, Prompt, Attempt]]:
    """Every attempt as a prompt, with its original and what is known of it; dropped ones included."""
    known = {target.name: target for target in targets}
    return [
        (_prompt(prompt, attempt, known[attempt.target]), prompt, attempt)
        for prompt, one in zip(prompts, found, strict=True)
        for attempt in one.attempts
    ]


def write_rephrased(path: Path, lines: Sequence[tuple[Prompt, Prompt, Attempt]], *, rejected: bool = False) -> None:
    """Write the kept prompts, and with `rejected` the others too, with the reason.

    Their group stands in a column of its own: a row without one under `group` is left out when the file is read as
    prompts, so that nothing rejected is ever tested.
    """
    write_csv(path, COLUMNS, _rows([line for line in lines if rejected or line[2].dropped is None]))


def _rows(lines: Sequence[tuple[Prompt, Prompt, Attempt]]) -> Iterator[Mapping[str, object]]:
    for prompt, original, attempt in lines:
        assert prompt.structure is not None
        yield {
            "id": prompt.id,
            "text": prompt.text,
            "group": None if attempt.dropped else prompt.group,
            "term": prompt.term,
            "attribute": prompt.attribute,
            "structure": prompt.structure.id,
            "kind": prompt.structure.kind,
            "family": prompt.structure.family,
            "skeleton": prompt.structure.skeleton,
            "origin": prompt.origin,
            "bias": prompt.bias,
            "source": prompt.source,
            "rephrased_from": original.text,
            "rephrased_from_id": original.id,
            "similarity": attempt.similarity,
            "made_by": attempt.by,
            "attempt": attempt.number,
            "dropped": attempt.dropped,
            "rejected_group": prompt.group if attempt.dropped else None,
        }


def _prompt(prompt: Prompt, attempt: Attempt, target: Target) -> Prompt:
    mentions = mentions_of(prompt)
    return replace(
        prompt,
        id=f"{prompt.id}/{target.name}/{'parse-' if attempt.by == 'parse' else ''}{attempt.number}",
        source=SOURCE,
        text=attempt.text,
        group_spans=tuple(mentions.spans(attempt.text)) if mentions else (),
        structure=Structure(target.name, target.kind, target.family, attempt.skeleton),
    )
