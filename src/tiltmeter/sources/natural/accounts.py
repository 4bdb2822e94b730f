"""The account of a corpus: a row for every profession and every article, and why it has a prompt or none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tiltmeter.sources.natural import words
from tiltmeter.sources.natural.corpus import Passage
from tiltmeter.sources.natural.reasons import (
    GENDERED,
    HISTORY,
    LITTLE,
    NO_PROFESSION,
    OBSOLETE,
    PAST,
    POST,
    REPEATED,
    TRADE,
    USED,
)
from tiltmeter.sources.nouns import plural

NOBODY = "(no profession)"
NOT_SAID = "none of its sentences says what this person does"
NO_NAME = "not the name of a profession"
OF_OTHERS = "all its sentences introduce other professions: {names}"
EMPTY = "the corpus has no sentence about it"

_EARLY = (LITTLE, POST, PAST, TRADE, HISTORY, REPEATED, NO_PROFESSION)


@dataclass(frozen=True, slots=True)
class SentenceOutcome:
    """One sentence: where it stands, the profession that it introduces or speaks of, and what became of it."""

    passage: Passage
    profession: str
    reason: str


@dataclass(frozen=True, slots=True)
class Account:
    """What became of one profession, or of one article that introduces none: `sentences` add up to the corpus.

    An article whose sentences all introduce other professions, or that has no sentence, counts none.
    """

    profession: str
    outcome: str
    prompts: int
    sentences: int
    places: tuple[str, ...]
    reasons: tuple[tuple[str, int], ...]
    """How many of its sentences were used or passed over, and why."""


def accounts(lines: Sequence[SentenceOutcome], passages: Iterable[Passage]) -> tuple[Account, ...]:
    """The rows, in the order of the corpus; those of articles without a sentence of their own come last."""
    held: dict[str, list[SentenceOutcome]] = {}
    names: dict[str, str] = {}
    others: dict[str, list[str]] = {}
    for line in lines:
        article = line.passage.article.lower()
        name = line.profession or article or NOBODY
        names.setdefault(plain(name), name)
        held.setdefault(plain(name), []).append(line)
        if article and line.profession:
            others.setdefault(plain(article), []).append(line.profession)
    found = [_account(names[key], its) for key, its in held.items()]
    for passage in passages:
        key = plain(passage.article)
        if key and key not in names:
            names[key] = passage.article.lower()
            outcome = OF_OTHERS.format(names=", ".join(dict.fromkeys(others[key]))) if key in others else EMPTY
            found.append(Account(names[key], outcome, 0, 0, (_article_place(passage),), ()))
    return tuple(found)


def plain(name: str) -> str:
    """A name as names are compared: small letters, no signs.

    >>> plain("Sous-Chef ")
    'sous chef'
    """
    return " ".join(re.findall(r"[\w']+", name.casefold()))


def _account(name: str, lines: Sequence[SentenceOutcome]) -> Account:
    reasons = Counter(line.reason for line in lines)
    return Account(
        profession=name,
        outcome=_outcome(name, lines, reasons),
        prompts=reasons[USED],
        sentences=len(lines),
        places=tuple(dict.fromkeys(_article_place(line.passage) for line in lines)),
        reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    )


def _article_place(passage: Passage) -> str:
    return passage.place.rpartition("/")[0] or passage.place


def _outcome(name: str, lines: Sequence[SentenceOutcome], reasons: Counter[str]) -> str:
    """Used, or the reason that says most of why not: the one that came last in the pipeline."""
    if reasons[USED]:
        return USED
    if name == NOBODY:
        # Sentences that have nothing in common but this.
        return NO_PROFESSION
    if _is_spoken_of(name, lines):
        if words.gendered(name):
            return GENDERED
        if words.obsolete(name):
            return OBSOLETE
    late = next((reason for reason, _ in reasons.most_common() if reason not in _EARLY), None)
    found = late or next(reason for reason in _EARLY if reasons[reason])
    if found in {HISTORY, NO_PROFESSION} or (found == TRADE and words.names_a_person(name)):
        return NOT_SAID if words.names_a_person(name) else NO_NAME
    return found


def _is_spoken_of(name: str, lines: Sequence[SentenceOutcome]) -> bool:
    """Whether some sentence introduces it, or writes it as a common noun; "Carmen" the opera is no carman."""
    forms = "|".join(re.escape(form) for form in (name, plural(name)))
    common = re.compile(rf"(?<!\w)(?:{forms})(?!\w)", re.IGNORECASE if " " in name else re.NOFLAG)
    return any(line.profession or common.search(line.passage.text) for line in lines)
