"""Tables that users have: CSV, JSON lines or Parquet, as rows of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData, MissingExtra, UnknownName
from tiltmeter.files import read_numbered_csv, separator_hint, stream_csv
from tiltmeter.sources.datasets.structured import read_json_lines, stream_json_lines

Row = tuple[int, dict[str, str]]
"""The line of a row (of Parquet: its number) and its cells."""
_ROWS_AT_ONCE = 4096


def read_table(path: str | Path) -> tuple[list[str], list[Row]]:
    """The columns and rows of a file, whose kind its name says; a cell that is missing is empty."""
    suffix = Path(path).suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        return _aligned([(line, flat(value)) for line, value in read_json_lines(path)], path)
    if suffix == ".parquet":
        return _aligned([(number, flat(row)) for number, row in enumerate(_parquet(path), start=1)], path)
    return read_numbered_csv(path, "\t" if suffix == ".tsv" else ",")


def stream_table(path: str | Path) -> Iterator[Row]:
    """The rows of a file one by one, with the cells that each has: for tables that may be very long."""
    suffix = Path(path).suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        return ((line, flat(value)) for line, value in stream_json_lines(path))
    if suffix == ".parquet":
        rows = (row for batch in stream_parquet(path) for row in batch.to_pylist())
        return ((number, flat(row)) for number, row in enumerate(rows, start=1))
    return stream_csv(path, "\t" if suffix == ".tsv" else ",")


def stream_parquet(path: str | Path) -> Iterator[Any]:
    """A Parquet file as record batches of pyarrow."""
    with _opened(path) as file:
        yield from file.iter_batches(batch_size=_ROWS_AT_ONCE)


def parquet_schema(path: str | Path) -> Any:
    """The columns of a Parquet file and their types, as pyarrow has them."""
    with _opened(path) as file:
        return file.schema_arrow


def column(columns: Sequence[str], name: str, path: str | Path, option: str) -> str:
    """The name, if there is such a column; otherwise an error that says which may be meant, and the option for it."""
    if name not in columns:
        problem = UnknownName("column", name, columns).problem
        raise InvalidData(f"{problem}{separator_hint(columns)}; name it with `{option}`", file=path, line=1)
    return name


def _aligned(rows: list[Row], path: str | Path) -> tuple[list[str], list[Row]]:
    if not rows:
        raise InvalidData("the file has no rows", file=path)
    columns = list(dict.fromkeys(name for _, cells in rows for name in cells))
    return columns, [(line, {name: cells.get(name, "") for name in columns}) for line, cells in rows]


def flat(value: dict[str, Any], lead: str = "") -> dict[str, str]:
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
