"""Parquet files for tests, of rows as Python has them: with lists, objects, bytes and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb

from tiltmeter.parquet import quoted


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows with the types that their values have; a cell that a row lacks is null."""
    given = [dict(row) for row in rows]
    names = list(dict.fromkeys(name for row in given for name in row))
    columns = {f"c{at}": [row.get(name) for row in given] for at, name in enumerate(names)}
    chosen = ", ".join(f"unnest(${at}) AS {quoted(name)}" for at, name in zip(columns, names, strict=True))
    return write_query(path, f"SELECT {chosen}", columns)


def write_query(path: Path, query: str, given: Any = None) -> Path:
    """Write what a query gives, uncompressed."""
    with duckdb.connect(":memory:") as found:
        place = str(path).replace("'", "''")
        found.execute(f"COPY ({query}) TO '{place}' (FORMAT parquet, COMPRESSION uncompressed)", given)
    return path


def types(path: Path) -> dict[str, str]:
    """The columns of a file and their types, as DuckDB names them."""
    with duckdb.connect(":memory:") as found:
        return {
            name: kind
            for name, kind, *_ in found.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
        }
