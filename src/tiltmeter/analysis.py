"""From scores to estimates: of a run, of a list of scored pairs, of a file that somebody else scored."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.files import read_csv
from tiltmeter.measures.pairs import margin, preference, preferred
from tiltmeter.records import Estimate, ModelFacts, PairScore
from tiltmeter.sources.pairs_file import stereotyped
from tiltmeter.stats.agreement import Agreement, agreements
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.pairs import PairItem, PairSummary, summarise
from tiltmeter.stats.sets import infer_sets
from tiltmeter.store import Run

CELL_COLUMNS = ("model", "source", "scorer")
"""Columns of a scored file whose values must not be mixed in one estimate."""
_BIAS_COLUMNS = ("bias", "Bias Name", "group")
_ATTRIBUTE_COLUMNS = ("attribute", "Attribute word", "group_term")
_TERM_COLUMNS = (("att_term_1", "att_term_2"), ("term_1", "term_2"), ("group_1", "group_2"))


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one model on one source under one scorer."""

    model: str
    source: str
    scorer: str
    summary: PairSummary
    controls: Mapping[str, Estimate]
    """For each control set, the share of pairs in which the first group's text is preferred."""
    unscored: Mapping[str, int]
    """How many pairs have no score, by reason."""
    scores: Sequence[PairScore] = field(repr=False, default=())

    @property
    def published(self) -> bool:
        """Whether the scorer is the form of a paper, kept for comparison and never mixed with the others."""
        return ".as-published." in self.scorer


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Everything a report says about a run."""

    study: str
    facts: Mapping[str, ModelFacts]
    cells: Sequence[Cell]
    agreements: Mapping[tuple[str, str], Sequence[Agreement]]
    """How far the scorers prefer the same texts, by model and source."""
    dropped: Mapping[str, int]
    """How many probes could not be made, by reason."""

    def as_json(self) -> dict[str, Any]:
        """The summary as the run folder keeps it."""
        return {
            "study": self.study,
            "cells": [
                {
                    "model": cell.model,
                    "source": cell.source,
                    "scorer": cell.scorer,
                    **cell.summary.as_json(),
                    "controls": {name: found.as_json() for name, found in cell.controls.items()},
                    "unscored": dict(cell.unscored),
                }
                for cell in self.cells
            ],
            "dropped": dict(self.dropped),
        }


def summarise_scores(
    scores: Sequence[PairScore], benchmarks: Iterable[str] = (), *, level: float = 0.95, seed: int = 0
) -> PairSummary:
    """Estimates over scored pairs; pairs of which neither text is stereotyped do not count."""
    marked = set(benchmarks)
    kept = [score for score in scores if score.pair.contrast == "stereotype" and score.pair.stereotyped is not None]
    items = [
        PairItem(
            bias=score.pair.bias,
            # Pairs of a data set without attributes are clustered by what they came from.
            attribute=score.pair.attribute or score.pair.origin,
            attribute_set=score.pair.attribute_set,
            value=value,
            benchmark=score.pair.bias.split(":")[0] in marked,
            margin=distance,
        )
        for score, value, distance in zip(kept, preference(kept), margin(kept), strict=True)
    ]
    return summarise(items, level=level, seed=seed)


def summarise_run(run: Run) -> RunSummary:
    """Estimates for every cell of a run, in the order of the study."""
    resolved = run.meta["resolved"]
    benchmarks = [spec["name"] for spec in resolved["specs"] if spec["benchmark"]]
    cells: list[Cell] = []
    agreed: dict[tuple[str, str], list[Agreement]] = {}
    for model in run.facts:
        by_source: dict[str, dict[str, list[PairScore]]] = defaultdict(dict)
        for (name, scorer), scores in run.scores.items():
            if name == model:
                for score in scores:
                    by_source[score.pair.source].setdefault(scorer, []).append(score)
        for source, by_scorer in by_source.items():
            for scorer, found in by_scorer.items():
                cells.append(
                    Cell(
                        model=model,
                        source=source,
                        scorer=scorer,
                        summary=summarise_scores(found, benchmarks, seed=resolved["seed"]),
                        controls=_controls(found, resolved["seed"]),
                        unscored=Counter(score.unscored for score in found if score.unscored),
                        scores=found,
                    )
                )
            choices = {scorer: [preferred(score) for score in found] for scorer, found in by_scorer.items()}
            agreed[model, source] = agreements(choices)
    dropped = Counter(item.reason for item in run.dropped)
    return RunSummary(resolved["name"], run.facts, cells, agreed, dropped)


def _controls(scores: Sequence[PairScore], seed: int) -> dict[str, Estimate]:
    grouped: dict[str, list[PairScore]] = defaultdict(list)
    for score in scores:
        if score.pair.contrast == "stereotype" and score.pair.stereotyped is None and score.pair.attribute_set:
            first, second = score.pair.groups
            grouped[f"{score.pair.bias}, {score.pair.attribute_set}: {first} over {second}"].append(score)
    share = {1: 1.0, "tie": 0.5, 2: 0.0, None: None}
    return {
        name: estimate([share[preferred(score)] for score in found], [score.pair.origin for score in found], seed=seed)
        for name, found in grouped.items()
    }


@dataclass(frozen=True, slots=True)
class FileSummary:
    """The estimates of a scored file, and how its rows were read."""

    summary: PairSummary
    unscored: Mapping[str, int]
    controls: int
    sets: str
    """Where the attribute sets come from: `given`, `inferred`, or why there are none."""

    def as_json(self) -> dict[str, Any]:
        """The summary's JSON and the counts."""
        return {
            **self.summary.as_json(),
            "unscored": dict(self.unscored),
            "controls": self.controls,
            "attribute_sets": self.sets,
        }


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a scored file hold what; None: found by their usual names."""

    bias: str | None = None
    attribute: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)


def summarise_file(
    path: str | Path, columns: Columns | None = None, *, level: float = 0.95, seed: int = 0
) -> FileSummary:
    """Estimates from a CSV file with a column `stereotyped` of 1, 0, 0.5 or blank."""
    wanted = columns or Columns()
    header, rows = read_csv(path)
    if "stereotyped" not in header:
        raise InvalidData(
            "there is no column `stereotyped` (1, 0, 0.5 or blank); `tiltmeter score` makes it from a file of pairs",
            file=path,
            line=1,
        )
    bias = _column(header, wanted.bias, _BIAS_COLUMNS, path)
    attribute = _column(header, wanted.attribute, _ATTRIBUTE_COLUMNS, path)
    numbered = _select(list(enumerate(rows, start=1)), header, wanted.where, path)
    labelled = "label_1" in header and "label_2" in header
    unscored: Counter[str] = Counter()
    kept: list[tuple[dict[str, str], float | None]] = []
    controls = 0
    for number, cells in numbered:
        value = _value(cells["stereotyped"], path, number)
        reason = cells.get("unscored", "").strip()
        if value is None and not reason and labelled and stereotyped(cells) is None:
            controls += 1
            continue
        if value is None:
            unscored[reason or "the column `stereotyped` is blank"] += 1
        kept.append((cells, value))
    sets, origin = _sets(kept, header, bias, attribute)
    items = [
        PairItem(
            bias=_name(cells, bias, Path(path).stem),
            attribute=cells[attribute].strip() or None if attribute else None,
            attribute_set=sets[index],
            value=value,
            benchmark=cells.get("benchmark", "").strip().lower() in ("1", "true", "yes"),
            margin=None if value is None else _margin(cells),
        )
        for index, (cells, value) in enumerate(kept)
    ]
    return FileSummary(summarise(items, level=level, seed=seed), unscored, controls, origin)


def _name(cells: Mapping[str, str], column: str | None, default: str) -> str:
    return (column and cells[column].strip()) or default


def _column(header: Sequence[str], asked: str | None, usual: Sequence[str], path: str | Path) -> str | None:
    if asked is not None and asked not in header:
        raise InvalidData(f"there is no column `{asked}`; the file has {', '.join(header)}", file=path, line=1)
    return asked or next((name for name in usual if name in header), None)


def _select(
    rows: list[tuple[int, dict[str, str]]], header: Sequence[str], where: Mapping[str, str], path: str | Path
) -> list[tuple[int, dict[str, str]]]:
    for column, value in where.items():
        _column(header, column, (), path)
        found = sorted({cells[column] for _, cells in rows})
        rows = [(number, cells) for number, cells in rows if cells[column] == value]
        if not rows:
            raise InvalidData(f"no row has `{column}` = {value!r}; it holds {', '.join(found)}", file=path)
    for column in CELL_COLUMNS:
        values = sorted({cells.get(column, "") for _, cells in rows})
        if len(values) > 1:
            raise InvalidData(
                f"the column `{column}` holds {', '.join(values)}, which must not be mixed: choose one with "
                f"--where {column}={values[0]}",
                file=path,
            )
    return rows


def _value(text: str, path: str | Path, number: int) -> float | None:
    words = {"true": 1.0, "false": 0.0, "": None}
    cleaned = text.strip().lower()
    if cleaned in words:
        return words[cleaned]
    try:
        value = float(cleaned)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise InvalidData(f"row {number}: `stereotyped` is {text!r}; right are 1, 0, 0.5 or blank", file=path)
    return value


def _margin(cells: Mapping[str, str]) -> float | None:
    target = stereotyped(cells)
    try:
        scores = float(cells.get("score_1", "")), float(cells.get("score_2", ""))
    except ValueError:
        return None
    return None if target is None else scores[target] - scores[1 - target]


def _sets(
    kept: Sequence[tuple[Mapping[str, str], float | None]],
    header: Sequence[str],
    bias: str | None,
    attribute: str | None,
) -> tuple[list[str | None], str]:
    if "attribute_set" in header:
        return [cells["attribute_set"].strip() or None for cells, _ in kept], "given"
    terms = next((pair for pair in _TERM_COLUMNS if set(pair) <= set(header)), None)
    if attribute is None or terms is None:
        return [None] * len(kept), "not known: the file names no attributes or no group terms"
    rows = []
    for cells, _ in kept:
        target = stereotyped(cells)
        if target is not None:
            key = _name(cells, bias, ""), cells[attribute].strip()
            rows.append((*key, cells[terms[target]].strip(), cells[terms[1 - target]].strip()))
    found = infer_sets(rows)
    reasons = "; ".join(f"{name}: {reason}" for name, reason in found.reasons.items())
    sets = [found.sets.get((_name(cells, bias, ""), cells[attribute].strip())) for cells, _ in kept]
    return sets, f"inferred from the labels{f' ({reasons})' if reasons else ''}" if rows else "not known: no labels"
