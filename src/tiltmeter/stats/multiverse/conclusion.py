"""One question answered under every defensible choice: which conclusion holds, and which choice it hangs on.

`cells` holds the items and what each cell says, `specification_curve` the curve, `whole_curve` its test,
`decomposition` and `flips` what the choices do, `verdict` whether the conclusion holds; `docs/multiverse.md` explains
them in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.stats.multiverse.cells import GROUPS, CellData, Cells, evaluate
from tiltmeter.stats.multiverse.decomposition import Decomposition, decompose
from tiltmeter.stats.multiverse.flips import Flips, flips
from tiltmeter.stats.multiverse.specification_curve import Curve, curve
from tiltmeter.stats.multiverse.verdict import Verdict, verdict
from tiltmeter.stats.multiverse.whole_curve import PERMUTATIONS, CurveTest, curve_test


@dataclass(frozen=True, slots=True)
class Multiverse:
    """Everything that is said of one question."""

    groups: tuple[str, str]
    curve: Curve
    test: CurveTest
    decomposition: Decomposition
    flips: tuple[Flips, ...]
    verdict: Verdict

    def as_json(self) -> dict[str, Any]:
        """The whole as plain numbers, lists and texts; null where there is no number."""
        return {
            "groups": list(self.groups),
            "verdict": self.verdict.as_json(),
            "test": self.test.as_json(),
            "decomposition": self.decomposition.as_json(),
            "flips": [each.as_json() for each in self.flips],
            "curve": self.curve.as_json(),
        }


def multiverse(
    cells: Sequence[CellData],
    *,
    groups: tuple[str, str] = GROUPS,
    level: float = 0.95,
    seed: int = 0,
    permutations: int = PERMUTATIONS,
) -> Multiverse:
    """Answer a question from all of its cells.

    >>> import numpy as np
    >>> origins, sides = list("abcdefgh" * 2), [0] * 8 + [1] * 8
    >>> sentiment = np.array([4, 1, 3, 2, 4, 1, 3, 2, 6, 4, 5, 4, 5, 3, 6, 5]) / 10
    >>> found = multiverse(
    ...     [
    ...         CellData.of({"rater": "one"}, sentiment, origins, sides, orientation=-1),
    ...         CellData.of({"rater": "another"}, sentiment**2, origins, sides, orientation=-1),
    ...     ]
    ... )
    >>> found.verdict.strength, found.verdict.holds, found.verdict.of, found.verdict.direction
    ('holds', 2, 2, 'first')
    """
    found = evaluate(cells, groups=groups, level=level)
    return concluded(found, curve_test(found, permutations=permutations, seed=seed), groups=groups, seed=seed)


def concluded(
    found: Cells,
    test: CurveTest,
    *,
    groups: tuple[str, str] = GROUPS,
    missing: str = "",
    seed: int = 0,
) -> Multiverse:
    """What cells and the test of their curve come to; `missing` is for the verdict: see there."""
    drawn = curve(found)
    said = verdict(drawn, test, missing=missing)
    return Multiverse(groups, drawn, test, decompose(found, seed), flips(found.results), said)
