"""How much the sources of a pilot run could give, and what to write into the study file to get it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.records import Pair, Prompt
from tiltmeter.results.cells import table_of
from tiltmeter.results.measurements.columns import STAND_INS
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
        every = FACTS[self.view].sources(self.run.meta["resolved"])
        return next((one for one in every if one.get("label") == self.label), {})

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
        return FACTS[self.view].origins_of.get(self.name, FACTS[self.view].origins)

    def available(self, bias: str, groups: Sequence[str] = ()) -> Available:
        """How much there is of a bias, with everything that the source can draw from."""
        if self.written:
            # Attributes are those of the spec; sentences are as many as one asks for.
            return Available(self._pilot(bias, groups, f"role IN {STAND_INS}").origins, PLENTY)
        if not self.given or self.given.get("path"):
            return self._pilot(bias, groups)
        made: list[Pair | Prompt] = []
        try:
            source = Source.named(self.given["name"], self.view)
        except UserError:
            return self._pilot(bias, groups)  # A source of a plug-in that is not installed here.
        if source.reads_file and source.needs_input:
            return self._pilot(bias, groups)  # Items of a log, which no file has.
        drawn = (*_DRAWN, "structures") if FACTS[self.view].decoded else _DRAWN
        options = {key: value for key, value in self.given["options"].items() if key not in drawn}
        resolved = self.run.meta["resolved"]
        specs = [spec_of(one) for one in resolved["specs"] if one["name"] == bias.partition(":")[0]]
        calls = [[one] for one in specs] if source.input == "spec" and (specs or source.needs_input) else [[]]
        for call in calls:
            made += source.make(*call, seed=resolved["seed"], **options)[0]
        found = _counted(filter(None, map(_item, (one for one in made if one.bias == bias))), groups)
        return found if found.origins else self._pilot(bias, groups)

    def _pilot(self, bias: str, groups: Sequence[str], further: str = "false") -> Available:
        """What the pilot itself has, where the source cannot be asked; `further` are items besides the test itself."""
        query = (
            'SELECT DISTINCT origin, "group", structure, item FROM items WHERE view = ? AND source = ? AND bias = ? '
            f"AND (role IS NULL OR {further})"
        )
        rows = table_of(self.run).stream(query, self.view, self.label, bias)
        return _counted(((row["origin"], row["group"], row["structure"]) for row in rows), groups)

    def line(self, options: Mapping[str, Any]) -> str:
        """The source with other options, as a study file has it."""
        path = self.given.get("path")
        name = f"{self.name}:{path}" if path else self.name
        every = {**self.given.get("options", {}), **options}
        if not every:
            return json.dumps(name)
        return f"{{ {_key(name)} = {_table(every)} }}"


_Item = tuple[str, str | None, str | None]
"""Origin, group and structure."""


def _item(one: Pair | Prompt) -> _Item | None:
    structure = one.structure.id if one.structure else None
    if isinstance(one, Prompt):
        return one.origin, one.group, structure
    is_test = one.contrast == "stereotype" and one.stereotyped is not None
    return (one.attribute or one.origin, None, structure) if is_test else None


def _counted(items: Iterable[_Item], groups: Sequence[str]) -> Available:
    counts: Counter[tuple[str, str]] = Counter()
    structures = set()
    for origin, group, structure in items:
        if structure != FIXED:
            structures.add(structure)
            if not groups or group in groups:
                counts[origin, (group or "") if groups else ""] += 1
    each = sum(counts.values()) // len(counts) if counts else 0
    return Available(len({origin for origin, _ in counts}), each, structures=len(structures - {None}))


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
