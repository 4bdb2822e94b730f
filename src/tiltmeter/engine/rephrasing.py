"""Having prompts rephrased: the model, the parser and the sentence vectors brought together, block by block."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tiltmeter.engine.executor import HERE
from tiltmeter.engine.sentence_units import Journal, UnfinishedFile, Units
from tiltmeter.progress import NoProgress, Progress
from tiltmeter.records import ModelFacts, Prompt
from tiltmeter.sources.rephrased.paraphrasing import (
    Judge,
    Paraphraser,
    ParaphraseSettings,
    Rephrased,
    Target,
    blocks,
    other_terms,
    paraphrase,
)
from tiltmeter.store import versions


def judge() -> Judge:
    """The parser and the sentence vectors that the checks use; fetched once, then offline."""
    from tiltmeter.parsing import parser
    from tiltmeter.raters.heads import encoder

    pipeline, network = parser(), encoder()
    return Judge(functools.partial(_parsed, pipeline), network.rows)


def rephrase(
    prompts: Sequence[Prompt],
    targets: Sequence[Target],
    pen: Paraphraser,
    make_judge: Callable[[], Judge],
    settings: ParaphraseSettings,
    *,
    partial: UnfinishedFile | None = None,
    progress: Progress | None = None,
) -> list[Rephrased]:
    """What came of every prompt, in order. Blocks are cut from all of them, so that a stop changes no text.

    A prompt of which no text is kept has come to nothing.
    """

    def start() -> Callable[[Sequence[Prompt]], Sequence[Rephrased]]:
        checker, others = make_judge(), other_terms(prompts)
        return lambda block: paraphrase(block, targets, pen, checker, settings, others)

    units: Units[Prompt, Rephrased] = Units(
        f"rephrasing with {pen.facts.name}",
        [[(prompt.id, prompt) for prompt in block] for block in blocks(prompts)],
        start,
        lambda found: all(text.dropped for text in found.attempts),
    )
    journal: Journal[Rephrased] = partial.part("rephrased", Rephrased) if partial else Journal()
    return units.made(journal, HERE, progress or NoProgress())


def unfinished_file(out: Path, order: Mapping[str, Any]) -> UnfinishedFile:
    """The file beside `out` in which finished blocks are kept."""
    return UnfinishedFile(out.with_name(f"{out.name}.partial"), order)


def _parsed(pipeline: Any, texts: Sequence[str]) -> list[Any]:
    return list(pipeline.pipe(texts))


def described(
    prompts: Sequence[Prompt], targets: Sequence[Target], settings: ParaphraseSettings, by: str, facts: ModelFacts
) -> dict[str, Any]:
    """All that decides which texts come out, so that two orders can be compared."""
    model = asdict(facts)
    given = json.dumps([[asdict(prompt) for prompt in prompts], [_plain(target) for target in targets]])
    return {
        "prompts and structures": hashlib.sha256(given.encode()).hexdigest()[:16],
        "by": by,
        **asdict(settings),
        **{f"the version of {name}": number for name, number in {**versions(), **model.pop("versions")}.items()},
        **{f"the model's {key}": value for key, value in model.items()},
    }


def _plain(target: Target) -> dict[str, Any]:
    return {**asdict(target), "frame": sorted(target.frame)}
