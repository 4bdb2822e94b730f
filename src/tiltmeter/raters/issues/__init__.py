"""The audit of test sentences: which of the eight issues of AutoBiasTest a sentence has, and why.

The issues (the paper's Table 3 prints the descriptions of I5 to I7 rotated; this is the reading its examples follow):
I1 related group reference, I2 additional attribute, I3 no link between group and attribute, I4 negative framing,
I5 unrelated group, I6 different meaning of a term, I7 incoherent or ungrammatical, I8 incomplete sentence.

A learned judge reads the sentence with a stand-in for the group term, so that exchanging one term for another of its
kind changes nothing. What the stand-in would hide, a wrong article before the term, is told by rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tiltmeter.english import article_for
from tiltmeter.raters.issues.judge import judge
from tiltmeter.raters.issues.layout import AuditItem, lay_out

__all__ = ["ISSUES", "NAME", "THRESHOLDS", "AuditItem", "Finding", "audit", "flagged"]

NAME = "issues.v3"
"""A change of the judge, a rule or a threshold is a new version."""

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
THRESHOLDS = {**dict.fromkeys(ISSUES, 0.5), "I7": 0.6}
"""From which score on an issue is flagged; of odd but sound sentences fewer are called incoherent at 0.6."""
_BECAUSE = {
    "I1": "*{word}* tells more about who the person is",
    "I2": "*{word}* says something else about the person",
    "I3": "*{attribute}* is not about the person; see *{word}*",
    "I4": "*{word}* denies or reverses it",
    "I5": "*{word}* brings in someone else",
    "I6": "*{word}* gives *{term}* or *{attribute}* another meaning",
    "I7": "it does not read as English near *{word}*",
    "I8": "it is not a whole sentence; see *{word}*",
}
_ARTICLE = re.compile(r"(?<![\w'’.-])(an?)\s+(?=[\"'“‘(]?\w)", re.IGNORECASE)
_MISSING = "the term or the attribute is missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """An issue, how probable it is, from 0 to 1, and, where it is flagged, why, for people to read."""

    issue: str
    because: str
    score: float


def audit(items: Sequence[AuditItem], *, explain: bool = True) -> list[tuple[Finding, ...]]:
    """For each sentence all eight issues with their scores, most probable first; see `flagged`.

    `explain=False` leaves out the word that decided, which takes most of the time.
    """
    layouts = [lay_out(item) for item in items]
    scores = iter(judge().scores([layout for layout in layouts if layout is not None]))
    judged = [(layout, next(scores)) if layout is not None else None for layout in layouts]
    high = [(one[0], _high(one[1])) for one in judged if one is not None]
    words = iter(judge().deciding_words(high) if explain else [{} for _ in high])
    return [
        _absent() if one is None else _findings(item, one[1], next(words))
        for item, one in zip(items, judged, strict=True)
    ]


def flagged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that reach the threshold of their issue.

    >>> flagged([Finding("I1", "*her* tells more about who the person is", 0.95), Finding("I8", "", 0.1)])
    (Finding(issue='I1', because='*her* tells more about who the person is', score=0.95),)
    """
    return tuple(finding for finding in findings if finding.score >= THRESHOLDS[finding.issue])


def wrong_article(text: str) -> str | None:
    """The first *a* or *an* that does not go with the word after it, with that word.

    >>> wrong_article("He is a engineer."), wrong_article("She is an honest judge."), wrong_article("A FBI agent")
    ('a engineer', None, 'A FBI')
    """
    for match in _ARTICLE.finditer(text):
        rest = text[match.end() :]
        if (right := article_for(rest)) and right != match[1].lower():
            return f"{match[1]} {rest.split()[0].rstrip('.,;:!?')}"
    return None


def _high(scores: dict[str, float]) -> list[str]:
    return [issue for issue, score in scores.items() if score >= THRESHOLDS[issue]]


def _absent() -> tuple[Finding, ...]:
    """What is said of a text in which the term or the attribute is missing."""
    found = [Finding(issue, _MISSING * (issue == "I3"), float(issue == "I3")) for issue in ISSUES]
    return tuple(sorted(found, key=lambda finding: -finding.score))


def _findings(item: AuditItem, scores: dict[str, float], words: dict[str, str]) -> tuple[Finding, ...]:
    found = {}
    for issue, score in scores.items():
        because = ISSUES[issue] if issue in _high(scores) else ""
        if issue in words:
            because = _BECAUSE[issue].format(word=words[issue], term=item.term, attribute=item.attribute)
        found[issue] = Finding(issue, because, score)
    if article := wrong_article(item.text):
        found["I7"] = Finding("I7", f"*{article}*: the article is wrong", max(0.9, scores["I7"]))
    return tuple(sorted(found.values(), key=lambda finding: -finding.score))
