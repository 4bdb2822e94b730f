"""What a study file comes to: choices, and the plan of what they take."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter import registry
from tiltmeter.records import Decoding, Dropped, Pair, Prompt, Scope, Spec
from tiltmeter.sources.generated.settings import GenerationSettings, settings_from

FORMAT = 4
"""Counts up when the same study file would be carried out differently."""

GENERATED = "generated.v1"
WIRING = {"by", "reader", "judge", "pronouns"}
"""Options of a `generated` source that say who writes, reads and judges; the others are settings of the writing."""


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """A source as a study names it: `templates`, `stereoset:dev.json`, or `{ templates = { per_attribute = 20 } }`."""

    name: str
    path: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    """How results name the source: unlike that of any other source of the study."""

    @property
    def generation(self) -> GenerationSettings:
        """The settings of a `generated` source."""
        return settings_from({key: value for key, value in self.options.items() if key not in WIRING})


@dataclass(frozen=True, slots=True)
class RaterChoice:
    """A rater as a study names it: `sentiment.vader`, `lexicon.hurtlex:FILE`, or `{ judge = { … } }`."""

    name: str
    argument: str | None = None
    """The file or folder that it reads."""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContinuationChoices:
    """The table `[continuations]` of a study."""

    sources: tuple[SourceChoice, ...]
    decodings: tuple[Decoding, ...]
    """Every combination of the settings, those that mean the same once."""
    raters: tuple[RaterChoice, ...]
    samples: int = 10
    scope: Scope = "whole"
    reference: tuple[str, ...] = ()
    """Groups that the others of their bias are compared with; a bias without one compares every two of its groups."""
    threshold: float = 0.5
    """Above it a text counts as toxic."""

    def samples_of(self, decoding: Decoding) -> int:
        """How many texts are written after each prompt: without chance one is enough."""
        return self.samples if decoding.temperature > 0 else 1


@dataclass(frozen=True, slots=True)
class Study:
    """A checked study file."""

    name: str
    models: tuple[str, ...]
    sources: tuple[SourceChoice, ...]
    """Those of the view of pairs; none where the study has no such view."""
    specs: tuple[Spec, ...] = ()
    scorers: tuple[str, ...] = ()
    """Short or full names; empty: the default of each model's family."""
    seed: int = 0
    text: str = ""
    """The file as it was given."""
    file: str | None = None
    """Where it came from, to be named in errors."""
    continuations: ContinuationChoices | None = None

    @property
    def generated(self) -> tuple[SourceChoice, ...]:
        """The sources whose sentences a model has yet to write."""
        return tuple(source for source in self.sources if source.name == GENERATED)


@dataclass(frozen=True, slots=True)
class Plan:
    """A study and the probes it comes to: everything but the model's answers."""

    study: Study
    pairs: tuple[Pair, ...]
    dropped: tuple[Dropped, ...]
    prompts: tuple[Prompt, ...] = ()

    @property
    def resolved(self) -> dict[str, Any]:
        """The study with every name and default spelled out, as the run folder keeps it."""
        given = {key: value for key, value in asdict(self.study).items() if key not in ("text", "file")}
        for source in given["sources"]:
            source["sha256"] = _sha256(Path(source["path"])) if source["path"] else None
            source["path"] = Path(source["path"]).name if source["path"] else None
        for source in given["continuations"]["sources"] if given["continuations"] else ():
            source["sha256"] = {file.name: _sha256(file) for file in prompt_files(source["name"], source["path"])}
            source["path"] = Path(source["path"]).name if source["path"] else None
        for rater in given["continuations"]["raters"] if given["continuations"] else ():
            rater["argument"] = Path(rater["argument"]).name if rater["argument"] else None
        return {"format": FORMAT, **given}

    @property
    def fingerprint(self) -> str:
        """Equal for two plans that ask the same questions."""
        probes = [[asdict(pair) for pair in self.pairs], [asdict(prompt) for prompt in self.prompts]]
        text = json.dumps([self.resolved, probes], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def prompt_files(source: str, path: str | None) -> list[Path]:
    """The files that a source of prompts reads; refuses, in a sentence, what it cannot find."""
    if path is None:
        return []
    import sys

    reader = sys.modules[registry.load("prompt-source", source).__module__]
    found: list[Path] = reader.files(path) if hasattr(reader, "files") else [Path(path)]
    return found


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
