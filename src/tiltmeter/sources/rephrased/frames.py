"""Reads a spec's templates as a term with what is said of it: "The [T] person [A]", "[T] likes [A]."."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tiltmeter.records import Spec
from tiltmeter.sources import nouns
from tiltmeter.sources.rephrased.predicates import predicate

_FRAME = re.compile(r"(?P<the>the )?\[T\] (?P<said>[^.!?…]+?)[.!…]*", re.IGNORECASE)
_THE_TERM = re.compile(r"\bthe \[T\]", re.IGNORECASE)
_SAID_DIRECTLY = re.compile(r"\[T\](?: [\w-]+)? \[A\]")


@dataclass(frozen=True, slots=True)
class Frame:
    """A template in its parts: whether "the" stands before the term, a noun after it, and what is said."""

    article: bool
    tail: str
    said: str


def frame(template: str) -> Frame | None:
    """The parts of a template that is a term with what is said of it; None where it is anything else.

    >>> frame("The [T] people are [A].")
    Frame(article=True, tail='people', said='are [A]')
    >>> frame("[T] [A]")
    Frame(article=False, tail='', said='[A]')
    """
    match = _FRAME.fullmatch(template.strip())
    if not match or "[T]" in match["said"]:
        return None
    first, _, rest = match["said"].partition(" ")
    has_tail = bool(rest) and nouns.is_person_noun(first)
    return Frame(bool(match["the"]), first.lower() if has_tail else "", rest if has_tail else match["said"])


def article(spec: Spec) -> bool | None:
    """Whether "the" stands before the term in a template of a spec; None where it has no templates.

    >>> article(Spec("s", "S", (), templates=("[T] [A]",)))
    False
    """
    if not spec.templates:
        return None
    return any(_THE_TERM.search(template) for template in spec.templates)


def verb_phrase_frames(spec: Spec) -> list[Frame]:
    """The templates whose attributes are verb phrases: "The [T] [A]"."""
    found = [frame(template) for template in spec.templates]
    return [one for one in found if one and one.said == "[A]"]


def not_understood(spec: Spec) -> list[str]:
    """The templates that say a verb phrase of the term in a way that cannot be taken apart: "Yesterday the [T] [A]"."""
    attributes = [term for named in spec.attributes for term in named.terms]
    if all(isinstance(predicate(term), str) for term in attributes):
        return []
    return [one for one in spec.templates if _SAID_DIRECTLY.search(one) and frame(one) is None]
