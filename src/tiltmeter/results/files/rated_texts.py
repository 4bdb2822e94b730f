"""Tables of rated texts, whoever rated them, as measurements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tiltmeter.parquet import Rows
from tiltmeter.raters.refusal import REFUSAL
from tiltmeter.raters.scales import PEOPLE
from tiltmeter.results.files.loaded import answers, loaded, summed
from tiltmeter.results.files.rated_values import DECLINED, OTHER, Cell, Column, Given, Values, is_regard, reason_of
from tiltmeter.results.files.tables import Table, refuse_mixed
from tiltmeter.sources.chat_logs import REFUSED
from tiltmeter.sources.numbers import as_number
from tiltmeter.sources.tables import column
from tiltmeter.stats.continuations import NOT_A_NUMBER, RatedItem
from tiltmeter.stats.estimates import is_number

RATED = ("group", "origin", "structure", "item", "value", "reason", "label")
"""The columns of measurements that rated texts have; the item is the prompt."""
NOT_MIXED = {
    "model": "which must not be mixed",
    "rater": "which must not be mixed",
    "max_new_tokens": "and a shorter text is the beginning of a longer one, so that each would count several times",
}
POOLED = ("scope", "temperature", "top_k", "top_p", "beams", "whole_sentences", "source", "bias")
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


def read_rated(path: str | Path, columns: RatedColumns, *, by_text: bool = True) -> RatedTexts:
    """The rated texts of a table; without `by_text` those that differ in nothing else are summed."""
    table = Table(path)
    columns, told = _found(columns, table.columns, path)
    table.chosen(columns.where)
    distinct = _distinct(table, (*NOT_MIXED, *POOLED, "kind"))
    pooled = _pooled_over(distinct, [*_named(columns).values()], path)
    rater = _rater(columns.value, distinct)
    ratings = Column(columns.value, columns.unscored)
    ratings.codes = ratings.codes or is_regard(rater) or None
    # What −1 means must not hang on which rows were chosen; where there is a column `rater`, each has its own values.
    for _, row in Table(path).rows([columns.value, *({"rater"} & {*table.columns})]):
        if row.get("rater", "") in distinct.get("rater", {""}):
            ratings.see(row[columns.value])
    reading = _Reading(table, columns, ratings)
    with loaded(RATED, reading.rows()) as found:
        texts = rated_texts(found, by_text=by_text, files=[path])
    notes = list(told)
    if reading.left_out:
        notes.append(f"{reading.left_out} of {reading.read} rows left out: nothing under `{columns.group}`")
    notes += value_notes(texts.items, ratings, columns.unscored)
    if columns.origin in table.columns and not any(item.origin for item in texts.items):
        notes.append(f"nothing under `{columns.origin}`: each row is its own origin")
    return replace(
        texts,
        rows=reading.read,
        notes=tuple(notes),
        regard=ratings.regard,
        rater=rater,
        structured=columns.structure is not None,
        pooled=pooled,
    )


def rated_texts(found: Any, *, by_text: bool, files: Sequence[str | Path]) -> RatedTexts:
    """The texts of a table of measurements, each as it is, or summed where they differ in nothing that counts."""
    keys = ("group", "origin", "structure", "item", "label", "reason")
    items = [
        RatedItem(
            row["group"],
            row["total"],
            row["origin"] or "",
            row["label"],
            row["item"] or "",
            row["structure"],
            row["reason"],
            row["scored"] + row["missing"],
            row["squares"] or 0.0,
            None if row["lowest"] is None else (row["lowest"], row["highest"]),
        )
        for row in summed(found, keys, apart="true" if by_text else "origin IS NULL")
    ]
    query = "SELECT value, file, line FROM measurements WHERE value IS NOT NULL ORDER BY value {}, file, line LIMIT 1"
    ends = [
        (row["value"], Given(f"{row['value']:g}", files[row["file"]], row["line"]))
        for way in ("ASC", "DESC")
        for row in answers(found, query.format(way))
    ]
    return RatedTexts(tuple(items), sum(item.n for item in items), (), ends=tuple(ends))


class _Reading:
    """The rows of a table as measurements."""

    def __init__(self, table: Table, columns: RatedColumns, ratings: Column) -> None:
        self._table, self._columns = table, columns
        self._read_value = ratings.reader()
        self.read = self.left_out = 0

    def rows(self) -> Rows:
        """A measurement for each row that has a group."""
        table, columns = self._table, self._columns
        value, structure, prompt = columns.value, columns.structure, columns.prompt
        label = columns.label or _beside(table.columns, value, "label")
        why = _beside(table.columns, value, "unrated")
        refusals = _refusals(table.columns, value)
        log = REFUSED if value != REFUSED and {REFUSED, "prompt"} <= {*table.columns} else None
        named = (value, columns.group, columns.origin, structure, prompt, label, why, refusals, log)
        for line, row in table.rows([name for name in named if name]):
            self.read += 1
            given = Given(row[value], table.path, line, row[label].strip() if label else "")
            cell = self._read_value(given)
            if (log and row[log].strip() == "1") or (refusals and row[refusals].strip() == REFUSAL):
                cell = Cell(None, None, DECLINED)
            group = row[columns.group].strip()
            if not group:
                self.left_out += 1
                continue
            told = row[why].strip() if why and cell.unrated not in (None, DECLINED) else ""
            rated = is_number(cell.value)
            yield {
                "file": 0,
                "line": line,
                "group": group,
                "origin": (row[columns.origin].strip() if columns.origin else "") or None,
                "structure": (row[structure].strip() if structure else "") or None,
                "item": (row[prompt].strip() if prompt else "") or None,
                "value": cell.value if rated else None,
                "reason": told or cell.unrated or (None if rated else NOT_A_NUMBER),
                "label": None if cell.unrated == DECLINED else given.label or cell.label,
            }
        if not self.read:
            table.refuse_empty()


def value_notes(items: Sequence[RatedItem], values: Values | Column, unscored: Sequence[str]) -> list[str]:
    """What was done to values and labels, and for whom."""
    notes = []
    for reason, what in {
        OTHER: "other is a label without a number, and unscored",
        DECLINED: "texts that decline to answer have no rating that counts, and are unscored",
        **{reason_of(label): f"{label} is unscored, as was asked" for label in unscored},
    }.items():
        counts: Counter[str] = Counter()
        for item in items:
            counts[item.group] += item.n * (item.unrated == reason)
        if any(counts.values()):
            notes.append(f"{what}: {', '.join(f'{group} {count}' for group, count in counts.items() if count)}")
    held = {item.unrated for item in items}
    notes += [f"no text has the label {label}" for label in unscored if reason_of(label) not in held]
    if values.commas:
        notes.append("a comma is read as the decimal sign")
    if values.regard:
        notes.append("labels count as numbers: negative −1, neutral 0, positive 1")
    if values.only_to_two:
        notes.append("2 is read as a number; where it stands for the label other, say --unscored-label 2")
    return notes


def _distinct(table: Table, names: Sequence[str]) -> dict[str, dict[str, None]]:
    """The values of the columns that there are, as they come."""
    found: dict[str, dict[str, None]] = {name: {} for name in names if name in table.columns}
    for _, row in table.rows(found):
        for name, values in found.items():
            values.setdefault(row[name])
    return found


def _pooled_over(
    distinct: Mapping[str, Iterable[str]], used: Collection[str], path: str | Path
) -> dict[str, list[str]]:
    """Choices that the rows differ in and that will be averaged over, each with its values; columns in `used` are not.

    Models, raters and lengths are an error: no average over them means anything.
    """
    found = {}
    for name in (*NOT_MIXED, *POOLED):
        values = _values(distinct.get(name, ()))
        if len(values) > 1 and name not in used:
            if name in NOT_MIXED:
                refuse_mixed(path, name, values, NOT_MIXED[name])
            found[name] = values
    return found


def _values(texts: Iterable[str]) -> list[str]:
    """The distinct values, in order; 1 and 1.0 are one."""
    distinct: dict[object, str] = {}
    for text in map(str.strip, texts):
        number = as_number(text)
        distinct.setdefault(text if number is None else number, text)
    return sorted(distinct.values(), key=lambda text: (as_number(text) is None, as_number(text) or 0.0, text))


def _found(columns: RatedColumns, header: Sequence[str], path: str | Path) -> tuple[RatedColumns, list[str]]:
    """The columns as the file writes them, and what was assumed where there is none for the origin."""
    told = []
    if columns.origin == _USUAL_ORIGIN and columns.origin not in header:
        origin = next((name for name in header if name.casefold() == "prompt"), "")
        instead = f"`{origin}` is taken for it" if origin else "each row is its own origin"
        told.append(f"no column `{_USUAL_ORIGIN}`: {instead}")
        columns = replace(columns, origin=origin)
    columns = replace(columns, value=_versioned(columns.value, header))
    names = {what: column(header, name, path, f"--columns {what}=COLUMN") for what, name in _named(columns).items()}
    names.setdefault("origin", "")
    return RatedColumns(**names, where=columns.where, unscored=columns.unscored), told


def _rater(value: str, distinct: Mapping[str, Iterable[str]]) -> str:
    """Who or what rated: the column's own name, or what a column `rater` or `kind` says of a column with another."""
    if "." in value or is_regard(value):
        return value
    for name in ("rater", "kind"):
        found = {text.strip() for text in distinct.get(name, ()) if text.strip()}
        if len(found) == 1:
            [only] = found
            return only if name == "rater" else f"{PEOPLE}.{only.lower()}"
    return value


def _named(columns: RatedColumns) -> dict[str, str]:
    """The columns that are read, by what they hold."""
    every = ("value", "group", "origin", "structure", "prompt", "label")
    return {what: name for what in every if (name := getattr(columns, what))}


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
