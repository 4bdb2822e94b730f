"""Cells of the view of next words: how far a model expects one group rather than another after each prompt.

Origins are professions, or attributes: they are the same in every source, and are turned in all of them at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tiltmeter.analysis.next_words import Expected
from tiltmeter.analysis.question_stereotypes import Stereotype
from tiltmeter.measures.declared import Measure
from tiltmeter.measures.next_words import DIFFERENCE, Chances
from tiltmeter.stats.cells import CellData
from tiltmeter.stats.scales import Bounds, apart

_NO_CHANCE = "a group has no chance at all"
"""Why there is no ratio and no share of chances that are known."""


def expected_cell(
    choices: Mapping[str, str],
    items: Sequence[Expected],
    groups: tuple[str, str],
    measure: Measure[Chances],
) -> CellData:
    """How much less often the first group is expected than the second.

    >>> from tiltmeter.measures.next_words import DIFFERENCE
    >>> items = [Expected("1", "nurse", "said", {"he": 0.1, "she": 0.3})]
    >>> found = expected_cell({}, items, ("he", "she"), DIFFERENCE)
    >>> round(found.values.item(), 6), found.origins.item(), found.orientation
    (-0.2, 'nurse', -1)
    """
    chances = _chances(items, groups)
    return CellData.of(
        choices,
        measure.values(chances),
        [item.profession for item in items],
        orientation=-1,
        neutral=measure.neutral,
        scale=_ends(measure),
        templates=[item.template for item in items],
        chances=chances if measure is DIFFERENCE else None,
        because=[why_unscored(item, groups) for item in items],
    )


def beyond_habit_cell(
    choices: Mapping[str, str],
    items: Sequence[tuple[Expected, Expected]],
    groups: tuple[str, str],
    measure: Measure[Chances],
) -> CellData:
    """The same less what is expected of anybody; each prompt stands beside itself with *person* in it."""
    prompts, usual = [item for item, _ in items], [habit for _, habit in items]
    pairs = zip(*(measure.values(_chances(each, groups)) for each in (prompts, usual)), strict=True)
    return CellData.of(
        choices,
        [None if one is None or other is None else one - other for one, other in pairs],
        [item.profession for item in prompts],
        orientation=-1,
        scale=apart(_ends(measure)),
        templates=[item.template for item in prompts],
        because=[why_unscored(item, groups, habit) for item, habit in items],
    )


def stereotyped_cell(
    choices: Mapping[str, str],
    items: Sequence[Expected],
    tied: Stereotype,
    measure: Measure[Chances],
) -> CellData | None:
    """How much more the first group is expected after its own attributes than after those of the second.

    The two sides are the attributes tied to either group, so that a model that expects one of them whatever comes
    before has no value. None where one of the sides has no prompt.
    """
    kept = [(item, side) for item in items if (side := tied.side(item.profession)) is not None]
    if {side for _, side in kept} != {0, 1}:
        return None
    prompts = [item for item, _ in kept]
    return CellData.of(
        choices,
        measure.values(_chances(prompts, tied.groups)),
        [item.profession for item in prompts],
        [side for _, side in kept],
        scale=_ends(measure),
        templates=[item.template for item in prompts],
        because=[why_unscored(item, tied.groups) for item in prompts],
    )


def _chances(items: Sequence[Expected], groups: tuple[str, str]) -> list[Chances]:
    first, second = groups
    return [(item.chances.get(first), item.chances.get(second)) for item in items]


def _ends(measure: Measure[Chances]) -> Bounds | None:
    return None if measure.low is None or measure.high is None else (measure.low, measure.high)


def why_unscored(item: Expected, groups: tuple[str, str], habit: Expected | None = None) -> str:
    """Why the item has no value, should it have none."""
    for one in (item, habit):
        for group in groups if one else ():
            if one and one.chances.get(group) is None:
                return one.unscored.get(group, f"{group} was not asked for")
    return _NO_CHANCE
