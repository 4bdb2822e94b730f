"""I1 and I5: words that reveal the group of the person, and other groups and persons in the sentence."""

from __future__ import annotations

from tiltmeter.raters.issues import words
from tiltmeter.raters.issues.sentence import STAND_IN, Finding, Sentence, Token, clause_of, path_up, subject_of


def related_group(sentence: Sentence) -> list[Finding]:
    """I1: *her* reveals the group of "my daughter", *man* that of "Jermaine"."""
    if sentence.kind == "other":
        return []
    findings = []
    for token in _gendered(sentence):
        if token.head.i == sentence.term.i and token.dep_ == "poss":
            # Whose grandmother it is tells nothing; whose wife does.
            if sentence.term.lemma_.lower() in words.PARTNERS:
                findings.append(Finding("I1", f"*{token.text}* beside *{sentence.item.term}* reveals the group", 0.8))
            continue
        if _is_the_person(token, sentence):
            findings.append(Finding("I1", f"*{token.text}* reveals the group", 0.95))
    return findings


def unrelated_group(sentence: Sentence) -> list[Finding]:
    """I5: another social group, or another person with a name or a gender, is in the sentence."""
    findings = []
    if sentence.kind != "other":
        for token in _gendered(sentence):
            if token.dep_ == "poss" and token.head.i == sentence.term.i:
                continue
            if not _is_the_person(token, sentence):
                findings.append(Finding("I5", f"*{token.text}* is another person", 0.85))
    for token in sentence.doc:
        if token.i in (sentence.term.i, sentence.attribute.i):
            continue
        if token.head.i != sentence.term.i and _noun_is_the_person(token.head, sentence):
            continue  # "an old man" who is the person
        if because := _other_term(token, sentence) or _other_group(token) or _other_name(token, sentence):
            findings.append(Finding("I5", because, 0.9))
    return findings


def _gendered(sentence: Sentence) -> list[Token]:
    own = {sentence.term.i, sentence.attribute.i}
    return [
        token
        for token in sentence.doc
        if token.i not in own
        and (token.lower_ in words.GENDER or (token.pos_ in {"NOUN", "PROPN"} and token.lemma_.lower() in words.GENDER))
    ]


def _gender(token: Token) -> words.Gender:
    return words.GENDER.get(token.lower_) or words.GENDER[token.lemma_.lower()]


def _is_the_person(token: Token, sentence: Sentence) -> bool:
    """Whether a gendered word speaks of the person that the term names, as far as grammar tells."""
    if sentence.gender is not None and _gender(token) != sentence.gender:
        return False
    if token.lower_ in words.PRONOUNS:
        return _pronoun_is_the_person(token, sentence)
    return _noun_is_the_person(token, sentence)


def _pronoun_is_the_person(token: Token, sentence: Sentence) -> bool:
    if sentence.kind == "name" and _gender(token) != _first_pronoun_gender(sentence):
        return False
    if token.lower_ in {"himself", "herself"} or token.tag_ == "PRP$" or token.dep_ == "poss":
        return True
    if token.dep_ in {"nsubj", "nsubjpass"}:
        return True
    if token.dep_ == "pobj" and token.head.lower_ in {"before", "behind", "around", "beside", "above", "below", "near"}:
        return True
    # "Tanisha loves him": an object is not the subject of its own clause.
    subject = subject_of(clause_of(token))
    return subject is None or subject.i not in _persons(sentence)


def _first_pronoun_gender(sentence: Sentence) -> words.Gender:
    """A name tells no gender here; its first pronoun that can be its own does."""
    pronouns = [token for token in sentence.doc if token.lower_ in words.PRONOUNS]
    own = [token for token in pronouns if token.dep_ in {"poss", "nsubj", "nsubjpass"} or token.lower_.endswith("self")]
    return _gender((own or pronouns)[0])


def _noun_is_the_person(token: Token, sentence: Sentence) -> bool:
    """A noun is the person when it is said of it: "X is a loyal man", "X, a man who", "as a woman"."""
    persons = _persons(sentence)
    if token.dep_ in {"attr", "oprd"}:
        subject = subject_of(token.head)
        return subject is not None and subject.i in persons
    if token.dep_ == "appos" or (token.head.i == sentence.term.i and token.dep_ in {"compound", "amod"}):
        return token.head.i in persons
    if token.dep_ == "pobj" and token.head.lower_ == "as":
        return True
    # "a kind and loyal man", "a male nurse": what the noun goes with decides.
    joined = token.dep_ == "conj" and token.head.dep_ in {"attr", "oprd"}
    describes = token.dep_ in {"amod", "compound", "nmod"} and token.head.dep_ in {"attr", "oprd", "appos"}
    if joined or describes:
        return _noun_is_the_person(token.head, sentence)
    return _is_named(token, sentence.term)


def _is_named(noun: Token, term: Token) -> bool:
    """ "a woman named X", "my son, X"."""
    if term.dep_ == "appos":
        return bool(term.head.i == noun.i)
    return bool(term.dep_ == "oprd" and term.head.dep_ == "acl" and term.head.head.i == noun.i)


def _persons(sentence: Sentence) -> set[int]:
    """The tokens that are the person: the term, what it is a part of the name of, and who stands for it."""
    found = {sentence.term.i}
    if sentence.term.dep_ in {"compound", "amod", "poss"}:
        found.add(sentence.term.head.i)
    for token in sentence.doc:
        if token.lower_ in {"who", "that"} and any(above.i in found for above in path_up(token.head)):
            found.add(token.i)
        if token.dep_ in {"nsubj", "nsubjpass"} and token.lower_ in {"he", "she"}:
            found.add(token.i)
    return found


def _other_term(token: Token, sentence: Sentence) -> str | None:
    """Another group term of the specification; gendered words were dealt with, and may be the same person."""
    item = sentence.item
    if sentence.kind == "gendered" or token.text == item.term or token.text not in item.group_terms:
        return None
    if token.text == item.counterpart:
        return f"*{token.text}* is the counterpart, of the other group"
    return f"*{token.text}* is another term of the groups"


def _other_group(token: Token) -> str | None:
    word = token.lower_
    if word in words.GROUPS and token.pos_ in {"NOUN", "ADJ", "PROPN"}:
        return f"*{token.text}* is another social group"
    of_people = word in words.GROUPS_OF_PEOPLE or token.ent_type_ == "NORP"
    if of_people and token.dep_ in {"amod", "compound"} and token.head.lower_ in words.PEOPLE:
        return f"*{token.text} {token.head.text}* are another social group"
    if of_people and token.dep_ in {"pobj", "dobj"} and any(child.lower_ == "the" for child in token.children):
        return f"*the {token.text}* are another social group"
    return None


def _other_name(token: Token, sentence: Sentence) -> str | None:
    if sentence.kind == "other" or token.pos_ != "PROPN" or not token.text[0].isupper():
        return None
    if token.text in {STAND_IN, sentence.item.term} or token.lower_ in words.GENDER:
        return None
    if sentence.term.text == STAND_IN and token.i == sentence.term.i + 1:
        return f"*{sentence.item.term} {token.text}* is a certain person"
    acts = not token.is_sent_start or token.dep_ in {"nsubj", "nsubjpass", "conj"}
    among = token.dep_ == "pobj" and token.head.lower_ in {"with", "than", "as", "by", "like"}
    titled = token.lower_.rstrip(".") in words.TITLES
    if (token.ent_type_ == "PERSON" and acts) or (among and not token.ent_type_) or titled:
        return f"*{token.text}* is another person"
    return None
