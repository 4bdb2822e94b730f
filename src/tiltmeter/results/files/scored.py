"""Estimates of a file that holds a choice per pair, whoever scored it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from tiltmeter.errors import InvalidData
from tiltmeter.measures.pairs import MARGIN, PREFERENCE, TIE
from tiltmeter.parquet import Rows
from tiltmeter.results.files.attribute_sets import attribute_sets
from tiltmeter.results.files.loaded import answers, loaded, summed
from tiltmeter.results.files.tables import Table, refuse_mixed
from tiltmeter.results.scores import is_published
from tiltmeter.sources.cells import Cells, refuse_objects
from tiltmeter.sources.chat_logs import REFUSED
from tiltmeter.sources.numbers import as_number, decimal_commas
from tiltmeter.sources.pair_logs import LOOKED_AT, PairFields, pair_fields
from tiltmeter.sources.pairs_file import OPTIONAL, attribute_column, bias_column, stereotyped
from tiltmeter.stats.pairs import PairItem, PairSummary, summarise

CELL_COLUMNS = ("model", "source", "scorer")
"""Columns of a scored file whose values must not be mixed in one estimate."""
_MODEL = ("model", "tested_model")
_RESULTS = ("score_1", "score_2", "preferred", "stereotyped", "unscored")
_TERM_COLUMNS = (("att_term_1", "att_term_2"), ("term_1", "term_2"), ("group_1", "group_2"))
_FURTHER = ("label_1", "label_2", "top_term", "top_logit", "bottom_logit", "template", "set", "generator", "benchmark")
_READ = {*_RESULTS, *_FURTHER, *OPTIONAL, *CELL_COLUMNS, *_MODEL, *chain(*_TERM_COLUMNS)}
_SCORED = (
    *("bias", "attribute", "origin", "attribute_set", "template", "term", "group", "against"),
    *("set", "generator", "measure", "value", "reason", "benchmark"),
)
"""The columns of measurements that scored pairs have, and those of their items."""
_PREFERRED = f"measure = '{PREFERENCE.name}'"
_SUMS = (
    f"count(value) FILTER ({_PREFERRED}) AS scored, count(*) FILTER ({_PREFERRED} AND value IS NULL) AS missing, "
    f"fsum(value) FILTER ({_PREFERRED}) AS total, count(*) FILTER (NOT {_PREFERRED}) AS margins, "
    f"fsum(value) FILTER (NOT {_PREFERRED}) AS margin, max(benchmark) AS benchmark"
)


@dataclass(frozen=True, slots=True)
class FileSummary:
    """The estimates of a scored file, and how its rows were read."""

    summary: PairSummary
    unscored: Mapping[str, int]
    controls: int
    sets: str
    """Where the attribute sets come from, or why there are none."""

    notes: tuple[str, ...] = ()
    """What was assumed of the file."""

    def as_json(self) -> dict[str, Any]:
        """The summary's JSON and the counts."""
        made = self.summary.as_json()
        return {
            **made,
            "unscored": dict(self.unscored),
            "controls": self.controls,
            "attribute_sets": self.sets,
            "notes": [*made["notes"], *self.notes],
        }


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a scored file hold what, and which rows count; None: found by their usual names."""

    bias: str | None = None
    attribute: str | None = None
    scorer: str | None = None
    """Of a file that was scored by several, which one's columns."""
    where: Mapping[str, str] = field(default_factory=dict)


class Scored(NamedTuple):
    """Pairs of a file that differ in nothing here, summed."""

    file: int
    set: str
    generator: str
    item: PairItem


@dataclass(frozen=True, slots=True)
class ScoredFile:
    """What a file says of its rows beside the numbers."""

    path: str | Path
    model: str
    source: str
    scorer: str
    controls: int
    unscored: Mapping[str, int]
    sets: str
    notes: tuple[str, ...] = ()


def summarise_file(path: str | Path, columns: Columns | None = None, *, level: float = 0.95) -> FileSummary:
    """Estimates from a file with a column `stereotyped` of 1, 0, 0.5 or blank, or from two scores for each pair."""
    [file], pairs = read_scored([path], columns)
    return summarised([file], pairs, level)


def summarised(files: Sequence[ScoredFile], pairs: Sequence[Scored], level: float) -> FileSummary:
    """Estimates over all pairs of some files."""
    unscored: Counter[str] = Counter()
    for one in files:
        unscored.update(one.unscored)
    return FileSummary(
        summarise([pair.item for pair in pairs], level=level),
        unscored,
        sum(one.controls for one in files),
        "; ".join(dict.fromkeys(one.sets for one in files)),
        tuple(dict.fromkeys(note for one in files for note in one.notes)),
    )


def read_scored(paths: Sequence[str | Path], columns: Columns | None = None) -> tuple[list[ScoredFile], list[Scored]]:
    """The scored pairs of files: CSV, JSON, Parquet, AutoBiasTest's JSON, or the log of another program."""
    read = [_Reading(number, path, columns or Columns()) for number, path in enumerate(paths)]
    with loaded(_SCORED, chain.from_iterable(each.rows() for each in read)) as found:
        sets = [attribute_sets(found, each.number, each.columns, each.attribute) for each in read]
        keys = ("file", "set", "generator", "bias", "attribute", "origin", "attribute_set", "template", "term")
        pairs = [
            Scored(
                row["file"],
                row["set"] or "",
                row["generator"] or "",
                _item(row, sets[row["file"]][0], read[row["file"]].published),
            )
            for row in summed(found, keys, _SUMS, apart="attribute IS NULL AND origin IS NULL")
        ]
        files = [each.file(_reasons(found, each), told) for each, (_, told) in zip(read, sets, strict=True)]
    return files, pairs


def _item(row: Mapping[str, Any], sets: Mapping[tuple[str, str], str] | None, published: bool) -> PairItem:
    known = row["attribute_set"] if sets is None else sets.get((row["bias"], row["attribute"] or ""))
    return PairItem(
        bias=row["bias"],
        # Pairs of a data set without attributes are clustered by what they came from.
        attribute=row["attribute"] or row["origin"],
        attribute_set=known,
        value=row["total"],
        benchmark=bool(row["benchmark"]),
        margin=row["margin"],
        template=row["template"],
        terms=row["term"] if row["attribute"] else None,
        n=row["scored"] or row["missing"],
        unscored=row["missing"] if row["scored"] else 0,
        margins=row["margins"],
        published=published,
    )


def _reasons(found: Any, read: _Reading) -> dict[str, int]:
    query = (
        f"SELECT reason, count(*) AS pairs FROM measurements WHERE file = {read.number} AND {_PREFERRED} "
        "AND reason IS NOT NULL GROUP BY reason ORDER BY min(line)"
    )
    return {row["reason"]: row["pairs"] for row in answers(found, query)}


class _Reading:
    """The rows of a file as measurements: of each pair the preference, and the margin where there are scores."""

    def __init__(self, number: int, path: str | Path, columns: Columns) -> None:
        self.number, self.path = number, path
        table = Table(path)
        self._fields = fields = _log_fields(table)
        self._table = table if fields is None else Table(path, partial(_scored_cells, fields))
        self.columns = self._table.columns
        self._suffix = _scorer_suffix(self.columns, columns.scorer, path)
        self._bias = _column(self.columns, columns.bias, path) or bias_column(self.columns)
        self.attribute = _column(self.columns, columns.attribute, path) or attribute_column(self.columns)
        self.terms = next((pair for pair in _TERM_COLUMNS if set(pair) <= set(self.columns)), None)
        self._held: dict[str, dict[str, None]] = {name: {} for name in (*CELL_COLUMNS, *_MODEL)}
        self._scorer = columns.scorer
        self._table.chosen(columns.where)
        self._controls, self._commas = 0, False
        self._stem = Path(path).stem
        self._labelled = {"label_1", "label_2"} <= {*self.columns}

    @property
    def published(self) -> bool:
        """Whether scorer or source is the form of a paper."""
        return is_published(self._scorer or self._only("scorer"), self._only("source"))

    def file(self, unscored: Mapping[str, int], sets: str) -> ScoredFile:
        """What is to be said of the file, once it has been read."""
        notes = [] if self._fields is None else [_told(self._fields)]
        notes += ["a comma is read as the decimal sign"] if self._commas else []
        model = next(filter(None, map(self._only, _MODEL)), "")
        named = self._only("source"), self._only("scorer")
        return ScoredFile(self.path, model, *named, self._controls, unscored, sets, tuple(notes))

    def rows(self) -> Rows:
        """The measurements of each pair; controls are counted."""
        line = None
        for line, given in self._table.rows([*filter(self._is_read, self.columns)]):
            refuse_objects(given, OPTIONAL)
            results = {key: given[f"{key}{self._suffix}"] for key in _RESULTS if f"{key}{self._suffix}" in given}
            cells = given | results if self._suffix else given
            for name, values in self._held.items():
                values.setdefault(cells.get(name, ""))
            yield from self._measured(cells, line)
        if line is None:
            self._table.refuse_empty()
        for name in CELL_COLUMNS:
            refuse_mixed(self.path, name, sorted(self._held[name]))

    def _measured(self, cells: Mapping[str, str], line: int) -> Rows:
        value = _value(cells["stereotyped"], self.path, line)
        target = stereotyped(cells, self.path, line) if self._labelled else None
        if value is None and self._labelled and target is None and not _has_no_pair(cells):
            self._controls += 1
            return
        choices = [cells["stereotyped"], cells.get("score_1", "")]
        self._commas = self._commas or ("," in "".join(choices) and decimal_commas(choices))
        sides = [cells.get(name, "").strip() for name in self.terms or ()]
        about = {
            "file": self.number,
            "line": line,
            **{
                name: cells.get(name, "").strip() or None
                for name in ("origin", "attribute_set", "template", "generator")
            },
            "set": cells.get("set", "").strip() or None,
            "bias": _name(cells, self._bias, self._stem),
            "attribute": _name(cells, self.attribute, "") or None,
            "term": _terms(cells),
            "benchmark": int(cells.get("benchmark", "").strip().lower() in ("1", "true", "yes")),
            "group": sides[target] if sides and target is not None else None,
            "against": sides[1 - target] if sides and target is not None else None,
        }
        reason = _reason(cells) if value is None else None
        yield {**about, "measure": PREFERENCE.name, "value": value, "reason": reason}
        margin = None if value is None or target is None else _margin(cells, target)
        if margin is not None:
            yield {**about, "measure": MARGIN.name, "value": margin}

    def _is_read(self, name: str) -> bool:
        return name in {*_READ, self._bias, self.attribute} or name.removesuffix(self._suffix) in _RESULTS

    def _only(self, name: str) -> str:
        """What the rows have in a column in which they do not differ."""
        return next((value.strip() for value in self._held[name] if value.strip()), "")


def _terms(cells: Mapping[str, str]) -> str | None:
    """The words for the two groups, where the file has them."""
    both = [cells.get(name, "").strip() for name in ("term_1", "term_2")]
    return "/".join(both) if any(both) else None


def _log_fields(table: Table) -> PairFields | None:
    """Where a log whose fields have other names holds the two sentences and their scores."""
    if any(name == "stereotyped" or name.startswith("stereotyped.") for name in table.columns):
        return None
    fields = pair_fields([*islice(table.objects(), LOOKED_AT)])
    return fields if fields is not None and (fields.scores or fields.choice) else None


def _scored_cells(fields: PairFields, value: Mapping[str, Any], row: Cells) -> dict[str, str]:
    """The cells of a scored pair; which of the two is preferred follows from the scores, or is what the log says."""
    cells = fields.cells(value)
    scores = [as_number(cells.get(f"score_{side}", "")) for side in (1, 2)]
    if fields.scores is None or scores[0] is None or scores[1] is None:
        return cells | {"stereotyped": row.get(".".join(fields.choice or ()), "")}
    difference = scores[0] - scores[1]
    preferred = "tie" if abs(difference) <= TIE else "1" if difference > 0 else "2"
    choice = ""
    if fields.stereotyped is not None:
        choice = "0.5" if preferred == "tie" else str(int(preferred == str(fields.stereotyped + 1)))
    elif fields.choice:
        choice = row.get(".".join(fields.choice), "")
    return cells | {"preferred": preferred, "stereotyped": choice}


def _told(fields: PairFields) -> str:
    """What a log was taken for."""
    first, second = (f"`{'.'.join(place)}`" for place in fields.texts)
    said = f"read as scored pairs: the sentences are {first} and {second}"
    if fields.scores:
        said += ", their log-probabilities " + " and ".join(f"`{'.'.join(place)}`" for place in fields.scores)
    if fields.stereotyped is not None:
        said += f", the stereotyped one is {(first, second)[fields.stereotyped]}"
    elif fields.choice:
        said += f", `{'.'.join(fields.choice)}` says whether the stereotyped one is preferred"
    return said


def _scorer_suffix(header: Sequence[str], scorer: str | None, path: str | Path) -> str:
    """What is behind the names of the result columns: nothing, or in a file of several scorers the scorer's name."""
    scorers = [name.partition(".")[2] for name in header if name.startswith("stereotyped.")]
    if scorer is not None and scorer not in scorers:
        raise InvalidData(
            f"there is no column `stereotyped.{scorer}`; scorers here: {', '.join(scorers) or 'none'}", file=path
        )
    if scorer is None and "stereotyped" not in header:
        hint = (
            "`tiltmeter score` makes it from pairs or sentences; a log needs two variants of a sentence and their "
            "log-probabilities in each row; of rated texts, --columns value=COLUMN names the ratings, of "
            f"{', '.join(f'`{name}`' for name in header)}"
        )
        if scorers:
            hint = f"the file was scored by several: choose one of {', '.join(scorers)} with --scorer"
        elif REFUSED in header:
            hint = "these are a chat model's answers: rate them with `tiltmeter rate`, then say --columns value=COLUMN"
        raise InvalidData(f"there is no column `stereotyped` (1, 0, 0.5 or blank); {hint}", file=path, line=1)
    return "" if scorer is None else f".{scorer}"


def _has_no_pair(cells: Mapping[str, str]) -> bool:
    """Whether a row of a written sentence could not be made into a pair, so that nobody can say what it would be."""
    return bool(cells.get("unscored", "").strip()) and not cells.get("group_1", "x").strip()


def _reason(cells: Mapping[str, str]) -> str:
    if cells.get("preferred", "").strip():
        return "no label says which of the two sentences is stereotyped"
    return cells.get("unscored", "").strip() or "the column `stereotyped` is blank"


def _name(cells: Mapping[str, str], column: str | None, default: str) -> str:
    return (column and cells[column].strip()) or default


def _column(header: Sequence[str], asked: str | None, path: str | Path) -> str | None:
    if asked is not None and asked not in header:
        raise InvalidData(f"there is no column `{asked}`; the file has {', '.join(header)}", file=path, line=1)
    return asked


def _value(text: str, path: str | Path, line: int) -> float | None:
    if not text.strip():
        return None
    value = as_number(text, comma=True)
    if value is None or not 0 <= value <= 1:
        raise InvalidData(
            f"{text!r} is no choice; right are 1, 0, 0.5 or blank", file=path, line=line, key="stereotyped"
        )
    return value


def _margin(cells: Mapping[str, str], target: int) -> float | None:
    first, second = (as_number(cell, comma=True) for cell in _scores(cells))
    if first is None or second is None:
        return None
    return first - second if target == 0 else second - first


def _scores(cells: Mapping[str, str]) -> tuple[str, str]:
    """The two scores; AutoBiasTest's files have that of the preferred term and that of the other."""
    if "top_term" in cells and "score_1" not in cells:
        logits = cells.get("top_logit", ""), cells.get("bottom_logit", "")
        return logits if cells["top_term"].strip() == cells.get("att_term_1", "").strip() else (logits[1], logits[0])
    return cells.get("score_1", ""), cells.get("score_2", "")
