"""The stage before scoring: have the generators of a study write their sentences, and audit, pair and replace them."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

from tiltmeter.engine.executor import Executor
from tiltmeter.engine.review import NOBODY, Auditor, can_rank, check_reader
from tiltmeter.engine.sentence_units import Author, Journal, write_units
from tiltmeter.errors import MissingExtra
from tiltmeter.progress import Progress
from tiltmeter.records import Dropped, Pair, Spec, Written
from tiltmeter.sources import generated, templates
from tiltmeter.sources.generated import GenerationSettings, Review, Unit, UnitResult, vectors
from tiltmeter.sources.generated.comparisons import comparisons
from tiltmeter.sources.generated.pairs import sentence_of
from tiltmeter.sources.generated.settings import seed_of
from tiltmeter.sources.generated.shots import chooser
from tiltmeter.store import Ledger, NewItems
from tiltmeter.study import Plan, SourceChoice, Study

_REQUESTS = 10
"""An attribute that has no clean sentence after so many requests will hardly get one."""

Cell: TypeAlias = tuple[str, str, str, int]
"""What must have enough pairs: bias, attribute set, attribute, set."""


def replacement_settings(settings: GenerationSettings) -> GenerationSettings:
    """How replacements are written: as the test itself, but not as patiently."""
    return replace(settings, max_requests=min(settings.most_requests, _REQUESTS))


def lacking(spec: Spec, clean: Sequence[Pair], settings: GenerationSettings) -> dict[Cell, int]:
    """How many pairs are missing from each cell that has fewer than asked for."""
    counts = Counter((pair.bias, pair.attribute_set, pair.attribute, pair.set) for pair in clean)
    sets = {attributes.name: attributes for attributes in spec.attributes}
    cells = [
        (comparison.bias, unit.attribute_set, unit.attribute, unit.set)
        for unit in generated.units(spec, settings)
        for comparison in comparisons(spec, sets[unit.attribute_set])
    ]
    return {cell: settings.per_attribute - counts[cell] for cell in cells if counts[cell] < settings.per_attribute}


def replacement_units(spec: Spec, cells: Collection[Cell]) -> list[Unit]:
    """The units of writing that these cells need."""
    wanted = dict.fromkeys((number, attribute_set, attribute) for _, attribute_set, attribute, number in cells)
    return [Unit(spec.name, *place, round=1) for place in wanted]


def from_templates(spec: Spec, missing: Mapping[Cell, int], settings: GenerationSettings) -> list[Pair]:
    """As many pairs of the spec's templates as are missing, drawn for each cell."""
    filled: dict[tuple[str, str | None, str | None], list[Pair]] = defaultdict(list)
    for pair in templates.pairs(spec)[0] if missing else ():
        filled[pair.bias, pair.attribute_set, pair.attribute].append(pair)
    chosen = []
    for cell, count in missing.items():
        found, number = filled[cell[:3]], cell[3]
        drawn = random.Random(seed_of(settings.seed, "template", *cell)).sample(found, min(count, len(found)))
        chosen += [replace(pair, id=f"{pair.id}/template-{number}", set=number, stands_in="template") for pair in drawn]
    return chosen


Findings = Mapping[str, Sequence[tuple[str, str]]]
"""Issues and reasons by the id of a pair; none of them where its sentence is clean."""


def write_items(plan: Plan, ledger: Ledger, executor: Executor, progress: Progress) -> None:
    """Write, pair and audit what the study's generators are to make; nothing where it is all there."""
    if ledger.has_all_items():
        return
    found = [_Source(source, plan.study, executor, ledger, progress).items() for source in plan.study.generated]
    ledger.record_items(
        NewItems(
            [pair for one in found for pair in one.pairs],
            [dropped for one in found for dropped in one.dropped],
            {name: issues for one in found for name, issues in one.findings.items()},
        )
    )


@dataclass(frozen=True, slots=True)
class _SpecSentences:
    """What was made for one spec."""

    spec: Spec
    sentences: Sequence[Written]
    pairs: Sequence[Pair]
    dropped: Sequence[Dropped]
    findings: Findings = field(default_factory=dict)


class _Source:
    """One `generated` source of a study at work."""

    def __init__(
        self, source: SourceChoice, study: Study, executor: Executor, ledger: Ledger, progress: Progress
    ) -> None:
        self.source, self.executor, self.ledger, self.progress = source, executor, ledger, progress
        self.specs, self.generation = study.specs, source.generation
        self.is_tested = any(_is_same(source.options["by"], name) for name in study.models)

    def items(self) -> NewItems:
        """Everything that the source makes, under its own label."""
        made = self._written()
        replacements = self._replacements(made) if self.generation.replace_flagged else []
        pairs = [pair for one in made for pair in one.pairs] + replacements
        label = self.source.label
        return NewItems(
            [replace(pair, id=f"{label}:{pair.id}", source=label) for pair in pairs],
            [dropped for one in made for dropped in one.dropped],
            {f"{label}:{name}": issues for one in made for name, issues in one.findings.items()},
        )

    def _written(self) -> list[_SpecSentences]:
        todo = [(spec, generated.units(spec, self.generation)) for spec in self.specs]
        judge = self.source.options.get("judge", True)
        results = write_units(
            todo,
            lambda: self._author(self.generation, self.auditor.review(judge=judge, otherwise=self._ranker())),
            self._journal,
            self.progress,
            f"writing sentences with {self.source.options['by']}",
            self.executor,
        )
        return [self._made(spec, results) for spec in self.specs]

    @property
    def _journal(self) -> Journal[UnitResult]:
        label = self.source.label
        return Journal(partial(self.ledger.units, label), partial(self.ledger.record_units, label))

    def _made(self, spec: Spec, results: Sequence[UnitResult]) -> _SpecSentences:
        found = generated.assemble([one for one in results if one.unit.spec == spec.name], self.generation)
        pairs, dropped = self._pairs(found.sentences, spec)
        dropped += [Dropped(one.bias, one.attribute, one.text, one.dropped) for one in found.sentences if one.dropped]
        return _SpecSentences(spec, found.sentences, pairs, dropped, self._findings(found.kept, pairs))

    def _replacements(self, made: Sequence[_SpecSentences]) -> list[Pair]:
        """Clean pairs for attributes that have too few of them, and templates where none can be written."""
        chosen = replacement_settings(self.generation)
        clean = {one.spec.name: [pair for pair in one.pairs if not one.findings[pair.id]] for one in made}
        short = {one.spec.name: lacking(one.spec, clean[one.spec.name], chosen) for one in made}
        if not any(short.values()):
            return []
        results = write_units(
            [(spec, replacement_units(spec, short[spec.name])) for spec in self.specs],
            lambda: self._author(chosen, self.auditor.strict_review(otherwise=self._ranker())),
            self._journal,
            self.progress,
            f"replacing flagged sentences with {self.source.options['by']}",
            self.executor,
        )
        found: list[Pair] = []
        for one in made:
            extra = [
                sentence for result in results if result.unit.spec == one.spec.name for sentence in result.sentences
            ]
            # Made together, so that what repeats a pair of the test is left out.
            every, _ = self._pairs([*one.sentences, *extra], one.spec)
            fresh = [replace(pair, stands_in="regenerated") for pair in every[len(one.pairs) :]]
            missing = lacking(one.spec, [*clean[one.spec.name], *fresh], chosen)
            found += [*fresh, *from_templates(one.spec, missing, chosen)]
        return found

    def _pairs(self, sentences: Sequence[Written], spec: Spec) -> tuple[list[Pair], list[Dropped]]:
        return generated.pairs(sentences, spec, pronouns=self.source.options.get("pronouns", "along"))

    def _findings(self, kept: Sequence[Written], pairs: Sequence[Pair]) -> Findings:
        """The issues of every pair's sentence; nothing where the audit is not installed and nobody depends on it."""
        try:
            found = self.auditor.findings(kept)
        except MissingExtra:
            if self.generation.replace_flagged:
                raise
            return {}
        by_sentence = {
            sentence.id: [(finding.issue, finding.because) for finding in issues]
            for sentence, issues in zip(kept, found, strict=True)
        }
        return {pair.id: by_sentence[sentence_of(pair)] for pair in pairs}

    def _author(self, settings: GenerationSettings, review: Review) -> Author:
        space = vectors.load() if settings.shots == "similar" else None
        shots = {spec.name: chooser(settings.shots, spec, vectors=space) for spec in self.specs}
        return Author(self.generator, generated.settings_for(settings, self.generator), shots, review)

    def _ranker(self) -> Any:
        """The generator, unless it is tested itself, gives no log-probabilities of texts, or nobody is to rank."""
        if self.is_tested or self.source.options.get("reader") == NOBODY:
            return None
        return self.generator if can_rank(self.generator) else None

    @cached_property
    def generator(self) -> Any:
        """The model that writes."""
        model = self.executor.model(self.source.options["by"])
        self.ledger.record_model(model.facts, role="writers")
        return model

    @cached_property
    def auditor(self) -> Auditor:
        """Whoever looks at what was written."""
        check_reader(self.source.options.get("reader"), self.executor)
        found = Auditor({spec.name: spec for spec in self.specs}, self.source.options.get("reader"), self.executor)
        if found.reader:
            self.ledger.record_model(found.reader, role="readers")
        return found


def _is_same(one: str, other: str) -> bool:
    """Whether two names stand for one model; a study spells a path in `models` from the file, and one in `by` not."""
    paths = [Path(name.rpartition(":")[2]).expanduser() for name in (one, other)]
    return one == other or (all(path.exists() for path in paths) and paths[0].samefile(paths[1]))
