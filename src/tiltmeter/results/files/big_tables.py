"""Estimates from tables far larger than memory: Parquet files that DuckDB sums by group and origin.

Only sums come into Python, and they are exact whatever the order in which rows are read: each value is cut into two
whole numbers, which add up without rounding.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tiltmeter.addresses import is_address
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.parquet import count_rows, quoted, sql_text
from tiltmeter.raters.refusal import REFUSAL
from tiltmeter.raters.scales import PEOPLE, SCALES, is_name, scale_of
from tiltmeter.results.files.parquet_tables import FIRST, ParquetTable, exact_sums, opened, total_of
from tiltmeter.results.files.rated import RatedColumns, RatedFileSummary, RatedSettings
from tiltmeter.results.files.rated_rows import pooled_over
from tiltmeter.results.files.rated_values import DECLINED, OTHER, is_regard
from tiltmeter.results.files.scored import CELL_COLUMNS, Columns, FileSummary
from tiltmeter.results.scores import is_published
from tiltmeter.sources.pairs_file import attribute_column, bias_column
from tiltmeter.sources.tables import column
from tiltmeter.stats.estimates import LARGEST
from tiltmeter.stats.pairs import PairItem, summarise
from tiltmeter.stats.pooled import CellSum
from tiltmeter.stats.summed import GroupSum, summarise_sums

MANY_ROWS = 2_000_000
"""From so many rows on a Parquet file is not read into memory."""
SOME_ROWS = 100_000
"""The same where nothing is asked for that needs every row."""
MOST_CELLS = 5_000_000
MOST_SUMS = 200_000
"""Sums of pairs that are held at once."""
_REFUSALS = re.compile(r"refusal\.v(\d+)\.label")
_MIXED = (
    "model",
    "rater",
    "max_new_tokens",
    "scope",
    "temperature",
    "top_k",
    "top_p",
    "beams",
    "whole_sentences",
    "source",
    "bias",
)
"""Columns whose values must not be mixed, or are averaged over and said to be."""
_NUMBERS = ("DOUBLE", "FLOAT", "INT", "INTEGER", "BOOLEAN")


def is_big(path: str | Path, *, rows_needed: bool = True) -> bool:
    """Whether a table is a folder of Parquet files or an address, or has very many rows."""
    if is_address(path):
        return True
    found = Path(path)
    if found.is_dir():
        return any(found.glob("*.parquet"))
    if found.suffix.lower() != ".parquet" or not found.is_file():
        return False
    try:
        rows = count_rows(found)
    except InvalidData:
        # Whoever reads it will say what is wrong with it.
        return False
    return rows >= (MANY_ROWS if rows_needed else SOME_ROWS)


def needs_rows(columns: RatedColumns, settings: RatedSettings) -> str | None:
    """The option that needs every row of a table; None where sums are enough."""
    needs = {
        "--structure": columns.structure,
        "--most-k": settings.most_k,
        "--threshold": settings.threshold,
        "--label": columns.label,
        "--unscored-label": columns.unscored,
    }
    return next((option for option, given in needs.items() if given), None)


def summarise_big_ratings(
    path: str | Path, columns: RatedColumns, settings: RatedSettings | None = None
) -> RatedFileSummary:
    """What `summarise_rated_file` says of means, differences and ratios of groups, with bounded memory.

    Ratings are numbers. What is counted by prompt, label or structure needs every row, and is refused.
    """
    wanted = settings or RatedSettings()
    _refuse_rows(columns, wanted)
    with opened(path) as whole:
        name = _versioned(columns.value, whole.types)
        columns = replace(columns, value=name)
        for asked, option in ((name, "--value"), (columns.group, "--group"), (columns.origin, "--origin")):
            column(list(whole.types), asked, path, option)
        if not whole.types[name].endswith(_NUMBERS) and not whole.types[name].startswith("DECIMAL"):
            raise InvalidData("holds no numbers, and of so many rows only numbers are read", file=path, key=name)
        table = whole.chosen(columns.where)
        pooled = _pooled(table, {name, columns.group, columns.origin})
        rater = _rater(table, name)
        found = _rated(table, columns, _is_regard(whole, table, name, rater))
        rows = table.count("true")
    ends = _scale(wanted, found, rater, path)
    summary = summarise_sums(found.cells, found.groups, scale=ends, reference=wanted.reference, level=wanted.level)
    return RatedFileSummary(summary, None, rows, tuple(_notes(found, rows, columns)), pooled)


def summarise_big_pairs(path: str | Path, columns: Columns | None = None, *, level: float = 0.95) -> FileSummary:
    """What `summarise_file` says of the shares of stereotyped choices, from Parquet and with bounded memory."""
    wanted = columns or Columns()
    with opened(path) as whole:
        header = list(whole.types)
        value = "stereotyped" if wanted.scorer is None else f"stereotyped.{wanted.scorer}"
        column(header, value, path, "--scorer")
        table = whole.chosen(wanted.where)
        for name in CELL_COLUMNS:
            values = table.values(name) if name in header else []
            if len(values) > 1:
                raise InvalidData(
                    f"the column `{name}` holds {', '.join(values)}, which must not be mixed: choose one with "
                    f"--where {name}={values[0]}",
                    file=path,
                )
        bias, attribute = wanted.bias or bias_column(header), wanted.attribute or attribute_column(header)
        scorer, source = (next(iter(table.values(name)), "") if name in header else "" for name in ("scorer", "source"))
        published = is_published(wanted.scorer or scorer, source)
        cells, controls, unscored = _scored(table, value, bias, attribute, published=published)
    if not cells:
        raise InvalidData("no row has a choice: stereotyped is blank throughout", file=path)
    sets = "given" if "attribute_set" in header else "not known: the file does not name them"
    summary = summarise(cells, level=level, in_detail=False)
    notes = [*summary.notes, "summed outside of memory: there are no margins and no table by attribute"]
    for name, one, held in (
        ("template", "template", any(cell.template for cell in cells)),
        ("term", "term_1", any(cell.terms for cell in cells)),
    ):
        if one in header and not held:
            notes.append(f"not clustered by {name}: with it there are more than {MOST_SUMS:,} sums, or it is blank")
    return FileSummary(replace(summary, notes=notes), unscored, controls, sets)


@dataclass(frozen=True, slots=True)
class _Ratings:
    cells: list[CellSum]
    groups: dict[str, GroupSum]
    blank_groups: int = 0
    regard: bool = False
    notes: list[str] = field(default_factory=list)


def _rater(table: ParquetTable, value: str) -> str:
    """Who or what rated: the column's own name, or what a column `rater` or `kind` says of a column with another."""
    if "." in value or is_regard(value):
        return value
    for name in ("rater", "kind"):
        found = [text.strip() for text in table.values(name) if text.strip()] if name in table.types else []
        if len(found) == 1:
            return found[0] if name == "rater" else f"{PEOPLE}.{found[0].lower()}"
    return value


def _is_regard(whole: ParquetTable, table: ParquetTable, name: str, rater: str) -> bool:
    """Whether the ratings are labels of regard: by name, or since −1, 0, 1 and 2 are all that this rater has."""
    if is_regard(rater):
        return True
    raters = table.values("rater") if "rater" in table.types else []
    own = whole.chosen({"rater": raters[0]}) if len(raters) == 1 else whole
    value = f"cast({quoted(name)} as double)"
    [(low, codes)] = own.rows(
        f"min({value}), coalesce(bool_and({value} in (-1, 0, 1, 2)), false)", f"where {_usable(value)}"
    )
    return bool(codes) and low == -1


def _rated(table: ParquetTable, columns: RatedColumns, regard: bool) -> _Ratings:
    value, group, origin = (
        f"cast({quoted(columns.value)} as double)",
        table.text(columns.group),
        table.text(columns.origin),
    )
    blank = table.count(f"{group} = ''")
    [(low, high)] = table.rows(f"min({value}), max({value})", f"where {_usable(value)}")
    scored = f"({_usable(value)}{f' and {value} <> 2' if regard else ''}{_not_declined(table, columns.value)})"
    lost = table.count(f"{group} <> '' and {origin} = '' and {scored}")
    if lost:
        raise InvalidData(
            f"{lost:,} rated rows have no origin, and so many rows cannot each be its own: name what they came from "
            "with --origin COLUMN",
            file=table.path,
        )
    _, exponent = math.frexp(max(abs(low or 0.0), abs(high or 0.0)))
    sums = exact_sums(value, exponent)
    limit = MOST_CELLS + 1
    rows = table.rows(
        f"{group} as g, {origin} as o, count(*), {sums}, min({value}), max({value})",
        f"where g <> '' and {scored} group by g, o order by g, o limit {limit}",
    )
    if len(rows) == limit:
        raise InvalidData(f"there are more than {MOST_CELLS:,} origins; name larger ones", file=table.path)
    cells = [CellSum(g, o, n, total_of(upper, lower, exponent)) for g, o, n, upper, lower, *_ in rows]
    ends: dict[str, list[float]] = defaultdict(list)
    for g, _, _, _, _, least, most in rows:
        ends[g] += (least, most)
    reasons = _reasons(table, columns, group, scored, value, regard)
    # As in a table that is read row by row, groups are in the order in which they are first named.
    named = f"where g <> '' group by g order by {FIRST}"
    order = [g for (g,) in table.rows(f"{group} as g", named, placed=True)]
    groups = {g: _group(table, g, cells, ends[g], reasons.get(g, {}), (value, group, scored)) for g in order}
    return _Ratings(cells, groups, blank, regard)


def _usable(value: str) -> str:
    return f"{value} is not null and not isnan({value}) and abs({value}) < {LARGEST!r}"


def _not_declined(table: ParquetTable, value: str) -> str:
    """That a text is no refusal, where a refusal rater says so and is not what is asked for."""
    if value.split(".", maxsplit=1)[0] == REFUSAL:
        return ""
    versions = {int(match[1]): match[0] for match in map(_REFUSALS.fullmatch, table.types) if match}
    if not versions:
        return ""
    return f" and coalesce(trim({quoted(versions[max(versions)])}), '') <> '{REFUSAL}'"


def _reasons(
    table: ParquetTable, columns: RatedColumns, group: str, scored: str, value: str, regard: bool
) -> dict[str, dict[str, int]]:
    """By group, why texts have no rating."""
    given = f"{columns.value}.unrated"
    told = f"trim(coalesce({quoted(given)}, ''))" if given in table.types else "''"
    declined = _not_declined(table, columns.value)
    label = f"when {value} = 2 then '{OTHER}'" if regard else ""
    refused = f"when not (true{declined}) then '{DECLINED}'" if declined else ""
    blank = sql_text(f"the column `{columns.value}` is blank")
    reason = (
        f"case {refused} when {told} <> '' then {told} {label} when {value} is null or isnan({value}) then {blank} "
        "else 'the rating is not a number' end"
    )
    found: dict[str, dict[str, int]] = defaultdict(dict)
    those = f"where g <> '' and not coalesce({scored}, false) group by g, r order by g, r"
    for name, why, count in table.rows(f"{group} as g, {reason} as r, count(*)", those):
        found[name][why] = int(count)
    return found


def _group(
    table: ParquetTable,
    name: str,
    cells: Sequence[CellSum],
    ends: Sequence[float],
    reasons: Mapping[str, int],
    sql: tuple[str, str, str],
) -> GroupSum:
    own = [cell for cell in cells if cell.group == name]
    n, total = sum(cell.n for cell in own), math.fsum(cell.total for cell in own)
    if not n:
        return GroupSum(0, 0.0, 0.0, 0.0, 0.0, reasons)
    value, group, scored = sql
    mean = total / n
    # About the mean, since squares of values far from zero would leave nothing of their differences.
    away = f"({value} - {mean!r}::double)"
    size = max(abs(min(ends) - mean), abs(max(ends) - mean)) ** 2
    _, exponent = math.frexp(size)
    sums = exact_sums(f"({away} * {away})", exponent)
    [(upper, lower)] = table.rows(sums, f"where {group} = {sql_text(name)} and {scored}")
    return GroupSum(n, total, total_of(upper, lower, exponent), min(ends), max(ends), reasons)


def _scored(
    table: ParquetTable, value: str, bias: str | None, attribute: str | None, *, published: bool
) -> tuple[list[PairItem], int, dict[str, int]]:
    types, text = table.types, table.text
    number = f"cast({quoted(value)} as double)"
    wrong = table.count(f"{_usable(number)} and not ({number} between 0 and 1)")
    if wrong:
        raise InvalidData(f"{wrong:,} rows hold no choice; right are 1, 0, 0.5 or blank", file=table.path, key=value)
    named = f"coalesce(nullif({text(bias)}, ''), {sql_text(Path(table.path).stem)})"
    origin = f"coalesce(nullif({text(attribute)}, ''), {text('origin')})"
    unlabelled = f"({number} is null and {text('label_1')} = '' and {text('label_2')} = '')"
    control = unlabelled if {"label_1", "label_2"} <= set(types) else "false"
    check = f"max(case when lower({text('benchmark')}) in ('1', 'true', 'yes') then 1 else 0 end)"
    lost = table.count(f"not {control} and {origin} = ''")
    if lost:
        raise InvalidData(
            f"{lost:,} pairs have no attribute and no origin, and so many rows cannot each be its own: name the column "
            "with --attribute",
            file=table.path,
        )
    # Choices are whole and half numbers, mostly; the largest is 1.
    terms = f"{text('term_1')} || '/' || {text('term_2')}" if {"term_1", "term_2"} <= set(types) else "''"
    # A pair without an attribute is its own cluster, whatever its words.
    terms = f"case when {text(attribute)} = '' then '' else {terms} end"
    labels = f"{named} as b, {origin} as o, {text('attribute_set')} as s"
    sums = f"count({number}), {exact_sums(f'coalesce({number}, 0.0)', 1)}, count(*) - count({number}), {check}"
    those = f"where not {control} group by b, o, s, t, w order by b, o, s, t, w"
    for further in ((text("template"), terms), (text("template"), "''"), ("''", "''")):
        rows = table.rows(f"{labels}, {further[0]} as t, {further[1]} as w, {sums}", f"{those} limit {MOST_SUMS + 1}")
        if len(rows) <= MOST_SUMS:
            break
    else:
        raise InvalidData(f"there are more than {MOST_SUMS:,} origins; name larger ones", file=table.path)
    cells = [
        PairItem(
            b,
            o,
            s or None,
            total_of(upper, lower, 1) if n else None,
            bool(marked),
            None,
            None,
            t or None,
            w or None,
            n=int(n),
            unscored=int(missing),
            published=published,
        )
        for b, o, s, t, w, n, upper, lower, missing, marked in rows
    ]
    why = f"coalesce(nullif({text('unscored')}, ''), {sql_text(f'the column `{value}` is blank')})"
    reasons = table.rows(f"{why} as r, count(*)", f"where {number} is null and not {control} group by r order by r")
    return cells, table.count(control), {reason: int(count) for reason, count in reasons}


def _refuse_rows(columns: RatedColumns, settings: RatedSettings) -> None:
    option = needs_rows(columns, settings)
    if option:
        raise UserError(
            f"{option} needs every row in memory, and a table of {MANY_ROWS:,} rows or more is summed outside of "
            "it: leave it out, or choose rows with a smaller file"
        )


def _versioned(name: str, header: Mapping[str, str]) -> str:
    versions = [each for each in header if re.fullmatch(re.escape(name) + r"\.v\d+", each)]
    return name if name in header or not versions else max(versions, key=lambda each: int(each.rpartition("v")[2]))


def _pooled(table: ParquetTable, used: set[str]) -> dict[str, list[str]]:
    """What the rows differ in and is averaged over; refuses what no average means anything of."""
    found: dict[str, list[str]] = {}
    for name in _MIXED:
        if name in table.types and name not in used:
            found |= pooled_over([(0, {name: value}) for value in table.values(name)], used, table.path)
    return found


def _scale(settings: RatedSettings, found: _Ratings, rater: str, path: str | Path) -> tuple[float, float] | None:
    ends = [end for group in found.groups.values() for end in group]
    given = settings.scale
    if given is not None:
        if ends and not (given[0] <= min(ends) and max(ends) <= given[1]):
            problem = f"ratings from {min(ends):g} to {max(ends):g} lie outside --scale {given[0]:g},{given[1]:g}"
            raise InvalidData(f"{problem}; a scale holds every rating", file=path, key=rater)
        return given
    known = SCALES["regard"] if found.regard else scale_of(rater) if "." in rater else None
    outside = next((why for end in sorted(ends) if (why := known.outside(end))), None) if known else None
    if outside and (found.regard or is_name(rater)):
        raise InvalidData(
            f"{outside}; if these ratings have another scale, give its ends with --scale", file=path, key=rater
        )
    return known.ends if known and ends and not outside else None


def _notes(found: _Ratings, rows: int, columns: RatedColumns) -> list[str]:
    notes = []
    if found.blank_groups:
        notes.append(f"{found.blank_groups} of {rows} rows left out: nothing under `{columns.group}`")
    if found.regard:
        notes.append("labels count as numbers: negative −1, neutral 0, positive 1")
    notes.append("summed outside of memory: nothing is counted by label, prompt or structure")
    return notes
