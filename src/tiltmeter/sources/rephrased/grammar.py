"""Puts a person and a verb phrase into a structure: words in their forms, capitals, spans and the skeleton."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from tiltmeter import english
from tiltmeter.records import Span, Structure
from tiltmeter.sources.rephrased.gaps import Gap
from tiltmeter.sources.rephrased.needs import OF_PERSON, OF_PREDICATE
from tiltmeter.sources.rephrased.people import Agreement, Person, plural
from tiltmeter.sources.rephrased.predicates import BE, Close, Predicate
from tiltmeter.sources.rephrased.structures import Pattern

_EMPTY = re.compile(r" +(?=[ .,?!]|$)")
_SLOT = re.compile(r"\{([^{}]+)\}")
_RELATIVE = re.compile(r"\{(?:the subject|subject|a person|people)\} who\b|\{subject who\}")
_ONE_OF_A_KIND = re.compile(r"\{(?:a person|people|self|someone/people)\}")
# Signs that no text has, around what is to be found again in the sentence, each with the sign that ends it.
TERM, ATTRIBUTE, AGREES = "\x01", "\x02", "\x03"
_ENDS = {TERM: "\x04", ATTRIBUTE: "\x05", AGREES: "\x06"}
_STARTS = {end: start for start, end in _ENDS.items()}
_MARKS = re.compile("([\x01-\x06])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A structure with its words: the text, its structure, and where the term and the attribute stand in it.

    `agreeing_spans` are words that are there because of the term: "she" in a tag, "an" before "elderly man".
    """

    text: str
    structure: Structure
    term_spans: tuple[Span, ...]
    attribute_spans: tuple[Span, ...] = ()
    agreeing_spans: tuple[Span, ...] = ()

    @property
    def template(self) -> str:
        """The text with [T] in the place of the term."""
        text = self.text
        for start, end in reversed(self.term_spans):
            text = f"{text[:start]}[T]{text[end:]}"
        return text


def phrase_misfit(pattern: Pattern, predicate: Predicate) -> str | None:
    """Why a verb phrase cannot stand in a structure, whoever it is about; None: it can."""
    for need in pattern.needs:
        reason = OF_PREDICATE[need](predicate) if need in OF_PREDICATE else None
        if reason:
            return reason
    if "plural" in pattern.needs and predicate.is_about_one:
        return f"`{_plain(predicate.phrase)}` is said of one person"
    return None


def person_misfit(pattern: Pattern, person: Person) -> str | None:
    """Why a term cannot stand in a structure, whatever is said of it; None: it can."""
    for need in pattern.needs:
        reason = OF_PERSON[need](person) if need in OF_PERSON else None
        if reason:
            return reason
    if person.has_clause and _RELATIVE.search(pattern.pattern):
        return f"`{person.noun}` has a clause of its own already"
    if person.is_collective and _ONE_OF_A_KIND.search(pattern.pattern):
        return f"`{person.noun}` is not what one person is"
    return None


def together_misfit(predicate: Predicate, person: Person) -> str | None:
    """Why a term and a verb phrase do not go together, in whatever structure; None: they do."""
    if person.several and predicate.is_about_one:
        return f"`{_plain(predicate.phrase)}` is said of one person, and `{person.noun}` are several"
    return None


def sentence(pattern: Pattern, person: Person, predicate: Predicate, *, closed: bool = False) -> Sentence:
    """The structure with its words; nothing may speak against it. `closed` puts a full stop where there is no mark."""
    words = _SLOT.sub(lambda slot: _filled(slot[1], person, predicate), pattern.pattern)
    # A slot may stay empty: "was" leaves nothing for the place after its subject.
    text = _with_capital(_EMPTY.sub("", words))
    if closed and text[-1] not in '.?!"':
        text += "."
    skeleton = _SLOT.sub(lambda slot: _label(slot[1], person, predicate), pattern.skeleton)
    if closed and not skeleton.endswith("(.)))"):
        skeleton = f"{skeleton[:-2]} (.)))"
    plain, spans = _unmarked(text)
    structure = Structure(pattern.id, pattern.kind, pattern.family, skeleton)
    return Sentence(plain, structure, spans[TERM], spans[ATTRIBUTE], spans[AGREES])


def marked(words: str, mark: str) -> str:
    """Words whose place in the sentence will be known: those of the TERM, of the ATTRIBUTE, or what AGREES."""
    return f"{mark}{words}{_ENDS[mark]}"


def _filled(slot: str, person: Person, predicate: Predicate) -> str:
    for sign, second in (("|", predicate.tense == "present"), ("/", person.several)):
        if sign in slot:
            return slot.split(sign)[second]
    if slot in _OF_PERSON:
        return _OF_PERSON[slot](person)
    if slot in _OF_GAP and predicate.ending.gap:
        return _OF_GAP[slot](predicate.ending.gap)
    name, *options = slot.split()
    return _OF_BOTH[name](person, predicate, options)


def _label(slot: str, person: Person, predicate: Predicate) -> str:
    name, *options = slot.split()
    match name:
        case "adv":
            return predicate.adverb_labels
        case "pred":
            return predicate.remainder_labels
        case "op":
            return predicate.operator_label(_agreement(options, person))
        case "wh":
            return predicate.ending.gap.label if predicate.ending.gap else ""
    if predicate.tense == "past":
        return "VBD"
    return "VBZ" if name == "is" or person.agreement == "third" else "VBP"


def _agreement(options: list[str], person: Person) -> Agreement:
    if "first" in options:
        return "several" if person.several else "first"
    if "several" in options:
        return "several"
    if "third" in options:
        return "third"
    return ("several" if person.several else "third") if "one" in options else person.agreement


def _tag(person: Person, predicate: Predicate) -> str:
    pronoun = person.pronoun or ""
    of_pronoun: dict[str, Agreement] = {"i": "first", "he": "third", "she": "third", "it": "third"}
    agreement = of_pronoun.get(pronoun.lower(), "several")
    verb = predicate.denied(agreement) if predicate.positive else predicate.operator(agreement)
    return marked(f"{verb} {pronoun if pronoun == 'I' else pronoun.lower()}", AGREES)


def _noun(person: Person, *, noun: str | None = None) -> str:
    """The noun with marks around the part of it that names the group."""
    if person.tail:
        tail = person.tail if noun is None else noun[len(person.term) + 1 :]
        return f"{marked(person.term, TERM)} {tail}"
    return marked(noun or person.term, TERM)


def _subject(person: Person) -> str:
    if person.sort == "noun":
        return _noun(person) if person.bare else f"the {_noun(person)}"
    first, space, others = person.term.partition(" ")
    is_word = first.lower() in english.DETERMINERS | {"my", "our", "your", "his", "her", "their"}
    small = person.sort == "pronoun" and person.term != "I"
    term = f"{first.lower()}{space}{others}" if small or (person.sort == "determined" and is_word) else person.term
    return marked(term, TERM)


def _the_subject(person: Person) -> str:
    return f"the {_noun(person)}" if person.sort == "noun" else _subject(person)


def _subject_who(person: Person) -> str:
    told_apart = person.sort == "noun" or person.term.split()[0].lower() in english.DETERMINERS
    return f"{_subject(person)}{' who' if told_apart else ', who'}"


def _one_of_them(person: Person) -> str:
    article = "" if person.several else f"{marked(english.article_for(person.noun) or 'a', AGREES)} "
    return f"{article}{_noun(person)}"


def _people(person: Person) -> str:
    return _noun(person) if person.several else _noun(person, noun=plural(person.noun))


def _self(person: Person) -> str:
    return _one_of_them(person) if person.sort == "noun" else _subject(person)


_OF_PERSON: dict[str, Callable[[Person], str]] = {
    "subject": _subject,
    "the subject": _the_subject,
    "subject who": _subject_who,
    "a person": _one_of_them,
    "people": _people,
    "self": _self,
    "I": lambda person: "we" if person.several else "I",
    "am": lambda person: "are" if person.several else "am",
}
_OF_GAP: dict[str, Callable[[Gap], str]] = {
    "what": lambda gap: gap.asks,
    "whatever": lambda gap: f"{gap.asks}ever" if gap.asks != "where" else "wherever",
    "as what": lambda gap: gap.fronted or "",
}
_OF_BOTH: dict[str, Callable[[Person, Predicate, list[str]], str]] = {
    "be": lambda who, said, _: BE[said.tense, who.agreement],
    "verb": lambda who, said, options: said.agreeing(_agreement(options, who), _close(options)),
    "did": lambda who, said, options: said.operator(_agreement(options, who)),
    "didn't": lambda who, said, options: said.denied(_agreement(options, who)) or "",
    "rest": lambda _, said, options: said.remainder(_close(options)),
    "have": lambda _, said, options: said.infinitive(_close(options), earlier=True),
    "base": lambda _, said, options: said.infinitive(_close(options)),
    "tag": lambda who, said, _: _tag(who, said),
}


def _close(options: list[str]) -> Close:
    closes: tuple[Close, ...] = get_args(Close)
    return next((close for close in closes if close in options), "open")


def _with_capital(text: str) -> str:
    place = next(index for index, sign in enumerate(text) if sign.isalnum())
    return f"{text[:place]}{text[place].upper()}{text[place + 1 :]}"


def _unmarked(text: str) -> tuple[str, dict[str, tuple[Span, ...]]]:
    plain = ""
    start = 0
    spans: dict[str, list[Span]] = {mark: [] for mark in _ENDS}
    for piece in _MARKS.split(text):
        if piece in _ENDS:
            start = len(plain)
        elif piece in _STARTS:
            spans[_STARTS[piece]].append((start, len(plain)))
        else:
            plain += piece
    return plain, {mark: tuple(found) for mark, found in spans.items()}


def _plain(text: str) -> str:
    return _MARKS.sub("", text)
