"""Tables that users have: CSV, JSON, JSON lines or Parquet, told apart by what they hold, as rows of text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from tiltmeter.errors import InvalidData, UnknownName
from tiltmeter.files import is_file, read_numbered_csv, stream_csv
from tiltmeter.parquet import parquet_rows
from tiltmeter.sources.cells import Cells, cells_of
from tiltmeter.sources.chat_logs import conversation
from tiltmeter.sources.datasets.json_files import first_line, opening, stream_json_lines
from tiltmeter.sources.json_tables import json_rows

NumberedRow = tuple[int, dict[str, str]]
"""The line of a row (of Parquet and of one JSON text: its number) and its cells."""
Kind = Literal["csv", "json-lines", "json", "parquet"]
_LONGEST_LINE = 2**24
_KINDS: dict[str, Kind] = {".jsonl": "json-lines", ".ndjson": "json-lines", ".json": "json", ".parquet": "parquet"}
_JSON = re.compile(r'\{\s*["}]|\[\s*[\[\]{"]')


def kind_of(path: str | Path) -> Kind:
    """What a table is, by how it begins; by its name where that says nothing."""
    named = _KINDS.get(Path(path).suffix.lower())
    if not is_file(path):
        return named or "csv"
    head = opening(Path(path), 2**16).lstrip()
    if head.startswith("PAR1"):
        return "parquet"
    if not _JSON.match(head):
        return named or "csv"
    if head.startswith("["):
        return "json"
    first = first_line(path, _LONGEST_LINE)
    try:
        row = isinstance(json.loads(first.text), dict)
    except (ValueError, RecursionError):
        row = False
    # One object alone is a row, unless the name says that it is the whole text.
    return "json-lines" if row and (first.more or named != "json") else "json"


def read_table(path: str | Path) -> tuple[list[str], list[NumberedRow]]:
    """The columns and rows of a file: CSV, JSON or Parquet; a cell that is missing is empty."""
    if kind_of(path) == "csv":
        return read_numbered_csv(path, separator_of(path))
    return _aligned([(line, row_cells(value, path, line)) for line, value in read_objects(path)], path)


def read_objects(path: str | Path) -> list[tuple[int, dict[str, Any]]]:
    """The rows of a file as they are: those of JSON with their lists and objects."""
    return list(stream_objects(path))


def stream_table(path: str | Path) -> Iterator[NumberedRow]:
    """The rows of a file one by one, with the cells that each has: for tables that may be very long."""
    if kind_of(path) == "csv":
        return stream_csv(path, separator_of(path))
    return ((line, row_cells(row, path, line)) for line, row in stream_objects(path))


def stream_objects(path: str | Path) -> Iterable[tuple[int, dict[str, Any]]]:
    """The same as they are: those of JSON with their lists and objects."""
    kind = kind_of(path)
    if kind == "csv":
        return stream_csv(path, separator_of(path))
    if kind == "json-lines":
        return stream_json_lines(path)
    return enumerate(parquet_rows(path) if kind == "parquet" else json_rows(path), start=1)


def separator_of(path: str | Path) -> str:
    """The separator that is tried first."""
    return "\t" if Path(path).suffix.lower() == ".tsv" else ","


def row_cells(value: dict[str, Any], path: str | Path, line: int) -> Cells:
    """The cells of a row, and those of the conversation that it logs, unless the row has cells of these names."""
    cells = cells_of(value, path, line)
    return cells | {name: cell for name, cell in conversation(value).items() if name not in cells}


def column(columns: Sequence[str], name: str, path: str | Path, option: str) -> str:
    """The name as the column is written; otherwise an error that says which may be meant, and the option for it."""
    same = [each for each in columns if each.casefold() == name.casefold()]
    if name not in columns and len(same) != 1:
        problem = UnknownName("column", name, columns).problem
        raise InvalidData(f"{problem}; set it with `{option}`", file=path, line=1)
    return name if name in columns else same[0]


def _aligned(rows: list[tuple[int, Cells]], path: str | Path) -> tuple[list[str], list[NumberedRow]]:
    if not rows:
        raise InvalidData("the file has no rows", file=path)
    columns = list(dict.fromkeys(name for _, cells in rows for name in cells))
    return columns, [(line, cells.with_columns(columns)) for line, cells in rows]


def open_table(path: str | Path) -> tuple[list[str], Iterator[NumberedRow]]:
    """The columns of a CSV, JSON lines or Parquet file, and its rows, whose missing cells are empty."""
    if kind_of(path) == "csv":
        return open_csv(path, "\t" if Path(path).suffix.lower() == ".tsv" else ",")
    # Every row may have other cells.
    columns = list(dict.fromkeys(name for _, cells in stream_table(path) for name in cells))
    if not columns:
        raise InvalidData("the file has no rows", file=path)
    rows = ((line, cells) for line, cells in stream_table(path) if isinstance(cells, Cells))
    return columns, ((line, cells.with_columns(columns)) for line, cells in rows)


def open_csv(path: str | Path, delimiter: str = ",") -> tuple[list[str], Iterator[NumberedRow]]:
    """The columns of a CSV file, and its rows, each with the line on which it ends."""
    rows = stream_csv(path, delimiter)
    first = next(rows, None)
    if first is None:
        return read_numbered_csv(path, delimiter)[0], iter(())
    return list(first[1]), chain([first], rows)
