"""Group terms as the noun phrases of a sentence: "the woman", "a woman", "women", "Aisha", "she".

Whether a term is a noun, a name, a pronoun or an adjective is told by `nouns.py`; an adjective alone cannot stand for
a person and is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from tiltmeter import english
from tiltmeter.records import TermKind
from tiltmeter.sources import nouns

Agreement = Literal["first", "third", "several"]
"""Which form of a verb goes with a subject: that of "I", of "she" or of "they"."""

Sort = Literal["noun", "name", "pronoun", "determined"]

_OWNERS = frozenset({"my", "our", "your", "his", "her", "their", "its"})
_PRONOUNS = frozenset(
    {"someone", "somebody", "anyone", "anybody", "everyone", "everybody", "nobody", "who", "whoever", "one"}
)
_SEVERAL = frozenset({"they", "we", "you", "these", "those", "both", "several", "all", "some", "many", "few", "most"})
# "deaf and blind person": what may stand before "and" without being a person of its own.
_LIKE_ADJECTIVES = re.compile(r"(?:ed|ing|ish|ese|ic|al|ive|ous|y|ian|can)$")


@dataclass(frozen=True, slots=True)
class Person:
    """A term, and how it stands in a sentence. `tail` is a noun that the spec's template puts after it.

    `bare` is a plural that takes no "the" because the spec's template has none.
    """

    term: str
    sort: Sort
    several: bool = False
    tail: str = ""
    gender: english.Gender | None = None
    bare: bool = False

    @property
    def pronoun(self) -> str | None:
        """The pronoun that takes its place; None for a name that does not tell."""
        if self.sort == "pronoun":
            return self.term if self.term.lower() in english.CASES else "they"
        if self.several or (self.gender is None and self.sort != "name"):
            return "they"
        return english.FORMS[self.gender]["subject"] if self.gender else None

    @property
    def agreement(self) -> Agreement:
        """The verb form that goes with it."""
        if self.sort == "pronoun" and self.term.lower() == "i":
            return "first"
        return "several" if self.several else "third"

    @property
    def noun(self) -> str:
        """The whole noun without a determiner: "gay person"."""
        return f"{self.term} {self.tail}".strip()

    @property
    def has_clause(self) -> bool:
        """Whether a clause belongs to it: "person who is blind"."""
        return _has_clause(self.noun)

    @property
    def is_collective(self) -> bool:
        """Whether it is one word for several people together, which one person is not: "family"."""
        parts = self.noun.split()
        return self.sort == "noun" and nouns.is_collective(parts[nouns.head_place(parts)])


def person(
    term: str,
    tail: str = "",
    gender: english.Gender | None = None,
    *,
    article: bool | None = None,
    kind: TermKind | None = None,
) -> Person | str:
    """What a term is, or the reason why it cannot be the subject of a sentence.

    `tail` is a noun that belongs to it, `gender` that of its group, for names. `article` is whether the spec's template
    has "the" before it: with one, a word with a capital is no name; without, several of them stay without. `kind` is
    what the spec says that its terms are, which settles it.

    >>> person("gay person").sort, person("policewoman").pronoun
    ('noun', 'she')
    >>> person("Aisha").sort, person("Mexicans").several, person("gay", "person").noun
    ('name', True, 'gay person')
    >>> person("gay")
    '`gay` is an adjective and cannot name a person alone; `gay person` can'
    """
    stated = _stated(term, kind) if kind and not tail else None
    found = stated or _person(term, tail, after_the=article is True)
    if isinstance(found, str):
        return found
    gendered = english.gender(found.noun) or (gender if found.sort == "name" else None)
    bare = article is False and found.several and found.sort == "noun" and not nouns.has_owner(found.term.split())
    return replace(found, gender=gendered, bare=bare)


def _stated(term: str, kind: TermKind) -> Person | None:
    """A term of a kind that the spec states; None where its own words tell more."""
    parts = term.split()
    if not parts or term.lower() in english.CASES or kind in ("adjective", "pronoun"):
        return None
    determined = len(parts) > 1 and parts[0].lower() in english.DETERMINERS | _OWNERS
    if kind == "name" and "and" not in parts:
        return Person(term, "name")
    if kind == "phrase" or determined:
        found = _determined(term, parts) if determined else Person(term, "determined", _is_several(parts))
        return replace(found, several=found.several or kind == "plural") if isinstance(found, Person) else None
    return Person(term, "noun", kind == "plural" or _is_several(parts)) if kind in ("noun", "plural") else None


def _person(term: str, tail: str, *, after_the: bool) -> Person | str:
    parts = term.split()
    lower = term.lower()
    if not parts or not re.search(r"\w", term):
        return "an empty term cannot be the subject of a sentence"
    if tail:
        return Person(term, "noun", nouns.is_several(tail.rsplit(maxsplit=1)[-1]), tail)
    cases = english.CASES.get(lower, ("subject",) if lower in _PRONOUNS else None)
    if cases:
        fits = "subject" in cases
        return Person(term, "pronoun", lower in _SEVERAL) if fits else f"`{term}` cannot be the subject of a sentence"
    if "and" in parts[1:-1] or "&" in parts[1:-1]:
        return _joined(term, parts, after_the=after_the)
    first = parts[0].lower()
    if len(parts) > 1 and (first in english.DETERMINERS | _OWNERS | _SEVERAL or nouns.is_owned(parts)):
        return _determined(term, parts)
    return _noun_or_name(term, parts, after_the=after_the)


def _noun_or_name(term: str, parts: list[str], *, after_the: bool) -> Person | str:
    if after_the and nouns.is_nominal(parts):
        return Person(f"the {term}", "determined", several=True)
    if nouns.is_adjective(parts):
        return _adjective(term)
    is_name = nouns.is_name(parts) and not after_the
    return Person(term, "name" if is_name else "noun", not is_name and _is_several(parts))


def _determined(term: str, parts: list[str]) -> Person | str:
    first = parts[0].lower()
    if nouns.is_adjective(parts[1:]):
        # "The elderly" and "the Irish" are people; "an elderly" is nobody.
        return Person(term, "determined", several=True) if first in _SEVERAL | {"the"} else _adjective(term)
    if first == "the" and nouns.is_nominal(parts[1:]):
        return Person(term, "determined", several=True)
    return Person(term, "determined", first in _SEVERAL or _is_several(parts))


def _joined(term: str, parts: list[str], *, after_the: bool) -> Person | str:
    """Two terms with "and" between: names and plurals are several; one person and another is not a term."""
    place = next(index for index, word in enumerate(parts) if word in ("and", "&"))
    before, after = parts[:place], parts[place + 1 :]
    if nouns.head_place(parts) < place:
        # "Person with a wife and children": the "and" is not between people.
        found = _person(" ".join(before), "", after_the=after_the)
        return found if isinstance(found, str) else replace(found, term=term)
    one, other = (_person(" ".join(words), "", after_the=after_the) for words in (before, after))
    if isinstance(other, str):
        return other
    if isinstance(one, str) or (other.sort == "noun" and _LIKE_ADJECTIVES.search(before[-1])):
        return replace(other, term=term)
    if {one.sort, other.sort} <= {"name"} or "determined" in (one.sort, other.sort):
        return Person(term, "name" if one.sort == other.sort == "name" else "determined", several=True)
    if one.several and other.several:
        return Person(term, one.sort, several=True)
    return f"`{term}` are two people; a term names one person, or several of a kind"


def _adjective(term: str) -> str:
    return f"`{term}` is an adjective and cannot name a person alone; `{term} person` can"


def plural(noun: str) -> str | None:
    """Several of a noun that is given in the singular; None where there is no such form.

    >>> [plural(noun) for noun in ("white person", "policewoman", "nurse", "lady", "person of color", "Chinese")]
    ['white people', 'policewomen', 'nurses', 'ladies', 'people of color', None]
    """
    parts = noun.split()
    if _has_clause(noun) or nouns.is_adjective(parts) or _is_several(parts) or nouns.has_owner(parts):
        return None
    return None if nouns.is_collective(parts[nouns.head_place(parts)]) else nouns.plural(noun)


def _has_clause(noun: str) -> bool:
    return not nouns.CLAUSE_WORDS.isdisjoint(noun.lower().split()[1:])


def _is_several(parts: list[str]) -> bool:
    return nouns.is_several(parts[nouns.head_place(parts)])
