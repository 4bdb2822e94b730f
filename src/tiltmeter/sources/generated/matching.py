"""Whether, and where, a sentence contains a term of a spec: as words of its own, never as a part of others."""

from __future__ import annotations

import re
from functools import lru_cache

from tiltmeter.records import Span, Spec
from tiltmeter.sources import nouns

_JOINT = r"[-‐‑\s]+"


def find(text: str, term: str, *, plural: bool = False, possessive: bool = True) -> list[Span]:
    """The places where the term stands, in order; a possessive 's is not part of the place.

    A word that the spec lists with a capital is a name and needs it (or capitals throughout); any other may have
    one. A hyphen and a space are the same. `plural` also takes the plural of the term.

    >>> find("The Man's dental-hygienist met a salesman.", "man")
    [(4, 7)]
    >>> find("The Man's dental-hygienist met a salesman.", "dental hygienist")
    [(10, 26)]
    """
    return [match.span() for match in _pattern(term, plural, possessive).finditer(text)]


def contains(text: str, term: str, *, plural: bool = False, possessive: bool = True) -> bool:
    """Whether the term stands in the text.

    >>> contains("To be frank, I like algebra.", "Frank"), contains("Frank’s car broke down.", "Frank")
    (False, True)
    """
    return _pattern(term, plural, possessive).search(text) is not None


def same_words(term: str) -> str:
    """A form of a term that is the same for all its spellings: small letters, spaces for hyphens.

    >>> same_words("Speech-Language  Pathologist")
    'speech language pathologist'
    """
    return " ".join(re.split(_JOINT, term.strip().casefold()))


def terms_of(spec: Spec) -> list[str]:
    """Every term of a spec, those of its groups and those of its attribute sets."""
    of_groups = [term for group in spec.groups for term in group.terms]
    return of_groups + [term for attributes in spec.attributes for term in attributes.terms]


def plural_of(word: str) -> str:
    """The English plural of a word or a term, by rule and a few exceptions; a plural stays.

    >>> [plural_of(word) for word in ("nurse", "secretary", "boss", "businesswoman", "chief of staff")]
    ['nurses', 'secretaries', 'bosses', 'businesswomen', 'chiefs of staff']
    """
    return nouns.plural(word)


@lru_cache(maxsize=4096)
def _pattern(term: str, plural: bool, possessive: bool) -> re.Pattern[str]:
    forms = [term, plural_of(term)] if plural and term.strip() else [term]
    written = "|".join(dict.fromkeys(_words(form) for form in forms))
    # What may not stand around it: letters, a hyphen that makes it part of another word, an address.
    before = r"(?<![\w@])(?<!\w[-‐‑'’])"
    after = r"(?![\w@])(?![-‐‑]\w)" + ("(?!['’](?!s\\b)\\w)" if possessive else r"(?!['’]\w)")
    return re.compile(f"{before}(?:{written}){after}")


def _words(term: str) -> str:
    return _JOINT.join(_word(word) for word in re.split(_JOINT, term.strip()) if word)


def _word(word: str) -> str:
    escaped = re.sub("['’]", "['’]", re.escape(word))
    return f"(?i:{escaped})" if word == word.lower() else f"(?:{escaped}|{re.escape(word.upper())})"
