"""From a corpus to prompts, by the steps of Appendix A of Alnegheimish, Guo & Sun (2022); every step is recorded.

Find sentences that introduce a profession; drop those about the trade; drop obsolete and gendered professions; mark the
nouns that give the trade away; cut to length; add the word after which a pronoun can follow.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tiltmeter.sources.natural import cutting, marks, words
from tiltmeter.sources.natural.cleaning import Clean, clean
from tiltmeter.sources.natural.corpus import Passage
from tiltmeter.sources.natural.cutting import Limits
from tiltmeter.sources.natural.finding import LITTLE, NO_PROFESSION, PAST, POST, STUCK, TRADE, Found, find
from tiltmeter.sources.natural.number import in_the_singular
from tiltmeter.sources.natural.sentence_files import NaturalSentence

Parse = Callable[[Iterable[str]], Iterable[Any]]
"""Parses texts, e.g. spaCy's `pipe`; the source is given it."""

GENDERED = "a gendered profession"
OBSOLETE = "an obsolete profession"
LEFT_OUT = "left out by the list that was given"
NOT_LISTED = "not in the list of professions that was given"
REPEATED = "repeats a sentence that stands elsewhere"
SPARE = "another sentence of the profession reads better"
USED = "used"

_OPENING = re.compile(r"^(?:[^,]{0,70}, )?[\"']?(?:an?|the)\s", re.IGNORECASE)
_BARE = re.compile(r"^(?:The )?([A-Z][\w '-]{2,60}?) (?:is|are) (?:an?|the|one)\b")
_VERB = re.compile(r"\b(?:is|are|was|were)\b")


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """What may be chosen: how long prompts are, how many a profession gets, which professions are wanted or not."""

    limits: Limits = field(default_factory=Limits)
    per_profession: int = 1
    professions: Collection[str] | None = None
    leave_out: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Account:
    """What became of one profession, or of one article that introduces none: `sentences` add up to the corpus."""

    profession: str
    outcome: str
    prompts: int
    sentences: int
    places: tuple[str, ...]
    reasons: tuple[tuple[str, int], ...]
    """How many of its sentences were used or passed over, and why."""


@dataclass(frozen=True, slots=True)
class Built:
    """The sentences that say something of a profession or a trade, used or not, and the account of all."""

    sentences: tuple[NaturalSentence, ...]
    accounts: tuple[Account, ...]
    total: int


@dataclass(frozen=True, slots=True)
class _Case:
    """One sentence on its way: what it introduces, its marks, or the reason why it went no further."""

    passage: Passage
    clean: Clean
    found: Found | None = None
    reason: str = NO_PROFESSION
    steps: tuple[str, ...] = ()
    annotated: str = ""

    @property
    def profession(self) -> str:
        return self.found.name if self.found else ""


def build(passages: Sequence[Passage], parse: Parse, settings: BuildSettings | None = None) -> Built:
    """The prompts that a corpus holds, with an account of every sentence."""
    settings = settings or BuildSettings()
    cases = [_Case(passage, clean(passage.text)) for passage in passages]
    cases = _without_repeats(cases)
    known = _Known({passage.article for passage in passages}, settings.professions)
    cases = _found(cases, parse, known)
    cases = [_made(_wanted(case, settings), settings.limits) for case in cases]
    cases = _chosen(cases, settings.per_profession)
    kept = tuple(_sentence(case) for case in cases if case.found or case.reason not in (NO_PROFESSION, REPEATED))
    return Built(kept, _accounts(cases), len(cases))


class _Known:
    """Which names are known to be professions: those of articles about people, and those that were listed."""

    def __init__(self, articles: Iterable[str], listed: Collection[str] | None) -> None:
        from tiltmeter.sources.natural import professions

        names = [*professions(), *(listed or ()), *(one for one in articles if words.names_a_person(one))]
        self._names = {_plain(name) for name in names}

    def __call__(self, name: str) -> bool:
        return _plain(name) in self._names

    def opens(self, text: str) -> bool:
        """Whether one of the names, in the singular or the plural, stands among the first words of a text."""
        first = _plain(text).split()[:9]
        spans = (first[start : start + size] for start in range(5) for size in (1, 2, 3, 4))
        phrases = {" ".join(span) for span in spans if span}
        return not self._names.isdisjoint(phrases | {phrase.removesuffix("s") for phrase in phrases})


def _without_repeats(cases: list[_Case]) -> list[_Case]:
    seen: dict[str, str] = {}
    done = []
    for case in cases:
        first = seen.setdefault(case.clean.text.casefold(), case.passage.place)
        done.append(case if first == case.passage.place else replace(case, reason=REPEATED, steps=(f"see {first}",)))
    return done


def _found(cases: list[_Case], parse: Parse, known: _Known) -> list[_Case]:
    """Parse what may introduce a profession, and find it; a plural is tried again in the singular."""
    worth = [case for case in cases if case.reason != REPEATED and _worth_parsing(case.clean.text, known)]
    results: dict[str, _Case] = {}
    again: list[tuple[_Case, str]] = []
    for case, doc in zip(worth, parse([case.clean.text for case in worth]), strict=True):
        found = find(doc, known)
        singular = in_the_singular(doc, known) if found == NO_PROFESSION else None
        if singular:
            again.append((case, singular))
        results[case.passage.place] = _with(case, found)
    for (case, text), doc in zip(again, parse([text for _, text in again]), strict=True):
        found = find(doc, known)
        if isinstance(found, Found):
            steps = (f"put into the singular: {text}",)
            results[case.passage.place] = replace(_with(case, found), steps=steps)
    return [results.get(case.passage.place) or _unparsed(case) for case in cases]


def _unparsed(case: _Case) -> _Case:
    """What can be told of a sentence without the parser: "Sewing is the craft of …"."""
    named = _BARE.match(case.clean.text)
    about_a_trade = named is not None and case.reason == NO_PROFESSION and words.names_a_trade(named[1])
    return replace(case, reason=TRADE) if about_a_trade else case


def _worth_parsing(text: str, known: _Known) -> bool:
    if len(text) > 1000:
        return False
    defines = bool(_OPENING.match(text)) and bool(_VERB.search(text[:200]))
    return (defines and _names_people(text)) or known.opens(text)


def _names_people(text: str) -> bool:
    found = set(re.findall(r"\w+", text.casefold()))
    return not found.isdisjoint(words.PERSONS | words.POSTS | words.TRADES | {"who", "whose"})


def _with(case: _Case, found: Found | str) -> _Case:
    return replace(case, reason=found) if isinstance(found, str) else replace(case, found=found, reason="")


def _wanted(case: _Case, settings: BuildSettings) -> _Case:
    if case.found is None:
        return case
    name = case.profession
    listed = {_plain(one) for one in settings.professions} if settings.professions is not None else None
    if words.gendered(name):
        return replace(case, reason=GENDERED)
    if words.obsolete(name):
        return replace(case, reason=OBSOLETE)
    if _plain(name) in {_plain(one) for one in settings.leave_out}:
        return replace(case, reason=LEFT_OUT)
    if listed is not None and _plain(name) not in listed:
        return replace(case, reason=NOT_LISTED)
    return case


def _made(case: _Case, limits: Limits) -> _Case:
    """Marks for the profession, the noun, what goes and what comes last."""
    if case.found is None or case.reason:
        return case
    found = case.found
    text = found.doc.text
    gone = sum(len(text[start:end].split()) for start, end in found.removed)
    if found.swapped:
        gone += len(text[slice(*found.swapped)].split()) - 1
    end = cutting.cut(found, limits, removed_words=gone)
    if isinstance(end, str):
        return replace(case, reason=end)
    word, why = cutting.continuation(found, end.last)
    annotated = _annotated(found, end.end) + marks.mark("continue", word)
    steps = [*case.clean.steps, *case.steps, f"found as a {found.shape}"]
    if found.removed:
        steps.append("took out what stands around the profession")
    if found.swapped:
        steps.append(f"person for: {text[slice(*found.swapped)]}")
    steps += ["cut to length"] if end.shortened else []
    return replace(case, steps=(*steps, f"{word.strip(', ')}: {why}"), annotated=annotated)


def _annotated(found: Found, end: int) -> str:
    text: str = found.doc.text
    spans = [(*span, "remove") for span in found.removed if span[0] < end]
    spans.append((*found.profession, "profession"))
    if found.swapped:
        spans.append((*found.swapped, "person"))
    annotated, place = "", 0
    for start, stop, kind in sorted(spans):
        annotated += text[place:start] + marks.mark(kind, text[start:stop])
        place = stop
    return annotated + text[place:end] + marks.mark("remove", text[end:].rstrip(" .!?"))


def _chosen(cases: list[_Case], per_profession: int) -> list[_Case]:
    """The best sentences of each profession; the others say so."""
    places: dict[str, list[int]] = {}
    for place, case in enumerate(cases):
        if case.annotated:
            places.setdefault(_plain(case.profession), []).append(place)
    chosen = list(cases)
    for found in places.values():
        for place in sorted(found, key=lambda place: _rank(cases[place]))[per_profession:]:
            chosen[place] = replace(cases[place], reason=SPARE)
    return chosen


def _rank(case: _Case) -> tuple[bool, bool, int]:
    assert case.found is not None
    rewritten = any(step.startswith("put into") for step in case.steps)
    length = len(marks.apply(case.annotated).prompt.split())
    return case.found.shape != "definition", rewritten, abs(length - 16)


def _sentence(case: _Case) -> NaturalSentence:
    return NaturalSentence(
        id=case.passage.place,
        profession=case.profession,
        use=bool(case.annotated) and not case.reason,
        prompt=marks.apply(case.annotated).prompt if case.annotated else "",
        annotated=case.annotated,
        sentence=case.passage.text,
        place=case.passage.place,
        steps=case.steps,
        reason=case.reason,
    )


def _accounts(cases: Sequence[_Case]) -> tuple[Account, ...]:
    held: dict[str, list[_Case]] = {}
    names: dict[str, str] = {}
    for case in cases:
        name = case.profession or case.passage.article.lower() or "(no profession)"
        names.setdefault(_plain(name), name)
        held.setdefault(_plain(name), []).append(case)
    return tuple(_account(names[key], found) for key, found in held.items())


def _account(name: str, cases: Sequence[_Case]) -> Account:
    reasons = Counter(case.reason or USED for case in cases)
    return Account(
        profession=name,
        outcome=_outcome(name, reasons),
        prompts=reasons[USED],
        sentences=len(cases),
        places=tuple(dict.fromkeys(case.passage.place.rpartition("/")[0] or case.passage.place for case in cases)),
        reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    )


def _outcome(name: str, reasons: Counter[str]) -> str:
    """Used, or the reason that says most of why not: the one that came last in the pipeline."""
    if reasons[USED]:
        return USED
    if words.gendered(name):
        return GENDERED
    if words.obsolete(name):
        return OBSOLETE
    early = (LITTLE, STUCK, POST, PAST, TRADE, REPEATED, NO_PROFESSION)
    late = next((reason for reason, _ in reasons.most_common() if reason not in early), None)
    found = late or next(reason for reason in early if reasons[reason])
    if found != NO_PROFESSION:
        return found
    return "none of its sentences says who that is" if words.names_a_person(name) else "not the name of a profession"


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[\w']+", name.casefold()))
