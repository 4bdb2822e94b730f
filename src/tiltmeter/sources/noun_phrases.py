"""Puts the group terms of any spec into a template as noun phrases: "a Muslim", "the immigrants", "my aunt", "she".

Where the template has a word before the term that a noun follows ("this [T]"), the noun alone is put there; otherwise
a noun gets "a" where it is named first and "the" after that. What does not fit is refused with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from tiltmeter.english import (
    AUXILIARIES,
    CASES,
    DOUBLE_VERBS,
    PREPOSITIONS,
    article_for,
    capitalised,
    starts_sentence,
    tells_number,
)
from tiltmeter.errors import MissingExtra
from tiltmeter.parsing import parser
from tiltmeter.records import Group, Span, Spec, TermKind
from tiltmeter.sources import nouns, slots
from tiltmeter.sources.subjects import Subject, agreeing, subject
from tiltmeter.sources.templates import FAULT, cases_at
from tiltmeter.word_kinds import OPENS_PHRASE, SINGULAR, is_several, number_fault, term_kind

SLOT = "[T]"
_BEFORE = re.compile(r"(?:(?P<earlier>[\w'’-]+)\s+)?(?P<word>[\w'’-]+)\s+$")
_OF_ONE = frozenset({"a", "an", "this", "that", "every", "each", "another"})
_OF_SEVERAL = frozenset({"these", "those", "all", "both", "several"})
_AROUND = 200
"""Characters before and after a slot that say what fits."""
_SHOWN = 60
_WORDS = re.compile(r"[\w'’-]+")
_OFTEN = frozenset({"never", "always", "often", "also", "still", "just", "sometimes"})


@dataclass(frozen=True, slots=True)
class Named:
    """A template with a term in it, and where the term stands."""

    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A term of a group in a template, or why it is not in it; `place` is the same for its counterparts but for the
    group."""

    place: str
    number: int
    """Which of the templates it is, from 0."""
    group: str
    term: str
    named: Named | str


def name(template: str, term: str, group: Group, spec: Spec) -> Named | str:
    """The template with the term at `[T]`, or the reason why it does not fit.

    >>> group = Group("faith", ("Hindu", "Jain"), kind="noun")
    >>> spec = Spec("s", "S", (group,))
    >>> name("[T] called. Was [T] late?", "Hindu", group, spec).text
    'A Hindu called. Was the Hindu late?'
    >>> name("This [T] called.", "she", Group("g", ("she",)), spec)
    "`she` cannot follow `This` in 'This [T] called.'"
    """
    kind = kind_of(term, group, spec)
    if kind == "pronoun" and (fault := _case_fault(template, term)):
        return fault
    words = term.split()
    # What brings its own determiner, or needs none.
    whole = kind in ("pronoun", "name", "phrase") or words[0].casefold() in OPENS_PHRASE
    several = kind == "plural" or (kind == "phrase" and is_several(term)) or term.casefold() in ("they", "we", "you")
    for led in filter(None, _led(template)):
        if whole or led.casefold() in (_OF_ONE if several else _OF_SEVERAL):
            return f"`{term}` cannot follow `{led}` in {_quoted(template)}"
    fitting = agreeing(template, several=several)
    if several and term.endswith("s"):
        fitting = re.sub(r"(?<=\[T\]['’])s\b", "", fitting)
    fault = number_fault(fitting, term, group, spec)
    if kind != "pronoun" or term.casefold() not in ("i", "you"):
        fault = fault or _other_number(fitting, several=several)
    if fault is not None:
        return f"`{fault}` does not fit `{term}` in {_quoted(template)}"
    filler = f"{term} person" if kind == "adjective" else term
    filled = slots.fill(fitting if whole else _with_determiners(fitting, filler, several=several), filler)
    return Named(filled.text, filled.term_spans)


def exchanged(spec: Spec, templates: Iterable[str]) -> Iterator[Exchanged]:
    """Every term of every group in every template; what one group lacks is left out of all.

    Groups then differ in the term alone.
    """
    for number, template in enumerate(templates):
        for at in range(max(len(group.terms) for group in spec.groups)):
            groups = [group for group in spec.groups if at < len(group.terms)]
            named = {group.name: name(template, group.terms[at], group, spec) for group in groups}
            lacking = next((found for found in named.values() if isinstance(found, str)), None)
            for group in groups:
                found = named[group.name]
                if isinstance(found, Named) and lacking is not None:
                    found = f"its counterpart is left out: {lacking}"
                yield Exchanged(f"{spec.name}/{group.name}/{number}/{at}", number, group.name, group.terms[at], found)


def kind_of(term: str, group: Group, spec: Spec) -> TermKind:
    """What a term is; without the parser, as its spelling says."""
    if group.kind is None and term.casefold() not in CASES and not _parses():
        stands = subject(term)
        if isinstance(stands, Subject):
            return ("plural" if stands.several else "noun") if stands.lead else "phrase"
    found = term_kind(term, group, spec)
    last = term.rsplit(maxsplit=1)[-1]
    # Among names the parser takes every word with a capital for one.
    if group.kind is None and found == "name" and (nouns.is_person_noun(last) or _is_surely_noun(last)):
        return "plural" if nouns.is_several(last) else "noun"
    return found


def _is_surely_noun(word: str) -> bool:
    """Whether a word with a capital is a noun though names stand beside it: "CEO", "Muslims", but not "Christian"."""
    return nouns.is_capital_noun(word) and (word.isupper() or word.endswith("s"))


def _parses() -> bool:
    try:
        parser()
    except MissingExtra:
        return False
    return True


def _led(template: str) -> list[str]:
    """For each slot the word before it that a noun follows; blank where there is none."""
    found = [_BEFORE.search(part[-_AROUND:]) for part in template.split(SLOT)[:-1]]
    return [one["word"] if one and _is_determiner(one) else "" for one in found]


def _is_determiner(before: re.Match[str]) -> bool:
    """Whether a noun follows a word; after "told that" anybody does."""
    word, earlier = before["word"].casefold(), (before["earlier"] or "").casefold()
    return word in OPENS_PHRASE and (word != "that" or not earlier or earlier in PREPOSITIONS)


def _case_fault(template: str, term: str) -> str | None:
    parts = template.split(SLOT)
    cases = CASES.get(term.casefold(), ())
    for at in range(len(parts) - 1):
        wanted = cases_at(SLOT.join(parts[: at + 1])[-_AROUND:], SLOT.join(parts[at + 1 :])[:_AROUND])
        if not {*cases} & {*wanted} and not _led(template)[at]:
            return f"`{term}` {FAULT[wanted[0] if wanted else 'noun']} {_quoted(template)}"
    return None


def _other_number(template: str, *, several: bool) -> str | None:
    """The verb after a slot that goes with one person where several are named, or the other way round.

    >>> _other_number("[T] never like tea", several=False), _other_number("Did [T] have tea?", several=False)
    ('like', None)
    """
    parts = template.split(SLOT)
    for before, after in pairwise(parts):
        led, said = _WORDS.findall(before[-_AROUND:].casefold()), _WORDS.findall(after[:_AROUND].casefold())
        # "Did [T] have" and "let [T] have" say nothing of how many there are.
        if led and led[-1] in AUXILIARIES | DOUBLE_VERBS:
            continue
        verb = next((word for word in said if not word.endswith("ly") and word not in _OFTEN), "")
        one = verb in SINGULAR or (verb.endswith("s") and not verb.endswith("ss"))
        if tells_number(verb) and one == several:
            return verb
    return None


def _quoted(template: str) -> str:
    """The beginning of a template, which may be long."""
    first = template.partition("\n")[0]
    return f"'{first}'" if len(first) <= _SHOWN else f"'{first[:_SHOWN].rstrip()}…'"


def _with_determiners(template: str, filler: str, *, several: bool) -> str:
    """The template with an article before each slot that has no determiner."""
    parts, led = template.split(SLOT), _led(template)
    text = parts[0]
    for at, part in enumerate(parts[1:]):
        article = "" if led[at] else "the " if several or at else f"{article_for(filler) or 'a'} "
        text += f"{capitalised(article) if starts_sentence(text, len(text)) else article}{SLOT}{part}"
    return text
