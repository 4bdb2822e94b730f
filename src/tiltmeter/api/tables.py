"""Tables that users have in hand, whatever holds them."""

from __future__ import annotations

import json
import math
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from tiltmeter.calling import number_of
from tiltmeter.errors import InvalidData
from tiltmeter.files import whole_file
from tiltmeter.sources.tables import read_table

TABLE = "the table"
"""What one is called that is in no file."""


class _Arrow(Protocol):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


Tabular = str | Path | _Arrow | Mapping[str, Sequence[object]] | Iterable[Mapping[str, object]]
"""A file, a data frame of pandas or polars, an Arrow table, columns by name, or rows."""


def rows_of(data: Tabular) -> list[dict[str, object]]:
    """The rows of whatever holds a table."""
    if isinstance(data, str | Path):
        return [dict(cells) for _, cells in read_table(data)[1]]
    found: Any = data
    _refuse_doubled(map(str, getattr(data, "columns", data if isinstance(data, Mapping) else ())))
    ways: Sequence[tuple[str, dict[str, object]]]
    ways = (("to_dict", {"as_series": False}), ("to_pydict", {}), ("to_dict", {"orient": "list"}))
    for name, options in ways:
        with suppress(AttributeError, TypeError):
            found = getattr(data, name)(**options)
            break
    try:
        if isinstance(found, Mapping) and not any(isinstance(one, str | bytes) for one in found.values()):
            columns = {str(name): list(values) for name, values in found.items()}
            return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return [{str(name): value for name, value in row.items()} for row in found]
    except (TypeError, ValueError, AttributeError):
        raise InvalidData(
            f"a {type(data).__name__} is not a table; give a file, a data frame, columns of equal length by name, "
            "or rows"
        ) from None


def _refuse_doubled(names: Iterable[str]) -> None:
    """Refuse columns of one name, of which all but one would be lost."""
    doubled = next((name for name, count in Counter(names).items() if count > 1), None)
    if doubled is not None:
        raise InvalidData(f"two columns are called `{doubled}`; rename one", file=TABLE)


def write_rows(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as JSON lines, whole or not at all."""
    if not rows:
        raise InvalidData("the table has no rows")
    with whole_file(path) as file:
        for number, row in enumerate(rows, 1):
            try:
                json.dump({key: plain(value) for key, value in row.items()}, file, ensure_ascii=False)
            except UnicodeEncodeError:
                problem = "holds half of a character, as `surrogateescape` leaves it; decode the text anew"
                raise InvalidData(problem, file=TABLE, line=number) from None
            file.write("\n")


def plain(value: object) -> object:
    """A cell as JSON has it: what pandas calls missing is blank."""
    if value is None or isinstance(value, str | int):
        return value
    with suppress(TypeError):
        # Of an integer every digit counts: it may be an id, which a float would round.
        return operator.index(value)  # type: ignore[arg-type]
    number = number_of(value)
    if number is None:
        return str(value) if str(value) not in ("<NA>", "NaT") else None
    return None if not math.isfinite(number) else int(number) if number.is_integer() else number
