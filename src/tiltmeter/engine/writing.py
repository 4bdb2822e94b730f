"""The stage before scoring: have the generators of a study write their sentences, unit by unit, and audit them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter import models
from tiltmeter.engine.review import Auditor
from tiltmeter.engine.scoring import Watcher
from tiltmeter.errors import MissingExtra
from tiltmeter.models import ModelSettings
from tiltmeter.records import Dropped, Pair, Spec, Written
from tiltmeter.sources import generated
from tiltmeter.sources.generated import vectors
from tiltmeter.sources.generated.settings import Unit, UnitResult
from tiltmeter.sources.generated.shots import chooser
from tiltmeter.store import Ledger, Probes
from tiltmeter.study import Plan, SourceChoice


def write_probes(plan: Plan, ledger: Ledger, settings: ModelSettings, watcher: Watcher) -> None:
    """Write, pair and audit what the study's generators are to make; nothing where it is all there."""
    if ledger.has_all_probes():
        return
    pairs: list[Pair] = []
    dropped: list[Dropped] = []
    findings: dict[str, list[tuple[str, str]]] = {}
    for source in plan.study.generated:
        writing = _Writing(source, plan.study.specs, settings)
        results = writing.results(ledger, watcher)
        for spec in plan.study.specs:
            generation = generated.assemble([one for one in results if one.unit.spec == spec.name], source.generation)
            made, failed = generated.pairs(generation.sentences, spec, pronouns=source.options.get("pronouns", "along"))
            pairs += (replace(pair, id=f"{source.label}:{pair.id}", source=source.label) for pair in made)
            dropped += failed
            dropped += [
                Dropped(one.bias, one.attribute, one.text, one.dropped) for one in generation.sentences if one.dropped
            ]
            findings |= writing.findings(generation.kept, [pair.id for pair in made])
    ledger.record_probes(Probes(pairs, dropped, findings))


@dataclass(frozen=True, slots=True)
class _Writing:
    """One `generated` source of a study."""

    source: SourceChoice
    specs: Sequence[Spec]
    settings: ModelSettings

    def results(self, ledger: Ledger, watcher: Watcher) -> list[UnitResult]:
        chosen = self.source.generation
        todo = [(spec, unit) for spec in self.specs for unit in generated.units(spec, chosen)]
        done = {name: _unit_result(data) for name, data in ledger.units(self.source.label).items()}
        watcher.start(f"writing with {self.source.options['by']}", len(todo), len(done))
        if len(done) < len(todo):
            generator: Any = models.load(self.source.options["by"], self.settings)
            ledger.record_model(generator.facts, role="writers")
            space = vectors.load() if chosen.shots == "similar" else None
            choosers = {spec.name: chooser(chosen.shots, spec, vectors=space) for spec in self.specs}
            review = self._auditor().review(judge=self.source.options.get("judge", True))
            for spec, unit in todo:
                if unit.id not in done:
                    done[unit.id] = generated.write_unit(
                        spec, unit, generator, chosen, shots=choosers[spec.name], review=review
                    )
                    ledger.record_unit(self.source.label, unit.id, done[unit.id])
                    watcher.advance(1)
        return [done[unit.id] for _, unit in todo]

    def findings(self, kept: Sequence[Written], pairs: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """The issues of every pair's sentence, by the id of the pair; nothing where the audit is not installed."""
        try:
            found = self._auditor().findings(kept)
        except MissingExtra:
            return {}
        by_sentence = {
            sentence.id: [(finding.issue, finding.because) for finding in issues]
            for sentence, issues in zip(kept, found, strict=True)
        }
        labelled = {}
        for pair in pairs:
            sentence = next(name for name in _prefixes(pair) if name in by_sentence)
            labelled[f"{self.source.label}:{pair}"] = by_sentence[sentence]
        return labelled

    def _auditor(self) -> Auditor:
        return Auditor({spec.name: spec for spec in self.specs}, self.source.options.get("reader"), self.settings)


def _prefixes(pair: str) -> list[str]:
    """What the id of a sentence may be, given the id of its pair: the pair's has one or two parts more."""
    parts = pair.split("/")
    return ["/".join(parts[:-1]), "/".join(parts[:-2])]


def _unit_result(data: Mapping[str, Any]) -> UnitResult:
    return UnitResult(
        Unit(**data["unit"]),
        tuple(Written(**one) for one in data["sentences"]),
        data["requests"],
        data["tokens"],
        data["attempts"],
    )
