"""Nouns for people: which word of a term is the noun, whether it is one or several, its plural, and what is a name.

Told from short word lists (`rephrased/people.toml`) and from spelling; an unknown word with a capital is a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from tiltmeter import toml
from tiltmeter.english import PREPOSITIONS
from tiltmeter.errors import InvalidData

CLAUSE_WORDS = frozenset({"who", "that", "whose", "which", "whom"})
"""With these a clause begins that belongs to the noun: "person who is blind"."""

_AFTER_HEAD = PREPOSITIONS | CLAUSE_WORDS | {"living", "born", "named", "called"}
# Capital or not: "Englishwoman", "Marxist", "Ivorians".
_NEVER_A_NAME = re.compile(r"[a-z](?:wom[ae]n|person|people|ists?|[ie]ans)$")
# "CEO", "MPs": up to four capitals, since a longer one may be a name that is shouted.
_CAPITALS = re.compile(r"[A-Z]{2,4}s?")
_INITIALS = frozenset({"AJ", "BJ", "CJ", "EJ", "JD", "JJ", "JP", "JT", "KC", "PJ", "RJ", "TJ"})
_LONGEST = 100
_ENDS_OF_COMPOUNDS = ("man", "woman", "person", "child", "wife", "thief")


def is_several(word: str) -> bool:
    """Whether a noun stands for more than one person.

    >>> [is_several(word) for word in ("nurses", "Hindus", "Iraqis", "policewomen", "boss", "genius")]
    [True, True, True, True, False, False]
    """
    lower = word.lower()
    if lower in _lowered("plural") or lower.endswith(("women", "people")) or re.search(r"[a-z]{2}men$", lower):
        return True
    if lower in _lowered("singular_in_s"):
        return False
    last = word.rpartition("-")[2]
    of_people = last.endswith("s") and last[:-1].lower() in _lowered("capital_nouns")
    heads = re.match(r"(.+s)-(?:in|of|at|by|up|on)\b", lower) if len(lower) <= _LONGEST else None
    return of_people or bool(re.search(r"[^siu]s$", lower)) or bool(heads and is_several(heads[1]))


def plural(noun: str) -> str:
    """Several of a noun; one that is several already stays.

    >>> [plural(noun) for noun in ("gay person", "policewoman", "hero", "passer-by", "chief of staff", "Hindu", "CEO")]
    ['gay people', 'policewomen', 'heroes', 'passers-by', 'chiefs of staff', 'Hindus', 'CEOs']
    """
    parts = noun.split()
    if not parts:
        return noun
    place = head_place(parts)
    return " ".join([*parts[:place], _plural_word(parts[place]), *parts[place + 1 :]])


def singular(noun: str) -> str:
    """One of a noun, as far as spelling tells; one that is one already stays.

    >>> [singular(noun) for noun in ("Registered nurses", "midwives", "chiefs of staff", "hostesses", "boss", "CEOs")]
    ['Registered nurse', 'midwife', 'chief of staff', 'hostess', 'boss', 'CEO']
    """
    parts = noun.split()
    if not parts:
        return ""
    place = head_place(parts)
    return " ".join([*parts[:place], _singular_word(parts[place]), *parts[place + 1 :]])


def names_several(noun: str) -> bool:
    """Whether a noun of one or more words stands for more than one person, by the word that the others belong to.

    >>> [names_several(noun) for noun in ("director of communications", "heads of sales", "dental nurses", "chorus")]
    [False, True, True, False]
    """
    parts = noun.split()
    return bool(parts) and is_several(parts[head_place(parts)])


def head_place(parts: Sequence[str]) -> int:
    """Where the noun stands that the other words belong to: before a preposition, or last."""
    for place, word in enumerate(parts[1:], 1):
        if word.lower() in _AFTER_HEAD:
            return place - 1
    return len(parts) - 1


def is_adjective(parts: Sequence[str]) -> bool:
    """Whether the words are an adjective, which cannot stand for a person alone: "gay", "openly gay", "Chinese"."""
    head = parts[head_place(parts)]
    if head in _words("adjectives"):
        return True
    return (
        len(parts) > 1 and head.lower() in _lowered("adjectives") and not is_capital_noun(head) and not is_name(parts)
    )


def is_name(parts: Sequence[str]) -> bool:
    """Whether the words, all with capitals, are a name and not a noun with one.

    >>> [is_name(words.split()) for words in ("Emily Smith", "African-American", "MP", "Muslim Woman")]
    [True, False, False, False]
    """
    if not all(word[:1].isupper() for word in parts):
        return False
    last = parts[-1]
    if re.search(r"['’]s?$", parts[0]):
        return False
    return not (is_capital_noun(last) or last.lower() in _lowered("person_nouns"))


def is_capital_noun(word: str) -> bool:
    """Whether a word that is written with a capital is a noun all the same: "Mexican", "CEO"."""
    if _CAPITALS.fullmatch(word):
        return word not in _INITIALS
    last = word.rpartition("-")[2]
    if last.endswith("s") and last[:-1].lower() in _lowered("adjectives"):
        return True
    forms = {last, last.removesuffix("s"), re.sub("ies$", "y", last)}
    return bool(forms & (_words("capital_nouns") | _words("peoples"))) or bool(_NEVER_A_NAME.search(last))


def is_owned(parts: Sequence[str]) -> bool:
    """Whether the words begin with an owner's name and need no article; "Jehovah's Witness" is a noun of its own.

    >>> is_owned(["Emily's", "mother"]), is_owned(["farmer's", "wife"])
    (True, False)
    """
    owner = re.fullmatch(r"[A-Z]\w*(?:['’]s|s['’])", parts[0])
    return len(parts) > 1 and bool(owner) and not parts[0].startswith("Jehovah")


def has_owner(parts: Sequence[str]) -> bool:
    """Whether a noun begins with one owner who needs an article: "farmer's wife", but "men's doctor" needs none.

    >>> [has_owner(words.split()) for words in ("asylum seeker's daughter", "Jehovah's Witness", "men's doctor")]
    [True, False, False]
    """
    owners = [re.fullmatch(r"([a-z][\w-]*)['’]s", word) for word in parts[:-1]]
    return any(owner is not None and not is_several(owner[1]) for owner in owners)


def is_nominal(parts: Sequence[str]) -> bool:
    """Whether the words are an adjective that names people behind "the": "elderly", "Irish", "mentally ill"."""
    return parts[-1] in _words("nominal") and all(part.endswith("ly") for part in parts[:-1])


def is_collective(word: str) -> bool:
    """Whether a noun in the singular stands for several people together: "family"."""
    return word.lower() in _lowered("collectives")


def is_person_noun(word: str) -> bool:
    """Whether a word is a noun for people that often stands after an adjective: "person", "men"."""
    return word.lower() in _lowered("person_nouns")


def _plural_word(word: str) -> str:
    lower = word.lower()
    joined = re.fullmatch(r"(\w+)(-(?:in|of|at)-.+)", word) or re.fullmatch(r"(\w+er)(-(?:by|up|on))", word)
    if joined:
        return f"{_plural_word(joined[1])}{joined[2]}"
    if is_several(word):
        return word
    if lower not in _lowered("not_of_man"):
        for one, several in _irregular().items():
            # "policewoman" and "spokesperson" follow the word they end in; "ox" is not the end of "fox".
            if lower == one or (one in _ENDS_OF_COMPOUNDS and lower.endswith(one)):
                return word[: len(word) - len(one)] + several
    if _CAPITALS.fullmatch(word):
        return f"{word}s"
    if re.search(r"(?:s|sh|ch|x|z)$", lower):
        return f"{word}es"
    return f"{word[:-1]}ies" if re.search(r"[^aeiou]y$", lower) else f"{word}s"


def _singular_word(word: str) -> str:
    lower = word.lower()
    joined = re.fullmatch(r"(\w+)(-(?:in|of|at)-.+)", word) or re.fullmatch(r"(\w+ers)(-(?:by|up|on))", word)
    if joined:
        return f"{_singular_word(joined[1])}{joined[2]}"
    if not is_several(word):
        return word
    for one, several in _irregular().items():
        if lower == several or (one in _ENDS_OF_COMPOUNDS and lower.endswith(several)):
            return word[: len(word) - len(several)] + (one.capitalize() if word == several.capitalize() else one)
    if re.search(r"(?:sh|ch|ss|x|z)es$", lower) or lower.removesuffix("es") in _lowered("singular_in_s"):
        return word[:-2]
    if re.search(r"[^aeiou]ies$", lower) and len(lower) > 4:
        return f"{word[:-3]}y"
    return word.removesuffix("s")


@cache
def _table() -> dict[str, str]:
    # Read where it lies, without importing the package, which needs this module.
    text = files("tiltmeter.sources").joinpath("rephrased", "people.toml").read_text(encoding="utf-8")
    return toml.parse(text, InvalidData, "people.toml")


@cache
def _words(key: str) -> frozenset[str]:
    return frozenset(_table()[key].split())


@cache
def _lowered(key: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _words(key))


@cache
def _irregular() -> dict[str, str]:
    pairs = _table()["irregular_plurals"].split()
    return dict(zip(pairs[::2], pairs[1::2], strict=True))
