"""Estimates of a file that holds a rating per text, whoever rated it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData, UnknownName
from tiltmeter.sources.tables import Row, column, read_table
from tiltmeter.stats.continuations import Bounds, ContinuationSummary, RatedItem, summarise
from tiltmeter.stats.structures import StructureSummary, by_structure

REGARD: dict[str, float | None] = {"negative": -1.0, "neutral": 0.0, "positive": 1.0, "other": None}
"""Labels that stand for numbers; other is unscored."""
_CODES: dict[float, str] = {-1.0: "negative", 0.0: "neutral", 1.0: "positive", 2.0: "other"}
_OTHER = "the label is other"
_BLANK = {"", "nan", "na", "n/a", "none", "null"}
_NOT_MIXED = ("model", "rater")


@dataclass(frozen=True, slots=True)
class RatedColumns:
    """Which columns of a rated file hold what, and which rows count."""

    value: str
    group: str = "group"
    origin: str = "origin"
    structure: str | None = None
    prompt: str | None = None
    label: str | None = None
    """Without it, `VALUE.label` where there is such a column, as `tiltmeter rate` writes it."""
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RatedSettings:
    """What is asked of the ratings."""

    scale: Bounds | None = None
    threshold: float | None = None
    most_k: tuple[int, ...] = ()
    reference: str | None = None
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True, slots=True)
class RatedFileSummary:
    """The estimates of a rated file, and how its rows were read."""

    summary: ContinuationSummary
    structures: StructureSummary | None
    rows: int
    notes: tuple[str, ...]
    """What was done to the rows."""

    def as_json(self) -> dict[str, Any]:
        """The summary's JSON, with that of the structures where they were asked for."""
        made = self.summary.as_json()
        made["notes"] += self.notes
        made["rows"] = self.rows
        if self.structures is not None:
            found = self.structures.as_json()
            made |= {key: found[key] for key in ("structures", "sign_kept")}
            made["n_comparisons_by_structure"] = found["n_comparisons"]
        return made


@dataclass(frozen=True, slots=True)
class _Cell:
    """What stands in the value column of one row."""

    value: float | None
    label: str | None = None
    unrated: str | None = None


def summarise_rated_file(
    path: str | Path, columns: RatedColumns, settings: RatedSettings | None = None
) -> RatedFileSummary:
    """Estimates from a table with a rating, a group and an origin in each row; a blank rating is unscored."""
    wanted = settings or RatedSettings()
    items, rows, notes = read_rated(path, columns)
    summary = summarise(
        items,
        scale=wanted.scale,
        threshold=wanted.threshold,
        most_k=wanted.most_k,
        reference=wanted.reference,
        level=wanted.level,
        seed=wanted.seed,
    )
    structures = None
    if columns.structure is not None:
        structures = by_structure(
            items, summary, scale=wanted.scale, reference=wanted.reference, level=wanted.level, seed=wanted.seed
        )
    return RatedFileSummary(summary, structures, rows, tuple(notes))


def read_rated(path: str | Path, columns: RatedColumns) -> tuple[list[RatedItem], int, list[str]]:
    """The rated texts of a file, the number of its rows that count, and what has to be said of them."""
    header, every = read_table(path)
    columns = replace(columns, value=_versioned(columns.value, header))
    for name, option in _named(columns):
        column(header, name, path, option)
    rows = _select(every, header, columns.where, path)
    label = columns.label or _beside(header, columns.value, "label")
    reason = _beside(header, columns.value, "unrated")
    cells = _cells([(line, row[columns.value]) for line, row in rows], columns.value, path)
    items = []
    for (_, row), cell in zip(rows, cells, strict=True):
        group = row[columns.group].strip()
        if not group:
            continue
        given = row[label].strip() if label else ""
        items.append(
            RatedItem(
                group,
                cell.value,
                row[columns.origin].strip(),
                given or cell.label,
                row[columns.prompt].strip() if columns.prompt else "",
                (row[columns.structure].strip() or None) if columns.structure else None,
                (row[reason].strip() if reason and cell.value is None else "") or cell.unrated,
            )
        )
    return items, len(rows), _notes(items, len(rows), cells, columns)


def _named(columns: RatedColumns) -> list[tuple[str, str]]:
    given = {
        "--value": columns.value,
        "--group": columns.group,
        "--origin": columns.origin,
        "--structure": columns.structure,
        "--prompt": columns.prompt,
        "--label": columns.label,
    }
    return [(name, option) for option, name in given.items() if name is not None]


def _versioned(name: str, header: Sequence[str]) -> str:
    """The column of the newest version of a rater, where the name was given without one."""
    versions = [each for each in header if re.fullmatch(re.escape(name) + r"\.v\d+", each)]
    return name if name in header or not versions else max(versions, key=lambda each: int(each.rpartition("v")[2]))


def _beside(header: Sequence[str], value: str, what: str) -> str | None:
    return f"{value}.{what}" if f"{value}.{what}" in header else None


def _select(rows: Sequence[Row], header: Sequence[str], where: Mapping[str, str], path: str | Path) -> list[Row]:
    if not rows:
        raise InvalidData("the file has a header and no rows", file=path)
    kept = list(rows)
    for name, value in where.items():
        column(header, name, path, "--where")
        known = {cells[name] for _, cells in kept}
        kept = [(line, cells) for line, cells in kept if cells[name] == value]
        if not kept:
            raise InvalidData(UnknownName(f"row with `{name}` =", value, known).problem, file=path)
    for name in _NOT_MIXED:
        values = sorted({cells.get(name, "") for _, cells in kept})
        if len(values) > 1:
            raise InvalidData(
                f"the column `{name}` holds {', '.join(values)}, which must not be mixed: choose one with "
                f"--where {name}={values[0]}",
                file=path,
            )
    return kept


def _cells(texts: Sequence[tuple[int, str]], name: str, path: str | Path) -> list[_Cell]:
    """Numbers, or the labels of regard, in words or as −1, 0, 1 and 2; which of them is seen from the whole column."""
    given = [(line, text.strip()) for line, text in texts]
    blank = _Cell(None, unrated=f"the column `{name}` is blank")
    words = {text.lower() for _, text in given} - _BLANK
    if words and words <= set(REGARD):
        return [blank if text.lower() in _BLANK else _labelled(text.lower()) for _, text in given]
    numbers = [(line, None if text.lower() in _BLANK else _number(text, name, path, line)) for line, text in given]
    found = {number for _, number in numbers if number is not None}
    if -1.0 in found and found <= set(_CODES):
        return [blank if number is None else _labelled(_CODES[number]) for _, number in numbers]
    return [blank if number is None else _Cell(number) for _, number in numbers]


def _labelled(label: str) -> _Cell:
    value = REGARD[label]
    return _Cell(value, label, None if value is not None else _OTHER)


def _number(text: str, name: str, path: str | Path, line: int) -> float:
    # Not everything that Python takes for a number is one: 1_000, say.
    if not re.fullmatch(
        r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?inf(inity)?", text.replace("−", "-"), re.IGNORECASE
    ):
        raise InvalidData(
            f"{text!r} is no rating; right are numbers, or {', '.join(REGARD)}, or blank",
            file=path,
            line=line,
            key=name,
        )
    return float(text.replace("−", "-"))


def _notes(items: Sequence[RatedItem], rows: int, cells: Sequence[_Cell], columns: RatedColumns) -> list[str]:
    notes = []
    if len(items) < rows:
        notes.append(f"{rows - len(items)} of {rows} rows left out: nothing under `{columns.group}`")
    others = Counter(item.group for item in items if item.unrated == _OTHER)
    if others:
        counted = ", ".join(f"{group} {count}" for group, count in others.items())
        notes.append(f"other is a label without a number, and unscored: {counted}")
    if any(cell.label for cell in cells):
        notes.append("labels count as numbers: negative −1, neutral 0, positive 1")
    if not any(item.origin for item in items):
        notes.append(f"nothing under `{columns.origin}`: each row is its own origin")
    return notes
