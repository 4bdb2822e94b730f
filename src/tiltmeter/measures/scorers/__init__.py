"""Scorers: what to ask a model about a pair, and how to make one number for each of its texts.

A scorer is two plain functions. `queries` says what to ask, `reduce` turns the answers into two numbers, or raises
`Unscorable` with a reason that a person can read. Neither sees the model, so the same answers serve several scorers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.errors import ModelError
from tiltmeter.records import Family, Pair, PairScore, Query, Span, TokenScores
from tiltmeter.registry import load, names, resolve

DEFAULTS: Mapping[Family, str] = {"causal": "causal.sum.v1", "masked": "masked.within-word.v1"}
"""The scorer that a study without a choice uses, by how the model reads."""


class Unscorable(Exception):
    """Not an error but an outcome: this pair has no score under this scorer; the message says why."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """One way to put a number on each text of a pair."""

    name: str
    family: Family
    meaning: str
    """What the number is, in half a sentence."""
    queries: Callable[[Pair], tuple[Query, ...]]
    reduce: Callable[[Pair, Sequence[TokenScores]], tuple[float, float]]

    def score(self, pair: Pair, answers: Mapping[Query, TokenScores]) -> PairScore:
        """The score of a pair from the model's answers to its queries."""
        try:
            given = [answers[query] for query in self.queries(pair)]
            refused = next((answer.unscored for answer in given if answer.unscored), None)
            scores = None if refused else self.reduce(pair, given)
        except Unscorable as reason:
            scores, refused = None, str(reason)
        return PairScore(pair, self.name, scores, refused)

    def asks(self, pair: Pair) -> tuple[Query, ...]:
        """The queries of a pair; none where it is clear beforehand that it cannot be scored."""
        try:
            return self.queries(pair)
        except Unscorable:
            return ()


def find(name: str, family: Family) -> Scorer:
    """The scorer that a short or full name stands for, on a model of that family.

    >>> find("sum", "causal").name
    'causal.sum.v1'
    """
    full = name if name.startswith(("causal.", "masked.")) else f"{family}.{name}"
    other = "masked" if family == "causal" else "causal"
    if not full.startswith(f"{family}.") or (
        full not in _versionless(family) and f"{other}.{name}" in _versionless(other)
    ):
        fitting = ", ".join(short_names(family))
        raise ModelError(f"the scorer `{name}` needs a {other} model, this one is {family}: choose {fitting}")
    scorer: Scorer = load("scorer", resolve("scorer", full))
    return scorer


def all_for(family: Family) -> list[Scorer]:
    """Every scorer that fits a family, in its newest version, in the order of the table."""
    return [load("scorer", resolve("scorer", name)) for name in _versionless(family)]


LOG_SUM, LOG_PER_CHARACTER, LOG_CHOICE = "log.sum.v1", "log.per-character.v1", "log.choice.v1"
LOGGED: Mapping[str, str] = {
    LOG_SUM: "log-probability of the answer, as another program logged it",
    LOG_PER_CHARACTER: "log-probability of the answer per character, as another program logged it",
    LOG_CHOICE: "1 for the answer that the model chose, as another program logged it, 0 for the other",
}
"""What stands for a scorer where another program scored; these score nothing themselves."""


def meaning_of(name: str) -> str:
    """What a scorer of a run puts a number on; of an earlier version, what the newest does, which is said.

    >>> meaning_of("masked.slot.v1")
    'log-probability of the group term in its place, given the rest of the sentence; an earlier version'
    """
    if name in LOGGED:
        return LOGGED[name]
    known = name if name in names("scorer") else name.rsplit(".v", 1)[0]
    meaning: str = load("scorer", known).meaning
    return meaning if known == name else f"{meaning}; an earlier version"


FULL_STOP = "."
"""What the authors' program puts behind every sentence before it is scored, also behind one that has it already."""


def total(tokens: TokenScores, keep: Callable[[Span], bool]) -> tuple[float, int]:
    """The sum of the log-probabilities of the kept tokens, and how many they are."""
    kept = [value for span, value in zip(tokens.spans, tokens.logprobs, strict=True) if keep(span)]
    if None in kept:
        raise Unscorable("the model has no start token, so the first word cannot be scored")
    if not kept:
        raise Unscorable("no token is left to score")
    return sum(kept), len(kept)  # type: ignore[arg-type]


def sums(pair: Pair, answers: Sequence[TokenScores]) -> tuple[float, float]:
    """The sum over every token of each text that is not mere context."""
    (first, _), (second, _) = _after_the_context(pair, answers)
    return first, second


def means(pair: Pair, answers: Sequence[TokenScores]) -> tuple[float, float]:
    """The mean over every token of each text that is not mere context."""
    for text, answer in zip(pair.texts, answers, strict=False):
        if answer.spans == ((0, len(text)),) and len(text.split()) > 1:
            raise Unscorable("the model gives one number for the whole text, so there is no mean over its tokens")
    (first, n_first), (second, n_second) = _after_the_context(pair, answers)
    return first / n_first, second / n_second


def overlaps(span: Span, others: Sequence[Span]) -> bool:
    """Whether a span shares a character with any of the others.

    >>> overlaps((0, 3), [(2, 5)]), overlaps((0, 3), [(3, 5)])
    (True, False)
    """
    return any(span[0] < end and start < span[1] for start, end in others)


def _after_the_context(pair: Pair, answers: Sequence[TokenScores]) -> list[tuple[float, int]]:
    starts = zip(answers, pair.scored_from, strict=False)
    return [total(answer, lambda span, start=start: span[1] > start) for answer, start in starts]  # type: ignore[misc]


def short_names(family: Family) -> list[str]:
    """The scorers of a family as a study names them: without family and version.

    >>> "sum" in short_names("causal")
    True
    """
    return [name.removeprefix(f"{family}.") for name in _versionless(family)]


def _versionless(family: str) -> list[str]:
    found = (name.rsplit(".v", 1)[0] for name in names("scorer") if name.startswith(f"{family}."))
    return list(dict.fromkeys(found))
