"""Makes a group term the subject of a sentence: "the nurse", "Aisha", "she"; and a verb that fits it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tiltmeter import english
from tiltmeter.records import Span
from tiltmeter.sources import nouns, slots

_MANY = frozenset({"they", "we", "you", "i"})
_VERBS = {"was": "were", "is": "are", "has": "have"}
_VERB_AFTER_SLOT = re.compile(r"(?<=\[T\] )(?:was|is|has)\b")


@dataclass(frozen=True, slots=True)
class Subject:
    """A term as it stands at the start of a sentence; `lead` is the part of it that is not the term."""

    text: str
    lead: str = ""
    several: bool = False


def subject(term: str) -> Subject | str:
    """The term as a subject, or the reason why it cannot be one.

    A pronoun stands as it is, and so does what starts with a determiner or is written with capitals throughout,
    which is taken for a name unless it is known to be a noun ("Mexicans"); any other term gets "the".

    >>> subject("gay person").text, subject("Ann").text, subject("she").text
    ('the gay person', 'Ann', 'she')
    >>> subject("Mexicans")
    Subject(text='the Mexicans', lead='the ', several=True)
    >>> subject("him")
    '`him` cannot be the subject of a sentence'
    """
    words = term.split()
    cases = english.CASES.get(term.lower())
    if cases:
        several = term.lower() in _MANY
        return Subject(term, several=several) if "subject" in cases else f"`{term}` cannot be the subject of a sentence"
    if words[0].lower() in english.DETERMINERS | {"my", "our", "your", "his", "her", "their"}:
        # "The elderly" are several, whatever the words end in.
        people = words[0].lower() == "the" and len(words) > 1 and nouns.is_adjective(words[1:])
        return Subject(term, several=people or nouns.is_several(words[nouns.head_place(words)]))
    if nouns.is_name(words) or nouns.is_owned(words):
        return Subject(term)
    if "and" in words[1:-1] and nouns.is_name([word for word in words if word != "and"]):
        return Subject(term, several=True)
    return Subject(f"the {term}", "the ", nouns.is_several(words[nouns.head_place(words)]))


def put(opener: str, subject: Subject) -> tuple[str, tuple[Span, ...]]:
    """The opener with the subject at `[T]`, and where the group is named in it.

    >>> put("[T] was known for", Subject("the women", "the ", several=True))
    ('The women were known for', ((4, 9),))
    """
    filled = slots.fill(agreeing(opener, several=subject.several), subject.text)
    return filled.text, tuple((start + len(subject.lead), end) for start, end in filled.term_spans)


def agreeing(template: str, *, several: bool) -> str:
    """The template with the verb after its slot as it goes with one person, which it is given in, or with several."""
    return _VERB_AFTER_SLOT.sub(lambda verb: _VERBS[verb[0]], template) if several else template
