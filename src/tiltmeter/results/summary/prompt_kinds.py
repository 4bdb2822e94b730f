"""Natural sentences against templates, in one run: what the kind of prompt changes, profession by profession."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.results.summary.next_words import CONTRASTED, Expected, measured
from tiltmeter.stats.comparing.kinds_of_prompts import PromptValue, kind_contrast
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.estimates import adjust

if TYPE_CHECKING:
    from tiltmeter.results.summary.next_word_cells import NextWordCell


@dataclass(frozen=True, slots=True)
class KindContrast:
    """What one model makes of the same professions in sentences and in templates."""

    model: str
    sentences: str
    """The source with a sentence for each profession."""
    templates: str
    """The source with the same templates for all."""
    bias: str
    words: str
    bounded: bool
    combine: str
    pair: str
    """The two groups that are compared first."""
    professions: int
    measures: Mapping[str, Estimate]
    """Of sentences minus templates."""

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {**asdict(self), "measures": {name: found.as_json() for name, found in self.measures.items()}}


def kind_contrasts(cells: Sequence[NextWordCell], *, level: float = 0.95) -> tuple[KindContrast, ...]:
    """Every source of sentences against every source of templates that a model was asked with in the same way.

    Sources are told apart by their prompts: templates are used for several professions, sentences for one. The p-values
    are adjusted together.
    """
    found = list(_contrasts(cells, level))
    flat = {f"{at} {name}": each for at, one in enumerate(found) for name, each in one.measures.items()}
    adjusted = adjust(flat)
    return tuple(
        replace(one, measures={name: adjusted[f"{at} {name}"] for name in one.measures}) for at, one in enumerate(found)
    )


def _contrasts(cells: Sequence[NextWordCell], level: float) -> Iterator[KindContrast]:
    asked = [cell for cell in cells if not cell.of_habit and len(cell.sets) > 1]
    own = {id(cell): [item for item in cell.items if item.perturbation == cell.summary.main] for cell in asked}
    for one in asked:
        for other in asked:
            if _way(one) != _way(other) or _are_templates(own[id(one)]) or not _are_templates(own[id(other)]):
                continue
            shared = {item.profession for item in own[id(one)]} & {item.profession for item in own[id(other)]}
            if not shared:
                continue
            groups = [group for group, _ in one.sets[:2]]
            rows = [_values(own[id(each)], groups) for each in (one, other)]
            measures = {
                name: kind_contrast(rows[0][name][0], rows[1][name][0], rows[0][name][1], level=level)
                for name in CONTRASTED
            }
            way = (one.words, one.bounded, one.combine, one.pair)
            yield KindContrast(one.model, one.source, other.source, one.bias, *way, len(shared), measures)


def _way(cell: NextWordCell) -> tuple[Any, ...]:
    return cell.model, cell.bias, cell.words, cell.bounded, cell.combine, cell.pair


def _are_templates(items: Sequence[Expected]) -> bool:
    professions: dict[str, set[str]] = {}
    for item in items:
        if item.template is not None:
            professions.setdefault(item.template, set()).add(item.profession)
    return any(len(names) > 1 for names in professions.values())


def _values(items: Sequence[Expected], groups: Sequence[str]) -> dict[str, tuple[list[PromptValue], Scale]]:
    chances = [[item.chances.get(group) for group in groups] for item in items]
    found = measured(np.array(chances, dtype=np.float64).reshape(-1, 2))
    return {
        name: (
            [
                PromptValue(item.profession, item.template, None if np.isnan(value) else float(value))
                for item, value in zip(items, np.asarray(each.values, dtype=np.float64), strict=True)
            ],
            each.scale,
        )
        for name, each in found.items()
        if name in CONTRASTED
    }
