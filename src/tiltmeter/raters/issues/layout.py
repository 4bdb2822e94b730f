"""A test sentence as the audit reads it: one and the same stand-in for every group term of a kind.

The parser and the judge know some groups better than others, and an audit that flags the sentences about one group more
often than the same sentences about another would tilt what it is to guard. So neither ever sees the term.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.english import ARTICLE, article_for, article_in_case, capitalised, starts_sentence
from tiltmeter.parsing import parser
from tiltmeter.records import Span, TermKind
from tiltmeter.word_kinds import OPENS_PHRASE, SINGULAR, is_nominal, term_kind

Edit = tuple[int, int, str]
"""A stretch of a text, and what takes its place."""

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


@dataclass(frozen=True, slots=True)
class Layout:
    """The text that is read, and where term and attribute stand in it."""

    text: str
    term: Span
    attribute: Span


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
    kind = _kind_here(item, term)
    edits = [edit for one in terms if not _overlaps(one, attribute) for edit in _edits(item, one, kind)]
    return Layout(_edited(item.text, edits), _moved(term, edits), _moved(attribute, edits))


def _kind_here(item: AuditItem, term: Span) -> TermKind:
    """What the term is in this sentence: a word that can be noun and adjective is what its place makes of it."""
    kind = item.kind or term_kind(item.term)
    if kind == "plural" and is_nominal(item.term) and {*item.text[term[1] :].split()[:1]} & SINGULAR:
        return "phrase"
    if kind not in {"noun", "adjective"} or " " in item.term:
        return kind
    if len(item.text[slice(*term)]) > len(item.term):
        return "noun"  # it is in the plural
    edits = _edits(item, term, "noun")
    start, _ = _moved(term, edits)
    read = parser()(_edited(item.text, edits))
    place = next((token.i for token in read if token.idx == start), len(read))
    following = read[place + 1].pos_ if place + 1 < len(read) else ""
    describes = place < len(read) and read[place].dep_ == "compound" and read[place].head.i > place
    return "adjective" if describes or following in {"NOUN", "PROPN"} else "noun"


def _edited(text: str, edits: Sequence[Edit]) -> str:
    pieces, at = [], 0
    for begin, end, new in edits:
        pieces += [text[at:begin], new]
        at = end
    return "".join([*pieces, text[at:]])


def _moved(span: Span, edits: Sequence[Edit]) -> Span:
    """Where a stretch of the text stands after the edits, which leave it alone or replace it as a whole."""
    start = span[0] + sum(len(new) - (end - begin) for begin, end, new in edits if end <= span[0])
    length = next((len(new) for begin, end, new in edits if (begin, end) == span), span[1] - span[0])
    return start, start + length


def find(words: str, text: str) -> list[Span]:
    """Where words stand as a whole, also in the plural, with spaces or hyphens inside."""
    inside = r"[\s-]?".join(re.escape(part) for part in re.split(r"[\s-]", words))
    return [match.span() for match in re.finditer(rf"(?<![\w-]){inside}(?:e?s)?(?![\w])", text, re.IGNORECASE)]


def _edits(item: AuditItem, span: Span, kind: TermKind) -> list[Edit]:
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
