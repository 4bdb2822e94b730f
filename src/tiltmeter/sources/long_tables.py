"""Tables that users have, one row at a time: they may be far longer than memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.files import read_numbered_csv, stream_csv
from tiltmeter.sources.cells import Cells
from tiltmeter.sources.tables import Row, kind_of, stream_table


def open_table(path: str | Path) -> tuple[list[str], Iterator[Row]]:
    """The columns of a CSV, JSON lines or Parquet file, and its rows, whose missing cells are empty."""
    if kind_of(path) == "csv":
        return open_csv(path, "\t" if Path(path).suffix.lower() == ".tsv" else ",")
    # Every row may have other cells.
    columns = list(dict.fromkeys(name for _, cells in stream_table(path) for name in cells))
    if not columns:
        raise InvalidData("the file has no rows", file=path)
    rows = ((line, cells) for line, cells in stream_table(path) if isinstance(cells, Cells))
    return columns, ((line, cells.aligned(columns)) for line, cells in rows)


def open_csv(path: str | Path, delimiter: str = ",") -> tuple[list[str], Iterator[Row]]:
    """The columns of a CSV file, and its rows, each with the line on which it ends."""
    rows = stream_csv(path, delimiter)
    first = next(rows, None)
    if first is None:
        return read_numbered_csv(path, delimiter)[0], iter(())
    return list(first[1]), chain([first], rows)
