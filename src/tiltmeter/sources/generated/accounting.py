"""What generation cost and what became of it: only counts; what to make of them is for `stats`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tiltmeter.records import Written
from tiltmeter.sources.generated.checks import DECLINED, EMPTY, JUDGED, NOT_CHOSEN, UNANSWERED, WITHOUT_BOTH_TERMS, kind
from tiltmeter.sources.generated.settings import UnitResult

Kind = Literal["group", "attribute"]


@dataclass(frozen=True, slots=True)
class TermYield:
    """How many sentences were decoded for a term of a spec, and how many of them passed the checks."""

    kind: Kind
    holder: str
    """The name of the group or attribute set."""
    term: str
    decoded: int
    accepted: int


@dataclass(frozen=True, slots=True)
class GroupYield:
    """What became of the sentences written for one group: a judge that treats groups unequally shows here."""

    group: str
    drawn: int
    judged: int
    """Those that passed every other check."""
    flagged: int
    """Those of them that the judge refused."""
    kept: int


@dataclass(frozen=True, slots=True)
class Missing:
    """A group or an attribute for which no sentence is kept, and why most of those that were written were dropped."""

    kind: Kind
    name: str
    of: str
    """The attribute set of an attribute; of a group, the attribute that it lacks, or nothing where it lacks all."""
    reason: str


@dataclass(frozen=True, slots=True)
class Accounting:
    """The course of a generation. Accepted: passed every check; kept: accepted and also chosen."""

    requests: int
    attempts: int
    """Every sequence that was decoded, those included that the generator gave up before they were sentences."""
    decoded: int
    """Those of them that were finished."""
    with_both_terms: int
    accepted: int
    kept: int
    tokens: int
    dropped: tuple[tuple[str, int], ...]
    """Why sentences were dropped and how many, most frequent first; requests without an answer among them."""
    terms: tuple[TermYield, ...]
    groups: tuple[GroupYield, ...]
    short: tuple[tuple[str, int], ...]
    """Units with fewer kept sentences than were asked for, and how many they have."""
    missing: tuple[Missing, ...] = ()
    """Attributes and groups without any sentence."""
    asked: tuple[str, ...] = ()
    """How the generator was asked: the strategy, and whether by chat."""

    @property
    def yields(self) -> dict[Kind, dict[TermYield, tuple[int, int]]]:
        """Of group terms and of attributes, how many sentences for each were accepted and how many decoded."""
        found: dict[Kind, dict[TermYield, tuple[int, int]]] = {}
        for one in self.terms:
            found.setdefault(one.kind, {})[one] = (one.accepted, one.decoded)
        return found

    @property
    def commonest(self) -> str:
        """Why most of what was written was dropped; nothing came where it is not known."""
        return self.dropped[0][0] if self.dropped else EMPTY

    @property
    def controllability(self) -> float | None:
        """The share of decoded sentences that hold both terms, as the paper counts it."""
        return self.with_both_terms / self.decoded if self.decoded else None

    @property
    def share(self) -> float | None:
        """The share of all sequences decoded, given-up ones included, that were accepted."""
        return self.accepted / self.attempts if self.attempts else None

    @property
    def accepted_per_1000_tokens(self) -> float | None:
        """How many sentences were accepted for every 1,000 tokens decoded."""
        return 1000 * self.accepted / self.tokens if self.tokens else None


def account(results: Sequence[UnitResult], per_attribute: int) -> Accounting:
    """Count what became of every decoded sentence."""
    sentences = [sentence for result in results for sentence in result.sentences]
    reasons = [kind(sentence.dropped) for sentence in sentences if sentence.dropped is not None]
    decoded = [sentence for sentence in sentences if kind(sentence.dropped or "") != UNANSWERED]
    lacking = sum(reason in WITHOUT_BOTH_TERMS or reason == DECLINED for reason in reasons)
    kept = [sentence for sentence in sentences if sentence.dropped is None]
    per_unit = [(result.unit.id, sum(one.dropped is None for one in result.sentences)) for result in results]
    return Accounting(
        requests=sum(result.requests for result in results),
        attempts=sum(result.attempts for result in results),
        decoded=len(decoded),
        with_both_terms=len(decoded) - lacking,
        accepted=sum(map(is_accepted, sentences)),
        kept=len(kept),
        tokens=sum(result.tokens for result in results),
        dropped=tuple(Counter(reasons).most_common()),
        terms=tuple(_terms(decoded)),
        groups=tuple(_groups(decoded)),
        short=tuple((unit, count) for unit, count in per_unit if count < per_attribute),
        missing=tuple(_missing(results)),
        asked=tuple(dict.fromkeys(sentence.strategy for sentence in sentences if sentence.strategy)),
    )


def is_accepted(sentence: Written) -> bool:
    """Whether a sentence passed every check, chosen or not."""
    return sentence.dropped in (None, NOT_CHOSEN)


def _groups(sentences: Sequence[Written]) -> Iterator[GroupYield]:
    for name in sorted({sentence.group for sentence in sentences}):
        own = [sentence for sentence in sentences if sentence.group == name]
        flagged = sum((sentence.dropped or "").startswith(JUDGED) for sentence in own)
        accepted = sum(map(is_accepted, own))
        yield GroupYield(name, len(own), accepted + flagged, flagged, sum(one.dropped is None for one in own))


def _missing(results: Sequence[UnitResult]) -> Iterator[Missing]:
    """Groups without a sentence, then attributes, then groups that lack some attributes; set by set they may differ."""
    written: dict[tuple[str, str], list[Written]] = {}
    for result in results:
        written.setdefault((result.unit.attribute_set, result.unit.attribute), []).extend(result.sentences)
    groups = dict.fromkeys(sentence.group for found in written.values() for sentence in found)
    without = {name for name in groups if not any(_kept(found, name) for found in written.values())}
    for name in groups:
        if name in without:
            every = [one for found in written.values() for one in found if one.group == name]
            yield Missing("group", name, "", _commonest(every))
    for (of, attribute), found in written.items():
        if not any(one.dropped is None for one in found):
            yield Missing("attribute", attribute, of, _commonest(found))
            continue
        for name in dict.fromkeys(one.group for one in found):
            if name not in without and not _kept(found, name):
                yield Missing("group", name, attribute, _commonest([one for one in found if one.group == name]))


def _kept(found: Iterable[Written], group: str) -> bool:
    return any(one.dropped is None and one.group == group for one in found)


def _commonest(found: Iterable[Written]) -> str:
    reasons = Counter(kind(one.dropped) for one in found if one.dropped)
    return reasons.most_common(1)[0][0] if reasons else EMPTY


def _terms(sentences: Iterable[Written]) -> list[TermYield]:
    decoded: Counter[tuple[Kind, str, str]] = Counter()
    accepted: Counter[tuple[Kind, str, str]] = Counter()
    for sentence in sentences:
        decoded["group", sentence.group, sentence.term] += 1
        decoded["attribute", sentence.attribute_set, sentence.attribute] += 1
        accepted["group", sentence.group, sentence.term] += is_accepted(sentence)
        accepted["attribute", sentence.attribute_set, sentence.attribute] += is_accepted(sentence)
    return [TermYield(*key, count, accepted[key]) for key, count in decoded.items()]
