"""Pairs that take the place of flagged ones where the effect of issues is worked out (AutoBiasTest, Appendix I).

An attribute that the audit leaves short of clean sentences gets others, and where those do not come, templates.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from tiltmeter.records import Pair, Spec
from tiltmeter.sources import generated, templates
from tiltmeter.sources.generated import GenerationSettings, Unit
from tiltmeter.sources.generated.comparisons import comparisons
from tiltmeter.sources.generated.settings import seed_of

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
