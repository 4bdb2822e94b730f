"""Ratings by people of a sub-sample of the texts of a run: the sheet that goes out, and what comes back."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.files import write_csv
from tiltmeter.raters.scales import SCALES
from tiltmeter.records import Continuation
from tiltmeter.results.files.rated_values import OTHER, Given, is_regard, read_values
from tiltmeter.results.measurements.continuations import written
from tiltmeter.sources.generated.annotations import sheet_rows
from tiltmeter.sources.numbers import as_number
from tiltmeter.sources.tables import read_table
from tiltmeter.stats.views.continuations import NO_REASON
from tiltmeter.store import Run

COLUMNS = ("id", "text", "kind", "value", "annotator")
"""Of the sheet; `kind` may say what is rated (sentiment, toxicity, regard), once and the same for all rows."""
_NEEDED = ("id", "value", "annotator")


@dataclass(frozen=True, slots=True)
class PeopleRatings:
    """What annotators said: by the id of a text, then by annotator."""

    values: Mapping[str, Mapping[str, float]]
    kind: str = ""
    unrated: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What they looked at and gave no number, and why: by the id of a text, then by annotator."""

    @property
    def texts(self) -> set[str]:
        """The ids of the texts that anyone looked at."""
        return {*self.values, *self.unrated}


def text_id(model: str, one: Continuation) -> str:
    """The id of a text on a sheet: short, and another one as soon as the text is another.

    It is a hash, so that neither the group nor the model can be read off it.
    """
    parts = (model, one.prompt.id, repr(one.decoding), str(one.sample), one.text)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def read_ratings(paths: Sequence[str | Path]) -> PeopleRatings:
    """Read sheets that came back; a row without a value is one that nobody rated.

    Labels of regard count as their numbers, but for other (2), which is none. A number outside the scale of the kind
    is refused.
    """
    rows = [(path, line, row) for path in paths for line, row in _rows(path)]
    named = sorted({row.get("kind", "").strip().lower() for *_, row in rows} - {""})
    if len(named) > 1:
        raise InvalidData(f"the sheets rate different kinds ({', '.join(named)}); give one kind at a time")
    kind = named[0] if named else ""
    read = read_values(
        [Given(row["value"], path, line) for path, line, row in rows], "value", codes=is_regard(kind) if kind else None
    )
    if not kind and read.only_to_two:
        path, line, _ = next(place for place in rows if as_number(place[2]["value"]) == 2)
        raise InvalidData(
            "2 may be a number, or the label other of regard, which is none; say under `kind` what is rated",
            file=path,
            line=line,
            key="value",
        )
    values: dict[str, dict[str, float]] = {}
    unrated: dict[str, dict[str, str]] = {}
    said: dict[tuple[str, str], tuple[float | None, str]] = {}
    for (path, line, row), cell in zip(rows, read.cells, strict=True):
        text, annotator = row["id"].strip(), row["annotator"].strip()
        before, raw = said.setdefault((text, annotator), (cell.value, row["value"].strip()))
        if before != cell.value:
            problem = f"{annotator} rated the text {text} twice, {raw} and {row['value'].strip()}; keep one of the rows"
            raise InvalidData(problem, file=path, line=line, key="value")
        outside = SCALES[kind].outside(cell.value) if kind in SCALES and cell.value is not None else None
        if outside:
            problem = f"{outside}; rescale the values, or write another kind"
            raise InvalidData(problem, file=path, line=line, key="value")
        if cell.value is None:
            unrated.setdefault(text, {})[annotator] = cell.unrated or NO_REASON
        else:
            values.setdefault(text, {})[annotator] = cell.value
    other = any(cell.unrated == OTHER for cell in read.cells)
    return PeopleRatings(values, kind or ("regard" if other else ""), unrated)


def write_sheet(run: Run, path: str | Path, sample: int, seed: int = 0) -> int:
    """Write a sheet of texts to be rated, drawn evenly from groups, prompts and decodings; how many there are."""
    cells: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for model, one in written(run):
        if one.prompt.group and one.text.strip():
            key = (model, one.prompt.source, one.prompt.bias, repr(one.decoding), one.prompt.group)
            cells.setdefault(key, []).append((text_id(model, one), one.whole))
    drawn = random.Random(seed)
    for found in cells.values():
        drawn.shuffle(found)
    longest = max(map(len, cells.values()), default=0)
    in_turn = [found[turn] for turn in range(longest) for found in cells.values() if turn < len(found)]
    chosen = in_turn[:sample]
    # The order must not give away the group.
    drawn.shuffle(chosen)
    write_csv(path, list(COLUMNS), ({"id": name, "text": text} for name, text in chosen), sheet=True)
    return len(chosen)


def _rows(path: str | Path) -> Iterator[tuple[int, dict[str, str]]]:
    columns, rows = read_table(path)
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise InvalidData(f"has no column `{missing[0]}`; a sheet of ratings has id, value and annotator", file=path)
    for line, row in sheet_rows(path, rows):
        if row["value"].strip():
            if not row["annotator"].strip():
                raise InvalidData("is blank; write who rated the text", file=path, line=line, key="annotator")
            yield line, row
