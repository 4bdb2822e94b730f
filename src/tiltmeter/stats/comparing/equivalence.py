"""Beside "is there a difference?": "is it no more than δ?", by two one-sided tests.

A large p says that a difference was not seen, not that there is none. Equivalence has to be shown: both ends of the
interval at level 1 − 2α have to lie within −δ and δ (Schuirmann 1987). The tests are those of the difference itself,
against −δ and δ in place of 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tiltmeter.records import Estimate
from tiltmeter.stats.comparing.paired import pairs_of
from tiltmeter.stats.estimates import NOTHING_MORE, StratumPath

ALPHA = 0.05

Verdict = Literal["different", "equivalent", "both", "undecided"]
"""Not zero; within the margin; not zero but within the margin; neither could be shown."""

Shifted = Callable[[float, float], Estimate]
"""The estimate, at a level, of a difference to which a number has been added, with p against zero."""


@dataclass(frozen=True, slots=True)
class Equivalence:
    """What can be said of a difference and a margin."""

    verdict: Verdict
    margin: float
    alpha: float
    difference: Estimate
    """Its interval is at level 1 − 2α, its p is against no difference."""
    p_above: float | None
    """Against the difference being −δ or less."""
    p_below: float | None
    """Against its being δ or more."""

    @property
    def p(self) -> float | None:
        """Against the difference being δ or more either way: the larger of the two."""
        return None if self.p_above is None or self.p_below is None else max(self.p_above, self.p_below)

    @property
    def sentence(self) -> str:
        """The verdict in words, no stronger than the evidence."""
        within = f"no more than {self.margin:g} either way" if math.isfinite(self.margin) else "within no limits"
        return {
            "different": f"There is a difference, and it may be more than {self.margin:g}.",
            "equivalent": f"The difference is {within}; whether there is one at all was not shown.",
            "both": f"There is a difference, and it is {within}.",
            "undecided": f"Neither a difference nor that it is {within} was shown.",
        }[self.verdict]

    def as_json(self) -> dict[str, Any]:
        """The figures; null where there is none."""
        return {
            "verdict": self.verdict,
            "margin": self.margin if math.isfinite(self.margin) else None,
            "alpha": self.alpha,
            "difference": self.difference.as_json(),
            "p_equivalence": self.p,
            "p_above": self.p_above,
            "p_below": self.p_below,
            "sentence": self.sentence,
            "note": self.difference.note,
        }


def equivalence(measured: Shifted, margin: float, alpha: float = ALPHA) -> Equivalence:
    """Test a difference against zero and against a margin.

    >>> from tiltmeter.stats.intervals import student
    >>> def measured(shift: float, level: float) -> Estimate:
    ...     found = student(0.1 + shift, 0.04, 19, 0.0, level)
    ...     return Estimate(0.1 + shift, found.low, found.high, level, found.p)
    >>> [equivalence(measured, margin).verdict for margin in (0.05, 0.2)]
    ['different', 'both']
    """
    if not margin > 0:
        raise ValueError(f"a margin is more than 0, not {margin}")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha lies between 0 and 0.5, not {alpha}")
    level = 1 - 2 * alpha
    found = measured(0.0, level)
    if found.low is None or found.p is None:
        return Equivalence("undecided", margin, alpha, found, None, None)
    # Every difference is less than infinity, and nothing need be added to find that out.
    above: float | None = 0.0
    below: float | None = 0.0
    if math.isfinite(margin):
        above, below = _one_sided(measured(margin, level), 1), _one_sided(measured(-margin, level), -1)
    different = found.p < alpha
    within = above is not None and below is not None and max(above, below) < alpha
    verdict: Verdict = "both" if different and within else "different" if different else "undecided"
    if within and not different:
        verdict = "equivalent"
    return Equivalence(verdict, margin, alpha, found, above, below)


def paired_equivalence(
    values_a: Sequence[float | None],
    values_b: Sequence[float | None],
    origins: Sequence[str | None] | None = None,
    *,
    margin: float,
    strata: Sequence[StratumPath] | None = None,
    further: Mapping[str, Sequence[str | None]] = NOTHING_MORE,
    alpha: float = ALPHA,
) -> Equivalence:
    """Whether two sides differ by no more than a margin on the same items.

    >>> a, b = [0.51, 0.42, 0.33, 0.61, 0.55, 0.47], [0.50, 0.43, 0.32, 0.60, 0.56, 0.47]
    >>> paired_equivalence(a, b, list("uvwxyz"), margin=0.05).verdict
    'equivalent'
    """
    pairs = pairs_of(values_a, values_b, origins, strata, further)
    gaps = pairs.gaps

    def measured(shift: float, level: float) -> Estimate:
        return pairs.estimate([gap + shift for gap in gaps], neutral=0.0, level=level)

    return equivalence(measured, margin, alpha)


def _one_sided(found: Estimate, side: int) -> float | None:
    """Half of a two-sided p where the value lies on that side of zero, else what is missing to one."""
    if found.p is None or found.value is None:
        return None
    return found.p / 2 if side * found.value > 0 else 1 - found.p / 2
