"""Cuts a sentence to length where a phrase ends, never inside one, and picks the word that continues it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.sources.natural import words
from tiltmeter.sources.natural.definitions import Definition
from tiltmeter.sources.natural.reasons import of_gender
from tiltmeter.sources.natural.words import listed

Doc = Any
Token = Any

TOO_LONG = "it cannot be cut to between {least} and {most} words"

_NEEDED = listed(
    "dobj pobj pcomp acomp attr xcomp ccomp prt oprd dative case poss det nummod amod compound aux auxpass neg "
    "nmod nsubj nsubjpass csubj mark quantmod predet expl intj agent"
)
_NEEDED_PREPOSITIONS = listed("of for to between as into than upon among against on about")
# "…hammer, bend, and cut": behind the first comma a list goes on.
_NO_ITEM = re.compile(r"^,? (?:who|which|where|includ|such|especially|particularly|often|using|with|as )")
_LIST_END = re.compile(r"\b(?:and|or|and/or)\b|&")
_UNFINISHED = re.compile(
    r"\b(?:knowledge|experience|use|focus|emphasis|variety|number|value|range|process|part|kind|type|aspects?|branch|responsible|"
    r"accountable|answerable|able|capable|tasked|charged|concerned)$"
)
_OWN_ITEM = listed("often typically especially particularly usually known including using with a an the")
_LAST_ITEM = frozenset({"and", "or", "and/or", "&"})
_ITEM = 7
"""Words that an item of a list has at most."""
_NO_END = listed(
    "a an the and or but nor of in on at to for with by from as such that which who whose whom including "
    "include includes is are be been being than both either neither not only also e.g. i.e. etc. like may can "
    "must will usually often typically generally sometimes especially particularly mainly primarily their its "
    "his her other various through within without between"
)
_UNFIT = re.compile(
    r"\b(?:this|these|those(?! (?:who|that|of|with|in))|such(?! as)|"
    r"I|we|you|your|our|below|above|following|e\.g|i\.e|cf|vs)\b|[\"%$€£]|\d{3}"
)
_HARD = frozenset({";", ":", "–", "—", "--", "-", "..."})
_PAIRED = frozenset({"both", "either", "neither", "whether", "between"})
_PLACE_PREPOSITIONS = listed("in at on within inside aboard into to for from during throughout across of under")


@dataclass(frozen=True, slots=True)
class Limits:
    """How many words a prompt may have, its last one included."""

    least: int = 6
    most: int = 22

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise UserError(
                f"a prompt cannot have at least {self.least} words and at most {self.most}; `least` must not "
                "exceed `most`"
            )


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a sentence ends: behind `end` (characters), and whether that was not its own end."""

    last: int
    end: int
    shortened: bool


def cut(found: Definition, limits: Limits, *, removed_words: int) -> Cut | str:
    """The best place to end: as long as allowed, at a comma or a clause rather than inside a phrase."""
    doc = found.doc
    hard = _hard_end(doc, found.body)
    best, unfit = _best(found, list(_ends(doc, found.body, hard)), limits, removed_words)
    if best is None:
        # Of a list too long to be kept, or with a word that does not fit, its first item alone will do.
        best, _ = _best(found, list(_first_items(doc, found.body, hard)), limits, removed_words)
    if best is None:
        return unfit or TOO_LONG.format(least=limits.least, most=limits.most)
    last = best
    rest = doc[last + 1 :].text.strip(" .!?")
    return Cut(last, doc[last].idx + len(doc[last].text), bool(rest))


def _best(found: Definition, ends: list[tuple[int, int]], limits: Limits, removed_words: int) -> tuple[int | None, str]:
    """The best of some ends, or None and what is wrong with the first that has the right length."""
    best: tuple[float, int] | None = None
    unfit = ""
    for last, level in ends:
        length = len(found.doc[: last + 1].text.split()) - removed_words + 1
        if not limits.least <= length <= limits.most:
            continue
        problem = _problem(found, last)
        if problem:
            unfit = unfit or problem
            continue
        value = 3 * level + length / 2
        if best is None or value > best[0]:
            best = (value, last)
    return (best[1] if best else None), unfit


def whole(found: Definition) -> Cut:
    """The sentence to its own end, whatever its length."""
    last = _hard_end(found.doc, found.body)
    return Cut(last, found.doc[last].idx + len(found.doc[last].text), shortened=False)


def continuation(found: Definition, last: int) -> tuple[str, str]:
    """The word that goes on from there, in the order of preference, and why it fits.

    *where* needs a place or an occasion at the end, *because* something that the person does; *and* always fits.
    """
    token = found.doc[last]
    if token.lower_ in words.PLACES and token.tag_ in {"NN", "NNS", "NNP", "NNPS"}:
        first = token
        while first.dep_ == "conj" and first.head.i < first.i:
            first = first.head
        preposition = first.head.lower_ if first.dep_ == "pobj" else ""
        one = token.tag_ in {"NN", "NNP"}
        if preposition in _PLACE_PREPOSITIONS and (preposition != "of" or one):
            return ", where", f"ends in a place or an occasion ({token.text})"
    if found.acts and not re.search(r"\bbecause\b", found.doc[: last + 1].text):
        return ", because", "no place at the end; the person does something"
    return ", and", "no place at the end, and nothing that the person does"


def _hard_end(doc: Doc, start: int) -> int:
    """The last token before a semicolon, a dash or the like, or before the full stop."""
    for token in doc[start:]:
        if token.text in _HARD and not (token.text == "-" and not token.whitespace_):
            return int(token.i) - 1
    last = len(doc) - 1
    while last > start and doc[last].is_punct:
        last -= 1
    return last


def _ends(doc: Doc, start: int, hard: int) -> Iterator[tuple[int, int]]:
    """Tokens that a sentence can end behind, with how well: 2 its own end or a clause, 1 a comma, 0 a phrase."""
    for last in range(start + 1, hard + 1):
        token = doc[last]
        # Its own end is one whatever the parser takes the word for: "any living being".
        own = all(other.is_punct for other in doc[last + 1 :])
        wanting = token.lower_ in _NO_END or token.pos_ in {"DET", "ADP", "AUX", "CCONJ", "SCONJ"}
        if token.is_punct or (wanting and not own):
            continue
        if last == hard and (hard + 1 >= len(doc) or doc[hard + 1].is_punct):
            yield last, 2
        elif _complete(doc, last) and not _in_a_list(doc, last):
            following = doc[last + 1]
            clause = following.lower_ in {"and", "but"} and any(
                child.dep_ == "conj" and child.pos_ == "VERB" and child.i > last for child in following.head.children
            )
            yield last, 2 if clause else 1 if following.text == "," or following.dep_ in {"advcl", "mark"} else 0


def _first_items(doc: Doc, start: int, hard: int) -> Iterator[tuple[int, int]]:
    """The ends of what stands before the first comma or *and*, where what goes on from there can be left out."""
    for last in range(start + 1, hard):
        token, following = doc[last], doc[last + 1]
        if following.text != "," and following.lower_ not in _LAST_ITEM:
            continue
        ends = token.pos_ in {"NOUN", "PROPN", "PRON", "ADV", "NUM"} and token.lower_ not in _NO_END
        if ends and not any(one.head.i > last and one.dep_ not in {"punct", "cc"} for one in doc[start : last + 1]):
            yield last, 0
        if following.text == ",":
            return


def _complete(doc: Doc, last: int) -> bool:
    """Whether nothing before the cut needs what stands behind it."""
    if any(token.head.i > last and token.dep_ not in {"punct", "cc"} for token in doc[: last + 1]):
        return False
    if any(token.lower_ in _PAIRED for token in doc[: last + 1]) and any(
        token.dep_ in {"conj", "pobj"} and token.head.i <= last for token in doc[last + 1 :]
    ):
        return False
    behind = [token for token in doc[last + 1 :] if token.head.i <= last]
    return all(_optional(token, last) for token in behind)


def _in_a_list(doc: Doc, last: int) -> bool:
    """Whether a cut would part a list, or *who* from its noun, by how the text looks: the parser often errs there."""
    following = doc[last + 1]
    if following.lower_ in {"who", "whose", "whom"} or _UNFINISHED.search(doc[last].lower_):
        return True
    before, comma, item = doc[: last + 1].text.rpartition(",")
    if comma and before and len(item.split()) <= 4 and not (_OWN_ITEM | _LAST_ITEM) & {*item.lower().split()}:
        return True
    if following.text == ",":
        return _goes_on(doc.text[following.idx :])
    if following.lower_ in _LAST_ITEM:
        start = max((token.i for token in doc[: last + 1] if token.text == ","), default=-1)
        return 0 <= last - start <= 5
    return False


def _goes_on(rest: str) -> bool:
    """Whether a text that starts with a comma goes on with a list.

    >>> _goes_on(", bend, and cut it"), _goes_on(", using tools"), _goes_on(", who may be a nurse or not")
    (True, False, False)
    """
    if _NO_ITEM.match(rest):
        return False
    for part in re.split(r"[,;]", rest[1:])[:8]:
        if _LIST_END.search(" ".join(part.split()[:_ITEM])):
            return True
        if len(part.split()) > _ITEM:
            return False
    # Several short items in a row are a list even where its end is far away or missing.
    return [len(part.split()) <= 4 for part in rest[1:].split(",")[:2]] == [True, True]


def _optional(token: Token, last: int) -> bool:
    """Whether what stands before the cut is complete without this token and what hangs on it."""
    head = token.head
    if token.dep_ == "prep":
        return _optional_preposition(token, last)
    if token.dep_ == "conj":
        return _optional_conjunct(token, last)
    needed = {
        "acl": token.tag_ == "VB",
        "relcl": head.lower_ in words.PLAIN_PERSON | {"those"} or head.dep_ == "attr",
        "advmod": head.pos_ in {"ADJ", "ADV", "ADP"},
    }
    return not needed.get(token.dep_, token.dep_ in _NEEDED)


def _optional_preposition(token: Token, last: int) -> bool:
    head = token.head
    if head.pos_ in {"VERB", "AUX"}:
        objects = {"dobj", "acomp", "attr", "xcomp", "ccomp", "prep", "oprd"}
        has_object = any(child.dep_ in objects and head.i < child.i <= last for child in head.children)
        return has_object and token.lower_ not in {"of", "into", "to", "as"}
    if token.lower_ == "as" and any(child.lower_ == "such" for child in token.children):
        return head.pos_ in {"NOUN", "PROPN"}
    if head.pos_ in {"NOUN", "PROPN", "PRON"}:
        said = any(child.dep_ in {"prep", "relcl", "acl"} and child.i <= last for child in head.children)
        return token.lower_ not in _NEEDED_PREPOSITIONS and (head.dep_ != "attr" or said)
    return False


def _optional_conjunct(token: Token, last: int) -> bool:
    head = token.head
    link = [child for child in head.children if child.dep_ == "cc" and child.i < token.i]
    if head.dep_ == "conj" and not any(child.dep_ == "cc" and child.i < head.i for child in head.head.children):
        # "A, B" of "A, B and C": a list that lacks its end.
        return False
    if token.pos_ == "VERB" or head.pos_ == "VERB":
        # Without an object of its own a verb may share that of the next one: "designs and builds houses".
        takes = {"dobj", "prep", "xcomp", "ccomp", "acomp"}
        return any(child.dep_ in takes and head.i < child.i <= last for child in head.children)
    chain = [token, *(other for other in token.conjuncts if other.i > token.i)]
    of_later = any(child.dep_ == "prep" and child.i > other.i for other in chain for child in other.children)
    of_here = any(child.dep_ == "prep" and head.i < child.i <= last for child in head.children)
    return (of_here or not of_later) and (bool(link) or head.dep_ != "conj")


def _problem(found: Definition, last: int) -> str:
    """Why a prompt that ends there would not do; blank where it would."""
    text = found.doc.text
    end = found.doc[last].idx + len(found.doc[last].text)
    start, stop = found.profession
    rest = _without(text, end, [*found.removed, found.profession, *([found.swapped] if found.swapped else [])])
    gender = words.gendered_word(rest)
    if gender:
        return of_gender(gender)
    name = re.escape(text[start:stop])
    if re.search(rf"\b{name}s?\b", rest, re.IGNORECASE):
        return "the profession is named twice"
    unfit = _UNFIT.search(rest)
    if unfit:
        return f"a word or sign that points elsewhere: {unfit[0]}"
    return ""


def _without(text: str, end: int, spans: list[tuple[int, int]]) -> str:
    kept, place = "", 0
    for start, stop in sorted(spans):
        kept, place = kept + text[place:start] + " ", stop
    return kept + text[place:end]
