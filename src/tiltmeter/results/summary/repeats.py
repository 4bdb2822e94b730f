"""Samples that were to differ and do not: a server that ignores seeds, or a model that is seeded wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.raters.refusal import REFUSAL
from tiltmeter.records import Decoding
from tiltmeter.results.cells import decoding_of, table_with_texts
from tiltmeter.results.measurements.columns import DECODING
from tiltmeter.results.summary.refusals import refusal_rater
from tiltmeter.store import Run

_MOST = 0.5
"""From this share of the prompts on, samples that are all the same are no accident."""
_CELL = ", ".join(("model", *DECODING))
_QUERY = f"""
SELECT {_CELL}, count(*) AS prompts, count(*) FILTER (different = 1) AS same, sum(written) AS texts,
       sum(different) AS distinct
FROM (SELECT {_CELL}, item, count(*) AS written, count(DISTINCT text) AS different, min(rowid) AS place FROM texts
      WHERE reason IS NULL AND temperature != 0 AND beams <= 1
      AND number NOT IN (SELECT number FROM ratings WHERE rater = ? AND label = ?)
      GROUP BY {_CELL}, item HAVING count(*) > 1)
GROUP BY {_CELL} ORDER BY min(place)
"""


@dataclass(frozen=True, slots=True)
class Repeats:
    """Under one decoding with chance in it: after how many prompts with several texts all of them are the same."""

    model: str
    decoding: Decoding
    prompts: int
    same: int
    texts: int
    distinct: int
    """Different texts, each prompt for itself: what the samples are worth at most."""

    @property
    def is_suspect(self) -> bool:
        """Whether so many are the same that more samples than one say nothing more."""
        return self.prompts > 0 and self.same >= _MOST * self.prompts

    def as_json(self) -> dict[str, Any]:
        """The record as the run folder keeps it."""
        return {**asdict(self), "suspect": self.is_suspect}

    def words(self) -> str:
        """The same for people.

        >>> Repeats("m", Decoding(), 9, 9, 36, 9).words()
        'm at temperature 1: all samples are the same text after 9 of 9 prompts, so 36 texts are worth 9'
        """
        return (
            f"{self.model} at temperature {self.decoding.temperature:g}: all samples are the same text after "
            f"{self.same:,} of {self.prompts:,} prompts, so {self.texts:,} texts are worth {self.distinct:,}"
        )


def repeats(run: Run) -> Iterator[Repeats]:
    """One record for each model and decoding that draws at random; neither texts that were not written nor refusals
    count: a model that declines in set words is no server that ignores seeds.
    """
    rater = refusal_rater(run.continuations) if run.continuations else None
    for row in table_with_texts(run).stream(_QUERY, rater, REFUSAL):
        counts = (row[name] for name in ("prompts", "same", "texts", "distinct"))
        yield Repeats(row["model"], decoding_of(row), *map(int, counts))
