"""Whether of one group a larger share was kept than of the others: what makes test texts can be tilted itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tiltmeter.stats.estimates import holm
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.scales import SHARE


@dataclass(frozen=True, slots=True)
class Attempt:
    """A text that was asked for: of which group, made from what, and whether it was kept."""

    bias: str
    group: str
    origin: str
    kept: bool


@dataclass(frozen=True, slots=True)
class UnequalAttrition:
    """A group of which a share was kept that differs from that of the other groups of its bias."""

    bias: str
    group: str
    share: float
    others: float
    p: float
    """Adjusted for as many comparisons as there are groups."""
    origins: int
    """What was asked for came from so many prompts."""


def unequal_attrition(asked: Sequence[Attempt], level: float = 0.05) -> list[UnequalAttrition]:
    """The groups that are kept more or less often than the others, adjusted after Holm.

    Texts made from one origin are one observation: with too few origins nothing is claimed.

    >>> texts = [Attempt("b", group, f"{n}", group == "x") for group in "xy" for n in range(9)]
    >>> [(one.group, one.share, one.others, one.origins) for one in unequal_attrition(texts)]
    [('x', 1.0, 0.0, 9), ('y', 0.0, 1.0, 9)]
    >>> unequal_attrition([Attempt("b", group, "the one prompt", group == "x") for group in "xy" for _ in range(12)])
    []
    """
    found: list[UnequalAttrition] = []
    for bias, group in dict.fromkeys((one.bias, one.group) for one in asked):
        rows = [
            ("own" if one.group == group else "others", float(one.kept), one.origin)
            for one in asked
            if one.bias == bias
        ]
        difference = Pooled(rows, scale=SHARE).difference("own", "others")
        if difference.p is not None:
            share, others = (
                sum(kept for side, kept, _ in rows if side == own) / sum(side == own for side, *_ in rows)
                for own in ("own", "others")
            )
            found.append(UnequalAttrition(bias, group, share, others, difference.p, difference.origins))
    adjusted = holm([one.p for one in found])
    told = [replace(one, p=p) for one, p in zip(found, adjusted, strict=True) if p is not None and p < level]
    return sorted(told, key=lambda one: one.p)
