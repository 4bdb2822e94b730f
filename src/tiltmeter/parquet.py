"""Tables as Parquet files, written by DuckDB a batch of rows at a time."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from tiltmeter.addresses import whole_object

_AT_ONCE = 20_000
SQL_TYPES: Mapping[type, str] = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE"}
Rows = Iterable[Mapping[str, object]]


@contextmanager
def database() -> Iterator[Any]:
    """A database of its own, which keeps on disk what does not fit into memory; the same rows give the same bytes."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="tiltmeter-") as folder:
        found = duckdb.connect(str(Path(folder) / "tables.duckdb"))
        try:
            # Nothing is fetched, and rows stay in the order in which they came.
            found.execute("SET threads = 1; SET autoinstall_known_extensions = false")
            yield found
        finally:
            found.close()


def fill(found: Any, table: str, columns: Mapping[str, type], rows: Rows) -> None:
    """Make a table of rows; what a row does not have is null."""
    import numpy as np

    listed = ", ".join(f"{quoted(name)} {SQL_TYPES[kind]}" for name, kind in columns.items())
    found.execute(f"CREATE TABLE {quoted(table)} ({listed})")
    every = iter(rows)
    while some := list(islice(every, _AT_ONCE)):
        cells = {name: [_typed(row.get(name), kind) for row in some] for name, kind in columns.items()}
        found.register("batch", {name: np.array(column, object) for name, column in cells.items()})
        chosen = ", ".join(f"{quoted(name)}::{SQL_TYPES[kind]}" for name, kind in columns.items())
        found.execute(f"INSERT INTO {quoted(table)} SELECT {chosen} FROM batch")
        found.unregister("batch")


def write_parquet(path: str | Path, columns: Mapping[str, type], rows: Rows) -> None:
    """Write rows as a Parquet file."""
    with database() as found:
        fill(found, "rows", columns, rows)
        save(found, "rows", path)


def save(found: Any, table: str, path: str | Path) -> None:
    """Write a table of a database as a Parquet file, whole or not at all, to a path or an address."""
    with tempfile.TemporaryDirectory(prefix="tiltmeter-") as folder:
        made = Path(folder) / "table.parquet"
        found.execute(f"COPY {quoted(table)} TO '{made}' (FORMAT parquet, COMPRESSION zstd)")
        with made.open("rb") as given, whole_object(path) as file:
            shutil.copyfileobj(given, file)


def attach(found: Any, table: str, path: str | Path) -> None:
    """Have a Parquet file as a table, read where it lies."""
    place = str(path).replace("'", "''")
    found.execute(f"CREATE VIEW {quoted(table)} AS SELECT * FROM read_parquet('{place}')")


def quoted(name: str) -> str:
    """A name as SQL writes it, whatever it is."""
    return '"' + name.replace('"', '""') + '"'


def _typed(value: object, kind: type) -> object:
    return None if value is None else kind(value)
