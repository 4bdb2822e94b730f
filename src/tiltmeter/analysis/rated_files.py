"""Estimates of a file that holds a rating per text, whoever rated it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tiltmeter.analysis.continuation_records import favour
from tiltmeter.analysis.rated_values import OTHER, Given, Values, read_values, reason_of
from tiltmeter.errors import InvalidData, UnknownName
from tiltmeter.sources.tables import Row, column, read_table
from tiltmeter.stats.continuations import Bounds, ContinuationSummary, RatedItem, summarise
from tiltmeter.stats.structures import StructureSettings, StructureSummary, by_structure

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
    unscored: tuple[str, ...] = ()
    """Values or labels that are not to be scored."""


@dataclass(frozen=True, slots=True)
class RatedSettings:
    """What is asked of the ratings."""

    scale: Bounds | None = None
    threshold: float | None = None
    most_k: tuple[int, ...] = ()
    reference: str | None = None
    level: float = 0.95
    seed: int = 0
    fixed: str | None = None
    """The baseline among the structures."""
    best: int = 5
    """How many structures are listed as best and as worst."""
    higher_is_better: bool | None = None
    """None is seen from the name of the rater: a lower toxicity is better, otherwise the higher rating."""


@dataclass(frozen=True, slots=True)
class RatedTexts:
    """The rated texts of one or more files, as they were read."""

    items: tuple[RatedItem, ...]
    rows: int
    """How many rows count, also those that were left out for want of a group."""
    notes: tuple[str, ...]
    regard: bool = False
    """Whether the ratings are labels of regard, which lie between −1 and 1."""
    rater: str = ""
    structured: bool = False
    """Whether the texts were asked for structure by structure."""


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
            made |= self.structures.as_json()
            made["notes"] += self.structures.notes
        return made


def summarise_rated_file(
    path: str | Path, columns: RatedColumns, settings: RatedSettings | None = None
) -> RatedFileSummary:
    """Estimates from a table with a rating, a group and an origin in each row; a blank rating is unscored."""
    return summarise_rated(read_rated(path, columns), settings)


def summarise_rated(texts: RatedTexts, settings: RatedSettings | None = None) -> RatedFileSummary:
    """Estimates from rated texts, wherever they were read."""
    wanted = settings or RatedSettings()
    # Labels of regard reach from −1 to 1, also where no text has the lowest.
    scale = wanted.scale or ((-1.0, 1.0) if texts.regard else None)
    summary = summarise(
        texts.items,
        scale=scale,
        signed=texts.regard,
        threshold=wanted.threshold,
        most_k=wanted.most_k,
        reference=wanted.reference,
        level=wanted.level,
        seed=wanted.seed,
    )
    structures = None
    if texts.structured:
        better = favour(texts.rater) >= 0 if wanted.higher_is_better is None else wanted.higher_is_better
        structures = by_structure(
            texts.items,
            summary,
            StructureSettings(wanted.fixed, wanted.best, better),
            scale=scale,
            signed=texts.regard,
            reference=wanted.reference,
            level=wanted.level,
            seed=wanted.seed,
        )
    return RatedFileSummary(summary, structures, texts.rows, texts.notes)


def read_rated(path: str | Path, columns: RatedColumns) -> RatedTexts:
    """The rated texts of a table."""
    header, every = read_table(path)
    columns = replace(columns, value=_versioned(columns.value, header))
    for name, option in _named(columns):
        column(header, name, path, option)
    rows = _select(every, header, columns.where, path)
    label = columns.label or _beside(header, columns.value, "label")
    reason = _beside(header, columns.value, "unrated")
    given = [Given(row[columns.value], path, line, row[label].strip() if label else "") for line, row in rows]
    values = read_values(given, columns.value, columns.unscored)
    items = []
    for (_, row), held, cell in zip(rows, given, values.cells, strict=True):
        group = row[columns.group].strip()
        if not group:
            continue
        items.append(
            RatedItem(
                group,
                cell.value,
                row[columns.origin].strip(),
                held.label or cell.label,
                row[columns.prompt].strip() if columns.prompt else "",
                (row[columns.structure].strip() or None) if columns.structure else None,
                (row[reason].strip() if reason and cell.value is None else "") or cell.unrated,
            )
        )
    notes = []
    if len(items) < len(rows):
        notes.append(f"{len(rows) - len(items)} of {len(rows)} rows left out: nothing under `{columns.group}`")
    notes += value_notes(items, values, columns.unscored)
    if not any(item.origin for item in items):
        notes.append(f"nothing under `{columns.origin}`: each row is its own origin")
    structured = columns.structure is not None
    return RatedTexts(tuple(items), len(rows), tuple(notes), values.regard, columns.value, structured)


def value_notes(items: Sequence[RatedItem], values: Values, unscored: Sequence[str]) -> list[str]:
    """What was done to values and labels, and for whom."""
    notes = []
    for reason, what in {
        OTHER: "other is a label without a number, and unscored",
        **{reason_of(label): f"{label} is unscored, as was asked" for label in unscored},
    }.items():
        counts = Counter(item.group for item in items if item.unrated == reason)
        if counts:
            notes.append(f"{what}: {', '.join(f'{group} {count}' for group, count in counts.items())}")
    held = {item.unrated for item in items}
    notes += [f"no text has the label {label}" for label in unscored if reason_of(label) not in held]
    if values.regard:
        notes.append("labels count as numbers: negative −1, neutral 0, positive 1")
    return notes


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
