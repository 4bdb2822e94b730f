"""How much the sources of a pilot run could give, and what to write into the study file to get it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Pair, Prompt
from tiltmeter.results.scores import of_the_test
from tiltmeter.results.summary.structures import FIXED
from tiltmeter.sources.interface import Source
from tiltmeter.store import Run, spec_of
from tiltmeter.study.records import GENERATED
from tiltmeter.views import FACTS, View

PLENTY = 200
"""Sentences of each attribute that a model may be asked to write."""
_DRAWN = ("per_attribute", "per_group", "limit")
"""Options that draw a part of what a source has."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WORDS = {
    "own-prompts": "openers",
    "templates": "openers",
    "bold": "articles",
    "respect-occupation": "verb phrases",
    "rephrased": "verb phrases",
}


@dataclass(frozen=True, slots=True)
class Available:
    """What a source has for a bias: origins, and items of each (of one group, where groups are compared)."""

    origins: int
    items: int
    structures: int = 0
    """How many sentence structures the items have."""


@dataclass(frozen=True, slots=True)
class PilotSource:
    """A source of a pilot run."""

    run: Run
    view: View
    label: str

    @property
    def given(self) -> Mapping[str, Any]:
        """The source as the run keeps it."""
        resolved = self.run.meta["resolved"]
        table = resolved if self.view == "pairs" else resolved.get(FACTS[self.view].key) or {}
        found: Mapping[str, Any] = next((one for one in table.get("sources", ()) if one.get("label") == self.label), {})
        return found

    @property
    def name(self) -> str:
        """The name without its version."""
        return str(self.given.get("name", self.label)).rsplit(".v", 1)[0]

    @property
    def written(self) -> bool:
        """Whether a model writes its sentences."""
        return self.given.get("name") == GENERATED

    @property
    def origins_are(self) -> str:
        """What its origins are called."""
        if self.view == "continuations":
            return _WORDS.get(self.name, "origins")
        return "attribute terms" if self.view == "pairs" else "professions"

    def available(self, bias: str, groups: Sequence[str] = ()) -> Available:
        """How much there is of a bias, with everything that the source can draw from."""
        if self.written:
            # Attributes are those of the spec; sentences are as many as one asks for.
            own = self._counted([pair for pair in self.run.pairs if pair.source == self.label], bias, groups)
            return Available(own.origins, PLENTY)
        if not self.given or self.given.get("path"):
            return self._pilot(bias, groups)
        made: list[Pair | Prompt] = []
        source = Source.named(self.given["name"], self.view)
        drawn = _DRAWN if self.view == "pairs" else (*_DRAWN, "structures")
        options = {key: value for key, value in self.given["options"].items() if key not in drawn}
        resolved = self.run.meta["resolved"]
        specs = [spec_of(one) for one in resolved["specs"] if one["name"] == bias.partition(":")[0]]
        calls = [[one] for one in specs] if source.input == "spec" and (specs or source.needs_input) else [[]]
        for call in calls:
            made += source.make(*call, seed=resolved["seed"], **options)[0]
        found = self._counted(made, bias, groups)
        return found if found.origins else self._pilot(bias, groups)

    def _pilot(self, bias: str, groups: Sequence[str]) -> Available:
        """What the pilot itself has, where the source cannot be asked."""
        run = self.run
        probes: Sequence[Pair | Prompt]
        if self.view == "pairs":
            probes = of_the_test(run.pairs)
        elif self.view == "continuations":
            probes = run.continuations.prompts if run.continuations else ()
        else:
            asked = run.next_words.asked if run.next_words else ()
            probes = [one.asked.prompt for one in asked if one.asked.perturbation == "original"]
        own = [probe for probe in probes if probe.source == self.label]
        return self._counted(own, bias, groups)

    def _counted(self, probes: Sequence[Pair | Prompt], bias: str, groups: Sequence[str]) -> Available:
        counts: Counter[tuple[str, str]] = Counter()
        structures = set()
        for probe in probes:
            if probe.bias != bias or (probe.structure is not None and probe.structure.id == FIXED):
                continue
            structures.add(probe.structure and probe.structure.id)
            if isinstance(probe, Pair):
                if probe.contrast == "stereotype" and probe.stereotyped is not None:
                    counts[probe.attribute or probe.origin, ""] += 1
            elif not groups or probe.group in groups:
                counts[probe.origin, (probe.group or "") if groups else ""] += 1
        origins = {origin for origin, _ in counts}
        each = sum(counts.values()) // len(counts) if counts else 0
        return Available(len(origins), each, structures=len(structures - {None}))

    def line(self, options: Mapping[str, Any]) -> str:
        """The source with other options, as a study file has it."""
        path = self.given.get("path")
        name = f"{self.name}:{path}" if path else self.name
        every = {**self.given.get("options", {}), **options}
        if not every:
            return json.dumps(name)
        return f"{{ {_key(name)} = {_table(every)} }}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _table(options: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{_key(key)} = {_value(value)}" for key, value in options.items()) + " }"


def _value(value: Any) -> str:
    """A value of TOML.

    >>> _value({"by": "smollm2-135m", "sets": 2}), _value([True, "x"])
    ('{ by = "smollm2-135m", sets = 2 }', '[true, "x"]')
    """
    if isinstance(value, Mapping):
        return _table(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
