"""Parses a sentence with a common word in the place of a rare noun, so that the parser cannot mistake it.

Of "A cobbler mends shoes" a small parser makes a noun phrase, of "She mends shoes" a sentence. The tree that comes
back has the words of the sentence itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tiltmeter.english import FUNCTION_WORDS
from tiltmeter.sources.nouns import singular

Doc = Any

_LEAD = re.compile(r"^(?:[^,.;:]{1,40}, )?(?=(?:an?|the|any) )", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the|any) ", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_](?:[\w'’./-]*\w)?")
_VERB = re.compile(r" (?:is|are|was|were) ", re.IGNORECASE)
_ASIDE = re.compile(r",? (?:or|also|sometimes|often|commonly|usually|known|called|abbreviated) |, ")
"""What follows a noun where other names for it come before the verb."""
_LONGEST = 5


@dataclass(frozen=True, slots=True)
class StandIn:
    """A text with a pronoun at `start`; `words` are those that belong there, an article first and the noun last."""

    text: str
    start: int = 0
    words: tuple[str, ...] = ()
    plural: bool = False

    def restored(self, doc: Doc) -> Doc:
        """The tree of the text with its own noun; as it is where the parser divided the text otherwise."""
        at = next((token.i for token in doc if token.idx == self.start), None)
        if not self.words or at is None:
            return doc
        more = len(self.words) - 1
        rows = [_row(token) for token in doc]
        noun, own = self.words[-1], doc[at]
        lemma = singular(noun.lower()) if self.plural else noun.lower()
        rows[at] = (noun, bool(own.whitespace_), "NNS" if self.plural else "NN", "NOUN", own.dep_, lemma)
        verb = at + 1
        if own.dep_ == "nsubj" and own.head.i == verb and doc[verb].pos_ == "NOUN":
            # What follows a pronoun that is its subject is a verb.
            text, space, _, _, kind, base = rows[verb]
            rows[verb] = (text, space, "VBP" if self.plural else "VBZ", "VERB", kind, base)
        heads = [token.head.i + (more if token.head.i >= at else 0) for token in doc]
        before = [
            (word, True, *(("NN", "NOUN", "compound") if place or self.plural else ("DT", "DET", "det")), word.lower())
            for place, word in enumerate(self.words[:-1])
        ]
        rows[at:at] = before
        heads[at:at] = [at + more] * more
        words, spaces, tags, kinds, deps, lemmas = (list(column) for column in zip(*rows, strict=True))
        return type(doc)(
            doc.vocab, words=words, spaces=spaces, tags=tags, pos=kinds, deps=deps, lemmas=lemmas, heads=heads
        )


def stand_in(text: str, known: Callable[[str], bool]) -> StandIn:
    """A text with a pronoun for the noun that it begins with; `known` tells the nouns that are looked for.

    >>> stand_in("A master cobbler mends shoes.", lambda noun: noun.endswith("cobbler")).text
    'She mends shoes.'
    >>> stand_in("In Rome, an ostiary is someone who guards a door.", lambda noun: False).text
    'In Rome, she is someone who guards a door.'
    >>> stand_in("Cobblers mend shoes.", lambda noun: noun == "cobbler").text
    'They mend shoes.'
    """
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    article = _ARTICLE.match(text, start) if lead else None
    found = _words(text, article.end() if article else start)
    last = _one(text, found, known) if article else _several(found, known)
    if last is None:
        return StandIn(text)
    pronoun = "she" if article else "they"
    pronoun = pronoun if start else pronoun.capitalize()
    words = tuple(text[start : last.end()].split())
    return StandIn(text[:start] + pronoun + text[last.end() :], start, words, plural=article is None)


def _words(text: str, start: int) -> list[re.Match[str]]:
    """The words that follow each other from there on, with nothing but a space between them."""
    found: list[re.Match[str]] = []
    place = start
    while len(found) < _LONGEST and (word := _WORD.match(text, place)) and word[0].lower() not in FUNCTION_WORDS:
        found.append(word)
        if text[word.end() : word.end() + 1] != " ":
            break
        place = word.end() + 1
    return found


def _one(text: str, found: list[re.Match[str]], known: Callable[[str], bool]) -> re.Match[str] | None:
    """The noun behind an article: the one before *is*, or else the longest that is known."""
    if found and _VERB.match(text, found[-1].end()):
        return found[-1]
    # A plural is the next word's verb: "a baker cooks".
    sizes = [
        size
        for size, word in enumerate(found, start=1)
        if not _has_an_s(word[0]) and known(" ".join(one[0] for one in found[:size]))
    ]
    # Of "a tattoo artist applies permanent designs" and "a sports coach trains" the name ends before a verb.
    before = [size for size in sizes if not any(_has_an_s(word[0]) for word in found[:size])]
    last = found[max(before or sizes) - 1] if sizes else None
    return None if last is None or _ASIDE.match(text, last.end()) else last


def _several(found: list[re.Match[str]], known: Callable[[str], bool]) -> re.Match[str] | None:
    """The first plural that is known, with what stands before it."""
    for size, word in enumerate(found, start=1):
        one = singular(word[0].lower())
        if _has_an_s(word[0]) and known(" ".join([*(other[0] for other in found[: size - 1]), one])):
            return word
    return None


def _has_an_s(word: str) -> bool:
    return singular(word.lower()) != word.lower()


def _row(token: Any) -> tuple[str, bool, str, str, str, str]:
    return token.text, bool(token.whitespace_), token.tag_, token.pos_, token.dep_, token.lemma_
