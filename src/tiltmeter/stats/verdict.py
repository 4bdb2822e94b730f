"""One sentence in plain words on whether a conclusion holds, never stronger than the evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, Literal

from tiltmeter.stats.cells import ALPHA, GROUPS, CellData, CellResult
from tiltmeter.stats.decomposition import NOT_THERE
from tiltmeter.stats.specification_curve import Curve
from tiltmeter.stats.whole_curve import CurveTest, untestable

_NO_VALUE = "have no value"
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
    """What can be concluded. `sentence` says it in words."""

    strength: Strength
    sentence: str
    direction: Direction | None
    """For which group it is worse in most cells; by the median where they are evenly split, None where that is zero."""
    holds: int
    of: int
    """Cells with a value."""
    without: int
    """Cells that have none."""
    exceptions: int
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
    def words(self) -> str:
        """The verdict, in a few words.

        >>> Verdict(NONE_LARGER, "", None, 0, 2, 0, 0, (), 0, 0.4, bound=0.125).words
        'no difference larger than 0.13 SD'
        """
        if self.strength != NONE_LARGER or self.bound is None:
            return self.strength
        return f"no difference larger than {math.ceil(100 * self.bound) / 100:g} SD"

    def as_json(self) -> dict[str, Any]:
        """The verdict as a record."""
        return asdict(self) | {"words": self.words, "described": [dict(settings) for settings in self.described]}


def verdict(
    curve: Curve,
    test: CurveTest,
    *,
    groups: tuple[str, str] = GROUPS,
    claims: tuple[str, str] | None = None,
    p_adjusted: float | None = None,
    questions: int = 1,
    missing: str = "",
) -> Verdict:
    """The verdict on a curve and its test; `claims` are what a positive cell says in words, and a negative one.

    It goes by `p_adjusted`, where several `questions` were asked. `missing` says what is to be known of missing values.
    """
    p = test.p if p_adjusted is None else p_adjusted
    sign = curve.dominant
    valued = [cell for cell in curve.cells if cell.sign is not None]
    holding = [cell for cell in valued if sign and cell.sign == sign]
    exceptions = [cell for cell in valued if sign and cell.sign != sign]
    opposed = {1: curve.significant.negative, -1: curve.significant.positive, 0: 0}[sign]
    directions: dict[int, Direction | None] = {1: "first", -1: "second", 0: None}
    bound = _bound(curve)
    strength, reason = _strength(curve, test, p, opposed, bound)
    found = Verdict(
        strength,
        "",
        directions[sign],
        len(holding),
        curve.of,
        len(curve.cells) - curve.of,
        len(exceptions),
        describe(exceptions, holding),
        opposed,
        test.p,
        p,
        questions,
        bound,
        missing,
    )
    said = claims or (f"worse for {groups[0]} than for {groups[1]}", f"worse for {groups[1]} than for {groups[0]}")
    return replace(found, sentence=_sentence(found, curve, reason, said))


def unreachable(cells: Sequence[CellData], number: int) -> str | None:
    """Why cells like these, so many of them, can only come to "too little data", whatever their values."""
    return _too_few_cells(number) or untestable(cells)


def _too_few_cells(number: int) -> str | None:
    if number >= FEWEST_CELLS:
        return None
    return f"{'one cell has' if number else 'no cell has'} a value, which says nothing of other choices"


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
    untested = _too_few_cells(curve.of) or (test.note or "there is no test of the whole curve" if p is None else None)
    if untested or p is None:
        return TOO_LITTLE, untested or ""
    if curve.significant.positive and curve.significant.negative:
        # Whatever the whole comes to, where methods contradict each other.
        return DEPENDS, ""
    if p >= ALPHA:
        whole = curve.of >= HOLDS_SHARE * len(curve.cells)
        return (NONE_LARGER if whole and bound is not None and bound <= NEGLIGIBLE else INCONCLUSIVE), ""
    if opposed or curve.holding() < HOLDS_SHARE * curve.of:
        return DEPENDS, ""
    if curve.holding() < HOLDS_SHARE * len(curve.cells):
        without = len(curve.cells) - curve.of
        return TOO_LITTLE, f"{without} of {len(curve.cells)} cells {_NO_VALUE}"
    return HOLDS, ""


def _sentence(found: Verdict, curve: Curve, reason: str, claims: tuple[str, str]) -> str:
    """The verdict in words."""
    words = found.words
    parts = [f"{words[0].upper()}{words[1:]}: {f'{reason}; ' if reason else ''}{_counted(found, curve, claims)}"]
    without = "1 cell has" if found.without == 1 else f"{found.without} cells have"
    if found.without and found.of and _NO_VALUE not in reason:
        parts.append(f"{without} no value")
    if found.p is not None and found.p_adjusted is not None:
        chance = "is unlikely without any effect" if found.p_adjusted < ALPHA else "could be chance"
        more = f"; {found.p_adjusted:.2g} after Holm for {found.questions} questions" if found.questions > 1 else ""
        parts.append(f"the curve as a whole {chance} (p = {found.p:.2g}{more})")
    if found.strength == INCONCLUSIVE:
        parts.append("this does not show that there is no difference")
    parts.append(found.missing)
    return "; ".join(part for part in parts if part).removesuffix("; ") + "."


def _counted(found: Verdict, curve: Curve, claims: tuple[str, str]) -> str:
    """In how many cells it holds, in how many of them clearly, and which differ."""
    if not found.of:
        return ""
    if found.direction is None:
        return f"as many of {found.of} cells lean to one side as to the other"
    claim = claims[0] if found.direction == "first" else claims[1]
    clear = curve.significant.positive if found.direction == "first" else curve.significant.negative
    said = f"{claim} in {found.holds} of {found.of} cells"
    said += f" ({clear} significant after correction)"
    if found.exceptions:
        said += f"; {_excepted(found)}"
    if found.opposed:
        said += f"; {found.opposed} significant the other way"
    return said


def _excepted(found: Verdict) -> str:
    one = found.exceptions == 1
    if not found.described:
        return f"{found.exceptions} {'differs' if one else 'differ'}"
    ways = [
        " and ".join(f"no {name}" if setting == NOT_THERE else f"{name} {setting}" for name, setting in way.items())
        for way in found.described[:2]
    ]
    which = "the one that differs uses" if one else f"the {found.exceptions} that differ use"
    return f"{which} {' (or, for the same cells, '.join(ways)}{')' if len(ways) > 1 else ''}"
