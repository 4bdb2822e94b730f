"""Tables that users have: CSV, JSON lines or Parquet, as rows of text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from tiltmeter.errors import InvalidData, MissingExtra, UnknownName
from tiltmeter.files import read_numbered_csv, stream_csv
from tiltmeter.sources.chat_logs import conversation
from tiltmeter.sources.datasets.structured import opening, read_json_lines, stream_json_lines
from tiltmeter.sources.json_tables import json_rows

Row = tuple[int, dict[str, str]]
"""The line of a row (of Parquet and of one JSON text: its number) and its cells."""
Kind = Literal["csv", "json-lines", "json", "parquet"]
_ROWS_AT_ONCE = 4096
_KINDS: dict[str, Kind] = {".jsonl": "json-lines", ".ndjson": "json-lines", ".parquet": "parquet"}


def kind_of(path: str | Path) -> Kind:
    """What a table is, by its name; where that does not say it, by how it begins: JSON is never read as CSV."""
    found = _KINDS.get(Path(path).suffix.lower())
    if found or not Path(path).is_file():
        return found or "csv"
    head = opening(Path(path), 2**16).lstrip()
    if head.startswith("{"):
        first = head.split("\n", 1)[0]
        try:
            whole = isinstance(json.loads(first), dict) and bool(head[len(first) :].strip())
        except ValueError:
            whole = False
        if whole or Path(path).suffix.lower() == ".json":
            return "json-lines" if whole else "json"
    return "json" if head.startswith("[") and Path(path).suffix.lower() == ".json" else "csv"


def read_table(path: str | Path) -> tuple[list[str], list[Row]]:
    """The columns and rows of a file: CSV, JSON or Parquet; a cell that is missing is empty."""
    kind = kind_of(path)
    if kind == "csv":
        return read_numbered_csv(path, _separator(path))
    return _aligned([(line, _cells(value)) for line, value in read_objects(path)], path)


def read_objects(path: str | Path) -> list[tuple[int, dict[str, Any]]]:
    """The rows of a file as they are: those of JSON with their lists and objects."""
    kind = kind_of(path)
    if kind == "json-lines":
        return read_json_lines(path)
    if kind == "csv":
        return [(line, dict(cells)) for line, cells in read_numbered_csv(path, _separator(path))[1]]
    return list(enumerate(_parquet(path) if kind == "parquet" else json_rows(path), start=1))


def stream_table(path: str | Path) -> Iterator[Row]:
    """The rows of a file one by one, with the cells that each has: for tables that may be very long."""
    kind = kind_of(path)
    if kind == "json-lines":
        return ((line, _cells(value)) for line, value in stream_json_lines(path))
    if kind == "parquet":
        rows = (row for batch in stream_parquet(path) for row in batch.to_pylist())
        return ((number, flat(row)) for number, row in enumerate(rows, start=1))
    if kind == "json":
        return ((number, _cells(row)) for number, row in enumerate(json_rows(path), start=1))
    return stream_csv(path, _separator(path))


def _separator(path: str | Path) -> str:
    return "\t" if Path(path).suffix.lower() == ".tsv" else ","


def _cells(value: dict[str, Any]) -> dict[str, str]:
    """The cells of a row, and those of the conversation that it logs, unless the row has cells of these names."""
    return {**conversation(value), **flat(value)}


def stream_parquet(path: str | Path) -> Iterator[Any]:
    """A Parquet file as record batches of pyarrow."""
    with _opened(path) as file:
        yield from file.iter_batches(batch_size=_ROWS_AT_ONCE)


def parquet_schema(path: str | Path) -> Any:
    """The columns of a Parquet file and their types, as pyarrow has them."""
    with _opened(path) as file:
        return file.schema_arrow


def column(columns: Sequence[str], name: str, path: str | Path, option: str) -> str:
    """The name as the column is written; otherwise an error that says which may be meant, and the option for it."""
    same = [each for each in columns if each.casefold() == name.casefold()]
    if name not in columns and len(same) != 1:
        problem = UnknownName("column", name, columns).problem
        raise InvalidData(f"{problem}; name it with `{option}`", file=path, line=1)
    return name if name in columns else same[0]


def _aligned(rows: list[Row], path: str | Path) -> tuple[list[str], list[Row]]:
    if not rows:
        raise InvalidData("the file has no rows", file=path)
    columns = list(dict.fromkeys(name for _, cells in rows for name in cells))
    return columns, [(line, {name: cells.get(name, "") for name in columns}) for line, cells in rows]


def flat(value: Mapping[str, Any], lead: str = "") -> dict[str, str]:
    """The cells of a row; those of an object in it are named `prompt.text`."""
    cells: dict[str, str] = {}
    for key, held in value.items():
        if isinstance(held, dict):
            cells |= flat(held, f"{lead}{key}.")
        else:
            cells[f"{lead}{key}"] = "" if held is None else str(held)
    return cells


def _parquet(path: str | Path) -> list[dict[str, Any]]:
    return [row for batch in stream_parquet(path) for row in batch.to_pylist()]


@contextmanager
def _opened(path: str | Path) -> Iterator[Any]:
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("Parquet files", "parquet", "pyarrow") from None
    try:
        with pyarrow.parquet.ParquetFile(str(path)) as file:
            yield file
    except FileNotFoundError:
        raise InvalidData("there is no such file", file=path) from None
    except (pyarrow.ArrowException, OSError) as error:
        raise InvalidData(f"not a Parquet file that can be read ({str(error).splitlines()[0]})", file=path) from None
