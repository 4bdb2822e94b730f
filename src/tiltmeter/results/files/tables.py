"""Tables that people bring, of whatever kind: what all readers of `analyze` have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from tiltmeter.addresses import is_address
from tiltmeter.errors import InvalidData
from tiltmeter.files import csv_columns, is_file, is_there
from tiltmeter.parquet import Rows, fill, fill_texts, holds_objects, parquet_rows, parquet_types
from tiltmeter.sources.cells import Cells, cells_of, refuse_objects
from tiltmeter.sources.tables import Kind, kind_of, row_cells, separator_of, stream_objects


class Table:
    """A table, read as often as is needed: a file, or Parquet files in a folder or at an address.

    `more` gives further cells of each row.
    """

    def __init__(
        self, path: str | Path, more: Callable[[Mapping[str, Any], Cells], dict[str, str]] | None = None
    ) -> None:
        self.path, self._more = path, more
        self._kind: Kind = "parquet" if _is_parquet(path) else kind_of(path)
        types = parquet_types(path) if self._kind == "parquet" else {}
        self._flat = bool(types) and more is None and not any(map(holds_objects, types.values()))
        # What can be read only once is held, and so is JSON that is one text.
        once = is_there(path) and self._kind != "parquet" and (not is_file(path) or self._kind == "json")
        self._held = list(self._read()) if once else None
        self.columns = self._columns(types)

    def load(self, found: Any, name: str, columns: Mapping[str, str], single: Collection[str] = ()) -> None:
        """Make a table of some columns, which get other names, as texts; `line` says where each row is.

        A row with an object under one of the names that are `single` is refused.
        """
        if self._flat:
            fill_texts(found, name, self.path, columns)
        else:
            fill(found, name, {"line": int, **dict.fromkeys(columns, str)}, self._rows(columns, single))

    def objects(self) -> Iterator[Mapping[str, Any]]:
        """All rows as they are: those of JSON with their lists and objects."""
        return (value for _, value in self._held or self._read())

    def _rows(self, columns: Mapping[str, str], single: Collection[str]) -> Rows:
        for line, value in self._held or self._read():
            cells = self._cells(value, line)
            refuse_objects(cells, single)
            whole = cells.with_columns(columns.values()) if isinstance(cells, Cells) else cells
            yield {"line": line, **{given: whole[name] for given, name in columns.items()}}

    def _read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        return iter(enumerate(parquet_rows(self.path), 1) if self._kind == "parquet" else stream_objects(self.path))

    def _cells(self, value: dict[str, Any], line: int) -> dict[str, str]:
        if self._more is not None:
            cells = cells_of(value, self.path, line)
            return cells | self._more(value, cells)
        return value if self._kind == "csv" else row_cells(value, self.path, line)

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


def _is_parquet(path: str | Path) -> bool:
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
