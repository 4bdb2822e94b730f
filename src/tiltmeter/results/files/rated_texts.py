"""Tables of rated texts, whoever rated them, as measurements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tiltmeter.parquet import Rows, fill, sql_text
from tiltmeter.raters.refusal import REFUSAL
from tiltmeter.raters.scales import PEOPLE
from tiltmeter.records import ASKING
from tiltmeter.results.files.loaded import GivenRows, answers, loaded, summed
from tiltmeter.results.files.rated_values import DECLINED, OTHER, Column, Given, Values, is_regard, reason_of
from tiltmeter.results.files.tables import Table, refuse_mixed
from tiltmeter.sources.chat_logs import REFUSED
from tiltmeter.sources.numbers import as_number
from tiltmeter.sources.tables import column
from tiltmeter.stats.estimate import LARGEST
from tiltmeter.stats.views.continuations import NOT_A_NUMBER, RatedItem

RATED = ("group", "origin", "structure", "item", "value", "reason", "label")
"""The columns of measurements that rated texts have; the item is the prompt."""
NOT_MIXED = {
    "model": "which must not be mixed",
    "rater": "which must not be mixed",
    "max_new_tokens": "and a shorter text is the beginning of a longer one, so that each would count several times",
}
POOLED = ("scope", "temperature", "top_k", "top_p", "beams", "whole_sentences", *ASKING, "source", "bias")
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
    beside = _Beside.of(columns, table.columns)
    named = _named(columns).values()
    with loaded(RATED) as found:
        given = GivenRows(found, table, [*named, *vars(beside).values(), *NOT_MIXED, *POOLED, "kind"], columns.where)
        distinct = {name: given.distinct(name) for name in (*NOT_MIXED, *POOLED, "kind") if name in table.columns}
        pooled = _pooled_over(distinct, named, path)
        rater = _rater(columns.value, distinct)
        ratings = Column(columns.value, columns.unscored)
        ratings.codes = ratings.codes or is_regard(rater) or None
        # What −1 means must not hang on which rows were chosen; where there is a column `rater`, each has its own
        # values.
        own = f"{given.cell('rater')} IN (SELECT {given.cell('rater')} FROM kept)"
        _see(ratings, given, columns.value, own)
        _measure(given, columns, beside, ratings)
        texts = rated_texts(found, by_text=by_text, files=[path])
    notes = list(told)
    if texts.rows < given.rows:
        notes.append(f"{given.rows - texts.rows} of {given.rows} rows left out: nothing under `{columns.group}`")
    notes += value_notes(texts.items, ratings, columns.unscored)
    if columns.origin in table.columns and not any(item.origin for item in texts.items):
        notes.append(f"nothing under `{columns.origin}`: each row is its own origin")
    return replace(
        texts,
        rows=given.rows,
        notes=tuple(notes),
        regard=ratings.regard,
        rater=rater,
        structured=columns.structure is not None,
        pooled=pooled,
    )


@dataclass(frozen=True)
class _Beside:
    """Columns that say more of a rating, where a file has them."""

    label: str | None
    why: str | None
    refusal: str | None
    log: str | None

    @classmethod
    def of(cls, columns: RatedColumns, header: Sequence[str]) -> _Beside:
        value = columns.value
        label, why = (name if (name := f"{value}.{what}") in header else None for what in ("label", "unrated"))
        if _asks_for_refusals(value):
            return cls(columns.label or label, why, None, None)
        return cls(
            columns.label or label, why, _refusals(header), REFUSED if {REFUSED, "prompt"} <= {*header} else None
        )


def _see(ratings: Column, given: GivenRows, name: str, condition: str) -> None:
    """Look at all texts of the column of ratings: of plain numbers the ends, and one with a point, say all."""
    cell, number, odd = given.cell(name), given.plain(name), ratings.odd(given.plain(name))
    for row in given.each(cell, f"{condition} AND ({odd})", of="given"):
        ratings.see(row["key"])
    ends = f"arg_min({cell}, {number}), arg_max({cell}, {number}), any_value({cell}) FILTER (contains({cell}, '.'))"
    for texts in answers(given.found, f"SELECT {ends} FROM given WHERE {condition} AND NOT ({odd})"):
        for text in filter(None, texts.values()):
            ratings.see(text)


def _measure(given: GivenRows, columns: RatedColumns, beside: _Beside, ratings: Column) -> None:
    """A measurement for each row that has a group."""
    label, number = given.text(beside.label), given.plain(columns.value)
    # What is no plain number is read once for all rows that have it.
    odd = f"CASE WHEN {ratings.odd(number)} THEN {given.cell(columns.value)} END"
    said = label if columns.unscored else "''"
    read = ratings.reader()

    def readings() -> Rows:
        query = f"SELECT {odd} AS text, {said} AS said, min(line) AS line FROM kept GROUP BY 1, 2 ORDER BY 3"
        for row in answers(given.found, query):
            held = Given(row["text"] or "", given.path, row["line"], row["said"])
            if row["text"] is not None or ratings.left_out(held):
                cell = read(held)
                yield {**row, "value": cell.value, "label": cell.label, "unrated": cell.unrated}

    types = {"text": str, "said": str, "line": int, "value": float, "label": str, "unrated": str}
    fill(given.found, "readings", types, readings())
    declined = f"({given.text(beside.log)} = '1' OR {given.text(beside.refusal)} = {sql_text(REFUSAL)})"
    rated = f"abs(number) < {LARGEST!r}"
    rows = (
        f"SELECT kept.*, {declined} AS declined, unrated, CASE WHEN readings.line IS NULL THEN {number} ELSE value END "
        f"AS number, coalesce(nullif({label}, ''), label) AS label FROM kept LEFT JOIN readings ON "
        f"readings.text IS NOT DISTINCT FROM {odd} AND said = {said} WHERE {given.text(columns.group)} <> ''"
    )
    given.measure(
        {
            "file": "0",
            **{name: given.name(getattr(columns, name)) for name in ("group", "origin", "structure")},
            "item": given.name(columns.prompt),
            "value": f"CASE WHEN NOT declined AND {rated} THEN number END",
            "reason": f"CASE WHEN declined THEN {sql_text(DECLINED)} WHEN unrated IS NOT NULL THEN "
            f"coalesce({given.name(beside.why)}, unrated) WHEN NOT {rated} THEN {sql_text(NOT_A_NUMBER)} END",
            "label": "CASE WHEN NOT declined THEN label END",
        },
        f"({rows})",
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


def _asks_for_refusals(value: str) -> bool:
    """Whether refusals themselves are asked for: then a refusal is a value, and nothing is unscored because of one."""
    return value == REFUSED or value.split(".", maxsplit=1)[0] == REFUSAL


def _refusals(header: Sequence[str]) -> str | None:
    """The newest column of labels of a refusal rater."""
    versions = {int(match[1]): match[0] for match in map(_REFUSALS.fullmatch, header) if match}
    return versions[max(versions)] if versions else None
