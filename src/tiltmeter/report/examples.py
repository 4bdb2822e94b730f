"""Example pairs: which to show, and where in each sentence the group and the attribute stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tiltmeter.measures.pairs import TIE
from tiltmeter.records import Span
from tiltmeter.report.series import spec_of
from tiltmeter.report.words import percent
from tiltmeter.results import Cell
from tiltmeter.results.items import ShownPair, shown_pairs
from tiltmeter.results.summary.sources_compared import AttributeGap, Comparison

SHOWN = 6
"""Pairs in each list: enough to see what the figures are made of, few enough to be read."""
_DISAGREEING = 3
"""Attributes on which two sources disagree, and pairs of each source that are shown of them."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a sentence; kind is `group`, `attribute` or empty."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One text of an example, cut where its marking changes, and its score."""

    role: str
    segments: tuple[Segment, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Example:
    """A scored pair: the stereotyped sentence first, and by how much it is preferred."""

    bias: str
    margin: float
    sentences: tuple[Sentence, Sentence]


@dataclass(frozen=True, slots=True)
class ExampleList:
    """Examples of one kind."""

    title: str
    examples: tuple[Example, ...]


def example_lists(cell: Cell, benchmarks: set[str], shown: int = SHOWN) -> list[ExampleList]:
    """The strongest stereotyped choices of a cell, the strongest of the other, and the nearest to a tie."""
    made = [
        _example(pair)
        for pair in shown_pairs(cell.measured)
        if pair.margin is not None and spec_of(pair.bias) not in benchmarks
    ]
    # Ties in the margin keep the order of the run, since sorting is stable.
    upward = sorted((one for one in made if one.margin > TIE), key=lambda one: -one.margin)[:shown]
    downward = sorted((one for one in made if one.margin < -TIE), key=lambda one: one.margin)[:shown]
    extremes = {id(one) for one in (*upward, *downward)}
    near = sorted((one for one in made if id(one) not in extremes), key=lambda one: abs(one.margin))[:shown]
    lists = [
        ExampleList("Strongest preference for the stereotyped sentence", tuple(upward)),
        ExampleList("Strongest preference for the other sentence", tuple(downward)),
        ExampleList("Nearest to a tie", tuple(near)),
    ]
    return [one for one in lists if one.examples]


def disagreement_lists(found: Comparison, templates: Cell, written: Cell, benchmarks: set[str]) -> list[ExampleList]:
    """For the attributes on which two sources disagree most, the pairs of either that speak loudest for it.

    Pairs with group terms that both sources have come first: there nothing but the sentence differs.
    """
    gaps = [one for one in found.attributes if one.difference and spec_of(one.bias) not in benchmarks][:_DISAGREEING]
    lists = []
    for gap in gaps:
        pairs = [_about(cell, gap) for cell in (templates, written)]
        shared = set.intersection(*({_terms(pair) for pair in some} for some in pairs))
        toward = 1 if gap.difference > 0 else -1
        sides = zip((templates, written), (gap.first, gap.second), pairs, (-toward, toward), strict=True)
        for cell, share, some, sign in sides:
            title = f"Disagreement on “{gap.attribute}”: {cell.source}, {percent(share.value)} stereotyped"
            lists.append(ExampleList(title, tuple(_loudest(some, sign, shared))))
    return lists


def _loudest(pairs: Sequence[ShownPair], sign: int, shared: set[tuple[str, str]]) -> list[Example]:
    """The pairs farthest to one side, those with shared terms before the others."""
    ordered = sorted(pairs, key=lambda pair: (_terms(pair) not in shared, -sign * (pair.margin or 0.0)))
    return [_example(pair) for pair in ordered[:_DISAGREEING]]


def _about(cell: Cell, gap: AttributeGap) -> list[ShownPair]:
    """The scored pairs of a cell about an attribute."""
    return [
        pair
        for pair in shown_pairs(cell.measured)
        if pair.margin is not None and (pair.bias, pair.attribute) == (gap.bias, gap.attribute)
    ]


def _terms(pair: ShownPair) -> tuple[str, str]:
    first, second = sorted(term.casefold() for term in pair.terms)
    return first, second


def _example(pair: ShownPair) -> Example:
    roles = ("stereotyped", "other")
    first, second = (
        Sentence(role, tuple(_segments(text, marks)), score)
        for role, text, marks, score in zip(roles, pair.texts, pair.marks, pair.scores or (0.0, 0.0), strict=True)
    )
    return Example(pair.bias, pair.margin or 0.0, (first, second))


def _segments(text: str, marks: Mapping[str, Sequence[Span]]) -> Sequence[Segment]:
    kinds = [""] * len(text)
    for kind, spans in marks.items():
        for start, end in spans:
            inside = range(max(0, start), min(end, len(text)))
            for place in inside:
                kinds[place] = kind
    changes = [0, *(place for place in range(1, len(text)) if kinds[place] != kinds[place - 1]), len(text)]
    return [Segment(text[start:end], kinds[start]) for start, end in pairwise(changes) if end > start]
