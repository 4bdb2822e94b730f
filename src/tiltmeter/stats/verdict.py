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
    def contradicted(self) -> bool:
        """Whether some methods are significant one way and some the other."""
        return self.strength == DEPENDS and bool(self.opposed)

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
    if opposed or curve.holding() < HOLDS_SHARE * curve.of:
        return DEPENDS, ""
    if curve.holding() < HOLDS_SHARE * len(curve.cells):
        without = len(curve.cells) - curve.of
        return TOO_LITTLE, f"{without} of {len(curve.cells)} methods {_NO_VALUE}"
    return HOLDS, ""


def _sentence(found: Verdict, curve: Curve, reason: str, claims: tuple[str, str]) -> str:
    """The verdict in words."""
    words = found.words
    counted = _counted(found, curve, claims)
    parts = [f"{words[0].upper()}{words[1:]}: {reason or counted}"]
    if reason and counted:
        parts.append(f"{counted[0].upper()}{counted[1:]}")
    if found.exceptions:
        parts.append(_excepted(found))
    if found.opposed:
        parts.append(f"{_methods(found.opposed, 'is', 'are')} significant the other way")
    if found.without and found.of and _NO_VALUE not in reason:
        parts.append(f"{_methods(found.without, 'has', 'have')} no value")
    parts.append(_tested(found))
    if found.strength == INCONCLUSIVE:
        parts.append("This does not show that there is no difference")
    parts.append(found.missing)
    return " ".join(f"{part}." for part in parts if part)


def _tested(found: Verdict) -> str:
    """What the test over all methods says."""
    if found.p is None or found.p_adjusted is None:
        return ""
    if found.contradicted:
        return "Since methods contradict each other, no test over all of them is reported"
    more = f"; {found.p_adjusted:.2g} after Holm for {found.questions} questions" if found.questions > 1 else ""
    if found.p_adjusted >= ALPHA:
        return f"Taken together, the methods do not rule out chance (p = {found.p:.2g}{more})"
    share = f"{100 * found.p:.2g}\N{NO-BREAK SPACE}%"
    return (
        f"Random relabellings of the groups give a pattern this one-sided in {share} of cases (p = {found.p:.2g}{more})"
    )


def _methods(number: int, one: str, several: str) -> str:
    return f"1 method {one}" if number == 1 else f"{number} methods {several}"


def _counted(found: Verdict, curve: Curve, claims: tuple[str, str]) -> str:
    """Under how many methods it holds, and under how many of these significantly."""
    if not found.of:
        return ""
    if found.direction is None:
        return f"as many of {found.of} methods lean one way as the other"
    claim = claims[0] if found.direction == "first" else claims[1]
    clear = curve.significant.positive if found.direction == "first" else curve.significant.negative
    if found.of == 1:
        return f"{claim} in the one method, {'significantly' if clear else 'not significantly'}"
    every = "all" if found.holds == found.of else f"{found.holds} of"
    return f"{claim} in {every} {found.of} methods ({clear or 'none'} of these significant after correction)"


def _excepted(found: Verdict) -> str:
    one = found.exceptions == 1
    if not found.described:
        return _methods(found.exceptions, "points", "point") + " the other way"
    ways = [
        " and ".join(f"no {name}" if setting == NOT_THERE else f"{name} {setting}" for name, setting in way.items())
        for way in found.described[:2]
    ]
    which = "The one that differs uses" if one else f"The {found.exceptions} that differ use"
    return f"{which} {' (or, which is the same here, '.join(ways)}{')' if len(ways) > 1 else ''}"
