"""From a corpus to prompts, by the steps of Appendix A of Alnegheimish, Guo & Sun (2022); every step is recorded.

Find sentences that introduce a profession; drop those about the trade; mark the nouns that give the trade away; cut to
length; add the word after which a pronoun can follow; drop obsolete and gendered professions. Those come last, so that
a sentence which is dropped has its marks too, and a person who thinks otherwise need only say `use`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tiltmeter.sources.natural import lexicon, marks, truncation, words
from tiltmeter.sources.natural.accounts import Account, SentenceOutcome, accounts, plain
from tiltmeter.sources.natural.cleaning import Clean, clean
from tiltmeter.sources.natural.corpus import Passage
from tiltmeter.sources.natural.definitions import Definition, Rejected, find
from tiltmeter.sources.natural.evidence import worked_as
from tiltmeter.sources.natural.noun_class import Judge, NounClass
from tiltmeter.sources.natural.number import in_the_singular
from tiltmeter.sources.natural.reasons import (
    GENDERED,
    LEFT_OUT,
    NO_PROFESSION,
    NOT_LISTED,
    OBSOLETE,
    REPEATED,
    SPARE,
    TRADE,
    USED,
    not_of,
    of_gender,
)
from tiltmeter.sources.natural.sentence_files import NaturalSentence
from tiltmeter.sources.natural.stand_in import stand_in
from tiltmeter.sources.natural.truncation import Limits

Parse = Callable[[Iterable[str]], Iterable[Any]]
"""Parses texts, e.g. spaCy's `pipe`; the source is given it."""

_OPENING = re.compile(r"^(?:[^,]{0,70}, )?[\"']?(?:an?|the)\s", re.IGNORECASE)
_BARE = re.compile(r"^(?:The )?([A-Z][\w '-]{2,60}?) (?:is|are) (?:an?|the|one)\b")
_VERB = re.compile(r"\b(?:is|are|was|were)\b")


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """What may be chosen: how long prompts are, how many a profession gets, which professions are wanted or not.

    `noun_class` is what is looked for in place of professions.
    """

    limits: Limits = field(default_factory=Limits)
    per_profession: int = 1
    professions: Collection[str] | None = None
    leave_out: Collection[str] = ()
    noun_class: NounClass = field(default_factory=NounClass)


@dataclass(frozen=True, slots=True)
class Built:
    """Every sentence, used or not, with its marks where it introduces a profession, and the account of all."""

    sentences: tuple[NaturalSentence, ...]
    accounts: tuple[Account, ...]
    total: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One sentence on its way: what it introduces, its marks, or the reason why it went no further."""

    passage: Passage
    clean: Clean
    found: Definition | None = None
    passed: Rejected | None = None
    reason: str = NO_PROFESSION
    steps: tuple[str, ...] = ()
    annotated: str = ""
    belongs: bool = False

    @property
    def profession(self) -> str:
        if self.found and not self.belongs:
            return ""
        return self.found.name if self.found else self.passed.name if self.passed else ""


def build(passages: Sequence[Passage], parse: Parse, judge: Judge, settings: BuildSettings | None = None) -> Built:
    """The prompts that a corpus holds, with an account of every sentence."""
    settings = settings or BuildSettings()
    held = [passage for passage in passages if passage.text]
    cases = _without_repeats([_case(passage) for passage in held])
    known = _Known(settings, passages)
    cases = _judged(_definition_in(cases, parse, known), judge, known)
    # What one sentence defines as work, another may tell more of: "Luthiers build guitars".
    known.learn(case.profession for case in cases if case.belongs)
    rest = [case for case in cases if not case.belongs and case.reason != REPEATED and known.opens(case.clean.text)]
    again = {case.passage.place: case for case in _judged(_definition_in(rest, parse, known), judge, known)}
    cases = [again.get(case.passage.place, case) for case in cases]
    cases = [_wanted(_made(case, settings.limits), settings) for case in cases]
    cases = _chosen(cases, settings.per_profession)
    lines = [SentenceOutcome(case.passage, case.profession, case.reason or USED) for case in cases]
    return Built(tuple(map(_sentence, cases)), accounts(lines, passages), len(cases))


def _judged(cases: list[_Candidate], judge: Judge, known: _Known) -> list[_Candidate]:
    """Which of the nouns that sentences define belong to the class."""
    asked = [(case.found.name_as_written, case.found.said) for case in cases if case.found]
    scores = iter(judge(asked) if asked else [])
    return [replace(case, belongs=known.decided(case.found, next(scores))) if case.found else case for case in cases]


def _case(passage: Passage) -> _Candidate:
    cleaned = clean(passage.text)
    return _Candidate(passage, cleaned, steps=cleaned.steps)


class _Known:
    """Which nouns are of the class: those of its list, those the corpus tells, and those that it defines."""

    def __init__(self, settings: BuildSettings, passages: Sequence[Passage]) -> None:
        self._class = given = settings.noun_class
        names = [*given.members]
        if given.of_work:
            from tiltmeter.sources.natural import professions

            told = worked_as(passage.text for passage in passages)
            titles = {passage.article for passage in passages}
            names += [*professions(), *(settings.professions or ())]
            names += [name for name in {*told, *titles} if not lexicon.is_role(name) and words.names_a_person(name)]
        self._names = {plain(name) for name in names}
        self.capitalised = given.capitalised

    def __call__(self, name: str) -> bool:
        return plain(name) in self._names or self._class.may_have(name)

    def may_be(self, name: str) -> bool:
        """Whether a noun may turn out to be of the class: what is said of it decides."""
        looks = self._class.of_work and words.names_a_person(name) and not lexicon.is_role(name)
        return self(name) or looks

    def learn(self, names: Iterable[str]) -> None:
        """Know some more."""
        self._names |= {plain(name) for name in names}

    def opens(self, text: str, is_one: Callable[[str], bool] | None = None) -> bool:
        """Whether one of the nouns, in the singular or the plural, stands among the first words of a text."""
        is_one = is_one or self
        first = re.findall(r"[\w'-]+", text)[:9]
        spans = (" ".join(first[start : start + size]) for start in range(5) for size in (1, 2, 3, 4))
        phrases = {*filter(None, spans)}
        return any(is_one(form) for phrase in phrases for form in (phrase, phrase.removesuffix("s")))

    def decided(self, found: Definition, score: float) -> bool:
        """Whether what a sentence introduces belongs to the class."""
        name, defined = found.name_as_written, found.shape == "definition"
        sure = plain(name) in self._names and (
            not self._class.contradicts(name, found.said) if defined else score >= self._class.doubted
        )
        return sure or self._class.decided(
            name, found.said, score, defined=defined, called=found.noun if found.acts else ""
        )


def _without_repeats(cases: list[_Candidate]) -> list[_Candidate]:
    seen: dict[str, str] = {}
    done = []
    for case in cases:
        first = seen.setdefault(case.clean.text.casefold(), case.passage.place)
        done.append(case if first == case.passage.place else _repeated(case, first))
    return done


def _repeated(case: _Candidate, first: str) -> _Candidate:
    return replace(case, reason=REPEATED, steps=(*case.steps, f"see {first}"))


def _definition_in(cases: list[_Candidate], parse: Parse, known: _Known) -> list[_Candidate]:
    """Parse what may introduce a profession, and find it; a plural is tried again in the singular."""
    worth = [case for case in cases if case.reason != REPEATED and _worth_parsing(case.clean.text, known)]
    results: dict[str, _Candidate] = {}
    again: list[tuple[_Candidate, str]] = []
    for case, doc in zip(worth, _parsed([case.clean.text for case in worth], parse, known), strict=True):
        found = find(doc, known.may_be)
        nobody = isinstance(found, Rejected) and found.reason == NO_PROFESSION
        singular = in_the_singular(doc, known.may_be, capitals=known.capitalised) if nobody else None
        if singular:
            again.append((case, singular))
        if isinstance(found, Rejected) and not known(found.name):
            found = replace(found, profession=None)
        results[case.passage.place] = _with(case, found)
    for (case, text), doc in zip(again, _parsed([text for _, text in again], parse, known), strict=True):
        found = find(doc, known.may_be)
        if isinstance(found, Definition):
            steps = (*case.steps, f"put into the singular: {text}")
            results[case.passage.place] = replace(_with(case, found), steps=steps)
    return [results.get(case.passage.place) or _unparsed(case) for case in cases]


def _parsed(texts: Sequence[str], parse: Parse, known: _Known) -> Iterator[Any]:
    """The trees of texts; rare nouns are parsed as if they were common ones."""
    stood = [stand_in(text, known.may_be) for text in texts]
    for given, doc in zip(stood, parse([given.text for given in stood]), strict=True):
        yield given.restored(doc)


def _unparsed(case: _Candidate) -> _Candidate:
    """What can be told of a sentence without the parser: "Sewing is the craft of …"."""
    named = _BARE.match(case.clean.text)
    about_a_trade = named is not None and case.reason == NO_PROFESSION and words.names_a_trade(named[1])
    return replace(case, reason=TRADE) if about_a_trade else case


def _worth_parsing(text: str, known: _Known) -> bool:
    if len(text) > 1000:
        return False
    defines = bool(_OPENING.match(text)) and bool(_VERB.search(text[:200]))
    return defines or known.opens(text, known.may_be)


def _with(case: _Candidate, found: Definition | Rejected) -> _Candidate:
    if isinstance(found, Definition):
        return replace(case, found=found, reason="")
    return replace(case, passed=found, reason=found.reason)


def _wanted(case: _Candidate, settings: BuildSettings) -> _Candidate:
    """Drop a profession that is gendered, obsolete or not wanted; that says more of it than how it could be cut."""
    if case.found is None:
        return case
    name, plainly = case.profession, plain(case.profession)
    listed = settings.professions
    reasons = (
        (not case.belongs, not_of(settings.noun_class.name)),
        (words.gendered(name), GENDERED),
        (bool(case.found.gender), of_gender(case.found.gender)),
        (settings.noun_class.of_work and words.obsolete(name), OBSOLETE),
        (plainly in map(plain, settings.leave_out), LEFT_OUT),
        (listed is not None and plainly not in map(plain, listed), NOT_LISTED),
    )
    return replace(case, reason=next((reason for applies, reason in reasons if applies), case.reason))


def _made(case: _Candidate, limits: Limits) -> _Candidate:
    """Marks for the profession, the noun, what goes and what comes last."""
    if case.found is None:
        return _marked_at_least(case)
    found = case.found
    text = found.doc.text
    gone = sum(len(text[start:end].split()) for start, end in found.removed)
    if found.swapped:
        gone += len(text[slice(*found.swapped)].split()) - 1
    end = truncation.cut(found, limits, removed_words=gone)
    if isinstance(end, str):
        case, end = replace(case, reason=end), truncation.whole(found)
    word, why = truncation.continuation(found, end.last)
    annotated = _annotated(found, end.end) + marks.mark("continue", word)
    steps = [*case.steps, f"found as a {found.shape}"]
    if found.removed:
        steps.append("removed the words around the profession")
    if found.swapped:
        steps.append(f"person for: {text[slice(*found.swapped)]}")
    steps += ["cut to length"] if end.shortened else []
    return replace(case, steps=(*steps, f"{word.strip(', ')}: {why}"), annotated=annotated)


def _marked_at_least(case: _Candidate) -> _Candidate:
    """Of a sentence that cannot be used, but speaks of a profession, the marks that a person can start from."""
    if case.passed is None or case.passed.profession is None:
        return case
    (start, end), text = case.passed.profession, case.passed.doc.text
    lead, rest = text[:start], text[end:].rstrip(" .!?")
    annotated = f"{lead}{marks.mark('profession', text[start:end])}{rest}{marks.mark('continue', ', and')}"
    return replace(case, steps=(*case.steps, "marked the profession alone"), annotated=annotated)


def _annotated(found: Definition, end: int) -> str:
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


def _chosen(cases: list[_Candidate], per_profession: int) -> list[_Candidate]:
    """The best sentences of each profession; the others say so."""
    places: dict[str, list[int]] = {}
    for place, case in enumerate(cases):
        if not case.reason:
            places.setdefault(plain(case.profession), []).append(place)
    chosen = list(cases)
    for found in places.values():
        for place in sorted(found, key=lambda place: _rank(cases[place]))[per_profession:]:
            chosen[place] = replace(cases[place], reason=SPARE)
    return chosen


def _rank(case: _Candidate) -> tuple[bool, bool, int]:
    assert case.found is not None
    rewritten = any(step.startswith("put into") for step in case.steps)
    length = len(marks.apply(case.annotated).prompt.split())
    return case.found.shape != "definition", rewritten, abs(length - 16)


def _sentence(case: _Candidate) -> NaturalSentence:
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
