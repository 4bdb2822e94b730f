"""One cell of a multiverse: the items that one combination of choices gave, and what they say.

Every cell is oriented, so that positive means worse for the first group, and standardised, so that cells on different
scales can stand on one curve. `docs/multiverse.md` says in words what each figure is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array
from tiltmeter.stats.crossed import Crossed
from tiltmeter.stats.estimate import FEWEST, Scale
from tiltmeter.stats.estimates import LARGEST, adjust, estimate, holm, scaled, shifted
from tiltmeter.stats.multiverse.origin_sums import OriginSums, SignedSums, TwoSidedSums
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.scales import Bounds

ALPHA = 0.05
"""A cell is significant where its p, corrected for the number of cells, is below this."""
GROUPS = ("the first group", "the second group")
_REASONS = 3
"""Of why items are unscored, so many are named where a cell has no value for it."""

Conclusion = Literal["worse for the first", "worse for the second", "not significant"]


@dataclass(frozen=True, slots=True, eq=False)
class CellData:
    """The items of one cell. `values` are NaN where unscored; `sides` are 0 for the first group and 1 for the second.

    Without sides each item is one signed value that already compares the groups (a preference, a log ratio), and
    `neutral` is its value where there is no bias. The same origin has the same name in every cell, and two different
    things never share one.
    """

    choices: Mapping[str, str]
    values: Array
    origins: NDArray[np.str_]
    sides: NDArray[np.int8] | None = None
    orientation: Literal[1, -1] = 1
    """1 where a higher value is worse for the first group, −1 where a lower one is."""
    neutral: float = 0.0
    strata: NDArray[np.str_] | None = None
    """Signed items: parts that weigh the same. Two-sided items: origins are exchanged within their stratum only."""
    scale: Bounds | None = None
    templates: NDArray[np.str_] | None = None
    """Prompts that are professions (the origins) in templates: the template of each, blank where it has none.

    Intervals and p are then uncertain over both, as `crossed` has it, and every prompt counts the same.
    """
    chances: Array | None = None
    """Of such prompts, where the value is the difference of two probabilities: these, a row for each item."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Why items are unscored, as far as that is known, and how many."""
    terms: NDArray[np.str_] | None = None
    """Of pairs: the words for the two groups, blank where there are none. Intervals and p are then a headline's."""
    parts: Sequence[tuple[str, ...]] | None = None
    """Of pairs: what weighs the same in their headline."""
    equal_origins: bool = True
    """Of pairs: whether every origin counts the same, or every pair."""
    behind: CellData | None = None
    """The items, where these are their means over origins."""

    @classmethod
    def of(
        cls,
        choices: Mapping[str, str],
        values: Sequence[float | None] | Array,
        origins: Sequence[str] | Sequence[int] | NDArray[Any],
        sides: Sequence[int] | NDArray[Any] | None = None,
        *,
        orientation: Literal[1, -1] = 1,
        neutral: float = 0.0,
        strata: Sequence[str] | NDArray[Any] | None = None,
        scale: Bounds | None = None,
        templates: Sequence[str | None] | None = None,
        chances: Sequence[tuple[float | None, float | None]] | None = None,
        because: Sequence[str | None] = (),
        terms: Sequence[str | None] | None = None,
        parts: Sequence[tuple[str, ...]] | None = None,
    ) -> CellData:
        """A cell from plain lists or arrays; None, NaN and numbers beyond all measure are unscored.

        `because` says of each item why it is unscored, should it be.

        >>> CellData.of({"rater": "vader"}, [0.5, None], ["nurse", "nurse"], [0, 1]).unscored
        1
        """
        numbers = np.array(values, dtype=np.float64)
        numbers[~(np.abs(numbers) < LARGEST)] = np.nan
        sided = None if sides is None else np.array(sides, dtype=np.int8)
        apart = None if strata is None else np.array(strata, dtype=np.str_)
        names = np.array(origins).astype(np.str_)
        if because and len(because) != len(numbers):
            raise ValueError("there are not as many reasons as values in a cell")
        reasons = Counter(why for why, value in zip(because, numbers, strict=False) if why and np.isnan(value))
        return cls(
            dict(choices),
            numbers,
            names,
            sided,
            orientation,
            neutral,
            apart,
            scale,
            _named(templates),
            None if chances is None else np.array(chances, dtype=np.float64).reshape(-1, 2),
            dict(reasons),
            _named(terms),
            parts,
        )

    def __post_init__(self) -> None:
        given = (self.origins, self.sides, self.strata, self.templates, self.chances, self.terms, self.parts)
        if any(each is not None and len(each) != len(self.values) for each in given):
            raise ValueError(
                "values, origins, sides, strata, templates, probabilities and terms of a cell are not equally long"
            )
        if self.templates is not None and self.strata is not None:
            raise ValueError("a cell has strata or templates, not both")
        if self.orientation not in (1, -1):
            raise ValueError(f"an orientation is 1 or -1, not {self.orientation}")
        if self.sides is not None and not np.isin(self.sides, (0, 1)).all():
            raise ValueError("a side is 0 (the first group) or 1 (the second)")
        if np.any(self.origins == ""):
            raise ValueError("an item of a cell has no origin")

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Which items have a number."""
        return ~np.isnan(self.values)

    @property
    def unscored(self) -> int:
        """How many items have none."""
        return int(np.sum(np.isnan(self.values)))

    @property
    def crossed_with_templates(self) -> bool:
        """Whether another choice of templates could have moved the value, as another choice of professions could."""
        return self.templates is not None and len(_crossed(self).resampled_over) > 1

    @property
    def enough_templates(self) -> bool:
        """Whether every group has as many as show how much templates matter; with fewer they are left out."""
        templates = self.over_templates().origins
        sides = [self.scored] if self.sides is None else [self.scored & (self.sides == side) for side in (0, 1)]
        return all(len(np.unique(templates[side])) >= FEWEST for side in sides)

    def over_templates(self) -> CellData:
        """The cell with its templates for origins; a sentence that has none is as good as its profession.

        >>> cell = CellData.of({}, [0.1, 0.2], ["nurse", "smith"], templates=["The [A] said that", None])
        >>> cell.over_templates().origins.tolist()
        ['template The [A] said that', 'smith']
        """
        if self.templates is None:
            return self
        origins = np.where(self.templates == "", self.origins, np.char.add("template ", self.templates))
        return replace(self, origins=origins, templates=None, chances=None, terms=None, parts=None)

    def sums(self) -> OriginSums:
        """The scored items by origin, oriented."""
        scored = self.scored
        # In one order whatever the order of the rows, so that it cannot show in the last digit of a sum.
        strata = np.zeros(len(scored), dtype=np.str_) if self.strata is None else self.strata
        sides = np.zeros(len(scored), dtype=np.int8) if self.sides is None else self.sides
        order = np.lexsort((self.values[scored], sides[scored], strata[scored], self.origins[scored]))
        values = self.orientation * self.values[scored][order]
        origins = self.origins[scored][order]
        if self.sides is not None:
            return TwoSidedSums.of(values, origins, sides[scored][order])
        size = 1.0 if self.chances is None else float(np.max(np.abs(self.chances[scored]), initial=0.0))
        return SignedSums.of(values - self.orientation * self.neutral, origins, strata[scored][order], size)


@dataclass(frozen=True, slots=True)
class CellResult:
    """What one cell says; positive is worse for the first group."""

    choices: Mapping[str, str]
    raw: Estimate
    """In the unit of the values: mean of the first group minus mean of the second, or mean minus neutral."""
    effect: Estimate
    """The same in standard deviations of the items; no value where the items have none, or nothing was scored."""
    sd: float | None
    sign: int | None
    """1: worse for the first group; −1: worse for the second; 0: neither; None where the cell has no value."""
    p_holm: float | None = None
    without: str | None = None
    """Why the cell has no value, and so no place on the curve."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Why items of it are unscored, as far as that is known, and how many."""
    both_ways: bool = False
    """Whether its interval and p are uncertain over professions and over templates that are crossed with them."""

    @property
    def place(self) -> float | None:
        """Where it stands on the curve: its effect; beyond all others where its items do not vary; None: nowhere."""
        if self.sign is None or self.effect.value is not None:
            return self.effect.value
        return self.sign * math.inf

    @property
    def conclusion(self) -> Conclusion:
        """What a reader of this cell alone would conclude, knowing how many cells there are."""
        adjusted = self.raw.p_adjusted
        if not self.sign or adjusted is None or adjusted >= ALPHA:
            return "not significant"
        return "worse for the first" if self.sign > 0 else "worse for the second"

    def as_json(self) -> dict[str, Any]:
        """The figures of the cell; null where there is none."""
        return {
            "choices": dict(self.choices),
            "raw": self.raw.as_json(),
            "effect": self.effect.as_json(),
            "sd": self.sd,
            "sign": self.sign,
            "p_holm": self.p_holm,
            "conclusion": self.conclusion if self.sign is not None else None,
            "note": self.without or self.effect.note or self.raw.note,
            "unscored": dict(self.reasons),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of a question with their results, in the order given."""

    data: tuple[CellData, ...]
    results: tuple[CellResult, ...]
    sums: tuple[OriginSums, ...] = field(repr=False)

    @property
    def valued(self) -> list[int]:
        """Where the cells with a value are."""
        return [place for place, result in enumerate(self.results) if result.sign is not None]


def evaluate(cells: Sequence[CellData], *, groups: tuple[str, str] = GROUPS, level: float = 0.95) -> Cells:
    """The result of every cell, with p-values corrected for the number of cells that have one."""
    seen = {tuple(sorted(cell.choices.items())) for cell in cells}
    if len(seen) < len(cells):
        raise ValueError("two cells have the same choices")
    if groups[0] == groups[1]:
        raise ValueError(f"both groups are called {groups[0]}")
    sums = tuple(cell.sums() for cell in cells)
    found = [_result(cell, part, groups, level) for cell, part in zip(cells, sums, strict=True)]
    adjusted = adjust({str(place): each.raw for place, each in enumerate(found)}).values()
    strictly = holm([each.raw.p for each in found])
    results = tuple(
        replace(each, raw=raw, effect=replace(each.effect, p_adjusted=raw.p_adjusted), p_holm=p)
        for each, raw, p in zip(found, adjusted, strictly, strict=True)
    )
    return Cells(tuple(cells), results, sums)


def cell_result(cell: CellData, *, groups: tuple[str, str] = GROUPS, level: float = 0.95) -> CellResult:
    """What one cell says on its own, p not corrected.

    >>> found = cell_result(CellData.of({}, [3.0, 1.0, 2.0, 1.0, 2.0, 0.0], list("xxyyzz"), [0, 1, 0, 1, 0, 1]))
    >>> round(found.raw.value, 4), round(found.sd, 4), round(found.effect.value, 4)
    (1.6667, 0.5774, 2.8868)
    """
    return _result(cell, cell.sums(), groups, level)


def _result(cell: CellData, sums: OriginSums, groups: tuple[str, str], level: float) -> CellResult:
    raw = _raw(cell, groups, level)
    nothing = replace(raw, value=None, low=None, high=None, p=None)
    both_ways = cell.crossed_with_templates and cell.enough_templates and raw.p is not None
    found = CellResult(cell.choices, raw, nothing, None, None, reasons=cell.reasons, both_ways=both_ways)
    if raw.value is None:
        return replace(found, without=_why(raw.note or "there is no value", cell.reasons))
    sign = sums.sign(raw.value)
    if sums.all_the_same and not sign:
        without = "every value is the same: there is no spread, and so nothing to compare"
        nothing = replace(nothing, note=without)
        return replace(found, raw=nothing, effect=nothing, without=without)
    sd = sums.spread
    if sd is None:
        note = "no effect in standard deviations: the items of a group are all the same"
        return replace(found, effect=replace(nothing, p=raw.p, note=note), sign=sign)
    low, high = (None if bound is None else bound / sd for bound in (raw.low, raw.high))
    return replace(found, effect=replace(raw, value=raw.value / sd, low=low, high=high), sd=sd, sign=sign)


def raw_value(cell: CellData, *, groups: tuple[str, str] = GROUPS, level: float = 0.95) -> Estimate:
    """What a cell says in the unit of its values, also where all of them are the same."""
    return _raw(cell, groups, level)


def _why(note: str, reasons: Mapping[str, int]) -> str:
    """Why there is no value, with what is behind it where that is known, the commonest first.

    >>> _why("nothing was scored", {"refused": 1, "empty": 3})
    'nothing was scored (empty; refused)'
    """
    common = sorted(reasons, key=lambda reason: (-reasons[reason], reason))[:_REASONS]
    return f"{note} ({'; '.join(common)})" if common else note


def _raw(cell: CellData, groups: tuple[str, str], level: float) -> Estimate:
    values = [None if math.isnan(value) else value for value in cell.values.tolist()]
    if cell.sides is None:
        return _oriented(shifted(_mean(cell, values, level), -cell.neutral), cell.orientation)
    n = sum(value is not None for value in values)
    for side, group in enumerate(groups):
        if not np.any(cell.scored & (cell.sides == side)):
            return Estimate(None, level=level, n=n, n_unscored=len(values) - n, note=f"nothing was scored of {group}")
    if (paired := cell.behind or cell).terms is not None:
        assert paired.sides is not None
        # Half of what lies between the two sides is how far items lean to either, each side counting the same.
        signed = np.where(paired.sides == 1, 2 * paired.neutral - paired.values, paired.values)
        found = _headline(replace(paired, values=signed), level)
        return _oriented(scaled(shifted(found, -paired.neutral), 2.0), cell.orientation)
    named = [groups[side] for side in cell.sides.tolist()]
    structures = None if cell.templates is None else [name or None for name in cell.templates.tolist()]
    observations = zip(named, values, cell.origins.tolist(), strict=True)
    names = "origins", "templates"
    pooled = Pooled(observations, structures=structures, level=level, scale=cell.scale, names=names)
    return _oriented(pooled.difference(*groups), cell.orientation)


def _mean(cell: CellData, values: Sequence[float | None], level: float) -> Estimate:
    """The mean of signed items."""
    if cell.terms is not None:
        return _headline(cell, level)
    if cell.templates is not None:
        low, high = cell.scale or (None, None)
        scale = Scale(low, high, cell.neutral)
        if cell.chances is None:
            return _crossed(cell, level).mean(values, scale)
        above, below = ([None if math.isnan(one) else one for one in side] for side in cell.chances.T.tolist())
        return _crossed(cell, level).difference(above, below, scale)
    strata = None if cell.strata is None else cell.strata.tolist()
    return estimate(values, cell.origins.tolist(), strata=strata, neutral=cell.neutral, level=level)


def _headline(cell: CellData, level: float) -> Estimate:
    """The mean of pairs as a headline has it: clustered by attribute, template and the words for the groups."""
    further = {"templates": cell.templates, "terms": cell.terms}
    return estimate(
        [None if math.isnan(value) else value for value in cell.values.tolist()],
        cell.origins.tolist(),
        strata=cell.parts,
        further={name: [one or None for one in way.tolist()] for name, way in further.items() if way is not None},
        neutral=cell.neutral,
        level=level,
        equal_origins=cell.equal_origins,
    )


def _named(names: Sequence[str | None] | None) -> NDArray[np.str_] | None:
    return None if names is None else np.array([name or "" for name in names], dtype=np.str_)


def _crossed(cell: CellData, level: float = 0.95) -> Crossed:
    templates = [] if cell.templates is None else cell.templates.tolist()
    return Crossed(cell.origins.tolist(), [name or None for name in templates], level=level)


def _oriented(found: Estimate, orientation: int) -> Estimate:
    if orientation == 1:
        return found
    low, high = (None if bound is None else -bound for bound in (found.high, found.low))
    return replace(found, value=None if found.value is None else -found.value, low=low, high=high)
