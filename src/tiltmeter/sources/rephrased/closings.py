"""Verb phrases that end in a verb, a particle, a quality or a noun, and which of these are complete."""

from __future__ import annotations

from tiltmeter import english
from tiltmeter.sources.rephrased import verbs
from tiltmeter.sources.rephrased.gaps import A_PERSON, A_THING, COMPLETE, UNFINISHED, Ending
from tiltmeter.sources.rephrased.lists import words

_TRANSITIVE = words("phrases.toml", "transitive")
_OF_PERSONS = words("phrases.toml", "of_persons")
_INTRANSITIVE = words("phrases.toml", "intransitive")
_LINKING = words("phrases.toml", "linking")
_DITRANSITIVE = words("phrases.toml", "ditransitive")
_CAUSATIVE = words("phrases.toml", "causative")
_NAMING = words("phrases.toml", "naming")
_NUMBERS = words("phrases.toml", "numbers")
_MODALS = words("phrases.toml", "modals")
_BEFORE_VERB = words("phrases.toml", "before_verb")
_BEFORE_GERUND = words("phrases.toml", "before_gerund")
_LIKE_PARTICIPLES = words("phrases.toml", "adjectives_like_participles")
_LIKE_GERUNDS = words("phrases.toml", "adjectives_like_gerunds")
_ADJECTIVES = words("phrases.toml", "adjectives")
_OPEN_ADJECTIVES = words("phrases.toml", "open_adjectives")
_OPEN_NOUNS = words("phrases.toml", "open_nouns")
_CLOSING = words("phrases.toml", "closing")
_PERSONS = words("phrases.toml", "persons")
_WAY = words("phrases.toml", "way") | words("phrases.toml", "place")
_WITH_PARTICLE = {
    "before_gerund_with_particle": Ending(None, "doing something"),
    "transitive_with_particle": A_THING,
    "intransitive_with_particle": COMPLETE,
}
_HAVE = frozenset({"have", "has", "had", "having"})
_OWNING = frozenset(word for word, cases in english.CASES.items() if "determiner" in cases)
_PRONOUNS = frozenset(word for word, cases in english.CASES.items() if {"object", "reflexive"} & {*cases})


def particle(tokens: list[str]) -> Ending | None:
    """The end of a verb with its particle: "grew up" is complete, "set up" wants a thing; None: there is no such verb.

    >>> particle(["grew", "up"]).some, particle(["set", "up"]).some, particle(["was", "brought", "up"]).some
    ('', 'something', '')
    """
    if len(tokens) < 2:
        return None
    verb = f"{verbs.lemma(tokens[-2])}-{tokens[-1]}"
    passive = len(tokens) > 2 and verbs.is_participle(tokens[-2]) and verbs.lemma(tokens[-3]) in ("be", "get")
    for name, end in _WITH_PARTICLE.items():
        if verb in words("phrases.toml", name):
            return COMPLETE if passive else end
    return None


def stands_as_verb(tokens: list[str]) -> bool:
    """Whether the last word is in the place of a verb: "would like", not "looks like"."""
    return len(tokens) == 1 or tokens[-2] in _BEFORE_VERB


def ending(tokens: list[str]) -> Ending:
    """What is open at the end of a phrase that ends in neither preposition nor adverb; adverbs before it are left out.

    >>> [ending(phrase.split()).some for phrase in ("cried", "met", "was given", "looks", "is lazy", "had a job")]
    ['', 'someone', 'something', None, '', '']
    """
    last, before = tokens[-1], tokens[-2] if len(tokens) > 1 else ""
    if stands_as_verb(tokens):
        return _after_auxiliary(tokens, last, before)
    helps = verbs.lemma(before) == "help" and last in _TRANSITIVE | _INTRANSITIVE
    if helps or (before in _HAVE and verbs.is_participle(last)):
        return _verb(verbs.lemma(last))
    if before in english.BE or (verbs.lemma(before) == "get" and verbs.is_participle(last)):
        return _after_be(last)
    if verbs.is_gerund(last) and (before in english.PREPOSITIONS or verbs.lemma(before) in _BEFORE_GERUND):
        # "likes reading" needs nothing more, although one reads something.
        verb = verbs.lemma(last)
        return COMPLETE if verb in _INTRANSITIVE and before not in english.PREPOSITIONS else _verb(verb)
    return _noun(tokens)


def _after_auxiliary(tokens: list[str], last: str, before: str) -> Ending:
    # After "may have" a participle is likelier than a thing.
    if last == "have" and before in _MODALS:
        return UNFINISHED
    if before in ("can", "could") and last in ("stand", "bear"):
        return A_THING
    end = _verb(verbs.lemma(last) if before else verbs.base(last))
    return end if end != UNFINISHED or before != "to" else _noun(tokens)


def _verb(verb: str) -> Ending:
    if verb in _TRANSITIVE:
        return A_THING
    if verb in _OF_PERSONS:
        return A_PERSON
    return COMPLETE if verb in _INTRANSITIVE else UNFINISHED


def _after_be(last: str) -> Ending:
    if verbs.is_gerund(last) and last not in _LIKE_GERUNDS:
        return _verb(verbs.lemma(last))
    if last in _OPEN_ADJECTIVES or last in english.PREPOSITIONS:
        return UNFINISHED
    if not verbs.is_participle(last) or last in _LIKE_PARTICIPLES:
        return A_THING if last in english.BE else COMPLETE
    verb = verbs.lemma(last)
    if verb in _NAMING | _DITRANSITIVE | {"be", "become"}:
        return A_THING
    return UNFINISHED if verb in _CAUSATIVE else COMPLETE


def _noun(tokens: list[str]) -> Ending:
    """A noun, a pronoun or a quality at the end, whatever stands before it."""
    last, before = tokens[-1], tokens[-2]
    verb = verbs.lemma(before)
    if last in _PRONOUNS:
        return UNFINISHED if verb in _DITRANSITIVE | _CAUSATIVE else COMPLETE
    if last in _CLOSING:
        return COMPLETE if verb in _INTRANSITIVE | _WAY or before in english.PREPOSITIONS else UNFINISHED
    if last in english.FUNCTION_WORDS | _OPEN_ADJECTIVES | _OPEN_NOUNS:
        return UNFINISHED
    is_quality = verb in _LINKING and not verbs.is_gerund(before)
    return COMPLETE if is_quality or (last not in _ADJECTIVES and _has_whole_noun(tokens)) else UNFINISHED


def _has_whole_noun(tokens: list[str]) -> bool:
    starts = [index for index, word in enumerate(tokens[:-1]) if _begins_noun(word)]
    if starts and not {*tokens[starts[-1] + 1 :]} & english.FUNCTION_WORDS:
        return not _wants_verb(tokens, starts[-1])
    for place in (-2, -3):
        if len(tokens) < -place or (place == -3 and verbs.is_gerund(tokens[-2])):
            continue
        word = tokens[place]
        if word == "to":
            return len(tokens) > -place and verbs.lemma(tokens[place - 1]) in _WAY
        if word in english.PREPOSITIONS:
            return True
        if verbs.lemma(word) in _TRANSITIVE | _OF_PERSONS and (place == -2 or tokens[-2] in _ADJECTIVES):
            return not _wants_verb(tokens, place + 1)
    return False


def _begins_noun(word: str) -> bool:
    return word in english.DETERMINERS | _OWNING | _NUMBERS


def _wants_verb(tokens: list[str], start: int) -> bool:
    """Whether a verb or thing is yet to be said of the noun: "made people", "gave the man", "spent the day"."""
    if verbs.lemma(tokens[start - 1]) == "spend":
        return True
    return tokens[-1] in _PERSONS and verbs.lemma(tokens[start - 1]) in _CAUSATIVE | _DITRANSITIVE
