"""Which nouns are looked for: professions, or any class of people that a user names by a list or by examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import UserError
from tiltmeter.sources.natural import lexicon, words
from tiltmeter.sources.natural.accounts import plain
from tiltmeter.sources.profession_templates import read_professions

Judge = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
"""How probably each noun, with what is said of it, is one of the class; the source is given it."""

_NO_WORK = re.compile(
    r"\b(?:for (?:pleasure|fun|enjoyment)|as a (?:hobby|pastime)|hobby|hobbyist|pastime|amateurs?|unpaid|"
    r"without being paid|without pay|in (?:their|his|her) (?:spare|free) time|"
    r"illegal(?:ly)?|unlawful(?:ly)?|criminals?|retired)\b",
    re.IGNORECASE,
)
_LIKE_EXAMPLES = 0.5
_DEFINED = 0.7
"""How sure the judge must be of a noun that is defined: in cross-validation 93 % of both kinds are then right."""
_STATED = 0.8
"""How sure the judge must be of a noun of which only a deed is told."""

_DOUBTED = 0.2


@dataclass(frozen=True, slots=True)
class NounClass:
    """A class of nouns for people; `members` are sure to belong to it.

    `closed`: nothing else does. Otherwise the judge decides about the others; of professions, first what is known.
    """

    name: str = "profession"
    members: Collection[str] = ()
    closed: bool = False

    @property
    def of_work(self) -> bool:
        """Whether it is the class of professions."""
        return self.name == "profession"

    @property
    def doubted(self) -> float:
        """How unlikely the judge may find what a known noun is said to do: "An interpreter executes a program"."""
        return _DOUBTED if self.of_work else 0.0

    @property
    def capitalised(self) -> bool:
        """Whether its nouns are written with a capital, as those of nations and creeds are."""
        return bool(self.members) and not self.of_work and all(member[:1].isupper() for member in self.members)

    def may_have(self, noun: str) -> bool:
        """Whether a noun may belong to the class, before anything is known of what is said of it."""
        if plain(noun) in map(plain, self.members):
            return True
        if self.closed:
            return False
        if self.of_work:
            return lexicon.is_occupation(noun)
        return noun[:1].isupper() if self.capitalised else words.names_a_person(noun) or lexicon.is_person(noun)

    def contradicts(self, noun: str, said: str) -> bool:
        """Whether something says that a noun is none of work."""
        return self.of_work and (lexicon.is_role(noun) or _NO_WORK.search(said) is not None)

    def decided(self, noun: str, said: str, score: float, *, defined: bool, called: str = "") -> bool:
        """Whether a noun belongs to the class, by what is known of it and, where nothing is, by the judge's score.

        `called` is what a definition calls the person.
        """
        listed = plain(noun) in map(plain, self.members)
        if listed or self.closed:
            return listed
        if not self.of_work:
            return score >= _LIKE_EXAMPLES
        by_name, by_what_it_is = lexicon.is_occupation(noun), lexicon.is_occupation(called)
        if by_what_it_is and " " in noun:
            # "A health visitor is a nurse who": that says more than the last word of the name.
            return _NO_WORK.search(said) is None
        if self.contradicts(noun, said):
            return False
        by_name = by_name and (defined or score >= self.doubted)
        return by_name or by_what_it_is or score >= (_DEFINED if defined else _STATED)


def given_class(text: str) -> NounClass:
    """The class of an option: `religion=Muslim,Sikh,Christian`, or `religion=FILE` with all its nouns.

    >>> given_class("religion=Muslim, Sikh").members
    ('Muslim', 'Sikh')
    """
    name, equals, rest = text.partition("=")
    if equals and name.strip() and Path(rest).is_file():
        return NounClass(name.strip(), tuple(read_professions(rest)), closed=True)
    members = tuple(dict.fromkeys(" ".join(part.split()) for part in rest.split(",") if part.strip()))
    if not equals or not name.strip() or not members:
        raise UserError(
            f"must be a name with examples or with a file that lists all, such as religion=Muslim,Sikh,Christian, not "
            f"{text!r:.60}",
            key="--class",
        )
    return NounClass(name.strip(), members)
