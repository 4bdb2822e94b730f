"""Writing a table of texts again with what raters made of them, row by row, whole or not at all."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tiltmeter.files import whole_file, write_csv
from tiltmeter.parquet import write_again, write_parquet
from tiltmeter.records import Rating
from tiltmeter.sources.datasets.json_files import stream_json_lines
from tiltmeter.sources.tables import kind_of, read_objects, stream_table

JSON_LINES = (".jsonl", ".ndjson")


class Spool:
    """The ratings of one rater in a temporary file: as many as there are rows, none of them in memory."""

    def __init__(self) -> None:
        self._file: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115
        self.rated = 0
        self.unrated: Counter[str] = Counter()
        self.caveats: Counter[str] = Counter()
        self.labelled = False

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, rating: Rating) -> None:
        """The rating of the next row."""
        if rating.value is None:
            self.unrated[rating.unrated or ""] += 1
        else:
            self.rated += 1
        if rating.caveat:
            self.caveats[rating.caveat] += 1
        self.labelled = self.labelled or rating.label is not None
        self._file.write(json.dumps([rating.value, rating.unrated, rating.label]) + "\n")

    def rows(self) -> Iterator[tuple[float | None, str | None, str | None]]:
        """Value, reason and label of each row, in the order in which they came."""
        self._file.seek(0)
        return ((value, unrated, label) for value, unrated, label in map(json.loads, self._file))


def columns_of(name: str) -> tuple[str, str, str]:
    """The columns that a rater may add: the value, the reason for none, and the label.

    >>> columns_of("regard.minilm.v2")[2]
    'regard.minilm.v2.label'
    """
    return name, f"{name}.unrated", f"{name}.label"


@dataclass(frozen=True, slots=True)
class NewColumns:
    """What one rater adds to the table."""

    name: str
    spool: Spool

    @property
    def types(self) -> dict[str, type]:
        """The columns: value, reason, and label where the rater gives any."""
        value, unrated, label = columns_of(self.name)
        found: dict[str, type] = {value: float, unrated: str}
        return found | ({label: str} if self.spool.labelled else {})

    def cells(self) -> Iterator[dict[str, float | str | None]]:
        """The new cells of each row."""
        return (dict(zip(self.types, found, strict=False)) for found in self.spool.rows())


def write_rated(path: str | Path, out: str | Path, columns: Sequence[str], new: Sequence[NewColumns]) -> None:
    """Write the rows of a table, of which `columns` are all there are, with the new columns after them.

    Old columns of these names are replaced.
    """
    given, ending = kind_of(path), Path(out).suffix.lower()
    replaced = {name for each in new for name in columns_of(each.name)}
    kept = [name for name in columns if name not in replaced]
    types = {name: kind for each in new for name, kind in each.types.items()}
    by_rater = zip(*(each.cells() for each in new), strict=True)
    cells = ({name: cell for one in row for name, cell in one.items()} for row in by_rater)
    if ending == ".parquet" and given == "parquet":
        write_again(path, out, types, cells, without=replaced)
    elif ending == ".parquet":
        blank = dict.fromkeys(kept, "")
        rows = ({**blank, **row, **made} for (_, row), made in zip(stream_table(path), cells, strict=True))
        write_parquet(out, dict.fromkeys(kept, str) | types, rows)
    elif ending in JSON_LINES:
        with whole_file(out) as file:
            for row, made in zip(_as_given(path, given), cells, strict=True):
                old = {name: cell for name, cell in row.items() if name not in replaced}
                file.write(json.dumps({**old, **made}, ensure_ascii=False) + "\n")
    else:
        rows = ({**row, **made} for (_, row), made in zip(stream_table(path), cells, strict=True))
        write_csv(out, [*kept, *types], rows, delimiter="\t" if ending == ".tsv" else ",")


def _as_given(path: str | Path, given: str) -> Iterator[dict[str, Any]]:
    """The rows of a table: those of JSON keep their numbers, lists and objects, beside what a chat log was read as."""
    read = (row for _, row in stream_table(path))
    if given not in ("json", "json-lines"):
        return read
    raw: Iterable[tuple[int, dict[str, Any]]]
    raw = stream_json_lines(path) if given == "json-lines" else read_objects(path)
    return (
        whole | {name: cell for name, cell in row.items() if name.partition(".")[0] not in whole}
        for row, (_, whole) in zip(read, raw, strict=True)
    )
