"""Tables that people bring, read row by row and never held: what all readers of `analyze` have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from tiltmeter.addresses import is_address
from tiltmeter.errors import InvalidData, UnknownName
from tiltmeter.files import csv_columns, is_file, is_there
from tiltmeter.parquet import holds_objects, parquet_rows, parquet_texts, parquet_types
from tiltmeter.sources.cells import Cells, cells_of
from tiltmeter.sources.tables import Kind, Row, column, kind_of, row_cells, separator_of, stream_objects

_LISTED = 100_000
"""Rows that are looked at for a value that may have been meant."""


class Table:
    """A table, read as often as is needed: a file, or Parquet files in a folder or at an address.

    `more` gives further cells of each row.
    """

    def __init__(
        self, path: str | Path, more: Callable[[Mapping[str, Any], Cells], dict[str, str]] | None = None
    ) -> None:
        self.path, self._more = path, more
        self._where: dict[str, str] = {}
        self._kind: Kind = "parquet" if is_parquet(path) else kind_of(path)
        types = parquet_types(path) if self._kind == "parquet" else {}
        self._flat = bool(types) and more is None and not any(map(holds_objects, types.values()))
        # What can be read only once is held, and so is JSON that is one text.
        once = is_there(path) and self._kind != "parquet" and (not is_file(path) or self._kind == "json")
        self._held = list(self._read()) if once else None
        self.columns = self._columns(types)

    def chosen(self, where: Mapping[str, str]) -> Table:
        """The same of the rows that have these values."""
        self._where = {column(self.columns, name, self.path, "--where"): value for name, value in where.items()}
        return self

    def rows(self, columns: Collection[str] | None = None) -> Iterator[Row]:
        """The rows that count, with a cell for every column, or at least for those that are named."""
        names = None if columns is None else {*columns, *self._where}
        for line, value in self._held or self._read(names):
            cells = self._cells(value, line)
            whole = cells.aligned(self.columns if names is None else names) if isinstance(cells, Cells) else cells
            if all(whole[name] == value for name, value in self._where.items()):
                yield line, whole

    def objects(self) -> Iterator[Mapping[str, Any]]:
        """All rows as they are: those of JSON with their lists and objects."""
        return (value for _, value in self._held or self._read())

    def refuse_empty(self) -> NoReturn:
        """Say why no row counts."""
        where, self._where = self._where, {}
        for name, value in where.items():
            known = {cells[name] for _, cells in islice(self.rows(), _LISTED)}
            self._where[name] = value
            if known and next(self.rows(), None) is None:
                raise InvalidData(UnknownName(f"row with `{name}` =", value, known).problem, file=self.path)
        raise InvalidData("the file has a header and no rows", file=self.path)

    def _read(self, names: Collection[str] | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
        if self._kind == "parquet":
            return enumerate(parquet_texts(self.path, names) if self._flat else parquet_rows(self.path), start=1)
        return iter(stream_objects(self.path))

    def _cells(self, value: dict[str, Any], line: int) -> dict[str, str]:
        if self._more is not None:
            cells = cells_of(value, self.path, line)
            return cells | self._more(value, cells)
        return value if self._flat or self._kind == "csv" else row_cells(value, self.path, line)

    def _columns(self, types: Mapping[str, str]) -> list[str]:
        if self._flat:
            return list(types)
        if self._kind == "csv" and self._held is None and self._more is None:
            return csv_columns(self.path, separator_of(self.path))
        every = (self._cells(value, line) for line, value in self._held or self._read())
        found = dict.fromkeys(name for cells in every for name in cells)
        if not found:
            raise InvalidData("the file has no rows", file=self.path)
        return list(found)


def is_parquet(path: str | Path) -> bool:
    """Whether a place holds Parquet: a file, a folder of them, or an address."""
    return is_address(path) or (is_there(path) and Path(path).is_dir()) or kind_of(path) == "parquet"


def refuse_mixed(path: str | Path, name: str, values: Collection[str], why: str = "which must not be mixed") -> None:
    """Refuse rows that differ in what no average means anything of."""
    if len(values) > 1:
        chosen = next(value for value in values if value)
        raise InvalidData(
            f"the column `{name}` holds {listed(values)}, {why}: choose one with --where {name}={chosen}", file=path
        )


def listed(values: Collection[str]) -> str:
    """A few values in words.

    >>> listed(["0.5", "1", ""]), listed([*"abcdefgh"])
    ('0.5, 1 and blank', 'a, b, c, d, e and 3 more')
    """
    shown = [value or "blank" for value in values]
    if len(shown) > 6:
        return f"{', '.join(shown[:5])} and {len(shown) - 5} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
