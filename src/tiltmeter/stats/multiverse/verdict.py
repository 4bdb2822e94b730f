"""Whether a conclusion holds, never stronger than the evidence; `present/verdicts.py` puts it into words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

from tiltmeter.stats.multiverse.cells import ALPHA, CellData, CellResult
from tiltmeter.stats.multiverse.decomposition import NOT_THERE
from tiltmeter.stats.multiverse.specification_curve import Curve
from tiltmeter.stats.multiverse.whole_curve import CurveTest, untestable

NO_VALUE = "have no value"
HOLDS_SHARE = 0.9
"""A conclusion holds only where at least this share of all cells has its sign; one without a value has none."""
NEGLIGIBLE = 0.2
"""Standard deviations: where no cell's interval reaches farther, it is said that there is no larger difference."""
FEWEST_CELLS = 2
"""One cell says nothing of other choices."""

Strength = Literal["holds", "depends on the method", "inconclusive", "no difference", "too little data"]
HOLDS: Strength = "holds"
DEPENDS: Strength = "depends on the method"
INCONCLUSIVE: Strength = "inconclusive"
NONE_LARGER: Strength = "no difference"
TOO_LITTLE: Strength = "too little data"
DIRECTED = (HOLDS, DEPENDS)
"""Verdicts that are on a direction."""
Direction = Literal["first", "second"]
Settings = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be concluded."""

    strength: Strength
    reason: str
    """Why there is too little data; blank otherwise."""
    direction: Direction | None
    """For which group it is worse in most cells; by the median where they are evenly split, None where that is zero."""
    holds: int
    of: int
    """Cells with a value."""
    without: int
    """Cells that have none."""
    exceptions: int
    """Cells that point the other way."""
    ties: int
    """Cells that point neither way."""
    described: tuple[Settings, ...]
    """The smallest conjunctions of settings that cover the exceptions and no other cell; none where there is none.

    Several cover the same cells: they cannot be told apart here.
    """
    opposed: int
    """Cells that are significant, after correction, the other way."""
    p: float | None
    """Of the whole curve."""
    p_adjusted: float | None = None
    """The same after Holm, over all questions that were asked: what the verdict goes by."""
    questions: int = 1
    """How many these are."""
    bound: float | None = None
    """No cell's interval reaches farther, in standard deviations; None where a cell has no interval."""
    missing: str = ""
    """What is said of unequal shares of missing values, and what they could do at worst."""

    @property
    def contradicted(self) -> bool:
        """Whether some methods are significant one way and some the other."""
        return self.strength == DEPENDS and bool(self.opposed)

    @property
    def words(self) -> str:
        """The verdict, in a few words.

        >>> Verdict(NONE_LARGER, "", None, 0, 2, 0, 0, 0, (), 0, 0.4, bound=0.125).words
        'no difference larger than 0.13 SD'
        """
        if self.strength != NONE_LARGER or self.bound is None:
            return self.strength
        return f"no difference larger than {math.ceil(100 * self.bound) / 100:g} SD"

    def as_json(self) -> dict[str, Any]:
        """The verdict as a record."""
        return asdict(self) | {"words": self.words, "described": [dict(settings) for settings in self.described]}


def verdict(
    curve: Curve, test: CurveTest, *, p_adjusted: float | None = None, questions: int = 1, missing: str = ""
) -> Verdict:
    """The verdict on a curve and its test.

    It goes by `p_adjusted`, where several `questions` were asked. `missing` says what is to be known of missing values.
    """
    p = test.p if p_adjusted is None else p_adjusted
    sign = curve.dominant
    valued = [cell for cell in curve.cells if cell.sign is not None]
    holding = [cell for cell in valued if sign and cell.sign == sign]
    exceptions = [cell for cell in valued if sign and cell.sign == -sign]
    ties = [cell for cell in valued if cell.sign == 0]
    opposed = {1: curve.significant.negative, -1: curve.significant.positive, 0: 0}[sign]
    directions: dict[int, Direction | None] = {1: "first", -1: "second", 0: None}
    bound = _bound(curve)
    strength, reason = _strength(curve, test, p, opposed, bound)
    return Verdict(
        strength,
        reason,
        directions[sign],
        len(holding),
        curve.of,
        len(curve.cells) - curve.of,
        len(exceptions),
        len(ties),
        describe(exceptions, [*holding, *ties]),
        opposed,
        test.p,
        p,
        questions,
        bound,
        missing,
    )


def unreachable(cells: Sequence[CellData], number: int) -> str | None:
    """Why cells like these, so many of them, can only come to "too little data", whatever their values."""
    return _too_few_cells(number) or untestable(cells)


def _too_few_cells(number: int) -> str | None:
    if number >= FEWEST_CELLS:
        return None
    return f"{'only one method' if number else 'no method'} has a value, which says nothing about other methods"


def describe(exceptions: Sequence[CellResult], others: Sequence[CellResult]) -> tuple[Settings, ...]:
    """The smallest conjunctions of settings that every exception has and no other cell; all of that size.

    Choices that no cell varies, and exceptions that have no such thing in common, give none.
    """
    if not exceptions or not others:
        return ()
    names = sorted({name for cell in (*exceptions, *others) for name in cell.choices})
    first = exceptions[0]
    common = [name for name in names if all(_setting(cell, name) == _setting(first, name) for cell in exceptions)]
    telling = [name for name in common if any(_setting(cell, name) != _setting(first, name) for cell in others)]
    for size in range(1, len(telling) + 1):
        found = [
            {name: _setting(first, name) for name in chosen}
            for chosen in combinations(telling, size)
            if not any(all(_setting(cell, name) == _setting(first, name) for name in chosen) for cell in others)
        ]
        if found:
            return tuple(found)
    return ()


def _setting(cell: CellResult, choice: str) -> str:
    return cell.choices.get(choice, NOT_THERE)


def _bound(curve: Curve) -> float | None:
    """How far the interval of any cell reaches, in standard deviations."""
    reached = [
        max(-cell.effect.low, cell.effect.high)
        for cell in curve.cells
        if cell.sign is not None and cell.effect.low is not None and cell.effect.high is not None
    ]
    return max(reached) if reached and len(reached) == curve.of else None


def _strength(
    curve: Curve, test: CurveTest, p: float | None, opposed: int, bound: float | None
) -> tuple[Strength, str]:
    """How strong the evidence is, and for too little data the reason."""
    untested = _too_few_cells(curve.of) or (test.note or "there is no test over all methods" if p is None else None)
    if untested or p is None:
        return TOO_LITTLE, untested or ""
    if curve.significant.positive and curve.significant.negative:
        # Whatever the whole comes to, where methods contradict each other.
        return DEPENDS, ""
    if p >= ALPHA:
        whole = curve.of >= HOLDS_SHARE * len(curve.cells)
        return (NONE_LARGER if whole and bound is not None and bound <= NEGLIGIBLE else INCONCLUSIVE), ""
    if opposed or curve.leaning_dominant() < HOLDS_SHARE * curve.of:
        return DEPENDS, ""
    if curve.leaning_dominant() < HOLDS_SHARE * len(curve.cells):
        without = len(curve.cells) - curve.of
        return TOO_LITTLE, f"{without} of {len(curve.cells)} methods {NO_VALUE}"
    return HOLDS, ""
