"""Estimates of a file that holds a choice per pair, whoever scored it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter import specs
from tiltmeter.errors import InvalidData
from tiltmeter.measures.pairs import TIE
from tiltmeter.results.scores import is_published
from tiltmeter.sources.cells import Cells, cells_of, refuse_objects
from tiltmeter.sources.chat_logs import REFUSED
from tiltmeter.sources.numbers import as_number, decimal_commas
from tiltmeter.sources.pair_logs import PairFields, pair_fields
from tiltmeter.sources.pairs_file import OPTIONAL, attribute_column, bias_column, stereotyped
from tiltmeter.sources.tables import Row, read_objects, read_table
from tiltmeter.stats.pairs import PairItem, PairSummary, summarise
from tiltmeter.stats.sets import infer_sets

CELL_COLUMNS = ("model", "source", "scorer")
"""Columns of a scored file whose values must not be mixed in one estimate."""
_RESULTS = ("score_1", "score_2", "preferred", "stereotyped", "unscored")
_TERM_COLUMNS = (("att_term_1", "att_term_2"), ("term_1", "term_2"), ("group_1", "group_2"))


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


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """The rows of a scored file as they count: a choice each, and the cells that say what the pair is."""

    path: str | Path
    rows: tuple[tuple[Mapping[str, str], float | None], ...]
    items: tuple[PairItem, ...]
    unscored: Mapping[str, int]
    controls: int
    sets: str
    notes: tuple[str, ...] = ()


def summarise_file(path: str | Path, columns: Columns | None = None, *, level: float = 0.95) -> FileSummary:
    """Estimates from a file with a column `stereotyped` of 1, 0, 0.5 or blank, or from two scores for each pair."""
    found = read_scored(path, columns)
    summary = summarise(found.items, level=level)
    return FileSummary(summary, found.unscored, found.controls, found.sets, found.notes)


def read_scored(path: str | Path, columns: Columns | None = None) -> ScoredRows:
    """The scored pairs of a file: CSV, JSON lines, AutoBiasTest's JSON, or the log of another program."""
    wanted = columns or Columns()
    header, rows, notes = _table(path)
    suffix = _scorer_suffix(header, wanted.scorer, path)
    if not rows:
        raise InvalidData("the file has a header and no rows", file=path)
    bias = _column(header, wanted.bias, path) or bias_column(header)
    attribute = _column(header, wanted.attribute, path) or attribute_column(header)
    unscored: Counter[str] = Counter()
    kept: list[tuple[dict[str, str], float | None]] = []
    controls = 0
    is_labelled = "label_1" in header and "label_2" in header
    for line, given in _select(rows, header, wanted.where, path):
        cells = given | {key: given[f"{key}{suffix}"] for key in _RESULTS if f"{key}{suffix}" in given}
        refuse_objects(given, OPTIONAL)
        value = _value(cells["stereotyped"], path, line)
        if value is None and is_labelled and stereotyped(cells, path, line) is None and not _has_no_pair(cells):
            controls += 1
            continue
        if value is None:
            unscored[_reason(cells)] += 1
        kept.append((cells, value))
    if any(decimal_commas([cells["stereotyped"], cells.get("score_1", "")]) for cells, _ in kept):
        notes.append("a comma is read as the decimal sign")
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
            template=cells.get("template", "").strip() or None,
            terms=_terms(cells) if _name(cells, attribute, "") else None,
            published=is_published(wanted.scorer or cells.get("scorer", ""), cells.get("source", "")),
        )
        for index, (cells, value) in enumerate(kept)
    ]
    return ScoredRows(path, tuple(kept), tuple(items), unscored, controls, origin, tuple(notes))


def _terms(cells: Mapping[str, str]) -> str | None:
    """The words for the two groups, where the file has them."""
    both = [cells.get(name, "").strip() for name in ("term_1", "term_2")]
    return "/".join(both) if any(both) else None


def _table(path: str | Path) -> tuple[list[str], list[Row], list[str]]:
    """Columns and rows; those of a log whose fields have other names get the columns of a scored file."""
    header, rows = read_table(path)
    if any(name == "stereotyped" or name.startswith("stereotyped.") for name in header):
        return header, rows, []
    objects = read_objects(path)
    fields = pair_fields([value for _, value in objects])
    if fields is None or not (fields.scores or fields.choice):
        return header, rows, []
    every = [(line, value, cells_of(value, path, line)) for line, value in objects]
    made = [(line, cells | _scored_cells(fields, value, cells)) for line, value, cells in every]
    header = list(dict.fromkeys(name for _, cells in made for name in cells))
    return header, [(line, cells.aligned(header)) for line, cells in made], [_told(fields)]


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
            "log-probabilities in each row; of rated texts, --value names the ratings, of the columns "
            f"{', '.join(f'`{name}`' for name in header)}"
        )
        if scorers:
            hint = f"the file was scored by several: choose one of {', '.join(scorers)} with --scorer"
        elif REFUSED in header:
            hint = "these are answers of a chat model: `tiltmeter rate` rates them, and --value names the ratings"
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


def _select(
    rows: list[tuple[int, dict[str, str]]], header: Sequence[str], where: Mapping[str, str], path: str | Path
) -> list[tuple[int, dict[str, str]]]:
    for column, value in where.items():
        _column(header, column, path)
        found = sorted({cells[column] for _, cells in rows})
        rows = [(line, cells) for line, cells in rows if cells[column] == value]
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


def _value(text: str, path: str | Path, line: int) -> float | None:
    if not text.strip():
        return None
    value = as_number(text, comma=True)
    if value is None or not 0 <= value <= 1:
        raise InvalidData(
            f"{text!r} is no choice; right are 1, 0, 0.5 or blank", file=path, line=line, key="stereotyped"
        )
    return value


def _margin(cells: Mapping[str, str]) -> float | None:
    target = stereotyped(cells)
    first, second = (as_number(cell, comma=True) for cell in _scores(cells))
    if target is None or first is None or second is None:
        return None
    return first - second if target == 0 else second - first


def _scores(cells: Mapping[str, str]) -> tuple[str, str]:
    """The two scores; AutoBiasTest's files have that of the preferred term and that of the other."""
    if "top_term" in cells and "score_1" not in cells:
        logits = cells.get("top_logit", ""), cells.get("bottom_logit", "")
        return logits if cells["top_term"].strip() == cells.get("att_term_1", "").strip() else (logits[1], logits[0])
    return cells.get("score_1", ""), cells.get("score_2", "")


def _sets(
    kept: Sequence[tuple[Mapping[str, str], float | None]],
    header: Sequence[str],
    bias: str | None,
    attribute: str | None,
) -> tuple[list[str | None], str]:
    """The attribute set of each row: as the file says, as the library's spec of that bias says, or worked out.

    One way for a whole bias: names of sets from two ways would not mean the same sets.
    """
    if "attribute_set" in header:
        return [cells["attribute_set"].strip() or None for cells, _ in kept], "given"
    if attribute is None:
        return [None] * len(kept), "not known: the file names no attributes"
    keys = [(_name(cells, bias, ""), cells[attribute].strip()) for cells, _ in kept]
    published = _library_sets({name for name, _ in keys})
    open_biases = {name for name, word in keys if (name, _spelling(word)) not in published}
    terms = next((pair for pair in _TERM_COLUMNS if set(pair) <= set(header)), None)
    rows = []
    for key, (cells, _) in zip(keys, kept, strict=True):
        target = stereotyped(cells)
        if terms and target is not None and key[0] in open_biases:
            rows.append((*key, cells[terms[target]].strip(), cells[terms[1 - target]].strip()))
    inferred = infer_sets(rows)
    sets = [
        inferred.sets.get((name, word)) if name in open_biases else published[name, _spelling(word)]
        for name, word in keys
    ]
    ways = ["of the library's specs"] if len(open_biases) < len({name for name, _ in keys}) else []
    ways += ["worked out from the labels"] if inferred.sets else []
    ways += [f"not known for {name}: {reason}" for name, reason in inferred.reasons.items()]
    ways += ["not known: the file has no labels or no group terms"] if open_biases and not rows else []
    return sets, "; ".join(ways)


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
