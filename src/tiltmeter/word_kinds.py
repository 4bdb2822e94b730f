"""What kind of word a term of a specification is: it decides how a sentence is asked for, and how one is read.

A kind can be stated in the specification. Otherwise it follows from the term, from the places that the templates give
it ("The [T] is …" needs a noun), from the parser, and from the other terms of the group, in that order. There is no
list of groups, and a capital letter makes no name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from tiltmeter.english import AUXILIARIES, BE, CASES, DETERMINERS, PREPOSITIONS, tells_number
from tiltmeter.errors import MissingExtra
from tiltmeter.parsing import parser
from tiltmeter.records import AttributeKind, AttributeSet, Group, Spec, TermKind

OPENS_PHRASE = DETERMINERS | {"my", "your", "his", "her", "our", "their", "its"}
"""Words that begin a noun phrase."""
SINGULAR = frozenset({"is", "was", "has", "does"})
"""Verbs that tell one from several."""
_SEVERAL = frozenset({"are", "were", "have", "do"})
_LOOKS_SEVERAL = re.compile(r"(?:s|people|folk|men|women|children|police)\b", re.IGNORECASE)
_PEOPLE = ("er", "or", "ist", "ian", "ant", "eer")
_ONE = frozenset({"a", "an", "every", "each"})
_LINKS = BE | {"seem", "seems", "seemed", "become", "becomes", "became", "as", "of"}


def term_kind(term: str, group: Group | None = None, spec: Spec | None = None) -> TermKind:
    """What a group term is: pronoun, name, noun, plural, phrase (with its own article) or adjective.

    >>> term_kind("she"), term_kind("the old man")
    ('pronoun', 'phrase')
    >>> term_kind("Muslim", spec=Spec("x", "X", (), templates=("A [T] is [A]",)))
    'noun'
    """
    if group is not None and group.kind is not None:
        return group.kind
    return _term_kind(term, group.terms if group else (), spec.templates if spec else ())


def attribute_kind(term: str, attributes: AttributeSet | None = None, spec: Spec | None = None) -> AttributeKind:
    """What an attribute is: adjective, role ("is a [A]"), deed (a verb phrase) or thing.

    >>> attribute_kind("plays the cello", spec=Spec("x", "X", (), templates=("[T] probably [A]",)))
    'deed'
    """
    if attributes is not None and attributes.kind is not None:
        return attributes.kind
    return _attribute_kind(term, attributes.terms if attributes else (), spec.templates if spec else ())


@lru_cache(maxsize=4096)
def _term_kind(term: str, among: tuple[str, ...], templates: tuple[str, ...]) -> TermKind:
    own = _own_kind(term, among, templates)
    if own not in {"noun", "plural", "adjective"} or term == term.lower():
        return own
    # The parser does not know every name; it knows most names of a list of them.
    likewise = [_own_kind(other, among, templates) for other in among if other != other.lower()]
    return "name" if 2 * likewise.count("name") > len(likewise) else own


@lru_cache(maxsize=4096)
def _own_kind(term: str, among: tuple[str, ...], templates: tuple[str, ...]) -> TermKind:
    words = term.split()
    if term.casefold() in CASES:
        return "pronoun"
    if is_nominal(term):
        return "phrase" if _is_singular(templates) else "plural"
    if is_several(term):
        return "plural"
    if len(words) > 1 and words[0].casefold() in OPENS_PHRASE:
        return "phrase"
    slots = [slot for template in templates for slot in _slots(template, "T") if slot[1] in OPENS_PHRASE]
    if slots:
        return "adjective" if all(_is_noun(after) for *_, after in slots) else "noun"
    return _parsed_kind(term, among)


def _parsed_kind(term: str, among: tuple[str, ...]) -> TermKind:
    doc = _parsed(term)
    if doc is None:
        return "noun"
    if any(token.tag_ == "POS" for token in doc[:-1]):
        return "phrase"  # "Anna's brother" needs no article
    if len(doc) == 1 and _is_adjective(term, among):
        return "adjective"
    frame = parser()(f"We met {term} there.")
    labels = {entity.label_ for entity in frame.ents if entity.text.casefold() in term.casefold()}
    proper = all(token.pos_ == "PROPN" for token in frame[2 : 2 + len(doc)])
    is_name = "PERSON" in labels or (proper and not labels & {"NORP", "LANGUAGE"})
    return "name" if is_name and term != term.lower() else "noun"


@lru_cache(maxsize=4096)
def _attribute_kind(term: str, among: tuple[str, ...], templates: tuple[str, ...]) -> AttributeKind:
    asked = {_asked_for(slot) for template in templates for slot in _slots(template, "A")} or {None}
    doc = _parsed(term)
    finite = doc is not None and any(token.tag_ in {"VBZ", "VBD", "VBP", "MD"} for token in doc[:2])
    if asked == {"deed"} or (finite and len(doc) > 1 and asked & {"deed", None}):
        return "deed"
    if "role" in asked:
        return "role"
    if doc is None:
        return "adjective" if "adjective" in asked else "thing"
    if "thing" in asked and "adjective" not in asked:
        return "thing"
    return "adjective" if _is_adjective(term, among) else "thing"


def number_fault(template: str, term: str, group: Group | None = None, spec: Spec | None = None) -> str | None:
    """The word of a template that asks for one where a term names several, or the other way round.

    >>> people = Group("thin", ("thin people",), kind="plural")
    >>> number_fault("[T] is [A]", "thin people", people), number_fault("[T] are [A]", "thin people", people)
    ('is', None)
    >>> number_fault("[T] are [A]", "a thin person"), number_fault("Most of [T] are [A]", "a thin person")
    ('are', None)
    """
    one = term.partition(" ")[0].casefold() in {"a", "an"}
    # The parser takes some words for several that do not look so ("bagpipe").
    said = bool(group and group.kind) or _LOOKS_SEVERAL.search(term) is not None
    several = not one and said and term_kind(term, group, spec) == "plural"
    for earlier, before, *after in _around(template):
        if several and before in _ONE:
            return before
        subject = earlier if before in OPENS_PHRASE else before
        if subject in PREPOSITIONS:
            continue
        verb = next((word for word in after if word != "who" and not word.endswith("ly")), "")
        verb = before if not earlier and before in AUXILIARIES else verb
        singular = verb in SINGULAR or (tells_number(verb) and verb not in _SEVERAL and verb not in BE)
        if (several and singular) or (one and verb in _SEVERAL):
            return verb
    return None


def verb_misfit(template: str, term: str, among: tuple[str, ...] = ()) -> str | None:
    """The word before an attribute that asks for what somebody is, where the attribute is a bare verb ("is pollute").

    Nouns for people that the parser takes for verbs ("roofer") are not, nor is one that can be an adjective
    where most of its list are ("mean"); after an article it may be a noun.
    """
    links = [before for _, before, _ in _slots(template, "A") if before in BE]
    doc = _parsed(term) if links and " " not in term and not term.endswith(_PEOPLE) else None
    if doc is None or doc[0].tag_ not in {"VB", "VBP"} or 2 * sum(map(_describes, among)) > len(among) > 0:
        return None
    return links[0] if parser()(f"They often {term} it.")[2].pos_ == "VERB" else None


def _around(template: str) -> list[tuple[str, ...]]:
    """For each group of a template the two words before it and up to three after it."""
    words = ["", "", *(word.casefold() for word in re.findall(r"\[[A-Z]+\]|[\w'’-]+|[.,;:!?]", template))]
    return [tuple(words[at - 2 : at] + words[at + 1 : at + 4]) for at, word in enumerate(words) if word == "[t]"]


def _asked_for(slot: tuple[str, str, str]) -> AttributeKind | None:
    """What the words around an attribute's slot ask for: two before it, one after it."""
    earlier, before, _ = slot
    if before in {"a", "an", "the"}:
        return "role" if earlier in _LINKS or not earlier else "thing"
    if before == "[t]" or (before.endswith("ly") and earlier == "[t]"):
        return "deed"
    return "adjective" if before in BE else "thing" if before and before != "[t]" else None


def _slots(template: str, slot: str) -> list[tuple[str, str, str]]:
    """For each slot of a template the two words before it and the one after it, "" where there is none."""
    words = ["", "", *(word.casefold() for word in re.findall(r"\[[A-Z]+\]|[\w'’-]+", template)), ""]
    places = [place for place, word in enumerate(words) if word == f"[{slot.casefold()}]"]
    return [(words[place - 2], words[place - 1], words[place + 1]) for place in places]


@lru_cache(maxsize=4096)
def is_several(term: str) -> bool:
    """Whether a term names more than one, by its noun: "people born here" does, "the lady with two dogs" does not."""
    doc = _parsed(term)
    if doc is None:
        return bool(re.search(r"people\b", term))
    # What a hyphen joins is one word: "native-born tenants".
    joined = {token.i + step for token in doc if token.text == "-" for step in (-1, 0)}
    words = [token for token in doc if token.i not in joined]
    nouns = [token for token in words if token.pos_ in {"NOUN", "PROPN"}]
    if not nouns:
        return False
    later = [token.i for token in words if token.i > nouns[0].i and token.pos_ in {"ADP", "VERB", "ADV"}]
    head = [token for token in nouns if token.i < min(later, default=len(doc))][-1]
    return head.tag_ in {"NNS", "NNPS"} or head.lower_.endswith("people")


@lru_cache(maxsize=4096)
def is_nominal(term: str) -> bool:
    """Whether a term is an adjective used as a noun, one or several as the verb says: "the elderly", "the German"."""
    article, _, rest = term.partition(" ")
    return (
        article.casefold() == "the"
        and bool(rest)
        and " " not in rest
        and _parsed(rest) is not None
        and _is_adjective(rest, ())
    )


def _is_singular(templates: tuple[str, ...]) -> bool:
    """Whether templates speak of the group term as of one."""
    verbs = {after for template in templates for *_, after in _slots(template, "T")}
    return bool(verbs & SINGULAR) and not verbs & {"are", "were", "have", "do"}


def _is_noun(word: str) -> bool:
    doc = _parsed(word)
    return bool(word) and doc is not None and word not in BE and doc[0].pos_ in {"NOUN", "PROPN"}


def _is_adjective(term: str, among: tuple[str, ...]) -> bool:
    """Whether a term is an adjective: by itself, or where it can be one and most of its list are."""
    if not _describes(term):
        return False
    plain = [other for other in among if _is_describing(_parsed(other)[-1])]
    return _is_describing(_parsed(term)[-1]) or 2 * len(plain) > len(among)


@lru_cache(maxsize=4096)
def _describes(term: str) -> bool:
    """Whether a term can be said of people, and stand before them, as adjectives do."""
    after, before = parser()(f"The people were very {term}."), parser()(f"She is a {term} person.")
    return _is_describing(after[-2]) and _is_describing(before[-3])


def _is_describing(token: Any) -> bool:
    return token.pos_ == "ADJ" or token.tag_ in {"JJ", "JJR", "JJS", "VBN", "VBG"}


@lru_cache(maxsize=4096)
def _parsed(term: str) -> Any:
    """The term as the parser reads it, or None where the parser is not installed."""
    try:
        return parser()(term)
    except MissingExtra:
        return None
