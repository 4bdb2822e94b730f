"""A second look at written sentences: the audit of their issues, and a reader that ranks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from tiltmeter.engine.scoring import score_pairs
from tiltmeter.engine.staff import Staff
from tiltmeter.errors import ModelError
from tiltmeter.measures.scorers import find
from tiltmeter.models import Model
from tiltmeter.records import ModelFacts, Pair, Spec, Written
from tiltmeter.sources.generated import Review

if TYPE_CHECKING:
    from tiltmeter.raters.issues import AuditItem, Finding

NOBODY = "none"
"""In place of a reader: nobody ranks the sentences, and all that were accepted are kept."""

UNUSABLE = ("I7", "I8")
"""Issues that make a sentence no test at all: incoherent, incomplete."""


class Auditor:
    """Looks for issues in sentences, and has a model rank them.

    Whoever ranks must not be the model to be tested: its taste would decide what it is tested on. That is a second
    model, the reader, or for want of one the generator itself, where the caller knows that it is not tested.
    """

    def __init__(self, specs: Mapping[str, Spec], reader: str | None, staff: Staff) -> None:
        self.specs = specs
        self._reader = staff.model(reader) if reader and reader != NOBODY else None

    @property
    def reader(self) -> ModelFacts | None:
        """What is known of the second model, where there is one."""
        return self._reader.facts if self._reader else None

    def review(self, *, judge: bool, otherwise: Model | None = None) -> Review:
        """What the generation loop asks: which sentences to drop, and which of the others to prefer.

        `otherwise` ranks where there is no reader; with neither, nobody does.
        """
        return Review(self.unusable if judge else None, self._rank(otherwise))

    def strict_review(self, *, otherwise: Model | None = None) -> Review:
        """The same for sentences that are to replace flagged ones: whatever has an issue is dropped."""
        return Review(self.flawed, self._rank(otherwise))

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

    def flawed(self, sentences: Sequence[Written]) -> list[str | None]:
        """The strongest issue of a sentence, whichever it is."""
        return [next((finding.because for finding in found), None) for found in self.findings(sentences)]

    def _rank(self, otherwise: Model | None) -> Callable[[Sequence[Pair]], list[float]] | None:
        if self._reader and self._reader.facts.family != "causal":
            raise ModelError(
                f"the reader {self._reader.facts.name} is {self._reader.facts.family} and cannot rank sentences by "
                "likelihood; name a causal model, or none"
            )
        model = self._reader or otherwise
        return partial(mean_likelihoods, model) if model else None

    def likelihoods(self, texts: Sequence[str]) -> list[float | None]:
        """The reader's mean log-likelihood of the tokens of each text; none where it cannot score it."""
        assert self._reader is not None
        scored = [[one for one in scores.logprobs if one is not None] for scores in self._reader.score(texts)]
        return [sum(values) / len(values) if values else None for values in scored]

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


def mean_likelihoods(model: Model, pairs: Sequence[Pair]) -> list[float]:
    """The log-likelihood per token of both texts of each pair: that of one alone would favour its group."""
    scorer = find("mean", model.facts.family)
    scored = score_pairs(model, pairs, [scorer])[scorer.name]
    return [sum(one.scores) if one.scores else float("-inf") for one in scored]


def _counterpart(spec: Spec, sentence: Written) -> str:
    groups = next((groups for groups in spec.compare if sentence.group in groups), None)
    if groups is None or sentence.term not in spec.group(sentence.group).terms:
        return ""
    other = groups[1 - groups.index(sentence.group)]
    return spec.group(other).terms[spec.group(sentence.group).terms.index(sentence.term)]
