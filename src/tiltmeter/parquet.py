"""Parquet files, read and written by DuckDB a batch of rows at a time: nobody holds all of a table."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from tiltmeter.addresses import filesystem_of, is_address, whole_object
from tiltmeter.errors import InvalidData

MEMORY = "512MB"
"""What a database may hold at once; the rest goes to a temporary folder."""
OPTIONS = "union_by_name = true, hive_partitioning = false"
"""How files are read as one table: nothing is read out of the names of their folders."""
_TABLE = f"read_parquet(?, {OPTIONS})"
_AT_ONCE = 20_000
SQL_TYPES: Mapping[type, str] = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}
_ZONED = {"TIMESTAMP WITH TIME ZONE": "TIMESTAMP", "TIMESTAMPTZ_NS": "TIMESTAMP_NS"}
"""Times that Python's DuckDB reads only with another package, and what they are cast to, in UTC."""
Rows = Iterable[Mapping[str, object]]


@contextmanager
def database(threads: int | None = 1) -> Iterator[Any]:
    """A database of its own, which leaves nothing behind; with one thread, the same rows give the same bytes."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="tiltmeter-") as folder:
        # Nothing is fetched, and no name in a query is looked for among Python's variables.
        settings: dict[str, Any] = {
            "memory_limit": MEMORY,
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
        }
        found = duckdb.connect(":memory:", config=settings | ({"threads": threads} if threads else {}))
        try:
            found.execute("SET TimeZone = 'UTC'")
            # In a notebook even to turn the bar off takes the package that draws it, and without that there is none.
            with suppress(duckdb.Error):
                found.execute("SET enable_progress_bar = false")
            yield found
        finally:
            found.close()


@contextmanager
def refusals(path: str | Path) -> Iterator[None]:
    """What DuckDB cannot read, said in one sentence."""
    import duckdb

    try:
        yield
    except (duckdb.Error, UnicodeError, RecursionError) as error:
        said = next(iter(str(error).splitlines()), "damaged")
        if isinstance(error, UnicodeError) or "string encoding" in said:
            problem = "a text in it is not UTF-8; write the file again with texts as UTF-8"
        else:
            problem = f"cannot be read as a Parquet file ({said:.160})"
        raise InvalidData(problem, file=path) from None


def plain_names(found: Any, files: Sequence[str | Path]) -> list[str]:
    """Files by names in which nothing stands for other names, as `*` does, for as long as the database is there."""
    names = [str(file if is_address(file) else Path(file).absolute()) for file in files]
    if any(map(is_address, files)) or not any(re.search(r"[*?\[]", name) for name in names):
        return names
    [(folder,)] = found.execute("SELECT current_setting('temp_directory')").fetchall()
    links = [Path(folder) / f"{hashlib.sha256(name.encode()).hexdigest()}.parquet" for name in names]
    for link, name in zip(links, names, strict=True):
        if not link.is_symlink():
            link.symlink_to(name)
    return [str(link) for link in links]


def types_of(found: Any, names: Sequence[str], path: str | Path) -> dict[str, str]:
    """The columns of Parquet files with their types; refuses columns that DuckDB would rename."""
    schema = iter(found.execute("SELECT name, num_children FROM parquet_schema(?)", [names]).fetchall())
    for _, children in schema:
        _refuse_alike_within(schema, children or 0, path)
    described = found.execute(f"DESCRIBE SELECT * FROM {_TABLE}", [names]).fetchall()
    return {name: kind for name, kind, *_ in described}


def parquet_rows(path: str | Path) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file one by one, or of all Parquet files of a folder or address."""
    with _opened(path) as (found, names, types):
        chosen = ", ".join(_readable(name, kind) for name, kind in types.items())
        held = found.execute(f"SELECT {chosen} FROM {_TABLE}", [names])
        while some := held.fetchmany(_AT_ONCE):
            for row in some:
                yield dict(zip(types, row, strict=True))


def fill_texts(found: Any, table: str, path: str | Path, columns: Mapping[str, str]) -> None:
    """Make a table of some columns of Parquet files, which get other names: texts, blank for what is missing.

    None of them holds others. `line` is the number of a row.
    """
    names = _named(found, path)
    types = types_of(found, names, path)
    listed = "".join(f", {_text(name, types[name])} AS {quoted(given)}" for given, name in columns.items())
    found.execute(f"CREATE TABLE {quoted(table)} AS SELECT row_number() OVER () AS line{listed} FROM {_TABLE}", [names])


def parquet_columns(path: str | Path) -> list[str]:
    """The columns of a Parquet file."""
    return list(parquet_types(path))


def parquet_types(path: str | Path) -> dict[str, str]:
    """The columns of a Parquet file with their types, as DuckDB names them."""
    with _opened(path) as (_, _, types):
        return types


def holds_objects(kind: str) -> bool:
    """Whether values of this type hold others, or bytes.

    >>> [holds_objects(kind) for kind in ("VARCHAR", "INTEGER[]", "STRUCT(a INTEGER)", "DECIMAL(9,2)")]
    [False, True, True, False]
    """
    return kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB"))


def fill(found: Any, table: str, columns: Mapping[str, type], rows: Rows) -> None:
    """Make a table of rows; what a row does not have is null."""
    listed = ", ".join(f"{quoted(name)} {SQL_TYPES[kind]}" for name, kind in columns.items())
    found.execute(f"CREATE TABLE {quoted(table)} ({listed})")
    every = iter(rows)
    while some := list(islice(every, _AT_ONCE)):
        given = set().union(*some)
        there = {name: columns[name] for name in [name for name in columns if name in given] or [*columns][:1]}
        found.register("batch", {name: _column([row.get(name) for row in some], kind) for name, kind in there.items()})
        chosen = ", ".join(f"{quoted(name)}::{SQL_TYPES[kind]} AS {quoted(name)}" for name, kind in there.items())
        found.execute(f"INSERT INTO {quoted(table)} BY NAME SELECT {chosen} FROM batch")
        found.unregister("batch")


def write_parquet(path: str | Path, columns: Mapping[str, type], rows: Rows) -> None:
    """Write rows as a Parquet file."""
    refuse_alike(columns, path)
    if "" in columns:
        raise InvalidData("a column has no name, and in a Parquet file each needs one", file=path)
    with database() as found:
        fill(found, "rows", columns, rows)
        save(found, "rows", path)


def write_again(
    path: str | Path, out: str | Path, columns: Mapping[str, type], rows: Rows, *, without: Iterable[str] = ()
) -> None:
    """Write a Parquet file with further columns after its own, `without` some of them; the others keep their types."""
    left_out = set(without)
    with _opened(path) as (found, names, types):
        kept = [name for name in types if name not in left_out]
        refuse_alike([*kept, *columns], out)
        fill(found, "new", columns, rows)
        if _number(found, _TABLE, names) != _number(found, "new"):
            raise InvalidData("its rows changed while they were rated; rate it again", file=path)
        chosen = ", ".join([*(f"old.{quoted(name)}" for name in kept), *(f"new.{quoted(name)}" for name in columns)])
        told = found.execute("SELECT key, value FROM parquet_kv_metadata(?)", [names]).fetchall()
        _copy(found, f"SELECT {chosen} FROM {_TABLE} AS old POSITIONAL JOIN new", [names], out, dict(told))


def save(found: Any, table: str, path: str | Path, facts: Mapping[str, str] | None = None) -> None:
    """Write a table of a database as a Parquet file, whole or not at all, to a path or an address.

    `facts` are what the file says of itself.
    """
    told = {key.encode(): value.encode() for key, value in (facts or {}).items()}
    _copy(found, f"SELECT * FROM {quoted(table)}", [], path, told)


def stored_note(found: Any, path: str | Path) -> dict[str, str]:
    """What a Parquet file says of itself."""
    rows = found.execute("SELECT key, value FROM parquet_kv_metadata(?)", plain_names(found, [path])).fetchall()
    return {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in rows}


def attach(found: Any, table: str, path: str | Path) -> None:
    """Have a Parquet file, or those of a folder or address, as a table that is read where it lies."""
    names = _named(found, path)
    types_of(found, names, path)
    listed = ", ".join(map(sql_text, names))
    found.execute(f"CREATE VIEW {quoted(table)} AS SELECT * FROM read_parquet([{listed}], {OPTIONS})")


def refuse_alike(names: Iterable[str], path: str | Path) -> None:
    """Refuse columns that DuckDB would not tell apart."""
    known: dict[str, str] = {}
    for name in names:
        if name.lower() in known:
            alike = f"`{known[name.lower()]}` and `{name}`"
            raise InvalidData(f"two columns have the same name but for capitals, {alike}; rename one", file=path)
        known[name.lower()] = name


def quoted(name: str) -> str:
    """A name as SQL writes it, whatever it is.

    >>> print(quoted("toxicity.linear.v1"))
    "toxicity.linear.v1"
    """
    return '"' + name.replace('"', '""') + '"'


def sql_text(text: str) -> str:
    """A text as SQL has it.

    >>> print(sql_text("nurse's"))
    'nurse''s'
    """
    return "'" + text.replace("'", "''") + "'"


def _copy(
    found: Any, query: str, given: Sequence[object], path: str | Path, facts: Mapping[bytes, bytes] | None = None
) -> None:
    """Write what a query gives; `facts` are what a file says of itself."""
    # The types as Arrow had them are no longer those of this file.
    kept = {key.decode("utf-8", "replace"): value for key, value in (facts or {}).items() if key != b"ARROW:schema"}
    listed = ", ".join(f"{sql_text(key)}: from_hex('{value.hex()}')" for key, value in kept.items())
    more = f", KV_METADATA {{{listed}}}" if kept else ""
    with tempfile.TemporaryDirectory(prefix="tiltmeter-") as folder:
        made = Path(folder) / "table.parquet"
        found.execute(f"COPY ({query}) TO {sql_text(str(made))} (FORMAT parquet, COMPRESSION zstd{more})", given)
        with made.open("rb") as written, whole_object(path) as file:
            shutil.copyfileobj(written, file)


@contextmanager
def _opened(path: str | Path) -> Iterator[tuple[Any, list[str], dict[str, str]]]:
    """A database with the names of the files in it, and their columns with their types."""
    with database() as found, refusals(path):
        names = _named(found, path)
        yield found, names, types_of(found, names, path)


def _named(found: Any, path: str | Path) -> list[str]:
    """The Parquet files of a place, by names that the database can read."""
    if is_address(path):
        system, inside = filesystem_of(str(path))
        folder = not inside.endswith(".parquet")
        try:
            inner = sorted(system.glob(f"{inside.rstrip('/')}/*.parquet")) if folder else [inside]
            there = bool(inner) and all(system.exists(one) for one in inner)
        except OSError as error:
            raise InvalidData(f"cannot be read: {error}", file=path) from None
        names = [system.unstrip_protocol(one) for one in inner]
    else:
        place, system = Path(path), None
        folder = place.is_dir()
        files = sorted(place.glob("*.parquet")) if folder else [place]
        there = bool(files) and all(file.is_file() for file in files)
        names = [str(file) for file in files]
    if not there:
        raise InvalidData("the folder has no Parquet files" if folder else "there is no such file", file=path)
    if system is not None:
        found.register_filesystem(system)
    return plain_names(found, names)


def _number(found: Any, table: str, *given: object) -> int:
    [(number,)] = found.execute(f"SELECT count(*) FROM {table}", given).fetchall()
    return int(number)


def _readable(name: str, kind: str) -> str:
    """A column as Python is to have it; a map, which may have other keys in each row, as a list."""
    plain = kind
    for zoned, other in _ZONED.items():
        plain = plain.replace(zoned, other)
    column = quoted(name) if plain == kind else f"CAST({quoted(name)} AS {plain})"
    return f"map_entries({column})" if kind.startswith("MAP(") and kind.endswith(")") else column


def _text(name: str, kind: str) -> str:
    """A column as text."""
    column = quoted(name)
    if kind == "BOOLEAN":
        column = f"CASE WHEN {column} THEN 'True' WHEN NOT {column} THEN 'False' END"
    elif kind in ("FLOAT", "DOUBLE"):
        column = f"CASE WHEN NOT isnan({column}) THEN {column}::DOUBLE::VARCHAR END"
    return f"coalesce(({column})::VARCHAR, '')"


def _refuse_alike_within(schema: Iterator[tuple[str, int | None]], number: int, path: str | Path) -> None:
    """Look at so many columns, each of which is followed by those within it."""
    names = []
    for name, children in islice(schema, number):
        names.append(name)
        _refuse_alike_within(schema, children or 0, path)
    refuse_alike(names, path)


def _column(values: list[Any], kind: type) -> Any:
    """The values as a column of a kind has them; most of them are of it."""
    import numpy as np

    if kind is float:
        # What is no number is null in either.
        return np.array(values, np.float64)
    if {*map(type, values)} <= {kind, type(None)}:
        return np.array(values, object)
    return np.array([None if value is None else kind(value) for value in values], object)
