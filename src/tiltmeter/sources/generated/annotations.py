"""The way of sentences to people who label their issues, and of the labels back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.files import read_csv, read_text, whole_file, write_csv
from tiltmeter.records import Written

ISSUES = ("I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8")
NONE = "none"
"""The column for "none of the eight": it tells a clean sentence from one that nobody has looked at yet."""
COLUMNS = ("id", "text", "term", "attribute", *ISSUES, NONE)
_YES = {"1", "x", "yes", "y", "true"}
_NO = {"0", "no", "n", "false"}


@dataclass(frozen=True, slots=True)
class Annotations:
    """What each annotator found: annotator → sentence id → the issues; a sentence not judged is not there."""

    by_annotator: Mapping[str, Mapping[str, frozenset[str]]]

    @property
    def ids(self) -> list[str]:
        """Every sentence that somebody judged, in the order of the sheets."""
        return list(dict.fromkeys(name for found in self.by_annotator.values() for name in found))


@dataclass(frozen=True, slots=True)
class Majority:
    """What more than half of those who judged a sentence found; `tied` are issues that exactly half found."""

    labels: Mapping[str, frozenset[str]]
    tied: Mapping[str, frozenset[str]]


def export_annotations(path: str | Path, sentences: Sequence[Written]) -> None:
    """Write a sheet for annotators, CSV or JSON lines by the name of the file, with a blank cell for every issue."""
    rows = [
        {"id": one.id, "text": one.text, "term": one.term, "attribute": one.attribute}
        for one in sentences
        if one.dropped is None
    ]
    if Path(path).suffix.lower() in (".jsonl", ".ndjson"):
        with whole_file(path) as file:
            file.writelines(
                json.dumps({column: row.get(column, "") for column in COLUMNS}, ensure_ascii=False) + "\n"
                for row in rows
            )
    else:
        write_csv(path, COLUMNS, rows)


def import_annotations(paths: Sequence[str | Path]) -> Annotations:
    """Read sheets that came back, one for each annotator; the name of the file is the name of the annotator.

    A row without any mark was not judged. In a row with a mark, a blank cell means that the issue is not there.
    """
    found: dict[str, dict[str, frozenset[str]]] = {}
    for path in paths:
        name = Path(path).stem
        if name in found:
            raise InvalidData(f"a second sheet of the annotator `{name}`; rename one of them", file=path)
        found[name] = _sheet(path)
    return Annotations(found)


def majority(annotations: Annotations) -> Majority:
    """The labels that most of those who judged a sentence agree on.

    >>> found = Annotations({"ann": {"1": frozenset({"I1"})}, "bob": {"1": frozenset({"I1", "I4"})}})
    >>> majority(found).labels["1"], majority(found).tied["1"]
    (frozenset({'I1'}), frozenset({'I4'}))
    """
    labels, tied = {}, {}
    for name in annotations.ids:
        judged = [found[name] for found in annotations.by_annotator.values() if name in found]
        votes = Counter(issue for issues in judged for issue in issues)
        labels[name] = frozenset(issue for issue, count in votes.items() if 2 * count > len(judged))
        even = frozenset(issue for issue, count in votes.items() if 2 * count == len(judged))
        if even:
            tied[name] = even
    return Majority(labels, tied)


def _sheet(path: str | Path) -> dict[str, frozenset[str]]:
    if Path(path).suffix.lower() in (".jsonl", ".ndjson"):
        rows = [_line(line, path, number) for number, line in enumerate(read_text(path).splitlines(), 1) if line]
    else:
        rows = read_csv(path)[1]
    found: dict[str, frozenset[str]] = {}
    for number, row in enumerate(rows, start=1):
        missing = next((column for column in ("id", *ISSUES) if column not in row), None)
        if missing:
            raise InvalidData(f"no `{missing}`; it is not an annotation sheet", file=path)
        if row["id"] in found:
            raise InvalidData(f"the id `{row['id']}` stands twice", file=path)
        marks = {column: _mark(row.get(column, ""), column, number, path) for column in (*ISSUES, NONE)}
        issues = frozenset(issue for issue in ISSUES if marks[issue])
        if issues and marks[NONE]:
            raise InvalidData(f"row {number} has an issue and is marked as having none", file=path)
        if any(mark is not None for mark in marks.values()):
            found[row["id"]] = issues
    return found


def _line(line: str, path: str | Path, number: int) -> dict[str, str]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise InvalidData("not a line of JSON with the columns of the sheet", file=path, line=number)
    return {key: "" if value is None else str(value) for key, value in row.items()}


def _mark(cell: str, column: str, number: int, path: str | Path) -> bool | None:
    value = cell.strip().lower()
    if value and value not in _YES | _NO:
        raise InvalidData(
            f"row {number} has `{cell:.20}` under `{column}`; write x or 1 where it is so, 0 or nothing where not",
            file=path,
        )
    return None if not value else value in _YES
