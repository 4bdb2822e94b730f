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
from tiltmeter.parquet import fill, sql_text
from tiltmeter.results.files.attribute_sets import attribute_sets
from tiltmeter.results.files.loaded import GivenRows, answers, loaded, summed
from tiltmeter.results.files.tables import Table, refuse_mixed
from tiltmeter.results.scores import is_published
from tiltmeter.sources.cells import Cells
from tiltmeter.sources.chat_logs import REFUSED
from tiltmeter.sources.numbers import as_number, decimal_commas
from tiltmeter.sources.pair_logs import LOOKED_AT, PairFields, pair_fields
from tiltmeter.sources.pairs_file import OPTIONAL, attribute_column, bias_column, stereotyped
from tiltmeter.stats.views.pairs import PairItem, PairSummary, summarise

NOT_POOLED = ("source", "scorer")
"""Columns of a scored file whose values must not be mixed in one estimate, as models must not."""
_MODEL = ("model", "tested_model")
_RESULTS = ("score_1", "score_2", "preferred", "stereotyped", "unscored")
_TERM_COLUMNS = (("att_term_1", "att_term_2"), ("term_1", "term_2"), ("group_1", "group_2"))
_LABELS = ("label_1", "label_2")
_FURTHER = (*_LABELS, "top_term", "top_logit", "bottom_logit", "template", "structure", "set", "generator", "benchmark")
_READ = {*_RESULTS, *_FURTHER, *OPTIONAL, *NOT_POOLED, *_MODEL, *chain(*_TERM_COLUMNS)}
_SCORED = (
    *("bias", "attribute", "origin", "attribute_set", "template", "term", "group", "against"),
    *("model", "set", "generator", "measure", "value", "reason", "benchmark"),
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
    set: str | None = None
    generator: str | None = None
    model: str | None = None


class Scored(NamedTuple):
    """Pairs of a file that differ in nothing here, summed."""

    file: int
    model: str
    set: str
    generator: str
    item: PairItem


@dataclass(frozen=True, slots=True)
class ScoredFile:
    """What a file says of its rows beside the numbers."""

    path: str | Path
    models: tuple[str, ...]
    """In the order in which they come; of a file that names none, a blank."""
    source: str
    scorer: str
    controls: Mapping[str, int]
    """By model, as the pairs without a value."""
    unscored: Mapping[str, Mapping[str, int]]
    sets: str
    notes: tuple[str, ...] = ()


def summarise_file(path: str | Path, columns: Columns | None = None, *, level: float = 0.95) -> FileSummary:
    """Estimates from a file with a column `stereotyped` of 1, 0, 0.5 or blank, or from two scores for each pair."""
    [file], pairs = read_scored([path], columns)
    refuse_mixed(path, (columns and columns.model) or "model", sorted(file.models))
    return summarised([file], pairs, file.models[0], level)


def summarised(files: Sequence[ScoredFile], pairs: Sequence[Scored], model: str, level: float) -> FileSummary:
    """Estimates over all pairs of one model in some files."""
    unscored: Counter[str] = Counter()
    for one in files:
        unscored.update(one.unscored.get(model, {}))
    return FileSummary(
        summarise([pair.item for pair in pairs], level=level),
        unscored,
        sum(one.controls.get(model, 0) for one in files),
        "; ".join(dict.fromkeys(one.sets for one in files)),
        tuple(dict.fromkeys(note for one in files for note in one.notes)),
    )


def read_scored(paths: Sequence[str | Path], columns: Columns | None = None) -> tuple[list[ScoredFile], list[Scored]]:
    """The scored pairs of files: CSV, JSON, Parquet, AutoBiasTest's JSON, or the log of another program."""
    read = [_Reading(number, path, columns or Columns()) for number, path in enumerate(paths)]
    with loaded(_SCORED) as found:
        for each in read:
            each.measure(found)
        sets = [attribute_sets(found, each.number, each.columns, each.attribute) for each in read]
        keys = ("file", "model", "set", "generator", "bias", "attribute", "origin", "attribute_set", "template", "term")
        pairs = [
            Scored(
                row["file"],
                row["model"] or "",
                row["set"] or "",
                row["generator"] or "",
                _item(row, sets[row["file"]][0], read[row["file"]].is_published(row["generator"] or "")),
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


def _reasons(found: Any, read: _Reading) -> dict[str, dict[str, int]]:
    query = (
        "SELECT coalesce(model, '') AS model, reason, count(*) AS pairs FROM measurements "
        f"WHERE file = {read.number} AND {_PREFERRED} AND reason IS NOT NULL GROUP BY ALL ORDER BY min(line)"
    )
    made: dict[str, dict[str, int]] = {}
    for row in answers(found, query):
        made.setdefault(row["model"], {})[row["reason"]] = row["pairs"]
    return made


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
        self._set = _column(self.columns, columns.set, path) or "set"
        self._generator = _column(self.columns, columns.generator, path) or "generator"
        asked = _column(self.columns, columns.model, path)
        self._model = [asked] if asked else [name for name in _MODEL if name in self.columns]
        self._asked = columns
        self._held: dict[str, list[str]] = {}
        self._models: tuple[str, ...] = ("",)
        self._controls: dict[str, int] = {}
        self._commas = False

    def is_published(self, generator: str) -> bool:
        """Whether scorer or source, which may be what tells generators apart, is the form of a paper."""
        source = generator if self._generator == "source" else self._only("source")
        return is_published(self._asked.scorer or self._only("scorer"), source)

    def file(self, unscored: Mapping[str, Mapping[str, int]], sets: str) -> ScoredFile:
        """What is to be said of the file, once it has been read."""
        notes = [] if self._fields is None else [_told(self._fields)]
        notes += ["a comma is read as the decimal sign"] if self._commas else []
        named = self._only("source"), self._only("scorer")
        return ScoredFile(self.path, self._models, *named, self._controls, unscored, sets, tuple(notes))

    def measure(self, found: Any) -> None:
        """The measurements of each pair; controls are counted."""
        named = [*_READ, self._bias, self.attribute, self._set, self._generator, *self._model]
        named += map(self._result, _RESULTS)
        given = GivenRows(found, self._table, named, self._asked.where, single=_READ)
        rows = self._pairs(given)
        labelled = not {*_LABELS}.isdisjoint(self.columns)
        # A row of a written sentence that could not be made into a pair is no control: nobody can say what it would be.
        no_pair = f"{given.text(self._result('unscored'))} <> '' AND {given.text('group_1')} = ''"
        control = f"{labelled} AND choice IS NULL AND target IS NULL"
        control += f" AND NOT ({no_pair})" if "group_1" in self.columns else ""
        model = self._model_of(given)
        self._models = tuple(row["key"] for row in given.each(model))
        if "" in self._models:
            refuse_mixed(self.path, self._model[0] if self._model else "model", sorted(self._models))
        query = f"SELECT {model} AS model, count(*) AS pairs FROM {rows} WHERE {control} GROUP BY 1"
        self._controls = {row["model"]: row["pairs"] for row in answers(found, query)}
        rows = f"(SELECT * FROM {rows} WHERE NOT ({control}))"
        texts = ", ".join(given.cell(self._result(name)) for name in ("stereotyped", "score_1"))
        query = f"SELECT DISTINCT [{texts}] AS choices FROM {rows} WHERE contains(concat({texts}), ',')"
        self._commas = any(decimal_commas(row["choices"]) for row in answers(found, query))
        about = self._about(given)
        reason = (
            f"CASE WHEN choice IS NOT NULL THEN NULL WHEN {given.text(self._result('preferred'))} <> '' THEN "
            "'no label says which of the two sentences is stereotyped' ELSE "
            f"coalesce({given.name(self._result('unscored'))}, 'the column `stereotyped` is blank') END"
        )
        given.measure({**about, "measure": f"'{PREFERENCE.name}'", "value": "choice", "reason": reason}, rows)
        margin = self._margin(given)
        rows = f"(SELECT *, {margin} AS margin FROM {rows} WHERE choice IS NOT NULL)"
        given.measure({**about, "measure": f"'{MARGIN.name}'", "value": "margin"}, f"{rows} WHERE margin IS NOT NULL")
        # A column that tells models, generators or sets apart may hold several.
        apart = {self._set, self._generator, *self._model}
        for name in NOT_POOLED:
            self._held[name] = given.distinct(name) if name in self.columns and name not in apart else []
            refuse_mixed(self.path, name, sorted(self._held[name]))

    def _model_of(self, given: GivenRows) -> str:
        """The tested model of a row, or a blank."""
        return f"coalesce({', '.join([*map(given.name, self._model), sql_text('')])})"

    def _pairs(self, given: GivenRows) -> str:
        """The rows with the `choice` of each, and which of its sentences, 0 or 1, is the `target` of the stereotype."""
        name = self._result("stereotyped")
        choice = given.number(name, lambda text, line: _value(text, self.path, line))
        given.refuse(f"{choice} NOT BETWEEN 0 AND 1", _no_choice, given.cell(name), "stereotyped")
        labels = [given.cell(label) for label in _LABELS]
        # One label says what the other is.
        both = () if {*_LABELS}.isdisjoint(self.columns) else given.each(f"[{', '.join(labels)}]")
        named = ((dict(zip(_LABELS, row["key"], strict=True)), row["line"]) for row in both)
        targets = ({**cells, "target": stereotyped(cells, self.path, line)} for cells, line in named)
        given.found.execute("DROP TABLE IF EXISTS targets")
        fill(given.found, "targets", {"label_1": str, "label_2": str, "target": int}, targets)
        same = f"label_1 = {labels[0]} AND label_2 = {labels[1]}"
        return f"(SELECT kept.*, {choice} AS choice, target FROM kept LEFT JOIN targets ON {same})"

    def _about(self, given: GivenRows) -> dict[str, str]:
        """What all measurements of a pair have in common."""
        terms = [given.text(name) for name in ("term_1", "term_2")]
        sides = next((pair for pair in _TERM_COLUMNS if {*pair} <= {*self.columns}), None)
        group, against = (
            f"CASE target WHEN 0 THEN {given.text(one)} WHEN 1 THEN {given.text(other)} END" if sides else "NULL"
            for one, other in ((sides, sides[::-1]) if sides else ((None, None),) * 2)
        )
        return {
            "file": str(self.number),
            **{name: given.name(name) for name in ("origin", "attribute_set")},
            # Sentences in one structure resemble one another as those of one template do.
            "template": given.name("template" if "template" in self.columns else "structure"),
            "model": self._model_of(given),
            "generator": given.name(self._generator),
            "set": given.name(self._set),
            "bias": f"coalesce({given.name(self._bias)}, {sql_text(Path(self.path).stem)})",
            "attribute": given.name(self.attribute),
            "term": f"nullif(concat_ws('/', {', '.join(terms)}), '/')",
            "benchmark": f"(lower({given.text('benchmark')}) IN ('1', 'true', 'yes'))::BIGINT",
            "group": group,
            "against": against,
        }

    def _margin(self, given: GivenRows) -> str:
        """How much the score of the stereotyped sentence is above that of the other."""
        scores = [self._result("score_1"), self._result("score_2")]
        turned = "false"
        if "top_term" in self.columns and scores[0] not in self.columns:
            # AutoBiasTest's files have the score of the preferred term and that of the other.
            scores = ["top_logit", "bottom_logit"]
            turned = f"{given.text('top_term')} <> {given.text('att_term_1')}"
        first, second = (given.number(name, lambda text, _: as_number(text, comma=True)) for name in scores)
        return f"({first} - {second}) * CASE WHEN (target = 0) <> ({turned}) THEN 1 WHEN target IS NOT NULL THEN -1 END"

    def _result(self, name: str) -> str:
        """The column of a result, of the scorer that counts."""
        return f"{name}{self._suffix}" if f"{name}{self._suffix}" in self.columns else name

    def _only(self, name: str) -> str:
        """What the rows have in a column in which they do not differ."""
        return next((value.strip() for value in self._held[name] if value.strip()), "")


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


def _column(header: Sequence[str], asked: str | None, path: str | Path) -> str | None:
    if asked is not None and asked not in header:
        raise InvalidData(f"there is no column `{asked}`; the file has {', '.join(header)}", file=path, line=1)
    return asked


def _value(text: str, path: str | Path, line: int) -> float:
    value = as_number(text, comma=True)
    if value is None:
        raise InvalidData(_no_choice(text), file=path, line=line, key="stereotyped")
    return value


def _no_choice(text: str) -> str:
    return f"{text!r} is no choice; right are 1, 0, 0.5 or blank"
