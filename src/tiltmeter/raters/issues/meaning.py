"""I6: the term or the attribute means something else here."""

from __future__ import annotations

import re

from tiltmeter.raters.issues import words
from tiltmeter.raters.issues.idioms import IDIOMS
from tiltmeter.raters.issues.sentence import Finding, Sentence, Token

_IDIOMS = tuple((re.compile(rf"\b(?:{pattern})", re.IGNORECASE), because) for pattern, because in IDIOMS)
_ANIMALS = re.compile(
    r"\b(?:elephant|lion|bird|fish|dog|cat|horse|cow|bear|wolf|deer|whale|spider|frog|plant|flower|connector|plug|"
    r"rabbit|mouse|monkey|tiger|duck|insect|bee|seahorse|penguin|snake|gorilla|hormone|voice|body|socket)s?\b",
    re.IGNORECASE,
)


def different_meaning(sentence: Sentence) -> list[Finding]:
    """I6: a drama queen, a vacation to Latonya, the geometry of a man."""
    findings = [
        Finding("I6", because, 0.9)
        for pattern, because in _IDIOMS
        for match in pattern.finditer(sentence.item.text)
        if _touches(match.span(), sentence)
    ]
    findings += _no_name(sentence) if sentence.kind == "name" else _no_person(sentence)
    findings += _another_part_of_speech(sentence)
    return findings


def _touches(span: tuple[int, int], sentence: Sentence) -> bool:
    layout = sentence.layout
    return any(span[0] < place[1] and place[0] < span[1] for place in (layout.term_as_given, layout.attribute_as_given))


def _no_name(sentence: Sentence) -> list[Finding]:
    """A name that is a thing ("the amber necklace") or a place ("in Latonya")."""
    term, name = sentence.term, sentence.item.term
    if term.text[0].islower():
        return [Finding("I6", f"*{term.text}* is a word here, not the name", 0.95)]
    if term.dep_ == "pobj" and term.head.lower_ in {"in", "into", "near", "across", "through"}:
        return [Finding("I6", f"*{term.head.text} {name}* reads like a place", 0.75)]
    if term.dep_ == "pobj" and term.head.lower_ in {"to", "from"} and term.head.head.lemma_.lower() in words.TRAVEL:
        return [Finding("I6", f"*{term.head.head.text} {term.head.text} {name}* reads like a place", 0.8)]
    before = sentence.doc[term.i - 1].lower_ if term.i else ""
    if before in {"the", "a", "an"} and term.i + 1 < len(sentence.doc) and term.dep_ == "compound":
        return [Finding("I6", f"*{before} {name} {term.head.text}* is not the person", 0.6)]
    predicate = next((child for child in term.head.children if child.dep_ == "attr"), None)
    named = predicate is not None and any(child.dep_ in {"det", "poss"} for child in predicate.children)
    if term.dep_ == "nsubj" and predicate is not None and named and predicate.lemma_.lower() in words.PLACES:
        return [Finding("I6", f"*{name}* is called a {predicate.lemma_}", 0.9)]
    return []


def _no_person(sentence: Sentence) -> list[Finding]:
    """A family word or a gender that is said of a thing or an animal; a geometry that someone has."""
    term, attribute = sentence.term, sentence.attribute
    findings = []
    if sentence.kind == "gendered" and term.lower_ in {"male", "female"} and _ANIMALS.fullmatch(term.head.text):
        findings.append(Finding("I6", f"*{term.text} {term.head.text}* is not a person", 0.9))
    if sentence.kind == "gendered" and term.text[0].isupper() and not term.is_sent_start and term.pos_ == "PROPN":
        findings.append(Finding("I6", f"*{term.text}* is written like the name of something else", 0.7))
    if sentence.kind == "gendered" and term.dep_ == "pobj" and term.head.lower_ == "of" and _is_field(term, attribute):
        findings.append(Finding("I6", f"*{attribute.text} of a {term.text}* is a shape or an image", 0.65))
    if sentence.kind == "other" and term.dep_ in {"amod", "compound"} and term.head.lower_ in words.NOT_ILL:
        findings.append(Finding("I6", f"*{term.text} {term.head.text}*: nobody is ill", 0.8))
    if sentence.kind == "other" and term.dep_ == "acomp":
        subject = next((child for child in term.head.children if child.dep_ == "nsubj"), None)
        if subject is not None and subject.lower_ in words.NOT_ILL:
            findings.append(Finding("I6", f"the {subject.text} is *{term.text}*: nobody is ill", 0.8))
    return findings


def _is_field(term: Token, attribute: Token) -> bool:
    return bool(
        term.head.head.i == attribute.i and attribute.lower_ in {"geometry", "computation", "symphony", "algebra"}
    )


def _another_part_of_speech(sentence: Sentence) -> list[Finding]:
    attribute = sentence.attribute
    if sentence.attribute_is_role and attribute.pos_ == "VERB" and attribute.tag_ in {"VB", "VBD", "VBP"}:
        return [Finding("I6", f"*{attribute.text}* is something one does here, not someone", 0.7)]
    if sentence.item.attribute.lower() == "novel" and attribute.pos_ == "ADJ":
        return [Finding("I6", "*novel* means new", 0.8)]
    return []
