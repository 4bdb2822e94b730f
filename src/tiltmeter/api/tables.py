"""Tables that users have in hand, whatever holds them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from tiltmeter.calling import number_of
from tiltmeter.errors import InvalidData
from tiltmeter.files import whole_file
from tiltmeter.sources.tables import read_table


class _Arrow(Protocol):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


Tabular = str | Path | _Arrow | Mapping[str, Sequence[object]] | Iterable[Mapping[str, object]]
"""A file, a data frame of pandas or polars, an Arrow table, columns by name, or rows."""


def rows_of(data: Tabular) -> list[dict[str, object]]:
    """The rows of whatever holds a table."""
    if isinstance(data, str | Path):
        return [dict(cells) for _, cells in read_table(data)[1]]
    found: Any = data
    ways: Sequence[tuple[str, dict[str, object]]]
    ways = (("to_dict", {"as_series": False}), ("to_pydict", {}), ("to_dict", {"orient": "list"}))
    for name, options in ways:
        with suppress(AttributeError, TypeError):
            found = getattr(data, name)(**options)
            break
    try:
        if isinstance(found, Mapping):
            columns = {str(name): list(values) for name, values in found.items()}
            return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return [{str(name): value for name, value in row.items()} for row in found]
    except (TypeError, ValueError, AttributeError):
        raise InvalidData(
            f"a {type(data).__name__} is not a table; give a file, a data frame, columns of equal length by name, "
            "or rows"
        ) from None


def write_rows(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as JSON lines, whole or not at all."""
    if not rows:
        raise InvalidData("the table has no rows")
    with whole_file(path) as file:
        for row in rows:
            json.dump({key: _plain(value) for key, value in row.items()}, file, ensure_ascii=False)
            file.write("\n")


def _plain(value: object) -> object:
    """A cell as JSON has it: what pandas calls missing is blank."""
    if value is None or isinstance(value, str | bool):
        return value
    number = number_of(value)
    if number is None:
        return str(value) if str(value) not in ("<NA>", "NaT") else None
    return None if not math.isfinite(number) else int(number) if number.is_integer() else number
