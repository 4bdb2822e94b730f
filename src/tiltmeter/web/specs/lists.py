"""The word lists of a spec that may be unfinished, and how they stand beside one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

from tiltmeter.english import Gender, gender
from tiltmeter.records import Group
from tiltmeter.web.specs.text import Holder

CellState = Literal["", "missing", "same"]


@dataclass(frozen=True)
class WordList:
    """The terms of a group or of an attribute set."""

    holder: Holder
    name: str
    terms: tuple[str, ...]
    stereotype_of: tuple[str, ...] = ()

    @cached_property
    def folded(self) -> frozenset[str]:
        """Its terms without regard to capitals."""
        return frozenset(term.casefold() for term in self.terms)

    @cached_property
    def gender(self) -> Gender | None:
        """The gender that its name and terms stand for; None where they stand for none, or it is no group."""
        return gender(Group(self.name, self.terms)) if self.holder == "groups" else None


@dataclass(frozen=True, slots=True)
class Lists:
    """What of a spec can be read: its word lists, and which groups are compared."""

    groups: tuple[WordList, ...]
    attributes: tuple[WordList, ...]
    compare: tuple[tuple[str, str], ...]

    def group(self, name: str) -> WordList:
        """The group of that name."""
        return next(group for group in self.groups if group.name == name)

    def partners(self, name: str) -> list[WordList]:
        """The groups that one is compared with."""
        others = [second if first == name else first for first, second in self.compare if name in (first, second)]
        return [self.group(other) for other in dict.fromkeys(others)]


@dataclass(frozen=True, slots=True)
class Cell:
    """A term in its row. `missing`: a counterpart has nothing beside it; `same`: it is its own counterpart."""

    term: str
    state: CellState = ""


@dataclass(frozen=True, slots=True)
class Alignment:
    """The groups side by side, counterparts in one row."""

    groups: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    compare: tuple[tuple[str, str], ...]

    def shown(self, most: int) -> list[tuple[int, tuple[Cell, ...]]]:
        """The first rows, and of the others those in which something is wrong, each with its number."""
        numbered = enumerate(self.rows, start=1)
        return [(number, row) for number, row in numbered if number <= most or any(cell.state for cell in row)]

    @property
    def missing(self) -> int:
        """Places where a counterpart is wanted."""
        return sum(cell.state == "missing" for row in self.rows for cell in row)

    @property
    def same(self) -> int:
        """Rows in which two compared groups have the same word."""
        return sum(any(cell.state == "same" for cell in row) for row in self.rows)


def lists_of(data: Mapping[str, Any]) -> Lists:
    """The lists that can be read; what has another shape is left out, and the check says so.

    >>> lists_of({"groups": {"a": {"terms": ["he"]}, "b": {"terms": 3}}}).group("b").terms
    ()
    """
    groups, sets = _word_lists(data, "groups"), _word_lists(data, "attributes")
    names = [group.name for group in groups]
    given = data.get("compare")
    pairs = list(combinations(names, 2))
    if isinstance(given, list):
        wanted = [pair for pair in given if isinstance(pair, list) and len(pair) == 2 and pair[0] != pair[1]]
        pairs = [(first, second) for first, second in wanted if first in names and second in names]
    return Lists(groups, sets, tuple(pairs))


def aligned(lists: Lists) -> Alignment:
    """The groups side by side.

    >>> data = {"groups": {"a": {"terms": ["he", "man"]}, "b": {"terms": ["He"]}}}
    >>> [[cell.state for cell in row] for row in aligned(lists_of(data)).rows]
    [['same', 'same'], ['', 'missing']]
    """
    longest = max((len(group.terms) for group in lists.groups), default=0)
    partners = {group.name: lists.partners(group.name) for group in lists.groups}
    rows = [tuple(_cell(group, partners[group.name], row) for group in lists.groups) for row in range(longest)]
    return Alignment(tuple(group.name for group in lists.groups), tuple(rows), lists.compare)


def term_at(words: WordList, row: int) -> str:
    """The term in a row; empty where there is none."""
    return words.terms[row] if row < len(words.terms) else ""


def _cell(group: WordList, partners: list[WordList], row: int) -> Cell:
    term, others = term_at(group, row), [term_at(partner, row) for partner in partners]
    if not term.strip():
        return Cell("", "missing" if any(other.strip() for other in others) else "")
    return Cell(term, "same" if term.casefold() in [other.casefold() for other in others] else "")


def _word_lists(data: Mapping[str, Any], holder: Holder) -> tuple[WordList, ...]:
    tables = data.get(holder)
    if not isinstance(tables, dict):
        return ()
    return tuple(_word_list(holder, name, table) for name, table in tables.items() if isinstance(table, dict))


def _word_list(holder: Holder, name: str, table: Mapping[str, Any]) -> WordList:
    terms, owners = table.get("terms"), table.get("stereotype_of", [])
    listed = terms if isinstance(terms, list) else []
    named = [owners] if isinstance(owners, str) else owners if isinstance(owners, list) else []
    return WordList(
        holder,
        name,
        tuple(term if isinstance(term, str) else str(term) for term in listed),
        tuple(owner for owner in named if isinstance(owner, str)),
    )
