"""Written sentences and their scores, made up: small enough to be worked out by hand."""

from __future__ import annotations

from typing import Literal

from tiltmeter.records import Pair, PairScore

SOURCE = "generated[by=writer]"
SCORER = "causal.sum.v1"


def written(
    attribute: str,
    number: int,
    *,
    bias: str = "gender",
    set: int = 0,
    stands_in: Literal["regenerated", "template"] | None = None,
    source: str = SOURCE,
) -> Pair:
    """The pair of a sentence that was written for the group `male`."""
    return Pair(
        id=f"{source}:{bias}/{set}/topics/{attribute}/{stands_in or ''}{number}/male",
        source=source,
        bias=bias,
        origin=attribute,
        texts=(f"The man liked {attribute} {number}.", f"The woman liked {attribute} {number}."),
        groups=("male", "female"),
        terms=("man", "woman"),
        stereotyped=0,
        attribute=attribute,
        attribute_set="topics",
        template=f"The [T] liked {attribute} {number}.",
        written_for="male",
        set=set,
        stands_in=stands_in,
    )


def chosen(pair: Pair, value: float | None, scorer: str = SCORER) -> PairScore:
    """A score that prefers the stereotyped text (1), the other (0) or neither (0.5); None: unscored."""
    if value is None:
        return PairScore(pair, scorer, None, "too long")
    return PairScore(pair, scorer, (value, 0.5))
