"""Files as tables of a database, and their rows as measurements: what is read, checked, mapped and summed is SQL.

Measurements have the columns of a run's `measurements.parquet`, and the file and line of each row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from tiltmeter.errors import InvalidData, UnknownName
from tiltmeter.parquet import Rows, database, fill, quoted, refusals, sql_text
from tiltmeter.results.files.tables import Table
from tiltmeter.results.measurements.columns import ITEMS, MEASUREMENTS
from tiltmeter.sources.tables import column

_PLACE: Mapping[str, type] = {"file": int, "line": int}
# A set may be called anything.
_TYPES: Mapping[str, type] = {**ITEMS, **MEASUREMENTS, "set": str}
_AT_ONCE = 10_000
_MEMORY = "192MB"
"""What the tables take of memory; the rest of them is on disk."""
_LISTED = 100_000
"""Rows that are looked at for a value that may have been meant."""
# Python strips more than blanks, and reads fewer texts as numbers than SQL does.
_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000"
)
_MACROS = (
    "CREATE MACRO stripped(cell) AS CASE WHEN ascii(cell) BETWEEN 33 AND 126 AND ascii(right(cell, 1)) BETWEEN 33 AND "
    f"126 THEN cell ELSE trim(cell, '{_SPACE}') END; "
    r"CREATE MACRO plain(text) AS CASE WHEN regexp_full_match(text, '[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?') THEN "
    "try_cast(text AS DOUBLE) END"
)
SUMS = (
    "count(value) AS scored, count(*) - count(value) AS missing, fsum(value) AS total, "
    "var_pop(value) * count(value) AS squares, min(value) AS lowest, max(value) AS highest"
)


@contextmanager
def loaded(names: Sequence[str], rows: Rows = (), numbers: Sequence[str] = ()) -> Iterator[Any]:
    """A database with a table `measurements` of the columns that are named; `numbers` are further ones."""
    columns = {name: _TYPES.get(name, str) for name in names} | dict.fromkeys(numbers, float)
    with database() as found:
        found.execute(f"SET memory_limit = '{_MEMORY}'; {_MACROS}")
        fill(found, "measurements", {**_PLACE, **columns}, rows)
        yield found


class GivenRows:
    """The rows of a file: `given` has all of them, `kept` those that count; cells are texts, or blank."""

    def __init__(
        self,
        found: Any,
        table: Table,
        columns: Iterable[str | None],
        where: Mapping[str, str],
        single: Collection[str] = (),
    ) -> None:
        """Load the columns that there are; those that are `single` must not be objects."""
        self.found, self.path = found, table.path
        self._where = {column(table.columns, name, self.path, "--where"): value for name, value in where.items()}
        wanted = {*columns, *self._where}
        # Names of SQL do not tell capitals apart.
        self._cells = {name: f"c{at}" for at, name in enumerate(table.columns) if name in wanted}
        found.execute("DROP VIEW IF EXISTS kept; DROP TABLE IF EXISTS given")
        with refusals(self.path):
            table.load(found, "given", {cell: name for name, cell in self._cells.items()}, single)
        chosen = [f"{self.cell(name)} = {sql_text(value)}" for name, value in self._where.items()]
        found.execute(f"CREATE VIEW kept AS SELECT * FROM given WHERE {' AND '.join(chosen) or 'true'}")
        self.rows = self.count()
        if not self.rows:
            self._refuse_empty(chosen)

    def cell(self, name: str | None) -> str:
        """A cell as it is."""
        return self._cells.get(name or "", "''")

    def text(self, name: str | None) -> str:
        """A cell without the blanks around it."""
        return f"stripped({self.cell(name)})"

    def name(self, name: str | None) -> str:
        """The same, null for a blank."""
        return f"nullif({self.text(name)}, '')"

    def plain(self, name: str | None) -> str:
        """A number where SQL can read it."""
        return f"plain({self.text(name)})"

    def number(self, name: str, read: Callable[[str, int], float | None]) -> str:
        """A number; other texts are read by a function that gets each of them once, with the line where it is first."""
        if name not in self._cells:
            return "NULL::DOUBLE"
        odd = f"odd_{self.cell(name)}"
        texts = self.each(self.cell(name), f"{self.text(name)} <> '' AND {self.plain(name)} IS NULL")
        read_as = ({"text": row["key"], "number": read(row["key"], row["line"])} for row in texts)
        self.found.execute(f"DROP TABLE IF EXISTS {odd}")
        fill(self.found, odd, {"text": str, "number": float}, read_as)
        if not self.count(of=odd):
            return self.plain(name)
        return f"coalesce({self.plain(name)}, (SELECT number FROM {odd} WHERE {odd}.text = {self.cell(name)}))"

    def each(self, key: str, condition: str = "true", of: str = "kept") -> Iterator[dict[str, Any]]:
        """The distinct values of an expression with the line where each is first, in this order."""
        return answers(
            self.found, f"SELECT {key} AS key, min(line) AS line FROM {of} WHERE {condition} GROUP BY 1 ORDER BY 2"
        )

    def distinct(self, name: str) -> list[str]:
        """The distinct values of a column, as they come."""
        return [row["key"] for row in self.each(self.cell(name))]

    def count(self, condition: str = "true", of: str = "kept") -> int:
        """How many rows there are of a kind."""
        [(rows,)] = self.found.execute(f"SELECT count(*) FROM {of} WHERE {condition}").fetchall()
        return int(rows)

    def refuse(
        self, condition: str, problem: Callable[[Any], str], shown: str = "NULL", key: str | None = None
    ) -> None:
        """Refuse the first row of a kind."""
        for row in answers(
            self.found, f"SELECT line, {shown} AS shown FROM kept WHERE {condition} ORDER BY line LIMIT 1"
        ):
            raise InvalidData(problem(row["shown"]), file=self.path, line=row["line"], key=key)

    def measure(self, columns: Mapping[str, str], rows: str = "kept") -> None:
        """Add measurements, each column of which is an expression."""
        listed = ", ".join(f"{expression} AS {quoted(name)}" for name, expression in columns.items())
        self.found.execute(f"INSERT INTO measurements BY NAME SELECT line, {listed} FROM {rows}")

    def _refuse_empty(self, chosen: Sequence[str]) -> NoReturn:
        """Say why no row counts."""
        before = "true"
        for (name, value), condition in zip(self._where.items(), chosen, strict=True):
            query = f"SELECT DISTINCT {self.cell(name)} FROM (SELECT * FROM given WHERE {before} LIMIT {_LISTED})"
            known = {text for (text,) in self.found.execute(query).fetchall()}
            before += f" AND {condition}"
            if known and not self.count(before, "given"):
                raise InvalidData(UnknownName(f"row with `{name}` =", value, known).problem, file=self.path)
        raise InvalidData("the file has a header and no rows", file=self.path)


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
    # Of its own, so that the next question does not end it.
    made = found.cursor().execute(query)
    names = [column[0] for column in made.description]
    while some := made.fetchmany(_AT_ONCE):
        for row in some:
            yield dict(zip(names, row, strict=True))
