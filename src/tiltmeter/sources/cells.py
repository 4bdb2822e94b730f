"""The cells of a row of JSON or Parquet, whose values need not be texts: what is no text is never read as one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData

SEVERAL = "several answers"


class NonText(str):
    """A value that is no text, as JSON writes it; it can be passed on, and a number can be read where one is wanted."""

    __slots__ = ("single", "what")
    what: str
    single: bool

    @classmethod
    def of(cls, value: Any, what: str = "") -> NonText:
        """The value with what it is, in words.

        >>> NonText.of(["a", "b"]), NonText.of(["a", "b"]).what, NonText.of(2).single
        ('["a", "b"]', 'a list of 2 entries', True)
        """
        single = not isinstance(value, (list, tuple, dict, bytes))
        made = cls(value if single else json.dumps(value, ensure_ascii=False, default=_plain))
        made.what, made.single = what or _what(value), single
        return made

    def refused(self, name: str, path: str | Path | None, line: int | None) -> InvalidData:
        """The error of whoever wants a text here."""
        one = "; write a row for each" if self.what.startswith(("a list", SEVERAL)) else ""
        return InvalidData(f"holds {self.what} where one text is needed{one}", file=path, line=line, key=name)


class Cells(dict[str, str]):
    """The cells of a row by their columns; to ask for one that holds a list, an object or bytes is an error."""

    __slots__ = ("line", "objects", "path")

    def __init__(self, cells: Mapping[str, str], path: str | Path, line: int, objects: Iterable[str] = ()) -> None:
        super().__init__(cells)
        self.path, self.line = path, line
        self.objects = frozenset(objects)
        """Columns under which the row has an object, whose cells have names such as `prompt.text`."""

    def __getitem__(self, name: str) -> str:
        held = super().__getitem__(name)
        self._refuse(name, held)
        return held

    def get(self, name: str, default: Any = None) -> Any:
        """The cell, unless it cannot be read."""
        if name not in self and name in self.objects:
            raise NonText.of({}).refused(name, self.path, self.line)
        held = super().get(name, default)
        self._refuse(name, held)
        return held

    def __or__(self, other: Mapping[str, str]) -> Cells:  # type: ignore[override]
        return Cells({**self, **other}, self.path, self.line, self.objects)

    def with_columns(self, columns: Iterable[str]) -> Cells:
        """The cells of these columns; one that the row lacks is empty."""
        empty = {name: NonText.of({}) if name in self.objects else "" for name in columns}
        held = {name: cell for name, cell in self.items() if name in empty}
        return Cells(empty | held, self.path, self.line, self.objects)

    def _refuse(self, name: str, held: Any) -> None:
        if isinstance(held, NonText) and not held.single:
            raise held.refused(name, self.path, self.line)


def cells_of(row: Mapping[str, Any], path: str | Path, line: int) -> Cells:
    """The cells of a row; those of an object in it are named `prompt.text`, and a missing one is empty."""
    cells: dict[str, str] = {}
    objects: list[str] = []
    for name, value in _single_values(row, ""):
        if isinstance(value, dict):
            objects.append(name)
        else:
            cells[name] = as_cell(value)
    return Cells(cells, path, line, objects)


def as_cell(value: Any) -> str:
    """A value as a cell: a text as it is, nothing for one that is missing."""
    if isinstance(value, str):
        return value
    return "" if value is None or _is_nan(value) else NonText.of(value)


def text_of(cells: Mapping[str, str], name: str, path: str | Path, line: int) -> str:
    """The text in a column; a number is none."""
    held = cells.get(name, "")
    if isinstance(held, NonText):
        raise held.refused(name, path, line)
    return held


def refuse_objects(cells: Mapping[str, str], names: Iterable[str]) -> None:
    """Refuse a row that has an object under one of these names: a column that may be missing is not just missing."""
    for name in names:
        cells.get(name)


def _single_values(row: Mapping[str, Any], lead: str) -> Iterator[tuple[str, Any]]:
    for key, held in row.items():
        yield f"{lead}{key}", held
        if isinstance(held, dict):
            yield from _single_values(held, f"{lead}{key}.")


def _what(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)} entr{'y' if len(value) == 1 else 'ies'}"
    names = {dict: "an object", bytes: "bytes", bool: "true or false"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), f"a number or date ({value})")


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _plain(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
