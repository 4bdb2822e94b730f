"""What is left open at the end of a verb phrase: the word that asks for it, and the words that close it.

"worked as" is asked for with *what* ("What did she work as?"), "earned money by" with *how* ("How did she earn
money?"), "lived in" with *where*; "wanted to" and "was a" stop where nothing simple can be asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tiltmeter.sources import english
from tiltmeter.sources.rephrased import verbs
from tiltmeter.sources.rephrased.lists import words

Asks = Literal["what", "who", "how", "where"]

_PLACE = (
    r"(?:liv(?:e|es|ed|ing)|resid\w+|dwel\w+|settl\w+|gr(?:ew|ows?|owing) up|born|raised|brought up|stay\w*|"
    r"stud(?:y|ies|ied|ying)|work(?:s|ed|ing)?|arriv\w+|t(?:each|eaches|aught|eaching)|vacation\w*|camp(?:s|ed)?|retired?)"
)
_WAY = (
    r"(?:go|goes|went|going|gone|mov\w+|travel\w*|e?migrat\w+|immigrat\w+|return\w*|c(?:ome|omes|ame|oming)|fl(?:y|ew|ies|"
    r"own|ed|ee|ees)|relocat\w+|commut\w+|walk\w*|r(?:un|an|uns)|dr(?:ove|ive|ives)|sent|taken|moved)"
)
_IS_PREPOSITION_TO = re.compile(
    r"\b(?:belong\w*|listen\w*|refer\w*|contribut\w+|le(?:ad|ads|d)|object\w*|amount\w*|react\w*|talk\w*|sp(?:oke|eak|eaks)|"
    r"married|engaged|related|devoted|dedicated|committed|sentenced|compared|similar|addicted|accustomed|attached|loyal|"
    r"opposed|end|attention|birth|forward|liking|contribution|next|prone|close|kind|rude|wr(?:ote|ite|ites)|sold|given|"
    r"said|attracted|drawn|subjected|exposed|limited|access) to$"
)
_PERSON_TO = re.compile(r"\b(?:married|engaged|related|talk\w*|sp(?:oke|eak|eaks)|wr(?:ote|ite|ites)) to$")
_PERSON_WITH = re.compile(
    r"\b(?:liv\w+|love|friends|danc\w+|argu\w+|slept|sleep\w*|fought|fights?|work\w*|met|meets?|talk\w*|flirt\w*) with$"
)
_BY_RULE = re.compile(r"\b(?:liv(?:e|es|ed)|stood|stands?|went|goes|swore|swears?|abid\w+) by$")
_SAYING = re.compile(
    r"\b(?:sa(?:y|ys|id)|t(?:ell|ells|old)(?: \w+)?|th(?:ink|inks|ought)|believe[sd]?|claim(?:s|ed)?|kn(?:ow|ows|ew)|"
    r"explain(?:s|ed)?|argue[sd]?|report(?:s|ed)?|announce[sd]?|admit(?:s|ted)?|insist(?:s|ed)?|suggest(?:s|ed)?|"
    r"declare[sd]?|learn(?:s|ed)?|hear[sd]?|decide[sd]?|den(?:y|ies|ied)|prove[sd]?|show(?:s|ed)?) that$"
)
_NAMING = words("phrases.toml", "naming")
_TRANSITIVE = words("phrases.toml", "transitive")
_BEFORE_VERB = words("phrases.toml", "before_verb")
_FREE = english.PREPOSITIONS - words("phrases.toml", "particles")
_UNFINISHED = (english.DETERMINERS | english.CONJUNCTIONS | words("phrases.toml", "unfinished")) - {"that"}
_ASKS_FOR_VERB = (english.AUXILIARIES - english.BE - {"had", "have", "has", "do", "does", "did"}) | {"not"}


@dataclass(frozen=True, slots=True)
class Gap:
    """What can be asked for at the end of a verb phrase.

    `dropped` counts the words that the question leaves out ("by" of "earned money by"); `preposition` is the one that
    can move to the front with its question word.
    """

    asks: Asks
    dropped: int = 0
    preposition: str = ""

    @property
    def label(self) -> str:
        """The phrase that the question word makes, in the labels of the Penn Treebank."""
        return "WHNP" if self.asks in ("what", "who") else "WHADVP"

    @property
    def fronted(self) -> str | None:
        """Preposition and question word together: "as what", "by what means"; None where there is no preposition."""
        if not self.preposition:
            return None
        means = {"how": "by what means", "where": f"{self.preposition} what place", "who": f"{self.preposition} whom"}
        return means.get(self.asks, f"{self.preposition} what")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a verb phrase ends: what can be asked for, and the words that close it in a statement and in a question.

    `some` is None where the phrase stops inside another phrase ("was a") and cannot be closed; empty where it is
    complete. `replaced` counts the words of the phrase that the closing words take the place of.
    """

    gap: Gap | None
    some: str | None
    replaced: int = 0

    @property
    def any(self) -> str | None:
        """What closes it in a question: "anything"."""
        return None if self.some is None else re.sub(r"\bsome(?=thing|one|where)", "any", self.some)


COMPLETE = Ending(None, "")


def ending(phrase: str, *, passive: bool = False) -> Ending:
    """The end of a verb phrase; `passive` tells "was raised by" from "earned money by".

    >>> ending("worked as").gap.asks, ending("earned money by").gap.asks, ending("grew up in").gap.asks
    ('what', 'how', 'where')
    >>> ending("wanted to"), ending("was a").some
    (Ending(gap=None, some='do something', replaced=0), None)
    """
    text = " ".join(phrase.lower().split())
    before, _, last = text.rpartition(" ")
    if last in _UNFINISHED:
        return Ending(None, None)
    if last in _ASKS_FOR_VERB:
        return Ending(None, "do something")
    is_verb = not before or before.rpartition(" ")[2] in _BEFORE_VERB
    if last in english.BE | _NAMING or (is_verb and verbs.base(last) in _TRANSITIVE):
        return Ending(Gap("what"), "something")
    special = {"to": _to, "that": _that, "by": _by_agent if passive else _by_means}
    if last in special:
        return special[last](text)
    return _preposition(text, last) if last in _FREE else COMPLETE


def _that(text: str) -> Ending:
    return Ending(Gap("what", 1), "something", 1) if _SAYING.search(text) else Ending(None, None)


def _to(text: str) -> Ending:
    if re.search(rf"\b{_WAY}(?: back)? to$", text):
        return Ending(Gap("where", 1, "to"), "somewhere", 1)
    if _IS_PREPOSITION_TO.search(text):
        person = _PERSON_TO.search(text)
        return Ending(Gap("who" if person else "what", 0, "to"), "someone" if person else "something")
    return Ending(None, "do something")


def _by_agent(text: str) -> Ending:
    return Ending(Gap("who", 0, "by"), "someone")


def _by_means(text: str) -> Ending:
    if _BY_RULE.search(text):
        return Ending(Gap("what", 0, "by"), "something")
    return Ending(Gap("how", 1, "by"), "doing something")


def _preposition(text: str, last: str) -> Ending:
    if last in ("in", "at") and re.search(rf"\b{_PLACE} {last}$", text):
        return Ending(Gap("where", 1, last), "somewhere", 1)
    if last == "from" and re.search(rf"\b(?:{_WAY}|is|are|was|were|hail\w*|graduat\w+) from$", text):
        return Ending(Gap("where", 0, "from"), "somewhere")
    if _PERSON_WITH.search(text):
        return Ending(Gap("who", 0, last), "someone")
    return Ending(Gap("what", 0, last), "something")
