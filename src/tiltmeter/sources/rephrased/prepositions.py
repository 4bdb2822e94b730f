"""Verb phrases that end in a preposition, in *to* or in *that*."""

from __future__ import annotations

from collections.abc import Callable

from tiltmeter import english
from tiltmeter.sources.rephrased import verbs
from tiltmeter.sources.rephrased.gaps import UNFINISHED, Asks, Ending, Gap
from tiltmeter.sources.rephrased.lists import words

_PARTICLES = words("phrases.toml", "particles")
_FRONTED = words("phrases.toml", "fronted")
_PLACE = words("phrases.toml", "place")
_WAY = words("phrases.toml", "way")
_ORIGIN = words("phrases.toml", "origin")
_TO_THING = words("phrases.toml", "to_thing")
_TO_PERSON = words("phrases.toml", "to_person")
_TO_VERB = words("phrases.toml", "to_verb")
_TO_VERB_WITH_OBJECT = words("phrases.toml", "to_verb_with_object")
_DATIVE = words("phrases.toml", "dative")
_PERSON = {one: words("phrases.toml", f"{one}_person") for one in ("with", "for", "of", "at", "on", "from", "like")}
_BY_THING = words("phrases.toml", "by_thing")
_BY_RULE = words("phrases.toml", "by_rule")
_BY_VEHICLE = words("phrases.toml", "by_vehicle")
_SAYING = words("phrases.toml", "saying")
_OWNING = frozenset(word for word, cases in english.CASES.items() if "determiner" in cases)
_TO_DO = Ending(None, "do something")


def ending(tokens: list[str]) -> Ending:
    """What a preposition asks for at the end; adverbs are left out of the phrase.

    >>> ending("broke up with".split())
    Ending(gap=Gap(asks='who', dropped=0, preposition=''), some='someone', replaced=0)
    """
    last, before = tokens[-1], _before(tokens)
    if last in _SPECIAL:
        return _SPECIAL[last](tokens)
    if last == "of" and before & {"one", "some", "many", "most"}:
        return UNFINISHED
    if last in ("in", "at") and before & (_PLACE | {"be"}):
        return Ending(Gap("where", 1, last), "somewhere", 1)
    if last == "from" and before & (_WAY | _ORIGIN):
        return Ending(Gap("where", 0, "" if "be" in before else "from"), "somewhere")
    return _asked(tokens, "who" if before & _PERSON.get(last, frozenset()) else "what")


def _asked(tokens: list[str], asks: Asks) -> Ending:
    # "About what was she?" leaves nothing behind that it could belong to.
    after_particle = len(tokens) > 2 and tokens[-2] in _PARTICLES
    movable = tokens[-1] in _FRONTED and not after_particle and tokens[-2] not in english.BE
    return Ending(Gap(asks, 0, tokens[-1] if movable else ""), "someone" if asks == "who" else "something")


def _before(tokens: list[str]) -> set[str]:
    """What stands before the last word: a verb with its particle, or a word as it is and in its base."""
    before = tokens[-2] if len(tokens) > 1 else ""
    if before in _PARTICLES and len(tokens) > 2:
        return {f"{verbs.lemma(tokens[-3])}-{before}"}
    # "a living by" has no verb before the preposition, and "means to" is not "mean to somebody".
    is_noun = len(tokens) > 2 and (tokens[-3] in english.DETERMINERS or tokens[-3] in _OWNING)
    base = verbs.lemma(before)
    return {before} if is_noun or base == "mean" else {before, base}


def _is_passive(tokens: list[str]) -> bool:
    for index in range(len(tokens) - 2, 0, -1):
        if verbs.is_gerund(tokens[index]) and tokens[index] not in english.BE:
            return False
        if verbs.is_participle(tokens[index]) and verbs.lemma(tokens[index - 1]) in ("be", "get"):
            return tokens[index] not in english.BE
    return False


def _that(tokens: list[str]) -> Ending:
    told = any(verbs.lemma(word) == "tell" for word in tokens[:-1])
    return Ending(Gap("what", 1), "something", 1) if told or _before(tokens) & _SAYING else UNFINISHED


def _to(tokens: list[str]) -> Ending:
    before = _before(tokens)
    if tokens[-2] in ("going", "how") or (tokens[-2] == "used" and len(tokens) == 2):
        return _TO_DO
    has_been = tokens[-2:-1] == ["been"] and tokens[-3:-2] != ["to"]
    if has_been or before & _WAY:
        return Ending(Gap("where", 1, "to"), "somewhere", 1)
    if before & _TO_PERSON:
        return _asked(tokens, "who")
    if before & _TO_THING:
        return _asked(tokens, "what")
    gives = [index for index, word in enumerate(tokens[:-2]) if verbs.lemma(word) in _DATIVE]
    if gives and "to" not in tokens[gives[-1] : -1]:
        return _asked(tokens, "who")
    directed = any(verbs.lemma(word) in _TO_VERB_WITH_OBJECT for word in tokens[:-2])
    return _TO_DO if before & _TO_VERB or directed else UNFINISHED


def _by(tokens: list[str]) -> Ending:
    before = _before(tokens)
    if _is_passive(tokens):
        return _asked(tokens, "what" if before & _BY_THING else "who")
    if before & _BY_RULE:
        return _asked(tokens, "what")
    if before & _BY_VEHICLE:
        return Ending(Gap("how", 1, "by"), "somehow", 1)
    return UNFINISHED if "be" in before else Ending(Gap("how", 1, "by"), "doing something")


_SPECIAL: dict[str, Callable[[list[str]], Ending]] = {"to": _to, "that": _that, "by": _by}
