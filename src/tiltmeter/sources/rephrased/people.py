"""Group terms as the noun phrases of a sentence: "the woman", "a woman", "women", "Aisha", "she".

Whether a term is a noun, a name, a pronoun or an adjective is told from short word lists (`people.toml`) and from its
spelling; an adjective alone cannot stand for a person and is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from tiltmeter.sources import english
from tiltmeter.sources.rephrased.lists import lines, words

Agreement = Literal["first", "third", "several"]
"""Which form of a verb goes with a subject: that of "I", of "she" or of "they"."""

Sort = Literal["noun", "name", "pronoun", "determined"]

_OWNERS = frozenset({"my", "our", "your", "his", "her", "their", "its"})
_PRONOUNS = frozenset(
    {"someone", "somebody", "anyone", "anybody", "everyone", "everybody", "nobody", "who", "whoever", "one"}
)
_SEVERAL = frozenset({"they", "we", "you", "these", "those", "both", "several", "all", "some", "many", "few", "most"})
# Capital or not: "Englishwoman", "Marxist", "Ivorians".
_NEVER_A_NAME = re.compile(r"[a-z](?:wom[ae]n|person|people|ists?|[ie]ans)$")
_AFTER_HEAD = english.PREPOSITIONS | {"who", "that", "whose", "which", "living", "born"}


@dataclass(frozen=True, slots=True)
class Person:
    """A term, and how it stands in a sentence. `tail` is a noun that the spec's template puts after it."""

    term: str
    sort: Sort
    several: bool = False
    tail: str = ""
    gender: english.Gender | None = None

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


def person(term: str, tail: str = "", gender: english.Gender | None = None) -> Person | str:
    """What a term is, or the reason why it cannot be the subject of a sentence.

    `tail` is a noun that belongs to it, `gender` that of its group, for names.

    >>> person("gay person").sort, person("policewoman").pronoun
    ('noun', 'she')
    >>> person("Aisha").sort, person("Mexicans").several, person("gay", "person").noun
    ('name', True, 'gay person')
    >>> person("gay")
    '`gay` is an adjective and cannot stand for a person alone; `gay person` can'
    """
    found = _person(term, tail)
    if isinstance(found, str):
        return found
    return replace(found, gender=english.gender(found.noun) or (gender if found.sort == "name" else None))


def _person(term: str, tail: str) -> Person | str:
    parts = term.split()
    lower = term.lower()
    if not parts or not re.search(r"\w", term):
        return "an empty term cannot be the subject of a sentence"
    if tail:
        return Person(term, "noun", _is_several(tail.rsplit(maxsplit=1)[-1]), tail)
    cases = english.CASES.get(lower, ("subject",) if lower in _PRONOUNS else None)
    if cases:
        fits = "subject" in cases
        return Person(term, "pronoun", lower in _SEVERAL) if fits else f"`{term}` cannot be the subject of a sentence"
    if parts[0].lower() in english.DETERMINERS | _OWNERS and len(parts) > 1:
        several = parts[0].lower() in _SEVERAL or _is_several(_head(parts))
        return Person(term, "determined", several)
    if _is_adjective(parts):
        return f"`{term}` is an adjective and cannot stand for a person alone; `{term} person` can"
    is_name = _is_name(parts)
    return Person(term, "name" if is_name else "noun", not is_name and _is_several(_head(parts)))


def plural(noun: str) -> str | None:
    """Several of a noun that is given in the singular; None where there is no such form.

    >>> [plural(noun) for noun in ("white person", "policewoman", "nurse", "lady", "person of color", "Chinese")]
    ['white people', 'policewomen', 'nurses', 'ladies', 'people of color', None]
    """
    parts = noun.split()
    place = _head_place(parts)
    several = _plural_word(parts[place])
    return None if several is None else " ".join([*parts[:place], several, *parts[place + 1 :]])


def _words(key: str) -> frozenset[str]:
    return words("people.toml", key)


@cache
def _irregular() -> dict[str, str]:
    return dict(line.split() for line in lines("people.toml", "irregular_plurals"))


def _head_place(parts: list[str]) -> int:
    """Where the noun stands that the others belong to: before a preposition, or last."""
    for place, word in enumerate(parts[1:], 1):
        if word.lower() in _AFTER_HEAD:
            return place - 1
    return len(parts) - 1


def _head(parts: list[str]) -> str:
    return parts[_head_place(parts)]


def _is_capital_noun(word: str) -> bool:
    known = _words("capital_nouns")
    listed = word in known or (word.endswith("s") and word[:-1] in known) or _singular_of_y(word) in known
    return listed or bool(_NEVER_A_NAME.search(word))


def _singular_of_y(word: str) -> str:
    return f"{word[:-3]}y" if word.endswith("ies") else word


def _is_adjective(parts: list[str]) -> bool:
    head = _head(parts)
    known = _words("adjectives")
    several_words = len(parts) > 1 and head.lower() in known | {word.lower() for word in known}
    return head in known or (several_words and not _is_capital_noun(head) and not _is_name(parts))


def _is_name(parts: list[str]) -> bool:
    if not all(word[:1].isupper() for word in parts):
        return False
    last = parts[-1]
    return not (_is_capital_noun(last) or last.lower() in {word.lower() for word in _words("person_nouns")})


def _is_several(word: str) -> bool:
    lower = word.lower()
    if lower in _words("plural") or lower.endswith(("women", "people")) or re.search(r"[a-z]{2}men$", lower):
        return True
    return bool(re.search(r"[^siu]s$", lower)) and lower not in _words("singular_in_s")


def _plural_word(word: str) -> str | None:
    lower = word.lower()
    if word in _words("adjectives") or _is_several(word) or "-in-" in lower:
        stem, hyphen, rest = word.partition("-in-")
        return f"{_plural_word(stem)}{hyphen}{rest}" if hyphen else None
    if lower not in _words("not_of_man"):
        for one, several in _irregular().items():
            # "policewoman" and "spokesperson" follow the word they end in; "ox" is not the end of "fox".
            if lower == one or (one in ("man", "woman", "person", "child", "wife") and lower.endswith(one)):
                return word[: len(word) - len(one)] + several
    if re.search(r"(?:s|sh|ch|x|z)$", lower):
        return f"{word}es"
    return f"{word[:-1]}ies" if re.search(r"[^aeiou]y$", lower) else f"{word}s"
