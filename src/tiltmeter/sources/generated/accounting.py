"""What generation cost and what became of it: only counts; what to make of them is for `stats`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tiltmeter.records import Written
from tiltmeter.sources.generated.checks import NOT_CHOSEN, WITHOUT_BOTH_TERMS, kind
from tiltmeter.sources.generated.settings import UnitResult


@dataclass(frozen=True, slots=True)
class TermYield:
    """How many sentences were decoded for a term of a spec, and how many of them passed the checks."""

    kind: Literal["group", "attribute"]
    holder: str
    """The name of the group or attribute set."""
    term: str
    decoded: int
    accepted: int


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
    """Why sentences were dropped and how many, most frequent first."""
    terms: tuple[TermYield, ...]
    written_for: tuple[tuple[str, int], ...]
    """Kept sentences by the group they were written for."""
    short: tuple[tuple[str, int], ...]
    """Units with fewer kept sentences than were asked for, and how many they have."""

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
    kept = [sentence for sentence in sentences if sentence.dropped is None]
    per_unit = [(result.unit.id, sum(one.dropped is None for one in result.sentences)) for result in results]
    return Accounting(
        requests=sum(result.requests for result in results),
        attempts=sum(result.attempts for result in results),
        decoded=len(sentences),
        with_both_terms=len(sentences) - sum(reason in WITHOUT_BOTH_TERMS for reason in reasons),
        accepted=sum(map(is_accepted, sentences)),
        kept=len(kept),
        tokens=sum(result.tokens for result in results),
        dropped=tuple(Counter(reasons).most_common()),
        terms=tuple(_terms(sentences)),
        written_for=tuple(sorted(Counter(sentence.group for sentence in kept).items())),
        short=tuple((unit, count) for unit, count in per_unit if count < per_attribute),
    )


def is_accepted(sentence: Written) -> bool:
    """Whether a sentence passed every check, chosen or not."""
    return sentence.dropped in (None, NOT_CHOSEN)


def _terms(sentences: Iterable[Written]) -> list[TermYield]:
    decoded: Counter[tuple[Literal["group", "attribute"], str, str]] = Counter()
    accepted: Counter[tuple[Literal["group", "attribute"], str, str]] = Counter()
    for sentence in sentences:
        decoded["group", sentence.group, sentence.term] += 1
        decoded["attribute", sentence.attribute_set, sentence.attribute] += 1
        accepted["group", sentence.group, sentence.term] += is_accepted(sentence)
        accepted["attribute", sentence.attribute_set, sentence.attribute] += is_accepted(sentence)
    return [TermYield(*key, count, accepted[key]) for key, count in decoded.items()]
