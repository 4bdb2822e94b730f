"""Having prompts rephrased: the model, the parser and the sentence vectors brought together, block by block."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from tiltmeter.engine.partial import Partial
from tiltmeter.records import ModelFacts, Prompt
from tiltmeter.sources.rephrased.paraphrasing import (
    Judge,
    ParaphraseSettings,
    Pen,
    Rephrased,
    Target,
    blocks,
    other_terms,
    paraphrase,
)
from tiltmeter.store import versions
from tiltmeter.watching import Watcher

_PART = "rephrased"


class Journal(Protocol):
    """Where finished prompts are written down."""

    def done(self) -> Mapping[str, Rephrased]:
        """Those that are there already, by the ids of their prompts."""
        ...

    def add(self, found: Sequence[Rephrased]) -> None:
        """Add those of one block: all of them or none."""
        ...


class Unrecorded:
    """A journal that keeps nothing: a stop loses everything."""

    def done(self) -> Mapping[str, Rephrased]:
        """Never anything."""
        return {}

    def add(self, found: Sequence[Rephrased]) -> None:
        """Ignore it."""


class RephrasedPartial(Partial):
    """The file beside an unfinished file of rephrased prompts."""

    def done(self) -> Mapping[str, Rephrased]:
        """The finished prompts."""
        rows = self._database.execute("select unit, result from units where part = ?", (_PART,))
        return {unit: Rephrased.from_json(json.loads(result)) for unit, result in rows}

    def add(self, found: Sequence[Rephrased]) -> None:
        """Add the prompts of a block: all of them or none."""
        rows = [(_PART, one.prompt, json.dumps(asdict(one))) for one in found]
        self._database.execute("begin")
        self._database.executemany("insert into units values (?, ?, ?)", rows)
        self._database.execute("commit")


def judge() -> Judge:
    """The parser and the sentence vectors that the checks use; fetched once, then offline."""
    from tiltmeter.parsing import parser
    from tiltmeter.raters.heads import encoder

    pipeline, network = parser(), encoder()
    return Judge(partial(_parsed, pipeline), network.rows)


def rephrase(
    prompts: Sequence[Prompt],
    targets: Sequence[Target],
    pen: Pen,
    make_judge: Callable[[], Judge],
    settings: ParaphraseSettings,
    *,
    journal: Journal,
    watcher: Watcher,
) -> list[Rephrased]:
    """What came of every prompt, in order. Blocks are cut from all of them, so that a stop changes no text.

    A prompt of which no text is kept has come to nothing.
    """
    done = dict(journal.done())
    watcher.start(f"rephrasing with {pen.facts.name}", len(prompts), sum(prompt.id in done for prompt in prompts))
    others = other_terms(prompts)
    checker: Judge | None = None
    for block in blocks(prompts):
        if all(prompt.id in done for prompt in block):
            continue
        checker = checker or make_judge()
        found = paraphrase(block, targets, pen, checker, settings, others)
        journal.add(found)
        done |= {one.prompt: one for one in found}
        watcher.advance(len(block), sum(all(text.dropped for text in one.attempts) for one in found))
    return [done[prompt.id] for prompt in prompts]


def partial_beside(out: Path, order: Mapping[str, Any]) -> RephrasedPartial:
    """The file beside `out` in which finished blocks are kept."""
    return RephrasedPartial(out.with_name(f"{out.name}.partial"), order)


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
