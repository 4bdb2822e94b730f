"""Rows of files as one table of measurements, which DuckDB holds or puts on disk, and sums of it.

The columns are those of a run's `measurements.parquet`, and the file and line of each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tiltmeter.parquet import Rows, database, fill, quoted
from tiltmeter.results.measurements.columns import ITEMS, MEASUREMENTS

_PLACE: Mapping[str, type] = {"file": int, "line": int}
# A set may be called anything.
_TYPES: Mapping[str, type] = {**ITEMS, **MEASUREMENTS, "set": str}
_AT_ONCE = 10_000
_MEMORY = "192MB"
"""What the table takes of memory; the rest of it is on disk."""
SUMS = (
    "count(value) AS scored, count(*) - count(value) AS missing, fsum(value) AS total, "
    "var_pop(value) * count(value) AS squares, min(value) AS lowest, max(value) AS highest"
)


@contextmanager
def loaded(names: Sequence[str], rows: Rows, numbers: Sequence[str] = ()) -> Iterator[Any]:
    """A database with the rows as a table `measurements`, of the columns that are named; `numbers` are further ones."""
    columns = {name: _TYPES.get(name, str) for name in names} | dict.fromkeys(numbers, float)
    with database() as found:
        found.execute(f"SET memory_limit = '{_MEMORY}'")
        fill(found, "measurements", {**_PLACE, **columns}, rows)
        yield found


def summed(found: Any, keys: Sequence[str], sums: str = SUMS, *, apart: str = "false") -> Iterator[dict[str, Any]]:
    """The sums of the measurements that have all keys in common, in the order in which their first ones come.

    Those of which `apart` is true stay as they are. Rows are sorted first, so that their order cannot show in the last
    digit of a sum.
    """
    listed = ", ".join(map(quoted, keys))
    return answers(
        found,
        f"SELECT {listed}, {sums} FROM (SELECT * FROM measurements ORDER BY {listed}, value) "
        f"GROUP BY {listed}, CASE WHEN {apart} THEN (file, line) END ORDER BY min((file, line))",
    )


def answers(found: Any, query: str) -> Iterator[dict[str, Any]]:
    """The rows that a query gives, one by one."""
    made = found.execute(query)
    names = [column[0] for column in made.description]
    while some := made.fetchmany(_AT_ONCE):
        for row in some:
            yield dict(zip(names, row, strict=True))
