"""Rater `column`: ratings that are there already, in a column of a table of the user's, found by their text."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from tiltmeter.errors import InvalidData, UnknownName, UserError
from tiltmeter.files import is_file, read_numbered_csv
from tiltmeter.formulas import undone
from tiltmeter.raters import class_map
from tiltmeter.raters.class_map import COLUMN, ClassMap
from tiltmeter.raters.interface import rate_each
from tiltmeter.records import Rating

KIND = "column"
TEXT = "text"
"""The column of the texts, as on a sheet of `tiltmeter report --sheet`."""
NOT_THERE = "the text is not in the table"
_DIGEST = 12
_ROUNDING = 1e-6


class Column:
    """Ratings in a column of a table of yours, which has the texts in a column `text`.

    `argument`: `FILE.csv:COLUMN[range=1..5;worse=low]`, or what its labels mean: `[bad=-1,good=1;worse=low]`.
    """

    name: str = class_map.COLUMN_NAME
    wants_mask = False
    languages: ClassVar[None] = None
    takes: ClassVar[str] = f"FILE.csv:COLUMN{COLUMN.example}"
    needs: ClassVar[bool] = True

    def __init__(self, argument: str) -> None:
        file, column, self._meaning = parsed(argument)
        path = Path(file).expanduser()
        self._blank = f"the column `{column}` is blank"
        self._known = dict(_read(path, column, self._meaning))
        self._digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self._said = str(self._meaning).removeprefix(";")
        self.name = f"{class_map.COLUMN_NAME}:{path.name}:{column}@{self._digest[:_DIGEST]}[{self._said}]"

    @staticmethod
    def check(argument: str) -> None:
        """Refuse an argument that names no column or no scale, without reading the table."""
        file, _, _ = parsed(argument)
        if not is_file(Path(file).expanduser()):
            raise UserError(f"`{KIND}:{class_map.split(argument)[0]}`: there is no file {file}")

    @property
    def facts(self) -> Mapping[str, str]:
        """The hash of the table, how many texts it has, and the scale."""
        low, high = self._meaning.ends
        return {
            "table_sha256": self._digest,
            "texts": str(len(self._known)),
            "scale": self._said,
            "range": f"{low:g} to {high:g}",
        }

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """The rating of each text that the table has; line breaks and runs of blanks count as one blank."""
        return rate_each(self.name, texts, self._one)

    def _one(self, text: str) -> Rating:
        found = self._known.get(_plain(text))
        if found is None:
            return Rating(self.name, None, NOT_THERE)
        cell, value = found
        if value is None:
            return Rating(self.name, None, f"the label is {cell}" if cell else self._blank)
        return Rating(self.name, value, label=cell if self._meaning.classes else None)


def parsed(argument: str) -> tuple[str, str, ClassMap]:
    """The file, the column, and what its numbers or labels mean."""
    where, said = class_map.split(argument)
    file, _, column = where.rpartition(":")
    given = f"{KIND}:{where}"
    if not file or not column.strip():
        raise UserError(f"`{given}` names no column; write {KIND}:{Column.takes}")
    if not said:
        raise UserError(f"`{given}` does not say its scale; append it: {given}{COLUMN.example}")
    try:
        return file, column, class_map.parse(said, COLUMN)
    except UserError as error:
        raise UserError(f"`{given}`: {error.problem}") from None


def _read(path: Path, column: str, meaning: ClassMap) -> Iterator[tuple[str, tuple[str, float | None]]]:
    """Each text with its cell and the number that this stands for."""
    columns, rows = read_numbered_csv(path)
    for name in (TEXT, column):
        if name not in columns:
            raise InvalidData(UnknownName("column", name, columns).problem, file=path, line=1)
    seen: dict[str, tuple[str, float | None]] = {}
    for line, cells in rows:
        cell = cells[column].strip()
        text, found = _plain(undone(cells[TEXT])), (cell, _value(cell, meaning, path, line, column))
        if seen.setdefault(text, found) != found:
            problem = "the text has another rating on an earlier line; keep one of its rows"
            raise InvalidData(problem, file=path, line=line, key=column)
    yield from seen.items()


def _value(cell: str, meaning: ClassMap, path: Path, line: int, column: str) -> float | None:
    if not cell:
        return None
    labels = {label.casefold(): number for label, number in meaning.classes}
    if labels:
        if cell.casefold() not in labels:
            known = ", ".join(label for label, _ in meaning.classes)
            raise InvalidData(f"is none of the labels {known}, nor blank", file=path, line=line, key=column)
        return labels[cell.casefold()]
    low, high = meaning.ends
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not low - _ROUNDING <= value <= high + _ROUNDING:
        raise InvalidData(f"is not a number from {low:g} to {high:g}, nor blank", file=path, line=line, key=column)
    return min(max(value, low), high)


def _plain(text: str) -> str:
    return " ".join(text.split())
