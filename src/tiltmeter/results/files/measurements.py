"""Estimates from a table of measurements, whoever made it: every cell of every bias, by the one estimator.

Rows are summed by group and cluster where they lie, so that a table larger than memory is read as a small one is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.parquet import SQL_TYPES, quoted, sql_text
from tiltmeter.records import Estimate
from tiltmeter.results.files.loaded import GivenRows, answers, loaded
from tiltmeter.results.files.tables import Table
from tiltmeter.results.measurements.columns import CHOICES, MEASUREMENTS, OTHER, SCALE, STEREOTYPED
from tiltmeter.results.scores import is_published
from tiltmeter.stats.arrays import or_origins
from tiltmeter.stats.estimate import EQUAL_CLUSTERS, LARGEST, Scale, estimate
from tiltmeter.stats.estimates import holm
from tiltmeter.stats.views.continuations import pairs_of_groups
from tiltmeter.views import FACTS, view_named

NEEDED = ("bias", "origin", "group", "value")
"""Columns that a table of measurements has; all others are blank where it has none."""
CELL = ("model", "view", "bias", *CHOICES)
"""What tells cells apart."""
_FURTHER = {"template": "templates", "term": "terms"}
"""What else was sampled beside origins, and what it is called."""
MOST_SUMS = 2_000_000
"""Sums by group, origin, template and term that are held for one file."""


def measured(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> dict[str, Any]:
    """Every estimate of a file with the columns of `measurements.parquet`: Parquet, CSV or JSON lines.

    `columns` says what a column is called in the file; `where` keeps the rows that have a value.
    """
    with loaded(()) as found:
        _prepare(found, path, dict(columns or {}), dict(where or {}))
        cells = [figure for cell, rows in _cells(found) for figure in _figures(cell, rows, level)]
    adjusted = holm([one["p"] for one in cells])
    for one, p in zip(cells, adjusted, strict=True):
        one["p_adjusted"] = p
    return {"level": level, "n_comparisons": sum(p is not None for p in adjusted), "cells": cells}


def _prepare(found: Any, path: str | Path, columns: dict[str, str], where: dict[str, str]) -> None:
    """The sums of the rows by everything that tells them apart, as a table."""
    table = Table(path)
    for name, given in columns.items():
        if name not in MEASUREMENTS:
            raise UserError(f"--columns {name}={given}: there is no column `{name}`; there are {_listed(MEASUREMENTS)}")
    called = {name: columns.get(name, name) for name in MEASUREMENTS}
    for given in [*(called[name] for name in (*NEEDED, *columns)), *where]:
        if given not in table.columns:
            there = _listed(table.columns)
            raise UserError(f"{path}: has no column `{given}`; it has {there}; --columns NAME=COLUMN says which")
    rows = GivenRows(found, table, called.values(), where)
    cells = {name: rows.name(given) for name, given in called.items()}
    for name, kind in MEASUREMENTS.items():
        if kind is not str:
            rows.refuse(
                f"{cells[name]} IS NOT NULL AND try_cast({cells[name]} AS {SQL_TYPES[kind]}) IS NULL",
                lambda text: f"{text[:40]!r} is not a number; leave it blank if there is none",
                cells[name],
                called[name],
            )
    chosen = ", ".join(
        f"try_cast({cells[name]} AS {SQL_TYPES[kind]}) AS {quoted(name)}" for name, kind in MEASUREMENTS.items()
    )
    # A number that cannot be averaged is none, and takes no other with it.
    usable = f"CASE WHEN isfinite(value) AND abs(value) < {LARGEST!r} THEN value END AS value"
    found.execute(f"CREATE VIEW usable AS SELECT * REPLACE ({usable}) FROM (SELECT line, {chosen} FROM kept)")
    found.execute(f"CREATE VIEW rows AS SELECT * FROM usable WHERE {_of_the_test(found)}")
    for name in ("bias", "origin", "group"):
        blank = rows.count(f"{quoted(name)} IS NULL", "rows")
        if blank:
            raise UserError(f"{path}: `{called[name]}` is blank in {blank:,} rows; a measurement says what it is of")
    _refuse_scales(found, path)
    listed = ", ".join(map(quoted, (*CELL, "group", "against", "attribute_set", "origin", *_FURTHER)))
    scale = ", ".join(f"any_value({quoted(name)}) AS {quoted(name)}" for name in SCALE)
    found.execute(
        f"CREATE TABLE sums AS SELECT {listed}, {scale}, sum(value) AS total, count(value) AS scored, "
        "count(*) - count(value) AS missing FROM rows GROUP BY ALL ORDER BY ALL"
    )
    sums = found.execute("SELECT count(*) FROM sums").fetchone()[0]
    if sums > MOST_SUMS:
        raise UserError(
            f"{path}: has {sums:,} combinations of choices, group, origin, template and term, and {MOST_SUMS:,} are "
            "held at once; choose some with --where"
        )


def _refuse_scales(found: Any, path: str | Path) -> None:
    """Refuse scales that are none, that values lie outside of, or that differ within a cell."""
    tests = {
        "scale_low is not below scale_high": "scale_low >= scale_high",
        "value lies outside scale_low and scale_high": "value < scale_low - 1e-6 OR value > scale_high + 1e-6",
    }
    for problem, condition in tests.items():
        wrong = found.execute(f"SELECT count(*) FROM rows WHERE {condition}").fetchone()[0]
        if wrong:
            raise UserError(f"{path}: {problem} in {wrong:,} rows; give the ends between which all values lie")
    scale = " || '|' || ".join(f"coalesce({quoted(name)}::VARCHAR, '')" for name in SCALE)
    mixed = f"SELECT 1 FROM rows GROUP BY {', '.join(map(quoted, CELL))} HAVING count(DISTINCT {scale}) > 1 LIMIT 1"
    if found.execute(mixed).fetchone():
        raise UserError(
            f"{path}: rows of one bias under the same choices have different scales; a column such as `measure` or "
            "`rater` tells them apart"
        )


def _of_the_test(found: Any) -> str:
    """Which rows are counted: a run's own table also has controls, single scores and flags, which are not the test."""
    left_out = []
    for view, facts in FACTS.items():
        named = ", ".join(map(sql_text, sorted(facts.counted)))
        own = f"view = {sql_text(view)}"
        if found.execute(f"SELECT count(*) FROM usable WHERE {own} AND measure IN ({named})").fetchone()[0]:
            left_out.append(f"NOT coalesce({own} AND measure NOT IN ({named}), false)")
    return " AND ".join(left_out) or "true"


def _cells(found: Any) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """What was measured under which choices, and the sums of it."""
    for _, same in groupby(answers(found, "SELECT * FROM sums"), key=lambda row: [row[name] for name in CELL]):
        own = list(same)
        yield own[0], own


def _figures(cell: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], level: float) -> Iterator[dict[str, Any]]:
    """The means of a cell against neutral where they compare two groups already, else the difference of every two."""
    about = {name: cell[name] for name in CELL if cell[name] is not None}
    for sides, both in _compared(cell, [row for row in rows if row["against"] is not None]).items():
        yield {**about, "figure": "mean", **_sides(sides), **_json(_estimate(both, level))}
    owned = [row for row in rows if row["against"] is None]
    groups = list(dict.fromkeys(row["group"] for row in owned))
    for one in groups:
        own = [row for row in owned if row["group"] == one]
        yield {**about, "figure": "mean", "group": one, **_json(replace(_estimate(own, level), p=None))}
    for sides in pairs_of_groups(groups):
        pair = [row for row in owned if row["group"] in sides]
        yield {**about, "figure": "difference", **_sides(sides), **_json(_estimate(pair, level, compare=sides))}


def _compared(
    cell: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    """Rows that compare two groups, by the two; those that compare them the other way round are turned.

    A pair says whether the stereotyped sentence is preferred, whichever group that is about.
    """
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        sides, turned = (row["group"], row["against"]), (row["against"], row["group"])
        if (view := view_named(cell["view"] or "")) and not FACTS[view].of_groups:
            found.setdefault((STEREOTYPED, OTHER), []).append(row)
        elif turned in found and cell["neutral"] is not None:
            total = None if row["total"] is None else 2 * cell["neutral"] * row["scored"] - row["total"]
            found[turned].append({**row, "total": total})
        else:
            found.setdefault(sides, []).append(row)
    return found


def _json(found: Estimate) -> dict[str, Any]:
    return {**found.as_json(), "note": found.note}


def _sides(sides: tuple[str, str]) -> dict[str, str]:
    return dict(zip(("group", "against"), sides, strict=True))


def _estimate(rows: Sequence[Mapping[str, Any]], level: float, compare: tuple[str, str] | None = None) -> Estimate:
    def column(name: str) -> list[Any]:
        return [row[name] for row in rows]

    # What varies was sampled: a value clustered by its origin alone would look surer than it is.
    ways = {name: way for column_name, name in _FURTHER.items() if len(set(way := column(column_name))) > 1}
    origins = column("origin")
    ways = {name: or_origins([label or None for label in way], origins) for name, way in ways.items()}
    second, third = [*ways.values(), None, None][:2]
    # A general liking for one group is no stereotype: each set of attributes weighs the same.
    sets, view = column("attribute_set"), view_named(rows[0]["view"] or "")
    balanced = rows[0]["against"] is not None and None not in sets and len(set(sets)) > 1
    balanced = balanced and not is_published(rows[0].get("scorer") or "", rows[0].get("source") or "")
    return estimate(
        [total or 0.0 for total in column("total")],
        origins,
        rows=column("scored"),
        unscored=column("missing"),
        groups=column("group") if compare else None,
        compare=compare,
        second=second,
        third=third,
        weights=EQUAL_CLUSTERS if view and FACTS[view].equal_origins else None,
        balanced_over=sets if balanced else None,
        scale=Scale(*(rows[0][name] for name in ("scale_low", "scale_high", "neutral"))),
        level=level,
        names=("origins", *ways),
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
