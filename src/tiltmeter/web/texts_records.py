"""What a list of texts shows: its rows, how many there are, and how their values are spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tiltmeter.records import Span
from tiltmeter.web.texts_query import Filters

SIZE = 25
"""Texts on a page."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text; kind is `group`, `attribute`, `prompt` or empty."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A text, cut where its marking changes, and what stands before it."""

    pieces: tuple[Piece, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its name; where there is none, why."""

    name: str
    value: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A text in the list: its place in the run, what it says, what it is about, and its numbers."""

    id: str
    lines: tuple[Line, ...]
    labels: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Facet:
    """The texts of a group: how many, how many of them without a number, and how many in each stretch of the scale."""

    name: str
    n: int
    missing: int
    bins: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """A choice of a list in the form."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of texts, and what there is to say of all that the filters choose."""

    filters: Filters
    """With what was not said filled in."""
    total: int
    rows: Sequence[Row]
    facets: Sequence[Facet]
    faceted_by: str
    ends: tuple[float, float] | None
    """Of the scale of the histograms."""
    value: str
    """What the number is that texts are ordered and chosen by, in a few words."""
    reasons: Sequence[tuple[str, int]]
    """Why texts have no number, and how many."""
    options: Mapping[str, Sequence[Option]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-self.total // SIZE))

    @property
    def first(self) -> int:
        """The number of the first text on the page."""
        return (self.filters.page - 1) * SIZE + 1 if self.rows else 0

    @property
    def missing(self) -> int:
        """How many texts have no number."""
        return sum(count for _, count in self.reasons)


def pieces(text: str, marks: Sequence[tuple[str, Sequence[Span]]], start: str = "") -> tuple[Piece, ...]:
    """A text cut where its marking changes; later marks lie over earlier ones, `start` is the kind of the rest.

    >>> [(one.text, one.kind) for one in pieces("A woman sings", [("group", [(2, 7)])])]
    [('A ', ''), ('woman', 'group'), (' sings', '')]
    """
    kinds = [start] * len(text)
    for kind, spans in marks:
        for begin, end in spans:
            for place in range(max(0, begin), min(end, len(text))):
                kinds[place] = kind
    cuts = [0, *(place for place in range(1, len(text)) if kinds[place] != kinds[place - 1]), len(text)]
    return tuple(Piece(text[begin:end], kinds[begin]) for begin, end in pairwise(cuts) if end > begin)
