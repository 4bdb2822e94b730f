"""I7: people who are said to be things, and things that are said to have a family."""

from __future__ import annotations

from tiltmeter.raters.issues import nouns, words
from tiltmeter.raters.issues.sentence import Finding, Sentence, Token, subject_of

# "She is fun", "he is family", "she is trouble": said of people as it is.
_SAID_OF_PEOPLE = frozenset(
    {"fun", "family", "trouble", "home", "history", "management", "royalty", "company", "news", "class", "music"}
)
_ACTIONS = frozenset(
    {"addition", "calculation", "computation", "removal", "production", "construction", "installation", "subtraction"}
)
_ABSTRACT = ("ness", "ship", "ism", "ity")


def called_a_thing(sentence: Sentence) -> Finding | None:
    """ "A woman is math", "The son was a symphony orchestra", "His art is a beautiful place"."""
    for token in sentence.doc:
        if token.dep_ not in {"attr", "acomp"} or token.head.lemma_ not in {"be", "become"} or token.i < token.head.i:
            continue
        subject = subject_of(token.head)
        if subject is None or subject.i > token.i:
            continue
        found = _person_is(subject, token) or _thing_is(subject, token)
        if found is not None:
            return found
    return None


def family_of_a_thing(sentence: Sentence) -> Finding | None:
    """ "the son of a symphony orchestra": only people have brothers and sons."""
    for token in sentence.doc:
        if token.dep_ != "pobj" or token.head.lower_ != "of" or token.text[0].isupper():
            continue
        kin = token.head.head
        if kin.lemma_.lower() not in nouns.KIN or kin.tag_ != "NN":
            continue
        lemma = token.lemma_.lower()
        if nouns.is_field(token.lower_) or (lemma in nouns.THINGS and lemma not in {"house", "school", "company"}):
            return Finding("I7", f"*{kin.text} of {_phrase(token)}*: a thing has no {kin.lower_}", 0.7)
    return None


def _person_is(subject: Token, noun: Token) -> Finding | None:
    # The tagger takes *agony* in "He was agony" for an adjective.
    is_noun = noun.tag_ in {"NN", "NNS", "NNP"} or noun.lower_ in words.NOT_A_PERSON
    if not nouns.is_person(subject) or not is_noun or _is_not_it(noun):
        return None
    lemma = noun.lemma_.lower()
    articles = {child.lower_ for child in noun.children if child.dep_ in {"det", "poss", "nummod", "predet"}}
    if (not articles and noun.tag_ != "NNS") or nouns.is_mass(noun.lower_):
        return _person_is_stuff(subject, noun) if not articles - {"a", "an"} else None
    if lemma in _ACTIONS and any(child.lower_ == "of" for child in noun.children):
        return Finding("I7", f"*{subject.text}* is a person, not *{_phrase(noun)}*", 0.65)
    if lemma not in nouns.THINGS or not articles & {"a", "an", "the"} or noun.tag_ != "NN":
        return None
    # "an open book", "a walking library": a figure of speech is often described.
    described = any(child.dep_ == "relcl" or _is_adjective(child) for child in noun.children)
    return Finding("I7", f"*{subject.text}* is a person, not *{_phrase(noun)}*", 0.4 if described else 0.7)


def _person_is_stuff(subject: Token, noun: Token) -> Finding | None:
    """ "A woman is math": without an article, and with nothing that would make it a figure of speech."""
    word = noun.lower_
    if word in _SAID_OF_PEOPLE:
        return None
    known = nouns.is_field(word) or nouns.is_mass(word) or word in nouns.THINGS or word in words.NOT_A_PERSON
    if not known and not word.endswith(_ABSTRACT):
        return None
    described = any(child.dep_ in {"amod", "relcl", "appos", "prep", "acl"} for child in noun.children)
    score = 0.9 if known and not described else 0.55 if known else 0.45
    return Finding("I7", f"*{subject.text}* is a person, not *{_phrase(noun)}*", score)


def _thing_is(subject: Token, noun: Token) -> Finding | None:
    word, lemma = subject.lower_, noun.lemma_.lower()
    articles = {child.lower_ for child in noun.children if child.dep_ in {"det", "poss"}}
    owned = any(child.dep_ == "poss" for child in subject.children)
    if nouns.is_field(word) and owned:
        if nouns.is_field(noun.lower_) and nouns.is_mass(noun.lower_) and not list(noun.children):
            return Finding("I7", f"one field is called another: *{subject.text}* and *{noun.text}*", 0.6)
        if lemma in {"place", "town", "city", "country", "house", "room"} and articles & {"a", "an"}:
            return Finding("I7", f"*{subject.text}* is no {lemma}", 0.65)
    if subject.lemma_.lower() not in nouns.THINGS or not articles & {"a", "an"}:
        return None
    people = [one for one in (noun, *noun.conjuncts) if one.lemma_.lower() in {"man", "woman", "boy", "girl", "person"}]
    if people:
        return Finding("I7", f"*{subject.text}* is a thing, not *a {people[0].text}*", 0.6)
    return None


def _is_adjective(word: Token) -> bool:
    """The tagger takes *symphony* in "symphony orchestra" for one too."""
    return word.tag_ in {"JJ", "VBG"} and word.lower_ not in nouns.THINGS and not nouns.is_field(word.lower_)


def _is_not_it(noun: Token) -> bool:
    """Asked for, part of a longer word, or "all business"."""
    if noun.doc[-1].text == "?" or noun.nbor(-1).lower_ in {"all", "pure", "no", "not", "n't", "more"}:
        return True
    return noun.i + 1 < len(noun.doc) and noun.nbor(1).tag_ in {"NN", "NNS", "HYPH"}


def _phrase(noun: Token) -> str:
    """The noun with its article and what describes it, up to itself."""
    kept = [child.text for child in noun.lefts if child.dep_ in {"det", "compound", "amod"}]
    return " ".join([*kept, noun.text])
