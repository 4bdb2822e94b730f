"""The forms of English verbs: the base of a finite form, the third person and the past participle.

Irregular verbs and the exceptions to the rules of spelling stand in `verbs.toml`; everything else follows the rules.
"""

from __future__ import annotations

import re
from functools import cache

from tiltmeter.sources.rephrased.lists import lines, words

_VOWELS = frozenset("aeiouy")
_DOUBLED = frozenset("bdgkmnprtv")
# Endings of one vowel and one consonant that verbs of several syllables have without -e: "offered", "visited".
_PLAIN = frozenset({"er", "en", "el", "et", "it", "on", "al"})
_HIATUS = frozenset({"ia", "ua", "io"})
_SIBILANT = re.compile(r"(?:ss|sh|ch|x|zz|tz)es$")


@cache
def _irregular() -> tuple[tuple[str, str, str], ...]:
    rows = (line.split() for line in lines("verbs.toml", "irregular"))
    return tuple((base, past, participle) for base, past, participle in rows)


def _words(key: str) -> frozenset[str]:
    return words("verbs.toml", key)


def is_past(word: str) -> bool:
    """Whether a word has the form of a past tense.

    >>> [is_past(word) for word in ("worked", "went", "need", "works")]
    [True, True, False, False]
    """
    return word in _pasts() or is_regular_past(word)


def is_participle(word: str) -> bool:
    """Whether a word has the form of a past participle.

    >>> [is_participle(word) for word in ("described", "known", "happy")]
    [True, True, False]
    """
    return word in _participles() or is_regular_past(word)


def is_regular_past(word: str) -> bool:
    """Whether a word ends as regular verbs do in the past: "worked", "agreed"."""
    if len(word) < 4 or not word.endswith("ed") or word in _words("not_verbs_in_ed"):
        return False
    return not word.endswith("eed") or f"{word[:-1]}" in _words("with_e")


def base(finite: str) -> str:
    """The base of a verb in the past tense, the third person or the base itself.

    >>> [base(word) for word in ("worked", "hoped", "planned", "tried", "went", "teaches", "likes", "like", "does")]
    ['work', 'hope', 'plan', 'try', 'go', 'teach', 'like', 'like', 'do']
    """
    if finite in ("am", "are"):
        return "be"
    if finite in _pasts():
        return _pasts()[finite]
    if finite in _bases():
        return finite
    if finite.endswith("ed") and len(finite) > 3:
        return _base_of_regular_past(finite[:-2])
    if finite.endswith("s") and not finite.endswith("ss"):
        return _base_of_third_person(finite)
    return finite


def third_person(verb: str) -> str:
    """The form of a base that goes with he, she and it.

    >>> [third_person(verb) for verb in ("work", "teach", "try", "go", "have", "be", "play")]
    ['works', 'teaches', 'tries', 'goes', 'has', 'is', 'plays']
    """
    if verb in ("be", "have"):
        return {"be": "is", "have": "has"}[verb]
    if re.search(r"(?:s|sh|ch|x|z|[^aeiou]o)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


def participle(past: str) -> str:
    """The past participle of a verb that is given in the past tense.

    >>> participle("went"), participle("worked")
    ('gone', 'worked')
    """
    return _participle_of_past().get(past, past)


@cache
def _pasts() -> dict[str, str]:
    # "lay" and "found" are also bases; in an unmarked phrase the past is likelier. "were" is the other past of "be".
    return {past: verb for verb, past, _ in _irregular()} | {"were": "be"}


@cache
def _bases() -> frozenset[str]:
    return frozenset(verb for verb, _, _ in _irregular())


@cache
def _participles() -> frozenset[str]:
    return frozenset(form for _, _, form in _irregular())


@cache
def _participle_of_past() -> dict[str, str]:
    return {past: form for _, past, form in _irregular()} | {"were": "been"}


def _base_of_regular_past(stem: str) -> str:
    last, before = stem[-1], stem[-2:-1]
    if stem.endswith("i"):
        return f"{stem}e" if len(stem) == 2 else f"{stem[:-1]}y"
    if last == before and stem not in _words("ends_in_double") and _loses_one_of_two(stem):
        return stem[:-1]
    if (stem.endswith(("nick", "mick")) and len(stem) > 5) or stem in (
        "panick",
        "traffick",
        "frolick",
        "bivouack",
        "shellack",
    ):
        return stem[:-1]
    return f"{stem}e" if _ends_in_e(stem) else stem


def _loses_one_of_two(stem: str) -> bool:
    if stem.endswith("ll"):
        return stem[:-1] in _words("ends_in_single_l") or (
            stem.endswith("ell") and len(re.findall("[aeiou]+", stem)) > 1
        )
    return stem[-1] in _DOUBLED or stem in ("quizz", "whizz", "gass", "buss")


def _ends_in_e(stem: str) -> bool:
    if f"{stem}e" in _words("with_e") or stem in _words("without_e"):
        return f"{stem}e" in _words("with_e")
    last, before = stem[-1], stem[-2:-1]
    if last in "cuvesz":
        return before not in (last, "t") or last in "ecuv"
    if last == "g" or (last in "lr" and before not in _VOWELS):
        return before not in ("ng" if last == "g" else "lrw")
    return before in _VOWELS and last not in "hwxyo" and _is_open(stem)


def _is_open(stem: str) -> bool:
    """Whether a stem in one vowel and one consonant has lost an -e: "hop(e)d", not "visited" nor "cooked"."""
    further, before, last = stem[-3:-2], stem[-2], stem[-1]
    if further in _VOWELS and further + before not in _HIATUS and stem[-4:-2] != "qu":
        return False
    several = any(sign in _VOWELS for sign in stem[:-3]) or further in _VOWELS
    return not (several and before + last in _PLAIN)


def _base_of_third_person(finite: str) -> str:
    if finite in ("is", "has", "does", "goes"):
        return {"is": "be", "has": "have", "does": "do", "goes": "go"}[finite]
    if finite.endswith("ies"):
        return finite[:-1] if len(finite) == 4 else f"{finite[:-3]}y"
    if finite.endswith("es") and (finite[:-2] in _words("without_e") or finite[:-1] in _words("with_e")):
        return finite[:-2] if finite[:-2] in _words("without_e") else finite[:-1]
    return finite[:-2] if finite.endswith("oes") or _SIBILANT.search(finite) else finite[:-1]
