"""What a study file comes to: choices, and the plan of what they take."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from tiltmeter.measures.next_words import Combine
from tiltmeter.models import lasting_name
from tiltmeter.raters.class_map import split
from tiltmeter.records import Decoding, Dropped, Item, Pair, Prompt, SaliencyMethod, SaliencyTarget, Scope, Spec
from tiltmeter.sources.generated.settings import GenerationSettings, settings_from
from tiltmeter.sources.interface import Source
from tiltmeter.sources.labour_files import Occupation
from tiltmeter.sources.perturbations import Perturbed
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.study.asked import Asked
from tiltmeter.study.disk_lists import packed
from tiltmeter.views import FACTS, View

FORMAT = 6
"""Counts up when the same study file would be carried out differently."""

GENERATED = "generated.v1"
WIRING = {"by", "reader", "judge", "pronouns"}
"""Options of a `generated` source that say who writes, reads and judges; the others are settings of the writing."""
MODEL_OPTIONS = {"by", "reader", "model"}
"""Options that are names of models."""


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
    threshold: float | Mapping[str, float] | None = None
    """Above it a text counts as toxic: for all raters, or by rater; None: each rater's own."""

    def samples_of(self, decoding: Decoding) -> int:
        """How many texts are written after each prompt: without randomness one is enough."""
        return self.samples if decoding.temperature > 0 else 1


@dataclass(frozen=True, slots=True)
class WordChoice:
    """Groups and their words as a study names them; without sets, those that each source asks for by itself."""

    label: str
    sets: WordSets = ()

    def of(self, prompt: Prompt) -> WordSets:
        """The sets that are asked for after a prompt."""
        return self.sets or prompt.word_sets


@dataclass(frozen=True, slots=True)
class NextWordChoices:
    """The table `[next_words]` of a study."""

    sources: tuple[SourceChoice, ...]
    words: tuple[WordChoice, ...] = (WordChoice(""),)
    perturbations: tuple[str, ...] = ("original",)
    bounded: tuple[bool, ...] = (False,)
    combine: tuple[Combine, ...] = ("sum",)
    """How the probabilities of a group's words become one."""
    saliency: SaliencyMethod | None = None
    """How the part of each token is found; None: it is not looked for."""
    saliency_of: SaliencyTarget = "asked"
    labour: tuple[Occupation, ...] = ()
    """Who works in which occupation, where the study says so."""
    labour_match: Literal["name", "head"] = "name"
    labour_groups: tuple[str, ...] = ()
    """The groups of women and of men, where their names do not say so."""


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
    next_words: NextWordChoices | None = None
    asked: Mapping[View, Asked] = field(default_factory=dict)
    """What it says of the views that need no more than queries."""

    @property
    def views(self) -> list[View]:
        """The views that it asks for."""
        own = {"continuations": self.continuations, "pairs": self.sources, "next words": self.next_words, **self.asked}
        return [view for view in FACTS if own.get(view)]

    @property
    def generated(self) -> tuple[SourceChoice, ...]:
        """The sources whose sentences a model has yet to write."""
        return tuple(source for source in self.sources if source.name == GENERATED)


@dataclass(frozen=True, slots=True)
class Plan:
    """A study and the items it comes to: everything but the model's answers.

    Items that are many are not in memory, but in a temporary file.
    """

    study: Study
    pairs: Sequence[Pair]
    dropped: Sequence[Dropped]
    prompts: Sequence[Prompt] = ()
    """Those to be continued."""
    asked: Sequence[Perturbed] = ()
    """Those after which a word is expected, under each perturbation."""
    items: Mapping[View, Sequence[Item]] = field(default_factory=dict)
    """Those of the views that need no more than queries."""

    def __repr__(self) -> str:
        items = {"pairs": self.pairs, "prompts": self.prompts, "next words": self.asked, **self.items}
        items = {**items, "dropped": self.dropped}
        counts = ", ".join(f"{len(some):,} {name}" for name, some in items.items() if some)
        return f"<Plan of {self.study.name}: {counts or 'nothing'}>"

    @property
    def by_view(self) -> dict[View, Sequence[Any]]:
        """The items of every view."""
        return {"pairs": self.pairs, "continuations": self.prompts, "next words": self.asked, **self.items}

    @property
    def resolved(self) -> dict[str, Any]:
        """The study with every name and default spelled out, as the run folder keeps it."""
        given = {key: value for key, value in asdict(self.study).items() if key not in ("text", "file", "asked")}
        given |= {FACTS[view].key: asdict(choices) for view, choices in self.study.asked.items()}
        # A limit that is raised makes no other study.
        given["models"] = [lasting_name(name) for name in self.study.models]
        if told := self._told():
            given["told"] = told
        if self.study.continuations is not None:
            given["continuations"]["decodings"] = [one.as_json() for one in self.study.continuations.decodings]
        for source in given["sources"]:
            source["options"] = _lasting(source["options"])
            files = Source.named(source["name"], "pairs").files(source["path"])
            hashes = {file.name: _sha256(file) for file in files}
            # One file given by its own path has its hash alone, as runs have it that were made before.
            alone = source["path"] and files == [Path(source["path"])]
            source["sha256"] = _sha256(files[0]) if alone else hashes or None
            source["path"] = Path(source["path"]).name if source["path"] else None
        for view in map(FACTS.__getitem__, ("continuations", "next words", *self.study.asked)):
            for source in given[view.key]["sources"] if given[view.key] else ():
                files = Source.named(source["name"], view.name).files(source["path"])
                source["options"] = _lasting(source["options"])
                source["sha256"] = {file.name: _sha256(file) for file in files}
                source["path"] = Path(source["path"]).name if source["path"] else None
        for rater in given["continuations"]["raters"] if given["continuations"] else ():
            rater["options"] = _lasting(rater["options"])
            rater["argument"] = _without_folders(rater["argument"]) if rater["argument"] else None
        return {"format": FORMAT, **given}

    def _told(self) -> dict[str, dict[str, Any]]:
        """What sources say of stereotypes in biases that come from no spec, as a spec would say it."""
        choices = [("pairs", self.study.sources)]
        choices += [("continuations", self.study.continuations.sources)] if self.study.continuations else []
        choices += [("next words", self.study.next_words.sources)] if self.study.next_words else []
        choices += [(view, asked.sources) for view, asked in self.study.asked.items()]
        found: dict[str, dict[str, Any]] = {}
        for view, sources in choices:
            for choice in sources:
                said = Source.named(choice.name, view).stereotypes(choice.path, choice.options)
                for bias, tied in said.items():
                    attributes = [
                        {"name": "these words", "terms": list(terms), "stereotype_of": [group]}
                        for group, terms in tied.items()
                    ]
                    found[bias] = {"name": bias, "compare": [list(tied)], "attributes": attributes}
        return found

    @property
    def fingerprint(self) -> str:
        """Equal for two plans that ask the same questions."""
        # The hash of one JSON text, `[resolved, [pairs, prompts, asked]]`, of which a line is made at a time.
        resolved = self.resolved
        for group in (group for spec in resolved["specs"] for group in spec["groups"]):
            # What a group is called changes no question.
            for name in ("noun", "singular", "pronoun"):
                del group[name]
        digest = hashlib.sha256(f"[{json.dumps(resolved, sort_keys=True, ensure_ascii=False)}, [[".encode())
        for at, items in enumerate((self.pairs, self.prompts, self.asked, *self.items.values())):
            digest.update(b"], [" if at else b"")
            for number, line in enumerate(map(packed, items)):
                digest.update(f", {line}".encode() if number else line.encode())
        digest.update(b"]]]")
        return digest.hexdigest()


def _lasting(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options whose models, if they name any, are called by what is measured of them."""
    return {key: lasting_name(value) if key in MODEL_OPTIONS else value for key, value in options.items()}


def _without_folders(argument: str) -> str:
    """The file or folder that a rater reads, wherever it lies; what is said behind it stays."""
    where, said = split(argument)
    return f"{Path(where).name}[{said}]" if said else Path(argument).name


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
