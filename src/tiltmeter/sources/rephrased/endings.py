"""How a verb phrase ends: with a preposition, with a verb that wants more, inside a phrase, or complete.

Complete is only what is known to be: a phrase that is not understood stays open, and no structure closes it.
"""

from __future__ import annotations

from tiltmeter import english
from tiltmeter.sources.rephrased import closings, prepositions, verbs
from tiltmeter.sources.rephrased.adverbs import is_adverb, is_degree, without_adverbs
from tiltmeter.sources.rephrased.gaps import A_PERSON, UNFINISHED, Ending
from tiltmeter.sources.rephrased.lists import words

_FREE = (english.PREPOSITIONS | {"that"}) - words("phrases.toml", "only_particles")
_STARTED = (english.DETERMINERS | english.CONJUNCTIONS | words("phrases.toml", "unfinished")) - {"that"}
_ASKS_FOR_VERB = words("phrases.toml", "modals") | {"not"}
_CLOSING = words("phrases.toml", "closing")
_AFTER_PERSON = words("phrases.toml", "after_person")


def ending(phrase: str) -> Ending:
    """The end of a verb phrase, which begins with its finite verb.

    >>> ending("worked as").gap.asks, ending("earned money by").gap.asks, ending("grew up in").gap.asks
    ('what', 'how', 'where')
    >>> ending("wanted to"), ending("was a").some, ending("dreams of becoming").some
    (Ending(gap=None, some='do something', replaced=0), None, 'something')
    """
    tokens = phrase.lower().split()
    last, before = tokens[-1], tokens[-2] if len(tokens) > 1 else ""
    if last == "after" and verbs.lemma(before) in _AFTER_PERSON:
        return A_PERSON
    if last in _STARTED or (last not in _CLOSING and (is_adverb(last) or is_degree(last))):
        return UNFINISHED
    if last in _ASKS_FOR_VERB:
        return Ending(None, "do something")
    plain = [*without_adverbs(tokens[:-1]), last]
    is_preposition = last in _FREE and not (last == "like" and closings.stands_as_verb(plain))
    return closings.particle(plain) or (prepositions if is_preposition else closings).ending(plain)
