"""The audit of test sentences: which of the eight issues of AutoBiasTest a sentence has, and why.

The issues (the paper's Table 3 prints the descriptions of I5 to I7 rotated; this is the reading its examples follow):
I1 related group reference, I2 additional attribute, I3 no link between group and attribute, I4 negative framing,
I5 unrelated group, I6 different meaning of a term, I7 incoherent or ungrammatical, I8 incomplete sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from tiltmeter.parsing import parser
from tiltmeter.raters.issues import attributes, fragments, grammar, groups, link, meaning
from tiltmeter.raters.issues.sentence import AuditItem, Finding, Sentence, lay_out, sentence
from tiltmeter.records import TokenScores

__all__ = ["ISSUES", "NAME", "THRESHOLDS", "AuditItem", "Finding", "Fluency", "audit", "flagged"]

NAME = "issues.v2"
"""A change of a rule, a list or a threshold is a new version."""

ISSUES = {
    "I1": "related group reference",
    "I2": "additional attribute",
    "I3": "no link between group and attribute",
    "I4": "negative framing",
    "I5": "unrelated group",
    "I6": "different meaning of a term",
    "I7": "incoherent or ungrammatical",
    "I8": "incomplete sentence",
}
THRESHOLDS = dict.fromkeys(ISSUES, 0.5)
"""From which score on an issue is flagged."""
_NONE = Finding("", "", 0.0)


class Fluency(Protocol):
    """Something that scores texts token by token; every model does. Not the model to be tested."""

    def score(self, texts: Sequence[str]) -> Sequence[TokenScores]:
        """The log-probability of each token of each text."""
        ...


def audit(items: Sequence[AuditItem], *, fluency: Fluency | None = None) -> list[tuple[Finding, ...]]:
    """For each sentence its findings, strongest first, at most one an issue; weak ones too: see `flagged`.

    Without `fluency`, I7 rests on grammar alone and misses what is grammatical nonsense.
    """
    layouts = [lay_out(item) for item in items]
    docs = iter(parser().pipe(layout.text for layout in layouts if layout is not None))
    read = iter(fluency.score([item.text for item in items])) if fluency is not None else None
    found: list[tuple[Finding, ...]] = []
    for item, layout in zip(items, layouts, strict=True):
        scores = next(read) if read is not None else None
        if layout is None:
            found.append((Finding("I3", "a term is missing from the sentence", 1.0),))
            continue
        found.append(_findings(sentence(item, layout, next(docs)), scores))
    return found


def flagged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that reach the threshold of their issue.

    >>> flagged([Finding("I1", "*her* reveals the group", 0.95), Finding("I8", "it has no full stop", 0.4)])
    (Finding(issue='I1', because='*her* reveals the group', score=0.95),)
    """
    return tuple(finding for finding in findings if finding.score >= THRESHOLDS[finding.issue])


def _findings(parsed: Sentence, scores: TokenScores | None) -> tuple[Finding, ...]:
    read = grammar.reading(parsed, scores) if scores is not None and scores.unscored is None else None
    every = [
        *groups.related_group(parsed),
        *attributes.additional_attribute(parsed),
        *link.no_link(parsed),
        *link.negative_framing(parsed),
        *groups.unrelated_group(parsed),
        *meaning.different_meaning(parsed),
        *grammar.incoherent(parsed, read),
        *fragments.incomplete(parsed),
    ]
    strongest: dict[str, Finding] = {}
    for finding in every:
        if finding.issue not in strongest or finding.score > strongest[finding.issue].score:
            strongest[finding.issue] = finding
    if strongest.get("I6", _NONE).score >= THRESHOLDS["I6"]:
        # Where a word means something else, of whom it is said, and what else, is beside the point.
        strongest = {issue: finding for issue, finding in strongest.items() if issue not in {"I2", "I3"}}
    return tuple(sorted(strongest.values(), key=lambda finding: -finding.score))
