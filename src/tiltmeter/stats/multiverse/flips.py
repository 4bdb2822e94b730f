"""Which single choice flips the conclusion: cells compared with those that differ from them in that choice alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.stats.multiverse.cells import CellResult
from tiltmeter.stats.multiverse.decomposition import NOT_THERE


@dataclass(frozen=True, slots=True)
class Flips:
    """What happens to cells when one choice is set to one setting and everything else stays as it is."""

    choice: str
    setting: str | None
    """None: whatever it is changed to."""
    of: int
    """Changes that could be looked at: a cell with another setting, and its counterpart with this one."""
    sign: int
    """How many turn the sign of the effect round; from or to no effect at all does not count."""
    conclusion: int
    """How many change the conclusion: worse for the first, worse for the second, not significant (corrected)."""
    reversed: int
    """How many turn a significant conclusion into a significant one the other way."""

    def as_json(self) -> dict[str, Any]:
        """Counts and shares."""
        return {
            "choice": self.choice,
            "setting": self.setting,
            "of": self.of,
            "sign": self.sign,
            "conclusion": self.conclusion,
            "reversed": self.reversed,
            "sign_share": self.sign / self.of,
            "conclusion_share": self.conclusion / self.of,
        }


def flips(results: Sequence[CellResult]) -> tuple[Flips, ...]:
    """For each choice as a whole, and for each of its settings where it has more than two; most flips of sign first.

    Cells without a value, and settings that no cell can be compared on, are left out.
    """
    valued = [result for result in results if result.sign is not None]
    found = []
    for choice in sorted({name for result in valued for name in result.choices}):
        beside: dict[tuple[tuple[str, str], ...], dict[str, CellResult]] = defaultdict(dict)
        for result in valued:
            others = tuple(sorted(item for item in result.choices.items() if item[0] != choice))
            beside[others][result.choices.get(choice, NOT_THERE)] = result
        changes: dict[str, list[tuple[CellResult, CellResult]]] = defaultdict(list)
        for together in beside.values():
            for setting, after in together.items():
                changes[setting] += [(before, after) for other, before in together.items() if other != setting]
        every = [change for setting in sorted(changes) for change in changes[setting]]
        # From a to b and from b to a are one change of the choice.
        found.append(_flips(choice, None, every, 2))
        if len(changes) > 2:
            found += [_flips(choice, setting, changes[setting]) for setting in sorted(changes)]
    return tuple(
        sorted(
            (each for each in found if each.of),
            key=lambda each: (-each.sign / each.of, -each.conclusion / each.of, each.choice, each.setting or ""),
        )
    )


def _flips(
    choice: str, setting: str | None, changes: Sequence[tuple[CellResult, CellResult]], counted: int = 1
) -> Flips:
    kept = "not significant"
    different = [(one.conclusion, other.conclusion) for one, other in changes if one.conclusion != other.conclusion]
    return Flips(
        choice,
        setting,
        len(changes) // counted,
        # No difference at all is on neither side: a sign that appears or vanishes is not reversed.
        sum({one.sign, other.sign} == {-1, 1} for one, other in changes) // counted,
        len(different) // counted,
        sum(kept not in both for both in different) // counted,
    )
