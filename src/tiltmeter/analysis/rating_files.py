"""Ratings of the texts of a table: the same table with a column for each rater, and one for why a rating is missing."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tiltmeter.errors import InvalidData, MissingExtra, UnknownName
from tiltmeter.files import whole_file
from tiltmeter.raters import Rater, mask_group
from tiltmeter.records import Rating
from tiltmeter.sources.datasets.structured import read_json_lines
from tiltmeter.sources.tables import Row, column, read_table

KINDS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_BATCH = 256


class Watcher(Protocol):
    """Whoever wants to know how far the work is."""

    def start(self, what: str, total: int, done: int) -> None:
        """A stretch of work begins."""
        ...

    def advance(self, steps: int) -> None:
        """So many more texts are done."""
        ...


@dataclass(frozen=True, slots=True)
class Masking:
    """What stands for the group in a text: terms of all groups, terms by group, a column that holds the term."""

    terms: tuple[str, ...] = ()
    by_group: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    group: str | None = None
    """The column of the group; without it the terms of every group are masked."""
    column: str | None = None

    @property
    def given(self) -> bool:
        """Whether anything is to be masked."""
        return bool(self.terms or self.by_group or self.column)


@dataclass(frozen=True, slots=True)
class RatedColumn:
    """What one rater made of the texts of a file, row by row."""

    rater: str
    column: str
    ratings: tuple[Rating, ...]
    unmasked: int | None
    """Texts in which nothing was masked, of a rater that wants the group masked; None for the others."""
    facts: Mapping[str, str]

    @property
    def cells(self) -> dict[str, list[float | str | None]]:
        """The new columns: value, reason, and label where the rater gives any."""
        made: dict[str, list[float | str | None]] = {
            self.column: [rating.value for rating in self.ratings],
            f"{self.column}.unrated": [rating.unrated for rating in self.ratings],
        }
        if any(rating.label is not None for rating in self.ratings):
            made[f"{self.column}.label"] = [rating.label for rating in self.ratings]
        return made

    def as_json(self) -> dict[str, Any]:
        """What was rated and what was not."""
        unrated = Counter(rating.unrated for rating in self.ratings if rating.value is None)
        return {
            "rater": self.rater,
            "column": self.column,
            "rated": len(self.ratings) - unrated.total(),
            "unrated": dict(unrated),
            "unmasked": self.unmasked,
            "facts": dict(self.facts),
        }


def check_kind(path: str | Path) -> None:
    """Refuse a name that does not say what kind of table it is."""
    if Path(path).suffix.lower() not in KINDS:
        raise InvalidData(f"the name does not end in {', '.join(KINDS)}, so its kind is not known", file=path)


def rate_file(
    path: str | Path,
    out: str | Path,
    raters: Sequence[Rater],
    *,
    text: str = "text",
    masking: Masking | None = None,
    watcher: Watcher | None = None,
) -> list[RatedColumn]:
    """Rate the texts of a table and write it again, with what was found; nothing is written before all is rated."""
    check_kind(path)
    check_kind(out)
    columns, rows = read_table(path)
    column(columns, text, path, "--text")
    if not rows:
        raise InvalidData("the file has a header and no rows", file=path)
    texts = [cells[text] for _, cells in rows]
    masked = _masked(texts, rows, columns, masking or Masking(), path)
    names = _column_names(raters)
    found = []
    for rater, name in zip(raters, names, strict=True):
        wanted = masked if rater.wants_mask else texts
        unmasked = sum(one == other for one, other in zip(masked, texts, strict=True)) if rater.wants_mask else None
        found.append(RatedColumn(rater.name, name, _rated(rater, wanted, watcher), unmasked, dict(rater.facts)))
    made = {name: cells for each in found for name, cells in each.cells.items()}
    _write(path, out, columns, rows, made)
    return found


def _rated(rater: Rater, texts: Sequence[str], watcher: Watcher | None) -> tuple[Rating, ...]:
    """One rating for each text, equal texts once."""
    different = list(dict.fromkeys(texts))
    if watcher:
        watcher.start(rater.name, len(different), 0)
    known: dict[str, Rating] = {}
    for start in range(0, len(different), _BATCH):
        batch = different[start : start + _BATCH]
        known |= dict(zip(batch, rater.rate(batch), strict=True))
        if watcher:
            watcher.advance(len(batch))
    return tuple(known[text] for text in texts)


def _masked(
    texts: Sequence[str], rows: Sequence[Row], columns: Sequence[str], masking: Masking, path: str | Path
) -> list[str]:
    for name, option in ((masking.group, "--group"), (masking.column, "--mask-column")):
        if name is not None:
            column(columns, name, path, option)
    every = tuple(term for terms in masking.by_group.values() for term in terms)
    masked = []
    for text, (line, cells) in zip(texts, rows, strict=True):
        terms = [*masking.terms, *([cells[masking.column]] if masking.column else [])]
        if masking.by_group and masking.group:
            group = cells[masking.group].strip()
            if group not in masking.by_group:
                problem = UnknownName("group", group, masking.by_group).problem
                raise InvalidData(f"{problem} (its terms are to be masked)", file=path, line=line, key=masking.group)
            terms += masking.by_group[group]
        else:
            terms += every
        masked.append(mask_group(text, terms=terms))
    return masked


def _column_names(raters: Sequence[Rater]) -> list[str]:
    """The raters' names without what stands after a colon, unless two would then be called the same."""
    short = [rater.name.partition(":")[0] for rater in raters]
    return [rater.name if short.count(name) > 1 else name for rater, name in zip(raters, short, strict=True)]


def _write(
    path: str | Path,
    out: str | Path,
    columns: Sequence[str],
    rows: Sequence[Row],
    made: Mapping[str, Sequence[float | str | None]],
) -> None:
    kinds = [Path(each).suffix.lower() for each in (path, out)]
    if kinds[1] == ".parquet":
        _write_parquet(path if kinds[0] == ".parquet" else None, out, columns, rows, made)
    elif kinds[1] in (".jsonl", ".ndjson"):
        # Lines that were JSON keep their numbers, lists and objects.
        same = kinds[0] in (".jsonl", ".ndjson")
        given: list[Mapping[str, Any]] = [row for _, row in (read_json_lines(path) if same else rows)]
        with whole_file(out) as file:
            for index, row in enumerate(given):
                line = {**row, **{name: cells[index] for name, cells in made.items()}}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    else:
        kept = [name for name in columns if name not in made]
        with whole_file(out) as file:
            writer = csv.writer(file, delimiter="\t" if kinds[1] == ".tsv" else ",", lineterminator="\n")
            writer.writerow([*kept, *made])
            for index, (_, row) in enumerate(rows):
                new = (cells[index] for cells in made.values())
                writer.writerow([*(row[name] for name in kept), *("" if cell is None else cell for cell in new)])


def _write_parquet(
    given: str | Path | None,
    out: str | Path,
    columns: Sequence[str],
    rows: Sequence[Row],
    made: Mapping[str, Sequence[float | str | None]],
) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("Parquet files", "parquet", "pyarrow") from None
    if given is not None:
        table = pyarrow.parquet.read_table(str(given))
    else:
        table = pyarrow.table({name: [row[name] for _, row in rows] for name in columns})
    table = table.drop_columns([name for name in made if name in table.column_names])
    for name, cells in made.items():
        text = name.endswith((".unrated", ".label"))
        table = table.append_column(name, pyarrow.array(cells, pyarrow.string() if text else pyarrow.float64()))
    with whole_file(out, "wb") as file:
        pyarrow.parquet.write_table(table, file)
