"""The forms of English verbs: the base of a finite form or a gerund, the third person and the past participle.

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
def _irregular() -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    rows = (line.split() for line in lines("verbs.toml", "irregular"))
    return tuple((verb, tuple(pasts.split("/")), tuple(forms.split("/"))) for verb, pasts, forms in rows)


def _words(key: str) -> frozenset[str]:
    return words("verbs.toml", key)


def is_past(word: str) -> bool:
    """Whether a word has the form of a past tense.

    >>> [is_past(word) for word in ("worked", "went", "overslept", "need", "works")]
    [True, True, True, False, False]
    """
    return _derived(word, _pasts()) is not None or is_regular_past(word)


def is_participle(word: str) -> bool:
    """Whether a word has the form of a past participle.

    >>> [is_participle(word) for word in ("described", "known", "overheard", "happy")]
    [True, True, True, False]
    """
    return _derived(word, _participles()) is not None or is_regular_past(word)


def is_base(word: str) -> bool:
    """Whether a word is known as the base of an irregular verb, or of a regular one in -t."""
    return _derived(word, _bases()) is not None or word in _words("in_t")


def is_regular_past(word: str) -> bool:
    """Whether a word ends as regular verbs do in the past: "worked", "agreed"."""
    if len(word) < 4 or not word.endswith("ed") or word in _words("not_verbs_in_ed") or word in _bases():
        return False
    return not word.endswith("eed") or f"{word[:-1]}" in _words("with_e")


def can_be_finite(word: str) -> bool:
    """Whether a word can be a verb with a tense, as far as its form tells.

    A past participle that is no past has none, and a word in -t that is not known may be a past of any verb.

    >>> [can_be_finite(word) for word in ("dreamt", "wants", "sing", "gone", "working", "adrift")]
    [True, True, True, False, False, False]
    """
    if is_past(word) or is_base(word):
        return True
    if word.endswith("t") and not word.endswith("ct"):
        return False
    return not word.endswith("ing") and _derived(word, _participles()) is None


def base(finite: str) -> str:
    """The base of a verb in the past tense, the third person or the base itself.

    >>> [base(word) for word in ("worked", "hoped", "planned", "tried", "went", "teaches", "likes", "like", "does")]
    ['work', 'hope', 'plan', 'try', 'go', 'teach', 'like', 'like', 'do']
    >>> [base(word) for word in ("need", "needs", "overheard", "sped", "skied", "agreed", "learnt")]
    ['need', 'need', 'overhear', 'speed', 'ski', 'agree', 'learn']
    """
    if finite in ("am", "are"):
        return "be"
    past = _derived(finite, _pasts())
    if past:
        return past
    if is_base(finite):
        return finite
    if is_regular_past(finite):
        return _base_of_stem(finite[:-2])
    if finite.endswith("s") and not finite.endswith("ss") and finite not in _words("without_e"):
        return _base_of_third_person(finite)
    return finite


def lemma(word: str) -> str:
    """The base of a verb in any form, a participle or a gerund too.

    >>> [lemma(word) for word in ("known", "becoming", "running", "lying", "studying", "seeing", "worked", "skiing")]
    ['know', 'become', 'run', 'lie', 'study', 'see', 'work', 'ski']
    """
    participle_of = _derived(word, _participles())
    if participle_of:
        return participle_of
    return _base_of_gerund(word[:-3]) if is_gerund(word) else base(word)


def is_gerund(word: str) -> bool:
    """Whether a word ends as gerunds do, and is not a base itself: "becoming", not "bring"."""
    return word.endswith("ing") and len(word) > 4 and word not in _bases()


def third_person(verb: str) -> str:
    """The form of a base that goes with he, she and it.

    >>> [third_person(verb) for verb in ("work", "teach", "try", "go", "have", "be", "play")]
    ['works', 'teaches', 'tries', 'goes', 'has', 'is', 'plays']
    """
    if verb in ("be", "have"):
        return {"be": "is", "have": "has"}[verb]
    if verb in _words("doubles_s"):
        return f"{verb}{verb[-1]}es"
    if re.search(r"(?:s|sh|ch|x|z|[^aeiou]o)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


def participle(past: str) -> str:
    """The past participle of a verb that is given in the past tense.

    >>> participle("went"), participle("worked")
    ('gone', 'worked')
    """
    for start, end in _divided(past):
        if end in _participle_of_past():
            return start + _participle_of_past()[end]
    return past


def participle_of(verb: str) -> str:
    """The past participle of a verb that is given as its base.

    >>> [participle_of(verb) for verb in ("choose", "overtake", "plan", "carry", "like", "visit", "put")]
    ['chosen', 'overtaken', 'planned', 'carried', 'liked', 'visited', 'put']
    """
    irregular = {base: forms[0] for base, _, forms in _irregular()}
    for start, end in _divided(verb):
        if end in irregular:
            return start + irregular[end]
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    spelt = (f"{verb}d" if verb.endswith("e") else f"{verb}ed", f"{verb}{verb[-1]}ed")
    return next((one for one in spelt if base(one) == verb), spelt[0])


@cache
def _pasts() -> dict[str, str]:
    # "lay" and "found" are also bases; in an unmarked phrase the past is likelier. "were" is the other past of "be".
    return {past: verb for verb, pasts, _ in _irregular() for past in pasts} | {"were": "be"}


@cache
def _bases() -> dict[str, str]:
    return {verb: verb for verb, _, _ in _irregular()}


@cache
def _participles() -> dict[str, str]:
    return {form: verb for verb, _, forms in _irregular() for form in forms}


@cache
def _participle_of_past() -> dict[str, str]:
    found = {"were": "been"}
    for _, pasts, forms in _irregular():
        several = forms if len(forms) == len(pasts) else (forms[0],) * len(pasts)
        found |= dict(zip(pasts, several, strict=True))
    return found


def _divided(word: str) -> list[tuple[str, str]]:
    """The word as it is, and as a prefix with another word."""
    if word in _words("not_derived") or word in _words("in_t"):
        return [("", word)]
    starts = [one for one in _words("prefixes") if word.startswith(one) and len(word) > len(one) + 1]
    return [("", word), *((one, word.removeprefix(one)) for one in starts)]


def _derived(word: str, known: dict[str, str]) -> str | None:
    """The base of a form of a listed verb, with or without a prefix."""
    return next((start + known[end] for start, end in _divided(word) if end in known), None)


def _base_of_gerund(stem: str) -> str:
    if stem.endswith("y") and len(stem) < 4 and f"{stem[:-1]}ie" in {"die", "lie", "tie", "vie"}:
        return f"{stem[:-1]}ie"
    shorter = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    for known in (stem, f"{stem}e", shorter):
        if is_base(known):
            return known
    return stem if stem.endswith(("e", "i", "y", "w")) else _base_of_stem(stem)


def _base_of_stem(stem: str) -> str:
    """The base of what is left without -ed or -ing."""
    last, before = stem[-1], stem[-2:-1]
    if stem.endswith("i"):
        if stem in _words("ends_in_i"):
            return stem
        return f"{stem}e" if len(stem) == 2 else f"{stem[:-1]}y"
    if last == before and stem not in _words("ends_in_double") and _loses_one_of_two(stem):
        return stem[:-1]
    if stem.endswith("ck") and stem[:-1] in _words("ends_in_c"):
        return stem[:-1]
    return f"{stem}e" if _ends_in_e(stem) else stem


def _loses_one_of_two(stem: str) -> bool:
    if stem.endswith("ll"):
        return stem[:-1] in _words("ends_in_single_l") or (
            stem.endswith("ell") and len(re.findall("[aeiou]+", stem)) > 1
        )
    return stem[-1] in _DOUBLED or stem[:-1] in _words("doubles_s")


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
    if finite[:-3] in _words("doubles_s"):
        return finite[:-3]
    if finite.endswith("es") and (finite[:-2] in _words("without_e") or finite[:-1] in _words("with_e")):
        return finite[:-2] if finite[:-2] in _words("without_e") else finite[:-1]
    return finite[:-2] if finite.endswith("oes") or _SIBILANT.search(finite) else finite[:-1]
