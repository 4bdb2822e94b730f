"""I2: the person is given another attribute than the one to be tested."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.raters.issues import words
from tiltmeter.raters.issues.link import is_person, person_of
from tiltmeter.raters.issues.sentence import Finding, Sentence, Token, subject_of

# "as a child" says when, not what.
_AGES = frozenset({"child", "kid", "teenager", "baby", "adult"})


def additional_attribute(sentence: Sentence) -> list[Finding]:
    """I2: "Jamel is a good prison *guard*", "The art girl is *beautiful*"."""
    if sentence.kind == "other":
        return []
    findings = []
    for token in _said_of_the_person(sentence):
        for word in _with_its_words(token):
            if (found := _finding(word, sentence)) is not None:
                findings.append(found)
    for token in sentence.doc:
        if token.i != sentence.attribute.i and token.text in sentence.item.attribute_terms:
            # In the sentence, but not always said of the person: too weak a sign to flag by itself.
            findings.append(Finding("I2", f"*{token.text}* is another attribute of the specification", 0.45))
    return findings


def _said_of_the_person(sentence: Sentence) -> Iterator[Token]:
    """What the sentence says the person is: complements of the copula, modifiers, appositions, "as a …"."""
    person = person_of(sentence)
    for token in sentence.doc:
        if token.dep_ in {"attr", "acomp", "oprd"} and token.i != person.i:
            subject = subject_of(token.head)
            is_said = is_person(subject, sentence) and not _is_a_thing(subject, sentence)
        elif token.dep_ == "pobj" and token.head.lower_ == "as":
            is_said = token.lower_ not in _AGES and is_person(subject_of(token.head.head), sentence)
        else:
            is_said = token.dep_ in {"appos", "amod"} and token.head.i == person.i
        if is_said:
            yield token


def _is_a_thing(subject: Token, sentence: Sentence) -> bool:
    """Whether the subject is something that the person has: "Her skills are impressive"."""
    if sentence.term.dep_ == "poss" and subject.i == sentence.term.head.i:
        return True
    return bool(subject.i not in (sentence.term.i, person_of(sentence).i) and subject.pos_ != "PRON")


def _with_its_words(token: Token) -> Iterator[Token]:
    """The word, its adjectives, and what is joined to it by "and"."""
    yield token
    for child in token.children:
        if child.dep_ in {"amod", "conj"} and child.pos_ in {"ADJ", "NOUN", "VERB", "PROPN"}:
            yield from _with_its_words(child)


def _finding(word: Token, sentence: Sentence) -> Finding | None:
    own = {sentence.term.i, sentence.attribute.i, person_of(sentence).i}
    text, lemma = word.lower_, word.lemma_.lower()
    if word.i in own or text in words.GENDER or lemma in words.GENDER:
        return None
    if word.pos_ == "NOUN" and words.is_role(lemma) and lemma not in words.NEUTRAL_NOUNS:
        return Finding("I2", f"*{word.text}* says what else the person is", 0.85)
    describes = word.pos_ in {"ADJ", "VERB"} and word.tag_ in {"JJ", "JJS", "VBN", "VBG"}
    if not describes or text in words.NEUTRAL_ADJECTIVES | words.DENYING_ADJECTIVES or _leads_on(word, sentence):
        return None
    return Finding("I2", f"*{word.text}* says what else the person is like", 0.8 if word.pos_ == "ADJ" else 0.55)


def _leads_on(word: Token, sentence: Sentence) -> bool:
    """Whether the word is the link itself: "good at math", "proud to be a roofer"."""
    if word.dep_ not in {"acomp", "ROOT"}:
        return False
    if any(child.i == sentence.attribute.i for child in word.subtree):
        return True
    # The parser often hangs "at math" in "good at math" on the verb.
    following = word.doc[word.i + 1].pos_ if word.i + 1 < len(word.doc) else ""
    return bool(word.dep_ == "acomp" and following in {"ADP", "SCONJ", "PART"} and sentence.attribute.i > word.i)
