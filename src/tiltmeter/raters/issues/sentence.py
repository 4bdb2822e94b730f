"""A sentence as the detectors see it: parsed, with its group term and its attribute found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tiltmeter.raters.issues import words
from tiltmeter.records import Span

Token = Any
"""A spaCy token; spaCy is loaded only when needed."""
Kind = Literal["name", "gendered", "other"]

# Every first name is read as this one. The parser knows some names better than others, and an audit that flags the
# sentences about one group more often than the same sentences about another would tilt what it is to guard.
STAND_IN = "Alex"
CLAUSES = frozenset({"ROOT", "ccomp", "advcl", "relcl", "acl", "csubj", "parataxis"})
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "expl"})


@dataclass(frozen=True, slots=True)
class AuditItem:
    """A sentence and what it was written for; all group and attribute terms are those of its specification."""

    text: str
    term: str
    attribute: str
    counterpart: str = ""
    group_terms: tuple[str, ...] = ()
    attribute_terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """An issue that a sentence may have: how sure the detector is, from 0 to 1, and why, for people to read."""

    issue: str
    because: str
    score: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The text that is parsed, and where the term and the attribute stand in it and in the text as given."""

    text: str
    term: Span
    attribute: Span
    term_as_given: Span
    attribute_as_given: Span


@dataclass(frozen=True, slots=True)
class Sentence:
    """A parsed sentence."""

    item: AuditItem
    layout: Layout
    doc: Any
    term: Token
    attribute: Token
    kind: Kind

    @property
    def gender(self) -> words.Gender | None:
        """The gender that the term itself tells; None for a name or where it tells none."""
        return words.GENDER.get(self.item.term.lower()) if self.kind == "gendered" else None

    @property
    def attribute_is_role(self) -> bool:
        """Whether the attribute is what a person is or does for a living, as against what one has, does or feels."""
        last = re.split(r"[\s-]", self.item.attribute.lower())[-1]
        return words.is_role(last)


def lay_out(item: AuditItem) -> Layout | None:
    """Find the term and the attribute, and shorten both for the parser; None where one is missing."""
    attribute = _find(item.attribute, item.text, None)
    if attribute is None:
        return None
    term = _find(item.term, item.text, attribute)
    if term is None:
        return None
    standing = _stand_in(item.text[slice(*term)], item.term)
    # The parser reads "security system installer" best as "installer".
    last = re.split(r"[\s-]", item.text[slice(*attribute)])[-1]
    changes = sorted([(term, standing, "term"), (attribute, last, "attribute")])
    text, at, places = "", 0, {}
    for span, word, what in changes:
        text += item.text[at : span[0]]
        places[what] = (len(text), len(text) + len(word))
        text, at = text + word, span[1]
    return Layout(text + item.text[at:], places["term"], places["attribute"], term, attribute)


def sentence(item: AuditItem, layout: Layout, doc: Any) -> Sentence:
    """The parsed sentence with its two tokens."""
    at = {token.idx: token for token in doc}
    term = next(at[place] for place in range(layout.term[0], -1, -1) if place in at)
    attribute = next(at[place] for place in range(layout.attribute[0], -1, -1) if place in at)
    if item.term[:1].isupper():
        kind: Kind = "name"
    else:
        kind = "gendered" if item.term.lower() in words.GENDER else "other"
    return Sentence(item, layout, doc, term, attribute, kind)


def path_up(token: Token) -> Iterator[Token]:
    """The token, its head, and so on to the root."""
    yield token
    while token.head is not token and token.head.i != token.i:
        token = token.head
        yield token


def path(first: Token, second: Token) -> list[Token]:
    """The tokens between two tokens in the tree, both included."""
    above = list(path_up(first))
    places = {token.i: index for index, token in enumerate(above)}
    way: list[Token] = []
    for token in path_up(second):
        if token.i in places:
            return [*above[: places[token.i] + 1], *reversed(way)]
        way.append(token)
    return [*above, *reversed(way)]


def clause_of(token: Token) -> Token:
    """The head of the clause that a token stands in: a verb, or what takes its place."""
    for above in path_up(token):
        if above.dep_ in CLAUSES or (above.dep_ in {"conj", "xcomp", "pcomp"} and above.pos_ in {"VERB", "AUX"}):
            return above
    return token


def subject_of(clause: Token) -> Token | None:
    """The subject of a clause, where need be that of the clause it continues ("he came and *saw*")."""
    for above in path_up(clause):
        found = next((child for child in above.children if child.dep_ in SUBJECTS), None)
        if found is not None:
            return found
        if above.dep_ in {"relcl", "acl"}:
            return above.head
        if above.dep_ not in {"conj", "xcomp", "pcomp", "advcl", "prep", "acomp", "dobj", "attr", "pobj", "aux"}:
            return None
    return None


def _find(word: str, text: str, taken: Span | None) -> Span | None:
    """Where a term stands as a whole word, also in the plural, with spaces or hyphens inside; its own case first."""
    inside = r"[\s-]?".join(re.escape(part) for part in re.split(r"[\s-]", word))
    pattern = rf"(?<![\w-]){inside}(?:e?s)?(?![\w])"
    for flags in (re.NOFLAG, re.IGNORECASE):
        for match in re.finditer(pattern, text, flags):
            if taken is None or match.end() <= taken[0] or match.start() >= taken[1]:
                return match.span()
    return None


def _stand_in(written: str, term: str) -> str:
    # A name that is written small ("the amber necklace") is no name there and stays what it is.
    return STAND_IN if term[:1].isupper() and written[:1].isupper() else written
