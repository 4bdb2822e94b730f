"""Questions to the ledger that every view of the texts asks: a page of them, and how many there are of which kind.

A view says how each of its texts comes to a number; the rest is the same for all. Everything is asked of SQLite:
of 100,000 texts the first page, a search and an order by rank take well under a second, and a run may be writing
meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from tiltmeter.store import LEDGER
from tiltmeter.web.texts.labels import labelled_rows
from tiltmeter.web.texts.query import Filters
from tiltmeter.web.texts.records import SIZE, Facet

BINS = 16
_ORDERS = {
    "": "number",
    "highest": "value is null, value desc, number",
    "lowest": "value is null, value, number",
    "disagreement": "spread is null, spread desc, number",
    "unrated": "number",
}


@dataclass(frozen=True, slots=True)
class Numbered:
    """A query whose rows are `number, facet, value, reason, spread`, and the values of its parameters."""

    query: str
    given: tuple[Any, ...]
    logarithmic: bool = False
    """Whether a value is the logarithm of what is shown."""


@dataclass(frozen=True, slots=True)
class Found:
    """A text of a page: its number in the ledger, its value, and how far its judges are apart."""

    number: int
    value: float | None
    spread: float | None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many texts there are, by facet and by the reason for having no number."""

    total: int
    facets: tuple[Facet, ...]
    reasons: tuple[tuple[str, int], ...]


def page(folder: Path, table: Numbered, filters: Filters) -> list[Found]:
    """The texts of a page, in the order that is asked for."""
    return _ordered(folder, table, filters, SIZE, SIZE * (filters.page - 1))


def first(folder: Path, table: Numbered, filters: Filters, most: int) -> list[int]:
    """The numbers of the first texts, in the order that is asked for."""
    return [one.number for one in _ordered(folder, table, filters, most, 0)]


def numbers(folder: Path, table: Numbered, filters: Filters) -> list[tuple[int, str]]:
    """Every text that the filters choose, with its facet, in the order of the ledger."""
    where, given = _conditions(table, filters)
    query = f"{table.query} select number, facet from texts {where} order by number"
    return [(number, facet or "") for number, facet in labelled_rows(folder, query, *table.given, *given)]


def counts(folder: Path, table: Numbered, filters: Filters, ends: tuple[float, float] | None) -> Counts:
    """How many texts the filters choose; kept for as long as the ledger stays the same."""
    where, given = _conditions(table, filters)
    cuts = _cuts(ends, table.logarithmic) if ends else []
    # Counting how many lie above each cut is quicker than sorting texts into stretches.
    above = "".join(", sum(value >= ?)" for _ in cuts)
    # A limit, though it lets all through, has a value worked out once and not again for every cut.
    query = (
        f"{table.query} select facet, count(*), count(value){above} "
        f"from (select facet, value from texts {where} limit -1) group by 1"
    )
    facets = []
    for facet, count, valued, *steps in _kept(folder, ledger_stamp(folder), query, (*table.given, *cuts, *given)):
        least = [valued, *(step or 0 for step in steps), 0]
        facets.append(Facet(facet or "", count, count - valued, tuple(one - two for one, two in pairwise(least))))
    reasons: list[tuple[Any, ...]] = []
    if any(one.missing for one in facets):
        alone = f"{where} {'and' if where else 'where'} value is null"
        query = f"{table.query} select reason, count(*) from texts {alone} group by 1 order by 2 desc, 1"
        reasons = _kept(folder, ledger_stamp(folder), query, (*table.given, *given))
    return Counts(sum(one.n for one in facets), tuple(facets), tuple((str(why), count) for why, count in reasons))


def _ordered(folder: Path, table: Numbered, filters: Filters, most: int, after: int) -> list[Found]:
    where, given = _conditions(table, filters)
    query = f"{table.query} select number, value, spread from texts {where} order by {_ORDERS[filters.order]}"
    return [
        Found(*row) for row in labelled_rows(folder, f"{query} limit ? offset ?", *table.given, *given, most, after)
    ]


def spread_query(judged: str) -> str:
    """Rows of `item, spread` from rows of `judge, item, value`: how far apart the ranks of an item are.

    A rank is the share of all items that the judge puts below it, so that judges on different scales can be compared.
    An item that fewer than two judges gave a value has none.
    """
    return (
        "select item, max(place) - min(place) as spread from (select item, percent_rank() over "
        f"(partition by judge order by value) as place from ({judged}) where value is not null) "
        "group by item having count(*) > 1"
    )


@lru_cache(maxsize=256)
def _kept(folder: Path, _: tuple[int, ...], query: str, given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return labelled_rows(folder, query, *given)


def ledger_stamp(folder: Path) -> tuple[int, ...]:
    """What changes whenever something is written to the ledger."""
    files = [file.stat() for file in sorted(folder.glob(f"{LEDGER}*")) if not file.name.endswith("-shm")]
    return tuple(part for file in files for part in (file.st_mtime_ns, file.st_size))


def _conditions(table: Numbered, filters: Filters) -> tuple[str, list[Any]]:
    low, high = (_as_kept(end, table.logarithmic) for end in filters.range())
    parts: list[tuple[str, Any]] = []
    if low is not None:
        parts.append(("value >= ?", low))
    if high is not None:
        parts.append(("value <= ?", high))
    if filters.reason:
        parts.append(("value is null and reason = ?", filters.reason))
    conditions = [condition for condition, _ in parts]
    if filters.order == "unrated":
        conditions.append("value is null")
    return f"where {' and '.join(conditions)}" if conditions else "", [value for _, value in parts]


def _as_kept(value: float | None, logarithmic: bool) -> float | None:
    if value is None or not logarithmic:
        return value
    return math.log(value) if value > 0 else -math.inf


def _cuts(ends: tuple[float, float], logarithmic: bool) -> list[float]:
    low, high = ends
    inner: Sequence[float] = [low + (high - low) * step / BINS for step in range(1, BINS)]
    return [_as_kept(cut, logarithmic) or 0.0 for cut in inner] if high > low else []
