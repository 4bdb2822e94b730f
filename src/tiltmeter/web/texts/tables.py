"""Questions to the tables of a run that every view of the texts asks: a page of texts, and how many there are.

A view says how each of its texts comes to a number; the rest is the same for all. While a run is under way its tables
are made of what the ledger has so far, and made again after ten times as long as that took.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

from tiltmeter.parquet import quoted
from tiltmeter.results.cells import Table, table_with_texts
from tiltmeter.results.findings.compared import BASELINE
from tiltmeter.results.summary.structures import FIXED
from tiltmeter.store import Run, is_held, read_run
from tiltmeter.store.run_folder import ledger_hash
from tiltmeter.views import View
from tiltmeter.web.texts.query import Filters
from tiltmeter.web.texts.records import SIZE, Facet, Option

BINS = 16
_ORDERS = {
    "": "number",
    "highest": "value IS NULL, value DESC, number",
    "lowest": "value IS NULL, value, number",
    "disagreement": "spread IS NULL, spread DESC, number",
    "unrated": "number",
}
_KIND = f"CASE WHEN structure = '{FIXED}' THEN '{BASELINE}' ELSE coalesce(kind, '{BASELINE}') END"
"""The kind of the structure, as the choices of a curve have it."""
_MOST = 4
"""Runs whose tables are held."""
_WAIT = 10
"""Times as long as they took to make, the tables of a run under way are shown."""


@dataclass(frozen=True, slots=True)
class _Held:
    run: Run
    table: Table
    fresh_until: float


_HELD: dict[Path, _Held] = {}
_TURN = Lock()


class Shown:
    """The tables of a run, for as long as a page takes."""

    def __init__(self, folder: Path) -> None:
        found = _held(folder)
        # Tables are closed with their run.
        self.run, self.table = found.run, found.table

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """The rows of a question to the tables."""
        return list(self.table.stream(query, *values))


def _held(folder: Path) -> _Held:
    with _TURN:
        found = _HELD.pop(folder, None)
        if found is None or not _is_fresh(folder, found):
            begun = time.monotonic()
            run = read_run(folder, held=0)
            table, now = table_with_texts(run), time.monotonic()
            found = _Held(run, table, now + _WAIT * (now - begun))
        _HELD[folder] = found
        for old in list(_HELD)[:-_MOST]:
            del _HELD[old]
        return found


def _is_fresh(folder: Path, found: _Held) -> bool:
    return (time.monotonic() < found.fresh_until and is_held(folder)) or found.table.ledger == ledger_hash(folder)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A query whose rows are `number, facet, value, reason, spread`, and the values of its parameters."""

    query: str
    given: tuple[Any, ...]
    logarithmic: bool = False
    """Whether a value is the logarithm of what is shown."""


@dataclass(frozen=True, slots=True)
class Found:
    """A text of a page: its number in the run, its value, and how far its judges are apart."""

    number: int
    value: float | None
    spread: float | None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many texts there are, by facet and by the reason for having no number."""

    total: int
    facets: tuple[Facet, ...]
    reasons: tuple[tuple[str, int], ...]


def page(shown: Shown, table: Numbered, filters: Filters) -> list[Found]:
    """The texts of a page, in the order that is asked for."""
    return _ordered(shown, table, filters, SIZE, SIZE * (filters.page - 1))


def first(shown: Shown, table: Numbered, filters: Filters, most: int) -> list[int]:
    """The numbers of the first texts, in the order that is asked for."""
    return [one.number for one in _ordered(shown, table, filters, most, 0)]


def numbers(shown: Shown, table: Numbered, filters: Filters) -> list[tuple[int, str]]:
    """Every text that the filters choose, with its facet, in the order of the run."""
    where, given = _conditions(table, filters)
    query = f"{table.query} SELECT number, facet FROM listed {where} ORDER BY number"
    return [(row["number"], row["facet"] or "") for row in shown.rows(query, *table.given, *given)]


def counts(shown: Shown, table: Numbered, filters: Filters, ends: tuple[float, float] | None) -> Counts:
    """How many texts the filters choose."""
    where, given = _conditions(table, filters)
    cuts = _cuts(ends, table.logarithmic) if ends else []
    above = "".join(f", count(*) FILTER (value >= ?) AS above_{at}" for at in range(len(cuts)))
    query = (
        f"{table.query} SELECT facet, count(*) AS n, count(value) AS valued {above} "
        f"FROM listed {where} GROUP BY facet ORDER BY facet NULLS FIRST"
    )
    facets = []
    for row in shown.rows(query, *table.given, *cuts, *given):
        least = [row["valued"], *(row[f"above_{at}"] for at in range(len(cuts))), 0]
        bins = tuple(one - two for one, two in pairwise(least))
        facets.append(Facet(row["facet"] or "", row["n"], row["n"] - row["valued"], bins))
    reasons: list[dict[str, Any]] = []
    if any(one.missing for one in facets):
        alone = f"{where} {'AND' if where else 'WHERE'} value IS NULL"
        query = f"{table.query} SELECT reason, count(*) AS n FROM listed {alone} GROUP BY reason"
        reasons = shown.rows(f"{query} ORDER BY n DESC, reason", *table.given, *given)
    total = sum(one.n for one in facets)
    return Counts(total, tuple(facets), tuple((str(row["reason"]), row["n"]) for row in reasons))


def distinct(shown: Shown, view: View, *columns: str) -> list[Option]:
    """What the items of a view have in some columns, as they come."""
    each = " UNION ALL ".join(
        f"SELECT {column} AS name, number, {side} AS side FROM items WHERE view = $1"
        for side, column in enumerate(columns)
    )
    query = f"SELECT name FROM ({each}) WHERE name != '' GROUP BY name ORDER BY min((number, side))"
    return [Option(row["name"], row["name"]) for row in shown.rows(query, view)]


def chosen(filters: Filters, *names: str) -> list[tuple[str, list[Any]]]:
    """What filters of these names ask of `items`, as conditions with their values."""
    columns = {name: _KIND if name == "kind" else f"items.{quoted(name)}" for name in names if getattr(filters, name)}
    return [(f"{column} = ?", [getattr(filters, name)]) for name, column in columns.items()]


def joined(conditions: Sequence[tuple[str, list[Any]]]) -> tuple[str, list[Any]]:
    """Conditions as one, and the values of all."""
    together = " AND ".join(["true", *(condition for condition, _ in conditions)])
    return together, [one for _, given in conditions for one in given]


def holds(*texts: str) -> str:
    """A condition: a text in one of these is there, whatever it holds and whichever letters are capitals."""
    return f"({' OR '.join(f'contains(lower({one}), lower(?))' for one in texts)})"


def _ordered(shown: Shown, table: Numbered, filters: Filters, most: int, after: int) -> list[Found]:
    where, given = _conditions(table, filters)
    query = f"{table.query} SELECT number, value, spread FROM listed {where} ORDER BY {_ORDERS[filters.order]}"
    rows = shown.rows(f"{query} LIMIT ? OFFSET ?", *table.given, *given, most, after)
    return [Found(**row) for row in rows]


def spread_query(judged: str) -> str:
    """Rows of `item, spread` from rows of `judge, item, value`: how far apart the ranks of an item are.

    A rank is the share of all items that the judge puts below it, so that judges on different scales can be compared.
    An item that fewer than two judges gave a value has none.
    """
    return (
        "SELECT item, max(place) - min(place) AS spread FROM (SELECT item, percent_rank() OVER "
        f"(PARTITION BY judge ORDER BY value) AS place FROM ({judged}) WHERE value IS NOT NULL) "
        "GROUP BY item HAVING count(*) > 1"
    )


def _conditions(table: Numbered, filters: Filters) -> tuple[str, list[Any]]:
    low, high = (_as_kept(end, table.logarithmic) for end in filters.range())
    parts: list[tuple[str, Any]] = []
    if low is not None:
        parts.append(("value >= ?", low))
    if high is not None:
        parts.append(("value <= ?", high))
    if filters.reason:
        parts.append(("value IS NULL AND reason = ?", filters.reason))
    conditions = [condition for condition, _ in parts]
    if filters.order == "unrated":
        conditions.append("value IS NULL")
    return f"WHERE {' AND '.join(conditions)}" if conditions else "", [value for _, value in parts]


def _as_kept(value: float | None, logarithmic: bool) -> float | None:
    if value is None or not logarithmic:
        return value
    return math.log(value) if value > 0 else -math.inf


def _cuts(ends: tuple[float, float], logarithmic: bool) -> list[float]:
    low, high = ends
    inner: Sequence[float] = [low + (high - low) * step / BINS for step in range(1, BINS)]
    return [_as_kept(cut, logarithmic) or 0.0 for cut in inner] if high > low else []
