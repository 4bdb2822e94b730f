"""A second look at written sentences: the audit of their issues, and a reader that ranks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tiltmeter import models
from tiltmeter.engine.scoring import score_pairs
from tiltmeter.measures.scorers import find
from tiltmeter.models import ModelSettings
from tiltmeter.records import Pair, Spec, Written
from tiltmeter.sources.generated import Review

if TYPE_CHECKING:
    from tiltmeter.raters.issues import AuditItem, Finding

UNUSABLE = ("I7", "I8")
"""Issues that make a sentence no test at all: incoherent, incomplete."""


class Auditor:
    """Looks for issues in sentences, and ranks them with the help of a second model where there is one.

    The second model, the reader, must not be the one to be tested: its taste would decide what it is tested on.
    """

    def __init__(self, specs: Mapping[str, Spec], reader: str | None, settings: ModelSettings) -> None:
        self.specs = specs
        self._reader = models.load(reader, settings) if reader else None

    def review(self, *, judge: bool) -> Review:
        """What the generation loop asks: which sentences to drop, and which of the others to prefer."""
        return Review(self.unusable if judge else None, self.rank if self._reader else None)

    def findings(self, sentences: Sequence[Written]) -> list[tuple[Finding, ...]]:
        """The issues of each sentence that reach their threshold, with reasons."""
        from tiltmeter.raters.issues import audit, flagged

        return [flagged(found) for found in audit([self._item(one) for one in sentences], fluency=self._reader)]

    def unusable(self, sentences: Sequence[Written]) -> list[str | None]:
        """Why a sentence is taken for incoherent or incomplete."""
        return [
            next((finding.because for finding in found if finding.issue in UNUSABLE), None)
            for found in self.findings(sentences)
        ]

    def rank(self, pairs: Sequence[Pair]) -> list[float]:
        """The log-likelihood per token of both texts together: that of one alone would favour its group."""
        assert self._reader is not None
        scorer = find("mean", self._reader.facts.family)
        scored = score_pairs(self._reader, pairs, [scorer])[scorer.name]
        return [sum(one.scores) if one.scores else float("-inf") for one in scored]

    def _item(self, sentence: Written) -> AuditItem:
        from tiltmeter.raters.issues import AuditItem

        spec = self.specs.get(sentence.bias)
        if spec is None:
            return AuditItem(sentence.text, sentence.term, sentence.attribute)
        return AuditItem(
            sentence.text,
            sentence.term,
            sentence.attribute,
            _counterpart(spec, sentence),
            tuple(term for group in spec.groups for term in group.terms),
            tuple(term for attributes in spec.attributes for term in attributes.terms),
        )


def _counterpart(spec: Spec, sentence: Written) -> str:
    groups = next((groups for groups in spec.compare if sentence.group in groups), None)
    if groups is None or sentence.term not in spec.group(sentence.group).terms:
        return ""
    other = groups[1 - groups.index(sentence.group)]
    return spec.group(other).terms[spec.group(sentence.group).terms.index(sentence.term)]
