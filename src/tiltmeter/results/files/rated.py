"""Estimates of a file that holds a rating per text, whoever rated it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.raters.refusal import REFUSAL
from tiltmeter.raters.scales import PEOPLE, is_name, scale_of
from tiltmeter.results.files.rated_rows import chosen_rows, of_same_rater, pooled_note, pooled_over
from tiltmeter.results.files.rated_values import DECLINED, OTHER, Cell, Given, Values, is_regard, read_values, reason_of
from tiltmeter.results.summary.text_records import favour
from tiltmeter.sources.chat_logs import REFUSED
from tiltmeter.sources.tables import Row, column, read_table
from tiltmeter.stats.continuations import MOST_GROUPS, ContinuationSummary, RatedItem, summarise
from tiltmeter.stats.scales import SIGNED, Bounds
from tiltmeter.stats.structures import StructureSettings, StructureSummary, by_structure

_USUAL_ORIGIN = "origin"
_REFUSALS = re.compile(r"refusal\.v(\d+)\.label")
"""The column in which a refusal rater says what a text is."""


@dataclass(frozen=True, slots=True)
class RatedColumns:
    """Which columns of a rated file hold what, and which rows count."""

    value: str
    group: str = "group"
    origin: str = _USUAL_ORIGIN
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
    pooled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Choices that the texts differ in, and are averaged over: column and values."""
    ends: tuple[tuple[float, Given], ...] = field(default=(), compare=False)
    """The lowest and the highest rating, and where they stand."""


@dataclass(frozen=True, slots=True)
class RatedFileSummary:
    """The estimates of a rated file, and how its rows were read."""

    summary: ContinuationSummary
    structures: StructureSummary | None
    rows: int
    notes: tuple[str, ...]
    """What was done to the rows."""
    pooled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Choices that were averaged over: column and values."""

    def as_json(self) -> dict[str, Any]:
        """The summary's JSON, with that of the structures where they were asked for."""
        made = self.summary.as_json()
        first = [pooled_note(name, values) for name, values in self.pooled.items()]
        made["notes"] = [*first, *made["notes"], *self.notes]
        made["rows"] = self.rows
        if self.pooled:
            made["pooled"] = {name: list(values) for name, values in self.pooled.items()}
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
    if texts.structured and wanted.reference is None:
        _refuse_hours(texts.items)
    scale = _scale(texts, wanted.scale)
    summary = summarise(
        texts.items,
        scale=scale,
        threshold=wanted.threshold,
        most_k=wanted.most_k,
        reference=wanted.reference,
        level=wanted.level,
    )
    structures = None
    if texts.structured:
        better = favour(texts.rater) >= 0 if wanted.higher_is_better is None else wanted.higher_is_better
        structures = by_structure(
            texts.items,
            summary,
            StructureSettings(wanted.fixed, wanted.best, better),
            scale=scale,
            reference=wanted.reference,
            level=wanted.level,
            seed=wanted.seed,
        )
    return RatedFileSummary(summary, structures, texts.rows, texts.notes, texts.pooled)


def _refuse_hours(items: Sequence[RatedItem]) -> None:
    """Refuse to compare so many groups under so many structures that it would take hours."""
    groups, structures = ({getattr(item, name) for item in items} for name in ("group", "structure"))
    if math.comb(len(groups), 2) * len(structures) > math.comb(MOST_GROUPS, 2):
        raise UserError(
            f"{len(groups):,} groups under {len(structures):,} structures are too many to compare every two: name one "
            "to compare with by `--reference`; or is one of them the wrong column?"
        )


def _scale(texts: RatedTexts, given: Bounds | None) -> Bounds | None:
    """The ends of the scale that are given, or known of labels of regard and of the raters of this package."""
    if given is not None:
        for value, place in texts.ends:
            if not given[0] <= value <= given[1]:
                wide = min(given[0], texts.ends[0][0]), max(given[1], texts.ends[1][0])
                raise InvalidData(
                    f"{place.text.strip()} lies outside --scale {given[0]:g},{given[1]:g}; a scale holds every rating, "
                    f"here at least {wide[0]:g},{wide[1]:g}",
                    file=place.file,
                    line=place.line,
                    key=texts.rater or None,
                )
        return given
    if texts.regard:
        return SIGNED
    # A column that is called sentiment may hold anything; the name of a rater has a version.
    known = scale_of(texts.rater) if "." in texts.rater else None
    outside = [(why, place) for value, place in texts.ends if known and (why := known.outside(value))]
    if outside and is_name(texts.rater):
        why, place = outside[0]
        raise InvalidData(
            f"{why}; if these ratings have another scale, give its ends with --scale",
            file=place.file,
            line=place.line,
            key=texts.rater,
        )
    return known.ends if known and not outside else None


def ends_in(items: Sequence[RatedItem], places: Sequence[Given]) -> tuple[tuple[float, Given], ...]:
    """The lowest and the highest rating, and where they stand; of equal ones the first."""
    found = [
        (item.value, place) for item, place in zip(items, places, strict=True) if item.value is not None and item.rated
    ]
    return tuple(choose(found, key=lambda each: each[0]) for choose in (min, max)) if found else ()


def read_rated(path: str | Path, columns: RatedColumns) -> RatedTexts:
    """The rated texts of a table."""
    header, every = read_table(path)
    columns, told = _found(columns, header, path)
    rows = chosen_rows(every, header, columns.where, path)
    pooled = pooled_over(rows, [name for name, _ in _named(columns)], path)
    label = columns.label or _beside(header, columns.value, "label")
    reason = _beside(header, columns.value, "unrated")
    given = [Given(row[columns.value], path, line, row[label].strip() if label else "") for line, row in rows]
    whole = [row[columns.value] for _, row in of_same_rater(every, rows)]
    rater = _rater(columns.value, rows)
    values = read_values(given, columns.value, columns.unscored, codes=is_regard(rater) or None, column=whole)
    refusals = _refusals(header, columns.value)
    cells = [
        Cell(None, None, DECLINED) if _declined(row, refusals, columns.value) else cell
        for (_, row), cell in zip(rows, values.cells, strict=True)
    ]
    items, places = [], []
    for (_, row), held, cell in zip(rows, given, cells, strict=True):
        group = row[columns.group].strip()
        if not group:
            continue
        places.append(held)
        items.append(
            RatedItem(
                group,
                cell.value,
                row.get(columns.origin, "").strip(),
                None if cell.unrated == DECLINED else held.label or cell.label,
                row[columns.prompt].strip() if columns.prompt else "",
                (row[columns.structure].strip() or None) if columns.structure else None,
                cell.unrated if not reason or cell.unrated in (None, DECLINED) else row[reason].strip() or cell.unrated,
            )
        )
    notes = list(told)
    if len(items) < len(rows):
        notes.append(f"{len(rows) - len(items)} of {len(rows)} rows left out: nothing under `{columns.group}`")
    notes += value_notes(items, values, columns.unscored)
    if columns.origin in header and not any(item.origin for item in items):
        notes.append(f"nothing under `{columns.origin}`: each row is its own origin")
    return RatedTexts(
        items=tuple(items),
        rows=len(rows),
        notes=tuple(notes),
        regard=values.regard,
        rater=rater,
        structured=columns.structure is not None,
        pooled=pooled,
        ends=ends_in(items, places),
    )


def value_notes(items: Sequence[RatedItem], values: Values, unscored: Sequence[str]) -> list[str]:
    """What was done to values and labels, and for whom."""
    notes = []
    for reason, what in {
        OTHER: "other is a label without a number, and unscored",
        DECLINED: "texts that decline to answer have no rating that counts, and are unscored",
        **{reason_of(label): f"{label} is unscored, as was asked" for label in unscored},
    }.items():
        counts = Counter(item.group for item in items if item.unrated == reason)
        if counts:
            notes.append(f"{what}: {', '.join(f'{group} {count}' for group, count in counts.items())}")
    held = {item.unrated for item in items}
    notes += [f"no text has the label {label}" for label in unscored if reason_of(label) not in held]
    if values.commas:
        notes.append("a comma is read as the decimal sign")
    if values.regard:
        notes.append("labels count as numbers: negative −1, neutral 0, positive 1")
    if values.only_to_two:
        notes.append("2 is read as a number; where it stands for the label other, say --unscored-label 2")
    return notes


def _found(columns: RatedColumns, header: Sequence[str], path: str | Path) -> tuple[RatedColumns, list[str]]:
    """The columns as the file writes them, and what was assumed where there is none for the origin."""
    told = []
    if columns.origin == _USUAL_ORIGIN and columns.origin not in header:
        origin = next((name for name in header if name.casefold() == "prompt"), "")
        instead = f"`{origin}` is taken for it" if origin else "each row is its own origin"
        told.append(f"no column `{_USUAL_ORIGIN}`: {instead}")
        columns = replace(columns, origin=origin)
    columns = replace(columns, value=_versioned(columns.value, header))
    names = {option: column(header, name, path, option) for name, option in _named(columns)}
    return replace(
        columns,
        value=names["--value"],
        group=names["--group"],
        origin=names.get("--origin", ""),
        structure=names.get("--structure"),
        prompt=names.get("--prompt"),
        label=names.get("--label"),
    ), told


def _rater(value: str, rows: Sequence[Row]) -> str:
    """Who or what rated: the column's own name, or what a column `rater` or `kind` says of a column with another."""
    if "." in value or is_regard(value):
        return value
    for name in ("rater", "kind"):
        found = {cells[name].strip() for _, cells in rows if cells.get(name, "").strip()}
        if len(found) == 1:
            [only] = found
            return only if name == "rater" else f"{PEOPLE}.{only.lower()}"
    return value


def _declined(row: Mapping[str, str], refusals: str | None, value: str) -> bool:
    """Whether a text declines to answer: a refusal rater says so, or the log of the chat model itself."""
    told = value != REFUSED and row.get(REFUSED, "").strip() == "1" and "prompt" in row
    return told or bool(refusals and row[refusals].strip() == REFUSAL)


def _named(columns: RatedColumns) -> list[tuple[str, str]]:
    given = {
        "--value": columns.value,
        "--group": columns.group,
        "--origin": columns.origin or None,
        "--structure": columns.structure,
        "--prompt": columns.prompt,
        "--label": columns.label,
    }
    return [(name, option) for option, name in given.items() if name is not None]


def _versioned(name: str, header: Sequence[str]) -> str:
    """The column of the newest version of a rater, where the name was given without one."""
    versions = [each for each in header if re.fullmatch(re.escape(name) + r"\.v\d+", each)]
    return name if name in header or not versions else max(versions, key=lambda each: int(each.rpartition("v")[2]))


def _refusals(header: Sequence[str], value: str) -> str | None:
    """The newest column of labels of a refusal rater, unless it is that rater whose values are asked for."""
    if value.split(".", maxsplit=1)[0] == REFUSAL:
        return None
    versions = {int(match[1]): match[0] for match in map(_REFUSALS.fullmatch, header) if match}
    return versions[max(versions)] if versions else None


def _beside(header: Sequence[str], value: str, what: str) -> str | None:
    return f"{value}.{what}" if f"{value}.{what}" in header else None
