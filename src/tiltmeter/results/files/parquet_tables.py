"""Parquet files, on disk or at an address, as one table that DuckDB reads and nobody holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter.addresses import filesystem_of, is_address
from tiltmeter.errors import InvalidData, UnknownName
from tiltmeter.parquet import OPTIONS, database, plain_names, quoted, refusals, types_of
from tiltmeter.sources.tables import column

_FILE = "tiltmeter.file"
FIRST = f"min(({quoted(_FILE)}, file_row_number))"
"""Where a value is first named, of rows that are placed."""
_BITS = 30


@dataclass(frozen=True, slots=True)
class ParquetTable:
    """Parquet files as a table of DuckDB; `where` are conditions on rows, `values` what they are compared with."""

    database: Any
    files: Sequence[str]
    path: str | Path
    types: Mapping[str, str]
    where: tuple[str, ...] = ()
    given: tuple[str, ...] = ()

    def rows(self, chosen: str, rest: str = "", *, placed: bool = False) -> list[tuple[Any, ...]]:
        """What is chosen from the rows that count; `placed` tells where each stands."""
        found: list[tuple[Any, ...]] = self._executed(f"select {chosen} from {self._table(placed)} {rest}").fetchall()
        return found

    def keep(self, name: str, chosen: str, rest: str = "") -> None:
        """Make a table of what is chosen, which DuckDB holds or puts into its temporary folder."""
        self._executed(f"create temp table {name} as select {chosen} from {self._table()} {rest}")

    def _table(self, placed: bool = False) -> str:
        conditions = f" where {' and '.join(self.where)}" if self.where else ""
        more = f", filename = '{_FILE}', file_row_number = true" if placed else ""
        return f"(select * from read_parquet(?, {OPTIONS}{more}){conditions})"

    def _executed(self, query: str) -> Any:
        return self.database.execute(query, [list(self.files), *self.given])

    def count(self, condition: str) -> int:
        """How many rows fulfil a condition."""
        [(number,)] = self.rows("count(*)", f"where {condition}")
        return int(number)

    def values(self, name: str) -> list[str]:
        """The distinct values of a column as text, blank for none."""
        return [value for (value,) in self.rows(f"distinct {self._single(name)} as v", "order by v limit 1000")]

    def text(self, name: str | None) -> str:
        """A column as text without the spaces around it, as SQL has it; blank where there is no such column."""
        return f"trim({self._single(name)})" if name is not None and name in self.types else "''"

    def _single(self, name: str) -> str:
        kind = self.types[name]
        if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB")):
            raise InvalidData(f"holds values of the type {kind:.40}, and one text is needed", file=self.path, key=name)
        return f"coalesce(cast({quoted(name)} as varchar), '')"

    def chosen(self, where: Mapping[str, str]) -> ParquetTable:
        """The rows with the values that were asked for."""
        found = self
        for name, value in where.items():
            column(list(self.types), name, self.path, "--where")
            more = replace(
                found,
                where=(*found.where, f"{self._single(name)} = ?"),
                given=(*found.given, value),
            )
            if not more.count("true"):
                unknown = UnknownName(f"row with `{name}` =", value, found.values(name))
                raise InvalidData(unknown.problem, file=self.path)
            found = more
        return found


@contextmanager
def opened(path: str | Path) -> Iterator[ParquetTable]:
    """The table of a file, of a folder of files, or of an address, for as long as the context lasts."""
    files, system = _files(path)
    with database(threads=None) as found, refusals(path):
        if system is not None:
            found.register_filesystem(system)
        names = plain_names(found, files)
        yield ParquetTable(found, names, path, types_of(found, names, path))


def _files(path: str | Path) -> tuple[list[str], Any]:
    """The Parquet files of a place; and, of an address, the file system to read them with."""
    if is_address(path):
        system, inside = filesystem_of(str(path))
        folder = not inside.endswith(".parquet")
        try:
            found = sorted(system.glob(f"{inside.rstrip('/')}/*.parquet")) if folder else [inside]
            there = bool(found) and all(system.exists(one) for one in found)
        except OSError as error:
            raise InvalidData(f"cannot be read: {error}", file=path) from None
        names = [system.unstrip_protocol(one) for one in found]
    else:
        place, system = Path(path), None
        folder = place.is_dir()
        files = sorted(place.glob("*.parquet")) if folder else [place]
        there = bool(files) and all(file.is_file() for file in files)
        names = [str(file) for file in files]
    if not there:
        raise InvalidData("the folder has no Parquet files" if folder else "there is no such file", file=path)
    return names, system


def exact_sums(value: str, exponent: int) -> str:
    """Two sums of whole numbers that are together the sum of the values, of which the largest has this exponent."""
    large = f"({value} * power(2.0, {_BITS - exponent}))"
    upper = f"round({large})"
    lower = f"round(({large} - {upper}) * power(2.0, {_BITS}))"
    return f"sum(cast({upper} as hugeint)), sum(cast({lower} as hugeint))"


def total_of(upper: int, lower: int, exponent: int) -> float:
    """The sum that `exact_sums` found."""
    return math.ldexp((int(upper) << _BITS) + int(lower), exponent - 2 * _BITS)
