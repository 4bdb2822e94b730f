"""The loop that has a generator write sentences until every attribute has enough of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tiltmeter.errors import UserError
from tiltmeter.progress import Progress
from tiltmeter.records import AttributeSet, Spec, Written
from tiltmeter.sources.generated.accounting import Accounting, account
from tiltmeter.sources.generated.block import blocks, write_block
from tiltmeter.sources.generated.checks import DUPLICATE
from tiltmeter.sources.generated.comparisons import comparisons
from tiltmeter.sources.generated.interface import NO_REVIEW, Generator, Review
from tiltmeter.sources.generated.model_settings import settings_for
from tiltmeter.sources.generated.settings import GenerationSettings, Unit, UnitResult, seed_of
from tiltmeter.sources.generated.shots import Chooser


@dataclass(frozen=True, slots=True)
class Generation:
    """Everything that was written for a spec, dropped sentences included, and the account of it."""

    sentences: list[Written]
    accounting: Accounting

    @property
    def kept(self) -> list[Written]:
        """The sentences to test with."""
        return [sentence for sentence in self.sentences if sentence.dropped is None]


def write(
    spec: Spec,
    generator: Generator,
    settings: GenerationSettings,
    *,
    shots: Chooser | None = None,
    review: Review = NO_REVIEW,
    progress: Progress | None = None,
) -> Generation:
    """Have all sets of a spec written. The same generator, settings and shots give the same sentences."""
    settings = settings_for(settings, generator)
    todo = units(spec, settings)
    results: list[UnitResult] = []
    if progress:
        progress.start(spec.name, len(todo), 0)
    for block in blocks(todo):
        results += write_block(spec, block, generator, settings, shots=shots, review=review)
        if progress:
            progress.advance(len(block))
    return assemble(results, settings)


def units(spec: Spec, settings: GenerationSettings) -> list[Unit]:
    """The units of work, in the order of the plan."""
    if not spec.attributes:
        raise UserError(f"the spec `{spec.name}` has no attributes, so there is nothing to write sentences about")
    return [
        Unit(spec.name, number, attributes.name, attribute)
        for number in range(settings.sets)
        for attributes in spec.attributes
        if comparisons(spec, attributes)
        for attribute in _drawn(spec, attributes, settings)
    ]


def _drawn(spec: Spec, attributes: AttributeSet, settings: GenerationSettings) -> Sequence[str]:
    """The words that are written about, in the order of the spec: all, or as many as the settings ask for."""
    terms = attributes.terms
    if settings.attributes is None or settings.attributes >= len(terms):
        return terms
    source = random.Random(seed_of(settings.seed, "attributes", spec.name, attributes.name))
    return [terms[at] for at in sorted(source.sample(range(len(terms)), settings.attributes))]


def assemble(results: Sequence[UnitResult], settings: GenerationSettings) -> Generation:
    """Units put together: a sentence that another unit of the same set has too is dropped from the later one."""
    seen: set[tuple[int, str, str]] = set()
    clean = []
    for result in results:
        sentences = []
        for sentence in result.sentences:
            key = (sentence.set, sentence.bias, sentence.text.casefold())
            doubled = sentence.dropped is None and key in seen
            if sentence.dropped is None:
                seen.add(key)
            sentences.append(replace(sentence, dropped=DUPLICATE) if doubled else sentence)
        clean.append(replace(result, sentences=tuple(sentences)))
    return Generation(
        [sentence for result in clean for sentence in result.sentences], account(clean, settings.per_attribute)
    )
