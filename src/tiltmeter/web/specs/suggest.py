"""Terms that a spec could have as well, from what is known without a network: other specs, and English pronouns.

A suggestion is nothing more: a person accepts it or leaves it. Each says where it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tiltmeter import english
from tiltmeter.web.specs.entries import Entry
from tiltmeter.web.specs.lists import Lists, WordList, term_at
from tiltmeter.web.specs.text import Addition, Holder

_SHOWN = 6
_NAMED = 2
_HOLDERS: dict[str, Holder] = {"groups": "groups", "attributes": "attributes"}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Terms to be added together, and why."""

    additions: tuple[Addition, ...]
    why: str

    @property
    def value(self) -> str:
        """What a button sends when it is accepted."""
        return json.dumps([[one.holder, one.name, one.position, one.term] for one in self.additions])


@dataclass(frozen=True, slots=True)
class Offer:
    """The suggestions for a list, or for two groups whose terms belong together."""

    title: str
    suggestions: tuple[Suggestion, ...]
    of_groups: bool = False
    """Terms of groups; those of attributes state stereotypes, and are shown only where they are opened."""


@dataclass(frozen=True)
class Knowledge:
    """What other specs say: lists that belong together, and words that stand side by side."""

    entries: tuple[Entry, ...]

    @cached_property
    def lists(self) -> list[tuple[str, WordList]]:
        """Every word list, with the name of its spec."""
        return [(one.name, words) for one in self.entries for words in (*one.lists.groups, *one.lists.attributes)]

    @cached_property
    def pairs(self) -> list[tuple[str, WordList, WordList]]:
        """Every two groups that are compared, both ways round, with the name of their spec."""
        found = [
            (one.name, one.lists.group(first), one.lists.group(second))
            for one in self.entries
            for first, second in one.lists.compare
        ]
        return found + [(name, second, first) for name, first, second in found]

    @cached_property
    def gendered(self) -> dict[str, str]:
        """Words for men and the words for women that stand beside them, both ways round."""
        return {
            one.casefold(): other.casefold()
            for _, first, second in self.pairs
            for one, other in zip(first.terms, second.terms, strict=False)
            if " " not in one + other and {english.gender(one), english.gender(other)} == {"male", "female"}
        }


def offers(lists: Lists, known: Knowledge) -> list[Offer]:
    """What could be added to each list; lists for which nothing is known are left out."""
    taken = frozenset(term.casefold() for words in (*lists.groups, *lists.attributes) for term in words.terms)
    made = []
    for first, second in dict.fromkeys(lists.compare):
        one, other = lists.group(first), lists.group(second)
        gaps = [*_gaps(one, other, known), *_gaps(other, one, known)]
        new = [] if gaps or not _both_alone(lists, first, second) else list(_rows(one, other, known, taken))
        made.append(Offer(f"{first} and {second}", tuple((gaps or new)[:_SHOWN]), of_groups=True))
    made += [Offer(words.name, tuple(_further(words, known, taken))) for words in lists.attributes]
    return [offer for offer in made if offer.suggestions]


def accepted(value: str) -> list[Addition]:
    """The additions that a button sent."""
    try:
        rows = json.loads(value)
        return [Addition(_HOLDERS[holder], str(name), int(place), str(term)) for holder, name, place, term in rows]
    except (ValueError, TypeError, KeyError):
        return []


def _both_alone(lists: Lists, first: str, second: str) -> bool:
    """Whether two groups are as long as one another and compared with nobody else, so that a row can be added."""
    one, other = lists.group(first), lists.group(second)
    alone = all(len(lists.partners(name)) == 1 for name in (first, second))
    return alone and len(one.terms) == len(other.terms) and all(map(str.strip, (*one.terms, *other.terms)))


def _gaps(here: WordList, beside: WordList, known: Knowledge) -> Iterator[Suggestion]:
    """Counterparts for the places of a group that have none: blank ones, and the one after its last."""
    blank = [place for place, term in enumerate(here.terms) if not term.strip()]
    for place in [*blank, len(here.terms)]:
        term = term_at(beside, place)
        if not term.strip():
            continue
        for counterpart, why in dict(_counterparts(term, beside, here, known)).items():
            if counterpart.casefold() not in here.folded and counterpart.casefold() != term.casefold():
                yield Suggestion((Addition("groups", here.name, place, counterpart),), why)


def _counterparts(term: str, beside: WordList, here: WordList, known: Knowledge) -> Iterator[tuple[str, str]]:
    target = here.gender
    for name, first, second in known.pairs:
        if term.casefold() in first.folded and _resemble(here, second):
            place = [one.casefold() for one in first.terms].index(term.casefold())
            if counterpart := term_at(second, place):
                yield counterpart, f"stands beside `{term}` in {name}"
    if target and (cases := english.CASES.get(term.casefold())) and term.casefold() in english.GENDER_OF_PRONOUN:
        yield english.FORMS[target][cases[0]], f"the pronoun that stands where `{term}` does"
    if target in ("male", "female") and beside.gender not in (None, target):
        words = [_other_gender(word, known) or word for word in term.split()]
        if " ".join(words) != term and english.gender(" ".join(words)) == target:
            yield " ".join(words), f"`{term}` with the word for the other gender"


def _other_gender(word: str, known: Knowledge) -> str | None:
    """The word for the other gender, also inside a compound: grandfather, policeman."""
    gender = english.gender(word)
    for ending in sorted(known.gendered, key=len, reverse=True) if gender else ():
        if word.casefold().endswith(ending):
            other = word[: len(word) - len(ending)] + known.gendered[ending]
            if english.gender(other) not in (None, gender):
                return other
    return None


def _rows(one: WordList, other: WordList, known: Knowledge, taken: frozenset[str]) -> Iterator[Suggestion]:
    """Two more terms that belong together, from specs that compare such groups."""
    place, seen = len(one.terms), set(taken)
    ranked = sorted(known.pairs, key=lambda pair: -_shared_rows(one, other, pair[1], pair[2]))
    for name, first, second in ranked:
        beside = _resemble(one, first) and _resemble(other, second)
        for new, counterpart in zip(first.terms, second.terms, strict=False) if beside else ():
            if not {new.casefold(), counterpart.casefold()} & seen:
                seen |= {new.casefold(), counterpart.casefold()}
                additions = Addition("groups", one.name, place, new), Addition("groups", other.name, place, counterpart)
                yield Suggestion(additions, f"stand side by side in {name}{_like(one, first)}")


def _further(words: WordList, known: Knowledge, taken: frozenset[str]) -> Iterator[Suggestion]:
    """More terms of an attribute set, from lists that have some of it."""
    seen, count = set(taken), 0
    ranked = sorted(known.lists, key=lambda entry: -len(words.folded & entry[1].folded))
    for name, listed in ranked:
        for term in listed.terms if _resemble(words, listed) else ():
            if term.casefold() not in seen and count < _SHOWN:
                seen.add(term.casefold())
                count += 1
                addition = Addition(words.holder, words.name, len(words.terms), term)
                yield Suggestion((addition,), f"in the list {listed.name} of {name}{_like(words, listed)}")


def _resemble(words: WordList, listed: WordList) -> bool:
    """Whether two lists seem to be about the same: they share a term, or a name and a kind."""
    same_name = words.name == listed.name and words.holder == listed.holder
    same_gender = words.gender in ("male", "female") and words.gender == listed.gender
    return same_name or same_gender or bool(words.folded & listed.folded)


def _shared_rows(one: WordList, other: WordList, first: WordList, second: WordList) -> int:
    return len(one.folded & first.folded) + len(other.folded & second.folded)


def _like(words: WordList, listed: WordList) -> str:
    shared = [term for term in words.terms if term.casefold() in listed.folded][:_NAMED]
    return f", with {_quoted(shared)}" if shared else ""


def _quoted(terms: Sequence[str]) -> str:
    return " and ".join(f"`{term}`" for term in terms)


def knowledge(entries: Iterable[Entry]) -> Knowledge:
    """What the specs that can be used say together."""
    return Knowledge(tuple(one for one in entries if one.spec is not None))
