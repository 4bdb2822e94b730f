"""A test sentence as the audit reads it: one and the same stand-in for every group term of a kind.

The parser and the judge know some groups better than others, and an audit that flags the sentences about one group more
often than the same sentences about another would tilt what it is to guard. So neither ever sees the term.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tiltmeter.english import ARTICLE, article_for, article_in_case, capitalised, starts_sentence
from tiltmeter.kinds import OPENS_PHRASE, attribute_kind, term_kind
from tiltmeter.records import AttributeKind, Span, TermKind

STAND_INS: dict[TermKind, str] = {
    "name": "Alex",
    "noun": "person",
    "plural": "people",
    "phrase": "the person",
    "adjective": "local",
}
"""What is read in place of a group term of each kind; a pronoun stays what it is."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """A sentence and what it was written for."""

    text: str
    term: str
    attribute: str
    kind: TermKind | None = None
    """What the term is, where the specification tells; otherwise the parser is asked."""
    attribute_kind: AttributeKind | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The text that is read, and where term and attribute stand in it and in the text as given."""

    text: str
    term: Span
    attribute: Span
    term_as_given: Span
    attribute_as_given: Span
    kind: TermKind
    attribute_kind: AttributeKind


def lay_out(item: AuditItem) -> Layout | None:
    """Find the term and the attribute, and put the stand-in where the term is; None where one of them is missing.

    >>> lay_out(AuditItem("An old man was kind to my old man.", "old man", "kind", kind="noun")).text
    'A person was kind to my person.'
    """
    terms, attributes = find(item.term, item.text), find(item.attribute, item.text)
    apart = [(one, other) for one in terms for other in attributes if not _overlaps(one, other)]
    if not apart:
        return None
    term, attribute = apart[0]
    kind = item.kind or term_kind(item.term)
    edits = [edit for one in terms if not _overlaps(one, attribute) for edit in _edits(item, one, kind)]
    text, at = item.text, 0

    def moved(span: Span) -> Span:
        start = span[0] + sum(len(new) - (end - begin) for begin, end, new in edits if end <= span[0])
        inside = next((new for begin, end, new in edits if (begin, end) == span), text[slice(*span)])
        return start, start + len(inside)

    pieces = []
    for begin, end, new in edits:
        pieces += [text[at:begin], new]
        at = end
    asked = item.attribute_kind or attribute_kind(item.attribute)
    read = "".join([*pieces, text[at:]])
    return Layout(read, moved(term), moved(attribute), term, attribute, kind, asked)


def find(words: str, text: str) -> list[Span]:
    """Where words stand as a whole, also in the plural, with spaces or hyphens inside."""
    inside = r"[\s-]?".join(re.escape(part) for part in re.split(r"[\s-]", words))
    return [match.span() for match in re.finditer(rf"(?<![\w-]){inside}(?:e?s)?(?![\w])", text, re.IGNORECASE)]


def _edits(item: AuditItem, span: Span, kind: TermKind) -> list[tuple[int, int, str]]:
    """What puts the stand-in where a term is: the article before it, and the stand-in itself."""
    before, written = item.text[: span[0]], item.text[slice(*span)]
    if kind == "pronoun":
        return []
    is_plural = kind == "noun" and len(written) > len(item.term) and written[-1] == "s"
    stand_in = STAND_INS["plural" if is_plural else kind]
    last = before.split()[-1].casefold() if before.strip() else ""
    if kind == "phrase" and last in OPENS_PHRASE:
        stand_in = STAND_INS["noun"]
    article = ARTICLE.search(before)
    right = article_for(stand_in) if article else None
    edits = []
    if article and right:
        edits.append((*article.span(1), article_in_case(article[1], right, stand_in)))
    return [*edits, (*span, capitalised(stand_in) if starts_sentence(item.text, span[0]) else stand_in)]


def _overlaps(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
