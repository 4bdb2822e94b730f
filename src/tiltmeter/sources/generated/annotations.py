"""The way of sentences to people who label their issues, and of the labels back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.files import whole_file, write_csv
from tiltmeter.formulas import undone
from tiltmeter.records import Spec, Written
from tiltmeter.sources.generated.sentence_specs import SPEC_COLUMNS, spec_cells
from tiltmeter.sources.tables import NumberedRow, kind_of, read_table

ISSUES = ("I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8")
NONE = "none"
"""The column for "none of the eight": it tells a clean sentence from one that nobody has looked at yet."""
COLUMNS = ("id", "text", "term", "attribute", *ISSUES, NONE)
FURTHER_COLUMNS = ("dropped", "bias", "set", "group", "attribute_set", "generator", *SPEC_COLUMNS)
"""What a sheet also holds so that it can be scored when it comes back; `dropped` is for striking a sentence."""
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


def export_annotations(path: str | Path, sentences: Sequence[Written], specs: Iterable[Spec] = ()) -> None:
    """Write a sheet for annotators, CSV or JSON lines by the name of the file, with a blank cell for every issue.

    With the specs of the sentences, the sheet can be scored as it comes back.
    """
    known = {spec.name: spec for spec in specs}
    columns = (*COLUMNS, *(FURTHER_COLUMNS if known else ()))
    rows = [asdict(one) | spec_cells(one, known.get(one.bias)) for one in sentences if one.dropped is None]
    if Path(path).suffix.lower() in (".jsonl", ".ndjson"):
        with whole_file(path) as file:
            file.writelines(
                json.dumps({column: row.get(column) or "" for column in columns}, ensure_ascii=False) + "\n"
                for row in rows
            )
    else:
        write_csv(path, columns, rows, sheet=True)


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


def sheet_rows(path: str | Path, rows: Iterable[NumberedRow]) -> Iterator[NumberedRow]:
    """The rows of a sheet that came back, without what kept a spreadsheet from calculating with them."""
    if kind_of(path) != "csv":
        return iter(rows)
    return ((line, {name: undone(cell) for name, cell in cells.items()}) for line, cells in rows)


def _sheet(path: str | Path) -> dict[str, frozenset[str]]:
    columns, rows = read_table(path)
    missing = next((column for column in ("id", *ISSUES) if column not in columns), None)
    if missing:
        raise InvalidData(f"no `{missing}`; it is not an annotation sheet", file=path)
    found: dict[str, frozenset[str]] = {}
    seen: set[str] = set()
    for number, (_, row) in enumerate(sheet_rows(path, rows), start=1):
        if row["id"] in seen:
            raise InvalidData(f"the id `{row['id']}` is listed twice", file=path)
        seen.add(row["id"])
        issues = marked_issues(row, number, path)
        if issues is not None:
            found[row["id"]] = issues
    return found


def marked_issues(row: Mapping[str, str], number: int, path: str | Path) -> frozenset[str] | None:
    """The issues that an annotator marked in a row; None where the row has no mark, and was not judged."""
    marks = {column: _mark(row.get(column, ""), column, number, path) for column in (*ISSUES, NONE)}
    issues = frozenset(issue for issue in ISSUES if marks[issue])
    if issues and marks[NONE]:
        raise InvalidData(f"row {number} has an issue and is also marked as having none", file=path)
    return issues if any(mark is not None for mark in marks.values()) else None


def _mark(cell: str, column: str, number: int, path: str | Path) -> bool | None:
    value = cell.strip().lower()
    if value and value not in _YES | _NO:
        raise InvalidData(
            f"row {number} has `{cell:.20}` under `{column}`; write x or 1 for yes, 0 or nothing for no",
            file=path,
        )
    return None if not value else value in _YES
