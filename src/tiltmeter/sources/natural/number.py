"""Puts a sentence about several people into the singular, so that *he* or *she* can go on from it.

"Pharmacists prepare medicines" becomes "A pharmacist prepares medicines". Only where every change is certain.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tiltmeter.english import FUNCTION_WORDS, article_for, capitalised
from tiltmeter.sources.natural import lexicon, words
from tiltmeter.sources.natural.words import listed
from tiltmeter.sources.nouns import singular

Doc = Any
Token = Any

_SHARED = frozenset({"each", "both"})
_THEY = frozenset({"they", "them", "themselves"})
_MANY = frozenset({"people", "children", "aircraft", "fish", "sheep", "cattle", "livestock"})
_SOME = listed("different various numerous certain similar other such many most early later")
"""Words that pick out some of several: "a different model" is not what "different models" means."""
_OF_A_PLACE = re.compile(r"^[A-Z].*(?:ish|ese|ian|ean|can)$|^(?:French|Dutch|Greek|Swiss|Thai|Czech|Welsh|German)$")
"""Adjectives that have a capital wherever they stand: "British army chaplains"."""
_PRESENT = frozenset({"VBP", "VB"})
_SAME_IN_THE_PAST = listed("lay put set cut shut spread split cast let read hit bid shed thrust")
"""Forms of the present that a parser may take for the past."""
_THIRD = {"are": "is", "have": "has", "do": "does", "go": "goes", "were": "was"}


def in_the_singular(doc: Doc, known: Callable[[str], bool], *, capitals: bool = False) -> str | None:
    """The sentence in the singular, or None where it is not of that kind or it cannot be told.

    The subject must be a plural without an article, of a known profession or of what is said to be people; `capitals`
    keeps its own.
    """
    root = next((token for token in doc if token.dep_ == "ROOT"), None)
    subject = next((child for child in root.children if child.dep_ == "nsubj"), None) if root is not None else None
    if root is None or subject is None or subject.tag_ not in {"NNS", "NNPS"} or subject.i > root.i:
        return None
    phrase = doc[subject.left_edge.i : subject.i + 1]
    one = singular(subject.text if capitals else subject.lower_)
    name = (doc[subject.left_edge.i : subject.i].text + " " + one).strip()
    if not (known(name) or _are_people(root)) or phrase[0].lower_ in FUNCTION_WORDS | _SOME:
        return None
    if any(token.dep_ in {"det", "poss", "nummod", "predet"} for token in phrase):
        return None
    if any(_means_the_subject(token, subject) for token in doc[subject.i + 1 :]):
        return None
    changes = _verbs(doc, root)
    if changes is None:
        return None
    first, *more = name.split()
    keeps = capitals or first.isupper() or (phrase[0].tag_ == "JJ" and _OF_A_PLACE.search(first) is not None)
    name = " ".join([first if keeps else first.lower(), *more])
    lead = f"{article_for(name) or 'a'} {name}"
    changes[subject.i] = lead
    text = ""
    for token in doc:
        if phrase.start <= token.i < subject.i:
            continue
        text += changes.get(token.i, token.text) + token.whitespace_
    return capitalised(text)


def _are_people(root: Token) -> bool:
    """Whether the sentence says that some are people: "… are traders who"."""
    nouns = [child for child in root.children if child.dep_ == "attr" and child.i > root.i]
    said = [noun for noun in nouns if noun.tag_ == "NNS" and any(child.dep_ == "relcl" for child in noun.children)]
    ones = [singular(noun.lower_) for noun in said]
    return root.lower_ == "are" and any(one in words.PERSONS or lexicon.is_person(one) for one in ones)


def _means_the_subject(token: Token, subject: Token) -> bool:
    """Whether a word speaks of the people as several: *they*, unless others were named since, *each* and *together*."""
    if token.lower_ == "together":
        return not any(child.dep_ in {"dobj", "pobj"} for child in token.head.children)
    if token.lower_ not in _THEY and (token.lower_ not in _SHARED or token.dep_ in {"det", "preconj", "predet"}):
        return False
    since = token.doc[subject.i + 1 : token.i]
    return not any(other.tag_ in {"NNS", "NNPS"} or other.lower_ in _MANY for other in since)


def _verbs(doc: Doc, root: Token) -> dict[int, str] | None:
    """The new forms of verbs, and of the noun that says what the people are; None where one is in doubt."""
    changes: dict[int, str] = {}
    if not _finite(doc, root, changes):
        return None
    are = next((doc[at] for at, form in changes.items() if form in {"is", "was"}), None)
    return changes if are is None or _predicate(doc, are, changes) else None


def _finite(doc: Doc, first: Token, changes: dict[int, str]) -> bool:
    """Add the new forms of a verb and of those beside it that have the same subject; whether none is in doubt."""
    row = _row_of_verbs(doc, first)
    changes.update(row)
    for verb in [first, *first.conjuncts]:
        if verb.i in row or any(child.dep_ in {"nsubj", "nsubjpass"} for child in verb.children if verb is not first):
            continue
        is_verb = verb.pos_ in {"VERB", "AUX"} or any(child.dep_ == "dobj" for child in verb.children)
        if not is_verb or (row and verb.tag_ not in _PRESENT and verb is not first):
            if row:
                continue
            return False
        helpers = [child for child in verb.children if child.dep_ in {"aux", "auxpass"} and child.i < verb.i]
        finite = helpers[0] if helpers else verb
        if finite.tag_ == "MD" and first.dep_ == "relcl":
            continue
        present = finite.tag_ in _PRESENT or finite.pos_ == "NOUN"
        if not present and (finite.lower_ not in _SAME_IN_THE_PAST or _of_one_time(verb)):
            return False
        changes[finite.i] = third_person(finite.lower_)
    return True


def _row_of_verbs(doc: Doc, root: Token) -> dict[int, str]:
    """The new forms of a row of verbs that share an object, "wash, clip and brush dogs": a parser takes them for nouns.

    A verb that a comma follows has no object of its own, so that what stands beside it is a verb too.
    """
    row, place = [], root.i + 1
    while place + 1 < len(doc) and doc[place].text == "," and doc[place + 1].is_alpha:
        row.append(place := place + 1)
        place += 1
        if doc[place].lower_ in {"and", "or"}:
            break
    if not row or place + 1 >= len(doc) or doc[place].lower_ not in {"and", "or"} or not doc[place + 1].is_alpha:
        return {}
    return {at: third_person(doc[at].lower_) for at in (*row, place + 1)}


def _of_one_time(verb: Token) -> bool:
    """Whether a verb may tell of one event: "put out the fire"."""
    return any(
        child.dep_ == "npadvmod"
        or (child.dep_ == "dobj" and any(inner.lower_ in {"the", "this", "these"} for inner in child.children))
        for child in verb.children
    )


def _predicate(doc: Doc, verb: Token, changes: dict[int, str]) -> bool:
    """Change "are doctors who treat" to "is a doctor who treats"."""
    nouns = [child for child in verb.children if child.dep_ == "attr" and child.i > verb.i]
    for noun in nouns:
        determiners = [child.lower_ for child in noun.children if child.dep_ in {"det", "nummod"}]
        if noun.tag_ not in {"NNS", "NNPS"} or set(determiners) - {"the"}:
            return False
        if any(other.i > noun.i for other in noun.conjuncts):
            return False
        changes[noun.i] = singular(noun.lower_)
        first = noun.left_edge
        opening = changes.get(first.i, first.text)
        changes[first.i] = opening if determiners else f"{article_for(opening) or 'a'} {opening}"
        if not all(_finite(doc, child, changes) for child in noun.children if child.dep_ == "relcl"):
            return False
    return True


def third_person(verb: str) -> str:
    """The form of a verb that goes with one person.

    >>> [third_person(one) for one in ("treat", "study", "teach", "are", "fix", "play")]
    ['treats', 'studies', 'teaches', 'is', 'fixes', 'plays']
    """
    if verb in _THIRD:
        return _THIRD[verb]
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else f"{verb}s"
