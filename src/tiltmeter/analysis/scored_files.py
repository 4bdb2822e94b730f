"""Estimates of a file that holds a choice per pair, whoever scored it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter import specs
from tiltmeter.errors import InvalidData
from tiltmeter.files import read_csv
from tiltmeter.sources.pairs_file import stereotyped
from tiltmeter.stats.pairs import PairItem, PairSummary, summarise
from tiltmeter.stats.sets import infer_sets

CELL_COLUMNS = ("model", "source", "scorer")
"""Columns of a scored file whose values must not be mixed in one estimate."""
_BIAS_COLUMNS = ("bias", "Bias Name", "group")
_ATTRIBUTE_COLUMNS = ("attribute", "Attribute word", "group_term")
_TERM_COLUMNS = (("att_term_1", "att_term_2"), ("term_1", "term_2"), ("group_1", "group_2"))


@dataclass(frozen=True, slots=True)
class FileSummary:
    """The estimates of a scored file, and how its rows were read."""

    summary: PairSummary
    unscored: Mapping[str, int]
    controls: int
    sets: str
    """Where the attribute sets come from, or why there are none."""

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
        if value is None and labelled and stereotyped(cells) is None:
            controls += 1
            continue
        if value is None:
            unscored[reason or "the column `stereotyped` is blank"] += 1
        kept.append((cells, value))
    sets, origin = _sets(kept, header, bias, attribute)
    items = [
        PairItem(
            bias=_name(cells, bias, Path(path).stem),
            # Pairs of a data set without attributes are clustered by what they came from.
            attribute=_name(cells, attribute, cells.get("origin", "").strip()) or None,
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
    """The attribute set of each row: as the file says, as the library's spec of that bias says, or worked out."""
    if "attribute_set" in header:
        return [cells["attribute_set"].strip() or None for cells, _ in kept], "given"
    if attribute is None:
        return [None] * len(kept), "not known: the file names no attributes"
    keys = [(_name(cells, bias, ""), cells[attribute].strip()) for cells, _ in kept]
    published = _library_sets({name for name, _ in keys})
    if all((name, _spelling(word)) in published for name, word in keys):
        return [published[name, _spelling(word)] for name, word in keys], "of the library's specs"
    terms = next((pair for pair in _TERM_COLUMNS if set(pair) <= set(header)), None)
    if terms is None:
        return [None] * len(kept), "not known: the file names no group terms"
    rows = []
    for key, (cells, _) in zip(keys, kept, strict=True):
        target = stereotyped(cells)
        if target is not None:
            rows.append((*key, cells[terms[target]].strip(), cells[terms[1 - target]].strip()))
    found = infer_sets(rows)
    reasons = "; ".join(f"{name}: {reason}" for name, reason in found.reasons.items())
    origin = f"worked out from the labels{f' ({reasons})' if reasons else ''}" if rows else "not known: no labels"
    return [published.get((name, _spelling(word))) or found.sets.get((name, word)) for name, word in keys], origin


def _library_sets(biases: set[str]) -> dict[tuple[str, str], str]:
    """The attribute sets of the biases that the library knows, under its own names or those of the published files."""
    found: dict[tuple[str, str], str] = {}
    for name in specs.names():
        spec = specs.load(name)
        for bias in {spec.name, spec.published_as} & biases:
            for attributes in spec.attributes:
                found |= {(str(bias), _spelling(term)): attributes.name for term in attributes.terms}
    return found


def _spelling(term: str) -> str:
    return term.casefold().replace("-", " ")
