"""Structure by structure: the same comparison of groups for each form of the prompt, and how far it holds.

One structure may be *fixed*: the hand-written prompt that the others paraphrase. It is summarised like every other
one, and apart, as the baseline; what is said over structures (reversals, best and worst, robustness, stability) is of
the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tiltmeter.errors import UserError
from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import adjust
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.scales import Bounds, scale_of
from tiltmeter.stats.structures.ends import Ends, ends
from tiltmeter.stats.structures.means import Pair, StructureMeans, natural, structure_means
from tiltmeter.stats.structures.notes import structure_notes
from tiltmeter.stats.structures.ranking import Ranking, rank
from tiltmeter.stats.structures.robustness import (
    Robustness,
    Stability,
    signs_kept,
    single_cosines,
    split_cosines,
    stability,
)
from tiltmeter.stats.views.continuations import ContinuationSummary, RatedItem, summarise
from tiltmeter.stats.views.divergence import label_names

_MOST_GROUPS = 12
"""Of more, the structures at both ends are listed and not measured: every two groups have ends of their own."""
_IN_STRUCTURES = ("mean", "n", "n_unscored", "sd", "distribution")


@dataclass(frozen=True, slots=True)
class StructureSettings:
    """What is asked of the structures."""

    fixed: str | None = None
    """The baseline structure, which the others paraphrase."""
    best: int = 5
    """How many are listed as best and as worst."""
    higher_is_better: bool = True
    """Whether a higher rating is the better one: of regard and sentiment it is, of toxicity it is not."""


@dataclass(frozen=True, slots=True)
class Reversal:
    """A structure under which a − b has the opposite sign from that over all structures."""

    structure: str
    a: str
    b: str
    difference: float
    overall: float

    def as_json(self) -> dict[str, Any]:
        """Where, whom, and by how much."""
        return {
            "structure": self.structure,
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "overall": self.overall,
        }


@dataclass(frozen=True, slots=True)
class StructureSummary:
    """A summary for each structure. Their p-values are adjusted together: every pair of every structure is a test."""

    structures: Mapping[str, ContinuationSummary]
    """Also the fixed one."""
    paraphrases: ContinuationSummary
    """Over all texts that have a structure, the fixed one apart: what a single structure is held against."""
    reversals: tuple[Reversal, ...]
    best: Ranking
    worst: Ranking
    robustness: Robustness
    stability: Stability
    settings: StructureSettings
    notes: tuple[str, ...]
    ends: Ends | None = None
    """What the structures at both ends of the lists give the groups; None where there are too few to choose from."""

    @property
    def fixed(self) -> ContinuationSummary | None:
        """The summary of the fixed structure alone, its p-values adjusted for its own pairs."""
        if self.settings.fixed is None:
            return None
        found = self.structures[self.settings.fixed]
        adjusted = adjust({str(place): pair.difference for place, pair in enumerate(found.pairs)})
        return replace(
            found,
            pairs=tuple(replace(pair, difference=adjusted[str(place)]) for place, pair in enumerate(found.pairs)),
        )

    @property
    def n_comparisons(self) -> int:
        """How many p-values were adjusted together."""
        return sum(found.n_comparisons for found in self.structures.values())

    def as_json(self) -> dict[str, Any]:
        """What `tiltmeter analyze` adds of structures."""
        fixed = self.fixed
        parts = {name: found.figures()["groups"] for name, found in self.structures.items()}
        return {
            "structures": {
                name: {group: {key: figures[key] for key in _IN_STRUCTURES} for group, figures in groups.items()}
                for name, groups in parts.items()
            },
            "gaps": {name: [pair.as_json() for pair in found.pairs] for name, found in self.structures.items()},
            "reversals": [reversal.as_json() for reversal in self.reversals],
            "best": self.best.as_json(),
            "worst": self.worst.as_json(),
            "better": "high" if self.settings.higher_is_better else "low",
            "fixed": None if fixed is None else {"structure": self.settings.fixed, **fixed.figures()},
            "paraphrases": None if fixed is None else self.paraphrases.figures(),
            "robustness": self.robustness.as_json(),
            "stability": self.stability.as_json(),
            "n_comparisons_by_structure": self.n_comparisons,
            "ends": None if self.ends is None else self.ends.as_json(),
        }


def by_structure(
    items: Sequence[RatedItem],
    whole: ContinuationSummary,
    settings: StructureSettings | None = None,
    *,
    scale: Bounds | None = None,
    signed: bool = False,
    reference: str | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> StructureSummary:
    """Summarise each structure of the items of which `whole` is the summary; items without a structure are left out.

    >>> items = [RatedItem("a", 1.0, "x", structure="s"), RatedItem("b", 0.0, "x", structure="s")]
    >>> by_structure(items, summarise(items)).robustness.sign_kept["a", "b"].share.value
    1.0
    """
    asked = settings or StructureSettings()
    order = {group: place for place, group in enumerate(whole.groups)}
    parts: dict[str, list[RatedItem]] = defaultdict(list)
    # What is counted by prompt is not asked of every structure, and would take its time.
    for item in sorted(items, key=lambda item: order[item.group]):
        if item.structure is not None:
            parts[item.structure].append(replace(item, prompt=""))
    if asked.fixed is not None and asked.fixed not in parts:
        known = sorted(parts, key=natural)
        shown = ", ".join(known[:10]) + (f" and {len(known) - 10} more" if len(known) > 10 else "")
        raise UserError(f"there is no structure `{asked.fixed}` to be the fixed one; known: {shown or 'none'}")
    limits = scale_of([item.value for item in items if item.value is not None and item.rated], scale)
    labels = label_names([item.label for item in items if item.rated])

    def one(part: Sequence[RatedItem]) -> ContinuationSummary:
        groups = {item.group for item in part}
        against = reference if reference in groups else None
        found = summarise(part, scale=limits, signed=signed, reference=against, labels=labels, level=level)
        return found if against == reference else replace(found, pairs=())

    names = sorted(parts, key=natural)
    structures = _adjusted({name: one(parts[name]) for name in names})
    free = {name: structures[name] for name in names if name != asked.fixed}
    rest = [item for name in free for item in parts[name]]
    over = one(sorted(rest, key=lambda item: order[item.group]))
    differences = {(pair.a, pair.b): pair.difference.value for pair in over.pairs}
    table = structure_means(rest, list(over.groups))
    means = {
        name: {group: found.groups[group].mean.value if group in found.groups else None for group in over.groups}
        for name, found in free.items()
    }
    best, worst = (rank(means, asked.best, highest=highest is asked.higher_is_better) for highest in (True, False))
    summary = StructureSummary(
        structures=structures,
        paraphrases=over,
        reversals=tuple(_reversals(free, differences, table)),
        best=best,
        worst=worst,
        robustness=_robustness(table, rest, differences, level, seed, None if limits is None else limits.ends),
        stability=stability(table.complete(), differences, seed),
        settings=asked,
        notes=(),
        ends=ends(rest, list(differences), asked.best, one, higher_is_better=asked.higher_is_better)
        if len(free) >= 2 * asked.best and len(over.groups) <= _MOST_GROUPS
        else None,
    )
    return replace(summary, notes=tuple(structure_notes(summary, sum(item.structure is None for item in items))))


def _robustness(
    table: StructureMeans,
    items: Sequence[RatedItem],
    differences: Mapping[Pair, float | None],
    level: float,
    seed: int,
    scale: Bounds | None,
) -> Robustness:
    complete = table.complete()
    halves, splits = split_cosines(complete, seed)
    return Robustness(
        single=single_cosines(complete),
        split_half=halves,
        n_structures=len(complete.structures),
        n_incomplete=len(table.structures) - len(complete.structures),
        n_splits=splits,
        sign_kept=signs_kept(table, differences, level),
        two_way=_with_and_against(items, list(differences), level, scale),
    )


def _with_and_against(
    items: Sequence[RatedItem], pairs: Sequence[Pair], level: float, scale: Bounds | None
) -> dict[Pair, Estimate]:
    """The differences, uncertain over origins and structures."""
    texts = [(item.group, item.value, item.origin) for item in items]
    pooled = Pooled(texts, structures=[item.structure for item in items], level=level, scale=scale)
    found = adjust({f"{a}\0{b}": pooled.difference(a, b) for a, b in pairs})
    return dict(zip(pairs, found.values(), strict=True))


def _reversals(
    structures: Mapping[str, ContinuationSummary], overall: Mapping[Pair, float | None], table: StructureMeans
) -> list[Reversal]:
    """By pair, and within it by structure."""
    found = []
    for (a, b), whole in overall.items():
        for name, summary in structures.items():
            value = next((pair.difference.value for pair in summary.pairs if (pair.a, pair.b) == (a, b)), None)
            if value is not None and whole is not None and np.prod(table.signs(np.array([value, whole]))) < 0:
                found.append(Reversal(name, a, b, value, whole))
    return found


def _adjusted(structures: Mapping[str, ContinuationSummary]) -> dict[str, ContinuationSummary]:
    """The same summaries with the p-values of all of them adjusted together."""
    every = {
        f"{name}\0{place}": pair.difference
        for name, found in structures.items()
        for place, pair in enumerate(found.pairs)
    }
    adjusted = adjust(every)
    return {
        name: replace(
            found,
            pairs=tuple(
                replace(pair, difference=adjusted[f"{name}\0{place}"]) for place, pair in enumerate(found.pairs)
            ),
            notes=tuple(note for note in found.notes if not note.startswith("p_adjusted")),
        )
        for name, found in structures.items()
    }
