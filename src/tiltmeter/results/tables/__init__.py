"""The tables of a run as files: every scored pair, every estimate, everything that was dropped.

The same run gives the same bytes: rows are in the order of the run, numbers are written in full, and nothing is dated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tiltmeter.addresses import joined
from tiltmeter.files import whole_file, write_csv
from tiltmeter.measures.pairs import PREFERENCE, preference, preferred
from tiltmeter.parquet import Rows
from tiltmeter.parquet import write_parquet as write_parquet_file
from tiltmeter.records import STRUCTURE_COLUMNS, Estimate, PairScore
from tiltmeter.results import RunSummary
from tiltmeter.results.cells import TEST, table_of, table_with_texts
from tiltmeter.results.measurements.columns import CONTROL, MEANING, SCORE
from tiltmeter.results.summary.structures import structures_of
from tiltmeter.results.summary.text_records import ContinuationsSummary
from tiltmeter.results.tables.continuations import (
    COMPARISONS,
    GROUPS,
    REFUSALS,
    SITUATIONS,
    STRUCTURE_GAPS,
    STRUCTURES,
    WORDS,
    comparison_rows,
    completion_columns,
    completion_rows,
    group_rows,
    refusal_rows,
    situation_rows,
    structure_gap_rows,
    structure_rows,
    word_rows,
)
from tiltmeter.results.tables.next_words import (
    NEXT_WORD_ESTIMATES,
    NEXT_WORDS,
    next_word_estimate_rows,
    next_word_rows,
)
from tiltmeter.store import Run

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class _Table:
    """A table's columns with the type of each (as Parquet keeps it), and how its rows are made."""

    columns: Mapping[str, type]
    rows: Callable[[Run, RunSummary], Rows]


def write_tables(run: Run, summary: RunSummary, folder: Path) -> list[Path]:
    """Write `tables/*.csv` and `summary.json` into a folder; `tiltmeter analyze` reads `tables/pairs.csv` back."""
    written = []
    for name, table in _tables(run, summary).items():
        path = folder / "tables" / f"{name}.csv"
        write_csv(path, list(table.columns), table.rows(run, summary))
        written.append(path)
    path = folder / "summary.json"
    with whole_file(path) as file:
        json.dump(summary.as_json(), file, ensure_ascii=False, indent=1, allow_nan=False)
        file.write("\n")
    return [*written, path]


def write_parquet(run: Run, summary: RunSummary, folder: Path) -> list[str | Path]:
    """Write the tables as Parquet files right into a folder."""
    tables = _tables(run, summary)
    return _as_parquet({name: (table.columns, table.rows(run, summary)) for name, table in tables.items()}, folder)


def export_items(run: Run, place: str | Path) -> list[str | Path]:
    """Write every item of a run as Parquet to a folder or an address (`s3://…`), a batch of rows at a time.

    Items are pairs with their scores, texts with their ratings, prompts with the probabilities of words, and what was
    dropped; estimates are left to `tiltmeter analyze`, which sums such files without reading them into memory.
    """
    tables: dict[str, tuple[Mapping[str, type], Rows]] = {}
    if any(cell.scorer for cell in table_of(run).cells):
        tables["pairs"] = _TABLES["pairs"].columns, _scored_pairs(run)
    if run.continuations is not None:
        table = table_with_texts(run)
        tables["completions"] = completion_columns(table), completion_rows(table)
    if run.next_words is not None:
        tables["next_words"] = NEXT_WORDS, next_word_rows(run)
    tables["dropped"] = _TABLES["dropped"].columns, (asdict(item) for item in run.dropped)
    return _as_parquet(tables, place)


def _as_parquet(tables: Mapping[str, tuple[Mapping[str, type], Rows]], place: str | Path) -> list[str | Path]:
    written = []
    for name, (columns, rows) in tables.items():
        write_parquet_file(path := joined(place, f"{name}.parquet"), columns, rows)
        written.append(path)
    return written


def scored_cells(score: PairScore) -> dict[str, object]:
    """What became of one pair, as the cells of a table; None is a blank cell.

    `preferred` is 1, 2 or `tie`; `stereotyped` is 1 where that is the stereotyped text, 0 where it is the other and
    0.5 for a tie. A pair of which neither text is stereotyped has no `stereotyped`, whichever is preferred.
    """
    first, second = score.scores or (None, None)
    value = preference([score])[0] if score.pair.contrast == "stereotype" else None
    return _became((first, second), preferred(score), value, score.unscored)


def _became(scores: tuple[object, object], chosen: object, value: float | None, unscored: str | None) -> Row:
    stereotyped = int(value) if value in (0, 1) else value
    return {**_numbered("score", scores), "preferred": chosen, "stereotyped": stereotyped, "unscored": unscored}


def _tables(run: Run, summary: RunSummary) -> dict[str, _Table]:
    """The tables of the views that a run has."""
    others = _of_texts(run, summary) | _of_words(run, summary)
    of_pairs = {name: table for name, table in _TABLES.items() if run.pairs or name == "dropped" or not others}
    return of_pairs | others


def _of_texts(run: Run, summary: RunSummary) -> dict[str, _Table]:
    found = summary.continuations
    if found is None:
        return {}
    texts = table_with_texts(run)
    return {
        "groups": _Table(GROUPS, lambda *_: group_rows(found)),
        "comparisons": _Table(COMPARISONS, lambda *_: comparison_rows(found)),
        **({"situations": _Table(SITUATIONS, lambda *_: situation_rows(found))} if found.situations else {}),
        **({"refusals": _Table(REFUSALS, lambda *_: refusal_rows(found))} if found.refusals else {}),
        **(_of_structures(run, found) if any(cell.structures for cell in found.cells) else {}),
        **({"words": _Table(WORDS, lambda *_: word_rows(found))} if found.words else {}),
        "completions": _Table(completion_columns(texts), lambda *_: completion_rows(texts)),
    }


def _of_words(run: Run, summary: RunSummary) -> dict[str, _Table]:
    found = summary.next_words
    if found is None:
        return {}
    return {
        "next_words": _Table(NEXT_WORDS, lambda run, _: next_word_rows(run)),
        "next_word_estimates": _Table(NEXT_WORD_ESTIMATES, lambda *_: next_word_estimate_rows(found)),
    }


def _of_structures(run: Run, found: ContinuationsSummary) -> dict[str, _Table]:
    known = structures_of(run)
    return {
        "structures": _Table(STRUCTURES, lambda *_: structure_rows(found, known)),
        "structure_gaps": _Table(STRUCTURE_GAPS, lambda *_: structure_gap_rows(found, known)),
    }


_PAIRS = f"""
SELECT items.* EXCLUDE (number, marks, other_marks, words, perturbation, language, status), s.model, s.scorer,
       first, second, preference, unscored
FROM (SELECT model, scorer, view, item, min(place) AS place, any_value(reason) AS unscored,
             max(value) FILTER (measure LIKE '%{PREFERENCE.name}') AS preference,
             arg_min(value, place) FILTER (measure LIKE '%{SCORE}') AS first,
             arg_max(value, place) FILTER (measure LIKE '%{SCORE}') AS second
      FROM ordered WHERE view = 'pairs' AND scorer IS NOT NULL GROUP BY ALL) AS s
JOIN items USING (view, item)
"""
"""Every scored pair; the first score is that of the stereotyped text."""


def _pairs(run: Run, summary: RunSummary) -> Rows:
    """The pairs of the test, cell by cell."""
    query = f"{_PAIRS} WHERE s.model = ? AND s.scorer = ? AND source = ? AND {TEST} ORDER BY place"
    table = table_of(run)
    for cell in summary.cells:
        yield from map(_pair_row, table.stream(query, cell.model, cell.scorer, cell.source))


def _scored_pairs(run: Run) -> Rows:
    """Those that only stand in for flagged sentences too."""
    return map(_pair_row, table_of(run).stream(f"{_PAIRS} ORDER BY place"))


def _pair_row(found: dict[str, Any]) -> Row:
    role, value = found["role"], found["preference"]
    both = {
        "group": (found["group"], found["against"]),
        "term": (found["term"], found["other_term"]),
        "sentence": (found["text"], found["other_text"]),
        "label": (None, None) if role in (CONTROL, MEANING) else ("stereotype", "anti-stereotype"),
        "score": (found["first"], found["second"]),
    }
    swapped = {name: (pair[1], pair[0]) if found["swapped"] else pair for name, pair in both.items()}
    preferred_text = {1.0: 1 + found["swapped"], 0.0: 2 - found["swapped"], 0.5: "tie", None: None}[value]
    made = {name: cell for side, pair in swapped.items() for name, cell in _numbered(side, pair).items()}
    became = _became(swapped["score"], preferred_text, None if role in (CONTROL, MEANING) else value, found["unscored"])
    contrast = "meaning" if role == MEANING else "stereotype"
    return {**found, "id": found["item"], **made, "contrast": contrast, **became}


def _estimates(run: Run, summary: RunSummary) -> Iterator[dict[str, object]]:
    for cell in summary.cells:
        found = cell.summary
        tables: dict[str, Mapping[str, Estimate]] = {
            "headline": {"": found.headline},
            "headline_by_bias": found.headline_by_bias,
            "overall": {"": found.overall},
            "overall_cells": {"": found.overall_cells},
            "overall_balanced": {"": found.overall_balanced},
            "by_bias": found.by_bias,
            "by_bias_balanced": found.by_bias_balanced,
            "margin_by_bias": found.margin_by_bias,
            "control": cell.controls,
        }
        for table, estimates in tables.items():
            for name, estimate in estimates.items():
                place = {"model": cell.model, "source": cell.source, "scorer": cell.scorer}
                yield {**place, "table": table, "name": name, **estimate.as_json(), "note": estimate.note}


def _dropped(run: Run, summary: RunSummary) -> Iterator[dict[str, object]]:
    return (asdict(item) for item in run.dropped)


def _numbered(name: str, both: tuple[object, object]) -> dict[str, object]:
    return {f"{name}_1": both[0], f"{name}_2": both[1]}


def _columns(text: str = "", number: str = "", count: str = "") -> dict[str, type]:
    return dict.fromkeys(text.split(), str) | dict.fromkeys(number.split(), float) | dict.fromkeys(count.split(), int)


_TABLES: Mapping[str, _Table] = {
    "pairs": _Table(
        {
            **_columns(text="id model source scorer bias"),
            **_columns(count="benchmark"),
            **_columns(text="attribute attribute_set group_1 group_2 term_1 term_2 sentence_1 sentence_2"),
            **_columns(text="label_1 label_2 contrast origin template", count="set"),
            **dict.fromkeys(STRUCTURE_COLUMNS, str),
            **_columns(number="score_1 score_2"),
            **_columns(text="preferred"),
            **_columns(number="stereotyped"),
            **_columns(text="unscored"),
        },
        _pairs,
    ),
    "estimates": _Table(
        {
            **_columns(text="model source scorer table name"),
            **_columns(number="value low high level p p_adjusted", count="n n_unscored origins"),
            **_columns(text="note"),
        },
        _estimates,
    ),
    "dropped": _Table(_columns(text="bias origin text reason"), _dropped),
}
