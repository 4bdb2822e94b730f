"""Sheets of what people said, in the form that `tiltmeter report` reads, out of a run and into it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.files import csv_text, whole_file
from tiltmeter.results.summary.labels import matched, read_labels
from tiltmeter.results.summary.people_ratings import COLUMNS as RATING_COLUMNS
from tiltmeter.results.summary.people_ratings import read_ratings
from tiltmeter.sources.generated.annotations import COLUMNS as ISSUE_COLUMNS
from tiltmeter.sources.generated.annotations import ISSUES, NONE
from tiltmeter.store.annotations import Annotations, Item, Scale, annotator_name
from tiltmeter.store.rows import rows_of
from tiltmeter.web.annotating.items import every_item, id_on_sheet, items
from tiltmeter.web.annotating.tasks import ISSUES_TASK, SCALES, kind_of, rating_task
from tiltmeter.web.texts.pairs import PairTexts
from tiltmeter.web.workbench import plain_name

Sheet = TypeVar("Sheet")


def issue_sheet(kept: Annotations, annotator: str, *, only: Iterable[str] | None = None) -> str:
    """The sheet of one annotator, as `tiltmeter report --labels` reads it; `only` of these items."""
    own = kept.marks(ISSUES_TASK).get(annotator, {})
    chosen = list(own) if only is None else [id_ for id_ in only if id_ in own]
    rows: dict[str, dict[str, str]] = {}
    for id_, item in kept.items(chosen).items():
        marks = {issue: "x" for issue in ISSUES if issue in own[id_].issues} or {NONE: "x"}
        # Of two sentences that stood in one place, one after the other, the sheet has the later one.
        name = id_on_sheet(item)
        rows[name] = {"id": name, "text": item.text, "term": item.term, "attribute": item.attribute, **marks}
    return csv_text(ISSUE_COLUMNS, rows.values(), sheet=True)


def rating_sheet(kept: Annotations, kind: str) -> str:
    """The ratings of all annotators, as `tiltmeter report --ratings` reads them."""
    rows = []
    for annotator, own in kept.marks(rating_task(kind)).items():
        for id_, item in kept.items(list(own)).items():
            value = f"{own[id_].number:.15g}"
            rows.append({"id": id_, "text": item.text, "kind": kind, "value": value, "annotator": annotator})
    return csv_text(RATING_COLUMNS, rows, sheet=True)


def write_sheets(folder: Path, place: Path, kind: str) -> tuple[list[Path], list[Path]]:
    """The sheets that fit into a report: labels of written sentences, and ratings of a kind (blank: none)."""
    kept = Annotations(folder)
    labels, ratings = [], []
    marks = kept.marks(ISSUES_TASK)
    written = _written(folder, kept.items(list(dict.fromkeys(id_ for own in marks.values() for id_ in own))))
    names = _file_names(list(marks))
    for annotator, own in marks.items():
        if not written.isdisjoint(own):
            labels.append(_write(place / f"{names[annotator]}.csv", issue_sheet(kept, annotator, only=written)))
    if kind and kept.marks(rating_task(kind)):
        ratings.append(_write(place / f"ratings-{plain_name(kind)}.csv", rating_sheet(kept, kind)))
    return labels, ratings


def import_issues(folder: Path, annotator: str, text: str) -> tuple[int, int]:
    """Take over the sheet of an annotator; how many sentences it judges, and how many of them are not in the run."""
    labels = _read(text, read_labels)
    [judged] = labels.annotations.by_annotator.values()
    query = "select number from items where view = 'pairs' and json_extract(item, '$.written_for') is not null"
    rows = rows_of(folder, query)
    found = PairTexts(folder).pairs([number for (number,) in rows])
    by_pair = {one.pair.id: one.number for one in found}
    fitting = matched(labels, [one.pair for one in found])
    places = {name: by_pair[pair] for pair, name in fitting.items() if name in judged}
    marks = []
    for name, number in places.items():
        for item in items(folder, "pairs", [number]):
            marks.append((item, " ".join(sorted(judged[name]))))
    if judged and not marks:
        raise UserError(
            "no judged row of the sheet has the id and the text of a written sentence of this run; "
            "the sheets that this page exports have"
        )
    _take_over(Annotations(folder), annotator, ISSUES_TASK, marks)
    return len(marks), len(judged) - len(marks)


def import_ratings(folder: Path, text: str, kind: str) -> tuple[int, int]:
    """Take over a sheet of ratings; how many ratings it has, and how many of them are of no text of the run."""
    people = _read(text, read_ratings)
    named = people.kind or kind
    if not named:
        raise UserError("the sheet does not say what it rates; choose the kind, or fill in its column `kind`")
    total = sum(map(len, people.values.values()))
    found = [item for item in every_item(folder, "continuations") if item.id in people.texts]
    if total and not found:
        raise UserError("no row of the sheet has the id of a text of this run; the sheets that this page exports have")
    kept = Annotations(folder)
    scale = kept.scales().get(named) or SCALES.get(named) or _seen(named, people.values)
    by_annotator: dict[str, list[tuple[Item, str | None]]] = {}
    for item in found:
        for annotator, value in people.values.get(item.id, {}).items():
            marked = (item, repr(_within(scale, value)))
            by_annotator.setdefault(annotator, []).append(marked)
        for annotator in people.unrated.get(item.id, {}):
            # Looked at, and given no number: skipped.
            by_annotator.setdefault(annotator, []).append((item, None))
    kept.keep_scale(scale)
    for annotator, marks in by_annotator.items():
        _take_over(kept, annotator, rating_task(named), marks)
    taken = sum(value is not None for marks in by_annotator.values() for _, value in marks)
    return taken, total - taken


def is_rating_sheet(text: str) -> bool:
    """Whether the header of a sheet is one of ratings."""
    header = next(csv.reader(io.StringIO(text.lstrip("\ufeff"))), [])
    return "value" in [cell.strip() for cell in header]


def sheet_name(task: str, annotator: str) -> str:
    """What the file of a sheet is called.

    >>> sheet_name("issues", "Ann B."), sheet_name("rating:regard", "")
    ('ann-b.csv', 'ratings-regard.csv')
    """
    return f"ratings-{plain_name(kind_of(task))}.csv" if kind_of(task) else f"{plain_name(annotator)}.csv"


def _take_over(kept: Annotations, annotator: str, task: str, marks: Sequence[tuple[Item, str | None]]) -> None:
    """Add what a sheet says that is not known yet: a mark that comes back as it went out stays as blind as it was."""
    own = kept.own(annotator_name(annotator), task)
    new = [(item, value) for item, value in marks if item.id not in own or own[item.id].value != value]
    if new:
        kept.mark(annotator, task, new)


def _within(scale: Scale, value: float) -> float:
    """A value of a sheet: within the ends; between the steps is as good as on them."""
    return Scale(scale.kind, scale.low, scale.high).checked(value)


def _seen(kind: str, values: Mapping[str, Mapping[str, float]]) -> Scale:
    """A scale as wide as the values of a sheet."""
    every = [value for found in values.values() for value in found.values()] or [0.0]
    low, high = min(every), max(every)
    return Scale(kind, low, high if high > low else low + 1)


def _written(folder: Path, found: Mapping[str, Item]) -> set[str]:
    """Those of the items that are sentences which a model wrote for the test, as the run has them now."""
    places = {item.number: id_ for id_, item in found.items() if item.view == "pairs"}
    pairs = PairTexts(folder).pairs(list(places))
    written = {item.id for one in pairs if one.pair.written_for for item in items(folder, "pairs", [one.number])}
    return written & set(places.values())


def _file_names(annotators: Sequence[str]) -> dict[str, str]:
    """A plain name for the file of each annotator, after which the report calls them."""
    found: dict[str, str] = {}
    for annotator in annotators:
        name, number = plain_name(annotator), 2
        while name in found.values():
            name, number = f"{plain_name(annotator)}-{number}", number + 1
        found[annotator] = name
    return found


def _read(text: str, reader: Callable[[Sequence[Path]], Sheet]) -> Sheet:
    """What a sheet that came in says, read as a file would be."""
    with TemporaryDirectory(prefix="tiltmeter-") as scratch:
        path = _write(Path(scratch) / "sheet.csv", text)
        try:
            return reader([path])
        except InvalidData as error:
            raise _without_place(error) from None


def _without_place(error: InvalidData) -> InvalidData:
    """The same problem without the name of the file, which is not the annotator's."""
    return InvalidData(error.problem, file="the sheet", line=error.line, key=error.key)


def _write(path: Path, text: str) -> Path:
    with whole_file(path) as file:
        file.write(text)
    return path
