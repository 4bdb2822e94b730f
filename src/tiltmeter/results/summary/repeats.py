"""Samples that were to differ and do not: a server that ignores seeds, or a model that is seeded wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from tiltmeter.raters.refusal import REFUSAL
from tiltmeter.records import Decoding
from tiltmeter.results.summary.refusals import refusal_rater
from tiltmeter.store import Continuations

_MOST = 0.5
"""From this share of the prompts on, samples that are all the same are no accident."""


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


def repeats(found: Continuations) -> Iterator[Repeats]:
    """One record for each model and decoding that draws at random; neither texts that were not written nor refusals
    count: a model that declines in set words is no server that ignores seeds.
    """
    rater = refusal_rater(found)
    for model in found.models:
        for decoding in found.decodings:
            if not decoding.temperature or decoding.beams > 1:
                continue
            declined = set(found.labelled(model, decoding, (rater, REFUSAL))) if rater else set()
            prompts = same = texts = distinct = 0
            for _, several in groupby(found.texts(model, decoding), key=lambda one: one.prompt.id):
                written = [
                    one.text for one in several if one.unwritten is None and (one.prompt.id, one.sample) not in declined
                ]
                if len(written) > 1:
                    prompts, texts, distinct = prompts + 1, texts + len(written), distinct + len({*written})
                    same += len({*written}) == 1
            if prompts:
                yield Repeats(model, decoding, prompts, same, texts, distinct)
