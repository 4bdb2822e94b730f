"""Verb phrases taken apart: "worked as" has the operator *did* and the remainder *work as*, "was known for" has *was*.

From the parts come the forms that a sentence needs: agreeing with its subject, inverted, as an infinitive, with what
is missing at the end asked for or closed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tiltmeter import english
from tiltmeter.sources.rephrased import gaps, verbs
from tiltmeter.sources.rephrased.adverbs import is_adverb
from tiltmeter.sources.rephrased.endings import ending
from tiltmeter.sources.rephrased.lists import words
from tiltmeter.sources.rephrased.people import Agreement

Kind = Literal["be", "perfect", "modal", "do", "verb"]
Close = Literal["open", "gap", "some", "any", "fronted"]
"""How a form ends: as the phrase does, without what is asked for, closed with *something* or *anything*, or without
the preposition that went to the front."""

BE = {("past", "first"): "was", ("past", "third"): "was", ("past", "several"): "were"} | {
    ("present", "first"): "am",
    ("present", "third"): "is",
    ("present", "several"): "are",
}
"""The forms of "be" by tense and agreement."""

_MODALS = words("phrases.toml", "modals")
_NEGATIVE = {"am": "aren't", "can": "can't", "will": "won't", "shall": "shan't"}
_IN_LY = words("phrases.toml", "adjectives_in_ly")
_DENYING = words("phrases.toml", "denying")
_DEGREE = words("phrases.toml", "degree")
_LIKE_PARTICIPLES = words("phrases.toml", "adjectives_like_participles")
_LIKE_GERUNDS = words("phrases.toml", "adjectives_like_gerunds")
# What `grammar.py` puts around the words whose place it wants to know.
_MARKS = re.compile("[\x01-\x06]")
_ONE = re.compile(
    r"\b(?:be|become|been|being|as|considered|called|born) "
    r"(?:an?\b(?! (?:part-time )?(?:group|team|couple))|the (?:first|last|only|best|worst)\b)"
)
_NOT_VERBS = english.PREPOSITIONS - {"like"} | english.CONJUNCTIONS | english.DETERMINERS | frozenset(english.CASES)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A verb phrase in its parts: adverbs, the finite verb, *not*, and the rest."""

    phrase: str
    kind: Kind
    finite: str
    tense: Literal["past", "present"]
    rest: str
    ending: gaps.Ending
    adverbs: str = ""
    negated: bool = False

    @property
    def positive(self) -> bool:
        """Whether it denies nothing."""
        return not self.negated and not _DENYING & {*f"{self.adverbs} {self.rest}".split()}

    @property
    def has_infinitive(self) -> bool:
        """Modal verbs have none, nor have "used to", "is to" and "is being …"; a denied phrase is not put into one."""
        bare = self.kind == "be" and self.rest.split()[:1] in (["to"], ["being"])
        return self.kind != "modal" and not self.is_habit and not bare and self.positive

    @property
    def is_about_one(self) -> bool:
        """Whether it speaks of one person only: "is a nurse", "was once a nurse", "works as an artist"."""
        text = _MARKS.sub("", f"{self._base()} {self.rest}" if self.kind != "modal" else self.rest)
        return bool(_ONE.search(" ".join(word for word in text.split() if not is_adverb(word))))

    @property
    def is_habit(self) -> bool:
        """Whether it is "used to" with a verb."""
        return self.finite == "used" and self.rest.split()[:1] == ["to"]

    def agreeing(self, agreement: Agreement, close: Close = "open") -> str:
        """The whole phrase after its subject.

        >>> predicate("was known for").agreeing("several"), predicate("earned money by").agreeing("third", "gap")
        ('were known for', 'earned money')
        """
        text = self._joined(self.adverbs, self._finite(agreement), self._not(), self._rest(close))
        return re.sub(r"\bcan not\b", "cannot", text)

    def operator(self, agreement: Agreement) -> str:
        """The verb that stands before the subject in a question."""
        if self.kind != "verb":
            return self._finite(agreement)
        return "did" if self.tense == "past" else "does" if agreement == "third" else "do"

    def denied(self, agreement: Agreement) -> str | None:
        """The operator with *n't*; None where it has no such form ("may")."""
        word = self.operator(agreement)
        return None if word == "may" else _NEGATIVE.get(word, f"{word}n't")

    def remainder(self, close: Close = "open") -> str:
        """What stands after the subject in a question.

        >>> predicate("worked as").remainder("any"), predicate("had always been").remainder()
        ('work as anything', 'always been')
        """
        verb = self._base() if self.kind == "verb" else ""
        return self._joined(self._not(), self.adverbs, verb, self._rest(close))

    def infinitive(self, close: Close = "open", *, earlier: bool = False) -> str:
        """The phrase after *to*; `earlier` keeps its past: "have worked as".

        >>> predicate("was known for").infinitive(earlier=True), predicate("went to").infinitive()
        ('have been known for', 'go to')
        """
        if earlier and self.tense == "past" and self.kind != "perfect":
            participle = "been" if self.kind == "be" else verbs.participle(self.finite)
            ahead, rest = _adverbs_ahead(self._rest(close)) if self.kind == "be" else ("", self._rest(close))
            return self._joined("have", self.adverbs, ahead, participle, rest)
        return self._joined(self.adverbs, self._base(), self._rest(close))

    @property
    def adverb_labels(self) -> str:
        """The constituents between the subject and the finite verb."""
        return "(ADVP) " if self.adverbs else ""

    def operator_label(self, agreement: Agreement) -> str:
        """The tag of the operator."""
        word = self.operator(agreement)
        if word in _MODALS or self.kind == "modal":
            return "MD"
        return {"past": "VBD", "present": "VBZ" if agreement == "third" else "VBP"}[self.tense]

    @property
    def remainder_labels(self) -> str:
        """The constituents after operator and subject.

        >>> predicate("was well-known for").remainder_labels, predicate("did not like").remainder_labels
        ('(ADJP)', '(RB) (VP)')
        """
        complement, inner = ("VP", "") if self.kind != "be" else _complement(self.rest)
        adverbs = "(ADVP) " if self.adverbs or inner else ""
        return f"{'(RB) ' if self.negated else ''}{adverbs}({complement})"

    def _finite(self, agreement: Agreement) -> str:
        if self.kind == "be":
            return BE[self.tense, agreement]
        if self.kind == "modal" or self.tense == "past":
            return self.finite
        base = verbs.base(self.finite)
        return verbs.third_person(base) if agreement == "third" else base

    def _base(self) -> str:
        return verbs.base(self.finite)

    def _not(self) -> str:
        return "not" if self.negated else ""

    def _rest(self, close: Close) -> str:
        words = self.rest.split()
        gap = self.ending.gap
        if close == "gap" and gap:
            return " ".join(words[: len(words) - gap.dropped])
        if close == "fronted":
            return " ".join(words[:-1])
        if close in ("some", "any"):
            closing = self.ending.some if close == "some" and self.positive else self.ending.any
            return " ".join([*words[: len(words) - self.ending.replaced], closing or ""])
        return self.rest

    @staticmethod
    def _joined(*parts: str) -> str:
        return " ".join(" ".join(parts).split())


def predicate(phrase: str, *, complete: bool = False) -> Predicate | str:
    """The parts of a verb phrase, or the reason why it is none; a `complete` one leaves nothing open at its end.

    >>> predicate("as a nurse")
    '`as a nurse` does not begin with a verb that has a tense'
    """
    parts = _spelled_out(phrase).split()
    count = 0
    while count < len(parts) and is_adverb(parts[count]):
        count += 1
    adverbs, parts = " ".join(parts[:count]), parts[count:]
    if adverbs and not parts:
        return f"`{phrase}` has no verb"
    if not parts or not _can_be_finite(parts[0]):
        return f"`{phrase}` does not begin with a verb that has a tense"
    finite, rest = parts[0], parts[1:]
    negated = bool(rest) and rest[0] == "not"
    rest = rest[1:] if negated else rest
    kind = _kind(finite, rest, negated=negated)
    if kind == "do" and not rest:
        return f"`{phrase}` has no verb after `{finite}`"
    end = gaps.COMPLETE if complete else ending(_understood(kind, finite, rest))
    tense: Literal["past", "present"] = "past" if kind != "modal" and _is_past(finite) else "present"
    return Predicate(phrase, kind, finite, tense, " ".join(rest), end, adverbs, negated)


def _understood(kind: Kind, finite: str, rest: list[str]) -> str:
    """The phrase as its end is judged: what stands for a modal verb, "need not" or "had better", is one."""
    if kind != "modal" or finite in _MODALS:
        return " ".join([finite, *rest])
    return " ".join(["must", *(rest[1:] if finite == "had" else rest)])


def _spelled_out(phrase: str) -> str:
    text = phrase.replace("’", "'").replace("cannot", "can not")
    text = re.sub(r"\bcan't\b", "can not", re.sub(r"\bwon't\b", "will not", text))
    return re.sub(r"(?<=\w)n't\b", " not", text)


def _kind(finite: str, rest: list[str], *, negated: bool) -> Kind:
    if finite in english.BE:
        return "be"
    if finite in _MODALS:
        return "modal"
    if finite in ("did", "does", "do") and negated:
        return "do"
    if (finite in ("need", "dare") and negated) or (finite == "had" and rest[:1] == ["better"]):
        return "modal"
    following = [word for word in rest if not is_adverb(word)]
    # After "has already" a participle is still to come.
    to_come = bool(rest) and not following
    if finite in ("had", "has", "have") and (to_come or _is_participle(following[:1])):
        return "perfect"
    return "verb"


def _is_past(finite: str) -> bool:
    return finite in ("was", "were") or verbs.is_past(finite)


def _is_participle(words: list[str]) -> bool:
    return bool(words) and verbs.is_participle(words[0])


def _can_be_finite(word: str) -> bool:
    if word in english.AUXILIARIES:
        return word not in ("be", "been", "being")
    if not re.fullmatch(r"[a-z][a-z'-]*", word) or word in _NOT_VERBS or word in _IN_LY:
        return False
    return not re.search(r"(?:ful|ous|ible)$", word) and verbs.can_be_finite(word)


def _adverbs_ahead(rest: str) -> tuple[str, str]:
    words = rest.split()
    count = 0
    while count < len(words) - 1 and is_adverb(words[count]) and words[count] not in _DEGREE:
        count += 1
    return " ".join(words[:count]), " ".join(words[count:])


def _complement(rest: str) -> tuple[str, bool]:
    """The label of what stands after "be", and whether an adverb comes before it."""
    ahead, after = _adverbs_ahead(_MARKS.sub("", rest))
    if not after:
        return "NP", False
    if after.startswith("about to"):
        return "ADJP", bool(ahead)
    return _complement_label(after.split()[0]), bool(ahead)


def _complement_label(first: str) -> str:
    if first in _DEGREE:
        return "ADJP"
    if first == "to":
        return "S"
    if first in english.PREPOSITIONS:
        return "PP"
    if first in english.DETERMINERS or first in english.CASES or first[0].isupper() or first[0].isdigit():
        return "NP"
    gerund = first.endswith("ing") and first not in _LIKE_GERUNDS
    adjective = "-" in first or first.startswith("un") or first in _LIKE_PARTICIPLES
    return "VP" if gerund or (verbs.is_participle(first) and not adjective) else "ADJP"
