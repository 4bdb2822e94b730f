"""Written sentences and their scores, made up: small enough to be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from tiltmeter.records import Pair, PairScore
from tiltmeter.results.cells import Table, table_of
from tiltmeter.results.items import Tested, measured_scores
from tiltmeter.results.measurements.people import label_rows
from tiltmeter.results.summary.labels import Labels
from tiltmeter.store import Run

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


def as_tested(scores: Sequence[PairScore], benchmarks: Sequence[str] = ()) -> list[Tested]:
    """Scores as they are measured; those that only stand in too, which keep their role."""
    plain = [replace(score, pair=replace(score.pair, stands_in=None)) for score in scores]
    return [
        Tested(one.row._replace(role=score.pair.stands_in), one.item)
        for one, score in zip(measured_scores(plain, benchmarks), scores, strict=True)
    ]


def labelled(pairs: Sequence[Pair], labels: Labels, folder: Path) -> tuple[Run, Table]:
    """A run of nothing but pairs, and its tables with what people found in them; who holds the run holds both."""
    run = Run(folder, {"resolved": {"specs": []}}, {}, pairs, (), {})
    table_of(run).add("pairs", label_rows(run, labels))
    return run, table_of(run)
