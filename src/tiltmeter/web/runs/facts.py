"""What a run is: its study, its models, its size, and what came to nothing and why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tiltmeter.errors import RunError
from tiltmeter.records import ModelFacts
from tiltmeter.store import LEDGER, NotBegun, read_meta
from tiltmeter.store.rows import rows_of
from tiltmeter.store.validation import valid_ledger
from tiltmeter.web.runs.live import Live
from tiltmeter.web.studies.rates import short_model
from tiltmeter.web.workbench import changed

_MOST = 100
"""Reasons that are listed."""
_ROLES = {"models": "tested", "writers": "wrote sentences", "readers": "read sentences"}
_MISSING = (
    (
        "Pairs without a score",
        "select model || ', ' || scorer, unscored, count(*) from scores where unscored is not null group by 1, 2",
        "select model || ', ' || scorer, count(*) from scores group by 1",
    ),
    (
        "Texts that could not be scored",
        "select model, unscored, count(*) from answers where unscored is not null "
        "and model not in (select model from cells) group by 1, 2",
        "select model, count(*) from answers group by 1",
    ),
    (
        "Texts that were not written",
        "select model, unwritten, count(*) from completions where unwritten is not null group by 1, 2",
        "select model, count(*) from completions group by 1",
    ),
    (
        "Texts without a rating",
        "select raters.rater, unrated, count(*) from ratings join raters on raters.number = ratings.rater "
        "where unrated is not null group by 1, 2",
        "select raters.rater, count(*) from ratings join raters on raters.number = ratings.rater group by 1",
    ),
    (
        "Prompts that could not be asked",
        "select perturbation, unscored, count(*) from items where unscored is not null group by 1, 2",
        "select perturbation, count(*) from items where view = 'next words' group by 1",
    ),
    (
        "Words without a probability",
        "select model, json_extract(word.value, '$[2]'), count(*) from expected, json_each(expected.words) as word "
        "where json_extract(word.value, '$[2]') is not null group by 1, 2",
        "select model, sum(json_array_length(words)) from expected group by 1",
    ),
    (
        "Probes that were left out before anything was asked",
        "select bias, reason, count(*) from dropped group by 1, 2",
        "",
    ),
)
"""What came to nothing: its heading, who it was with which reason and how often, and of how many."""


@dataclass(frozen=True, slots=True)
class Row:
    """A run in the list of all."""

    name: str
    live: Live
    study: str
    models: tuple[str, ...]
    when: float
    size: int
    has_results: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """Items of one kind that came to nothing."""

    heading: str
    rows: tuple[tuple[str, str, int, int | None], ...]
    """Who, why, how often, and of how many."""
    more: int
    """Reasons that are not listed."""

    @property
    def count(self) -> int:
        """How many items are listed."""
        return sum(row[2] for row in self.rows)


def row_of(name: str, folder: Path, live: Live) -> Row:
    """A run in the list of all."""
    meta, problem = meta_and_problem(folder)
    resolved = meta.get("resolved", {})
    return Row(
        name,
        live,
        str(resolved.get("name", "")),
        tuple(map(short_model, resolved.get("models", ()))),
        _when(meta, folder),
        _size(folder),
        bool(meta),
        problem,
    )


def meta_of(folder: Path) -> Mapping[str, Any]:
    """What a ledger says of its run; nothing where the run has not begun."""
    return meta_and_problem(folder)[0]


def meta_and_problem(folder: Path) -> tuple[Mapping[str, Any], str]:
    """The same, and what is wrong with a ledger that cannot be read."""
    if not (folder / LEDGER).is_file():
        return {}, ""
    try:
        meta = read_meta(folder)
    except NotBegun:
        return {}, ""
    except RunError as error:
        return {}, str(error).replace(f"{folder.parent}/", "")
    return meta, ""


def models_of(folder: Path) -> list[tuple[str, ModelFacts]]:
    """The models of a run with what each did there, and the facts about it."""
    rows = [
        (role, facts)
        for table, role in _ROLES.items()
        for (facts,) in _rows(folder, f"select facts from {table} order by rowid")
    ]
    with valid_ledger(folder / LEDGER):
        return [(role, ModelFacts(**json.loads(facts))) for role, facts in rows]


def raters_of(folder: Path) -> list[tuple[str, dict[str, str]]]:
    """The raters of a run, and the facts about each."""
    rows = _rows(folder, "select rater, facts from raters order by number")
    with valid_ledger(folder / LEDGER):
        return [(rater, dict(json.loads(facts))) for rater, facts in rows]


def missing_of(folder: Path) -> list[Missing]:
    """What came to nothing, by reason."""
    found = []
    for heading, reasons, totals in _MISSING:
        rows = sorted(_rows(folder, reasons), key=lambda row: -row[2])
        if rows:
            of = dict(_rows(folder, totals)) if totals else {}
            listed = tuple((str(who), str(why), int(count), of.get(who)) for who, why, count in rows[:_MOST])
            found.append(Missing(heading, listed, max(0, len(rows) - _MOST)))
    return found


def _rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    """The rows of a question; none where the ledger does not have its tables, as those of earlier versions."""
    try:
        return list(rows_of(folder, query))
    except RunError:
        return []


def _when(meta: Mapping[str, Any], folder: Path) -> float:
    try:
        return datetime.fromisoformat(meta["finished"]).timestamp()
    except (KeyError, TypeError, ValueError):
        return changed(folder)


def _size(folder: Path) -> int:
    return sum(_file_sizes(folder))


def _file_sizes(folder: Path) -> Iterator[int]:
    for path in folder.rglob("*"):
        try:
            yield path.lstat().st_size
        except OSError:
            # Gone meanwhile.
            continue
