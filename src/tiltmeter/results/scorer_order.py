"""Which scorer a headline is made of: settled by the study, before any result."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.measures.scorers import DEFAULTS
from tiltmeter.records import Family


def rank_of(scorer: str, named: Sequence[str], family: Family) -> int:
    """The place of a scorer in the study's list, or in that of the family's default where the study names none."""
    names = named or [DEFAULTS[family]]
    known = [position for position, name in enumerate(names) if is_named(name, scorer)]
    return known[0] if known else len(names)


def is_named(name: str, scorer: str) -> bool:
    """Whether a study's name for a scorer, short or full, means this one.

    >>> is_named("sum", "causal.sum.v1"), is_named("causal.sum", "causal.sum.v1"), is_named("mean", "x.sum.v1")
    (True, True, False)
    """
    versionless = scorer.rsplit(".v", 1)[0]
    return name in (scorer, versionless, versionless.split(".", 1)[-1], scorer.split(".", 1)[-1])
