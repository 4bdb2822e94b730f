"""Tables of results: Arrow to every other program, rows to a loop, a short table to a notebook."""

from __future__ import annotations

import html
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.amounts import fixed
from tiltmeter.calling import number_of
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.parquet import Rows, database, fill, quoted, refuse_alike, save

if TYPE_CHECKING:
    import pandas

_SHOWN = 8
"""Rows that are shown."""
_WIDEST = 40
_AT_ONCE = 5000
_CELL = str | int | float | None


class Frame:
    """A table of results that stays in a database: `query` it, loop over its rows, or hand it on.

    It is Arrow to whoever asks (`__arrow_c_stream__`): polars.DataFrame(frame), pyarrow.table(frame).

    >>> frame = Frame.of({"bias": str, "n": int}, [{"bias": "gender", "n": 3}, {"bias": "age", "n": None}])
    >>> len(frame), frame.columns, list(frame.query("bias == 'age'"))
    (2, ['bias', 'n'], [{'bias': 'age', 'n': None}])
    """

    def __init__(self, connection: Any, query: str, holder: object) -> None:
        self._connection, self._query, self._holder = connection, query, holder
        self._streams: list[Any] = []

    @classmethod
    def of(cls, columns: Mapping[str, type], rows: Rows) -> Frame:
        """A table of rows; what a row does not have is null."""
        stack = ExitStack()
        found = stack.enter_context(database())
        fill(found, "frame", columns, rows)
        return cls(found, "SELECT * FROM frame", stack)

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, object]], first: Sequence[str] = ()) -> Frame:
        """A table of rows whose columns are those that any of them has."""
        listed = [{key: _plain(value) for key, value in row.items()} for row in rows]
        names = dict.fromkeys([*first, *(name for row in listed for name in row)])
        refuse_alike(names, "the table")
        return cls.of({name: _kind(row.get(name) for row in listed) for name in names}, listed)

    @cached_property
    def _types(self) -> dict[str, str]:
        return {name: str(kind) for name, kind, *_ in self._asked(f"DESCRIBE {self._query}").fetchall()}

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return list(self._types)

    def query(self, condition: str) -> Frame:
        """The rows of which a condition holds, as SQL has it: `"bias == 'gender' and n > 20"`."""
        return self._held(condition, condition)

    def _held(self, condition: str, plain: str) -> Frame:
        import duckdb

        found = Frame(self._connection, f"SELECT * FROM ({self._query}) WHERE ({plain}\n)", self._holder)
        try:
            len(found)
        except duckdb.Error as error:
            word = _NEAR.search(str(error))
            if word and word[1] in self.columns and (again := _quoted_in(plain, word[1])) != plain:
                # A column may be called as a word of SQL is, such as `group`.
                return self._held(condition, again)
            said = next(iter(str(error).splitlines()), "").partition("Error: ")[2]
            raise UserError(
                f"{condition!r:.200} is not a condition: {said}; columns: {', '.join(self.columns)}"
            ) from None
        return found

    def column(self, name: str) -> list[_CELL]:
        """The values of a column."""
        if name not in self.columns:
            raise UnknownName("column", name, self.columns)
        return [row[name] for row in self]

    def to_pandas(self) -> pandas.DataFrame:
        """As a data frame of pandas."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise UserError("pandas is not installed: pip install pandas; or loop over the rows") from None
        found: pandas.DataFrame = self._asked(self._query).df()
        return found

    def save(self, path: str | Path) -> Path:
        """Write it as .parquet, whole or not at all."""
        if Path(path).suffix.lower() != ".parquet":
            raise UserError(f"{path}: a table is written as .parquet; other forms: to_pandas()")
        with database() as found:
            fill(found, "saved", {name: _TYPES[kind] for name, kind in self._types.items()}, self)
            save(found, "saved", path)
        return Path(path)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        # A stream is read after this; what it comes from has to be there until then.
        self._streams.append(self._connection.cursor())
        return self._streams[-1].sql(self._query).__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[object, ...]:
        return Frame.of, ({name: _TYPES[kind] for name, kind in self._types.items()}, list(self))

    def __len__(self) -> int:
        [(count,)] = self._asked(f"SELECT count(*) FROM ({self._query})").fetchall()
        return int(count)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        found, names = self._asked(self._query), self.columns
        while some := found.fetchmany(_AT_ONCE):
            yield from (dict(zip(names, row, strict=True)) for row in some)

    def __repr__(self) -> str:
        return f"<{_size(len(self))}: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return self._html(_WIDEST)

    def _html(self, widest: int) -> str:
        """Its first rows, with cells of so many signs at most."""

        def row(tag: str, cells: Iterable[object]) -> str:
            return f"<tr>{''.join(f'<{tag}>{html.escape(_shown(cell, widest))}</{tag}>' for cell in cells)}</tr>"

        shown = [name for name, filled in self._filled().items() if filled] or self.columns
        listed = ", ".join(map(quoted, shown))
        head = self._asked(f"SELECT {listed} FROM ({self._query}) LIMIT {_SHOWN}").fetchall()
        table = (
            f"<table><thead>{row('th', shown)}</thead><tbody>{''.join(row('td', one) for one in head)}</tbody></table>"
        )
        empty = len(self.columns) - len(shown)
        width = f"{len(shown)} column{'s' * (len(shown) != 1)}"
        more = f", the first {_SHOWN} shown" if (rows := len(self)) > _SHOWN else ""
        more += f"; {empty} empty column{'s' * (empty != 1)} not shown" if empty else ""
        return f"<div style='overflow-x:auto'>{table}</div><p>{_size(rows)} × {width}{more}</p>"

    def _filled(self) -> dict[str, int]:
        """How many rows have a value in each column."""
        counts = ", ".join(f"count({quoted(name)})" for name in self.columns)
        [found] = self._asked(f"SELECT {counts} FROM ({self._query})").fetchall()
        return dict(zip(self.columns, found, strict=True))

    def _asked(self, query: str) -> Any:
        """The answer to a query, apart from all others that are under way."""
        return self._connection.cursor().execute(query)


_TYPES: Mapping[str, type] = {"VARCHAR": str, "BIGINT": int, "DOUBLE": float, "INTEGER": int, "BOOLEAN": bool}


_NEAR = re.compile(r'at or near "(\w+)"')


def _size(rows: int) -> str:
    return f"{rows:,} row{'s' * (rows != 1)}"


def _quoted_in(condition: str, word: str) -> str:
    """A condition in which a name is quoted wherever it is no part of a text or another name.

    >>> print(_quoted_in("group == 'a group' and groups > 1", "group"))
    "group" == 'a group' and groups > 1
    """
    found = re.compile(rf"""('[^']*'|"[^"]*")|\b{re.escape(word)}\b""")
    return found.sub(lambda one: one[1] or quoted(word), condition)


def _plain(value: object) -> object:
    """A cell as a table has it: a text, or a number of Python."""
    if value is None or isinstance(value, str | bool):
        return value
    with suppress(TypeError):
        # An integer that no column of integers holds is a name of something, of which every digit counts.
        return whole if -(2**63) <= (whole := operator.index(value)) < 2**63 else str(whole)  # type: ignore[arg-type]
    number = number_of(value)
    return str(value) if number is None else number


def _kind(values: Iterable[object]) -> type:
    kinds = {type(value) for value in values if value is not None}
    if str in kinds or not kinds:
        return str
    return float if float in kinds else int if int in kinds else bool


def _shown(value: object, widest: int) -> str:
    if isinstance(value, float):
        return fixed(value, 4)
    line = " ".join(str("–" if value is None else value).split())
    return line if len(line) <= widest else f"{line[: widest - 1]}…"
