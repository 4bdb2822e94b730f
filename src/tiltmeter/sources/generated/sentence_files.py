"""Files of generated sentences: our own table, an annotator's sheet, and the table of AutoBiasTest and BiasTestGPT."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.files import write_csv
from tiltmeter.records import AttributeSet, Group, Spec, Written
from tiltmeter.sources.cells import text_of
from tiltmeter.sources.generated.annotations import ISSUES, sheet_rows
from tiltmeter.sources.generated.matching import same_words, terms_of
from tiltmeter.sources.generated.sentence_specs import SPEC_COLUMNS, known_by_name, spec_cells, specs_of_file
from tiltmeter.sources.tables import NumberedRow, read_table

COLUMNS = (
    "id",
    "bias",
    "set",
    "group",
    "term",
    "attribute_set",
    "attribute",
    "text",
    "generator",
    "strategy",
    "dropped",
    *SPEC_COLUMNS,
)
_NEEDED = ("term", "attribute", "text")
_PUBLISHED = {
    "bias": "Bias Name",
    "term": "Group Term",
    "attribute": "Attribute word",
    "text": "Generated sentence",
}
STRUCK = "struck by a reviewer"
"""Why a sentence is left out that somebody marked, and gave no reason."""
_YES = {"x", "1", "1.0", "yes", "y", "true"}
_NO = {"", "0", "0.0", "no", "n", "false", "nan"}


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A row of a file of sentences: the sentence, or why the row has none, and the spec of its bias, where known."""

    line: int
    cells: Mapping[str, str]
    sentence: Written | None
    spec: Spec | None
    problem: str = ""


def write_sentences(path: str | Path, sentences: Sequence[Written], specs: Iterable[Spec] = ()) -> None:
    """Write sentences as a table, dropped ones with their reason.

    With their specs, the table holds all that is needed to make pairs from it.
    """
    known = {spec.name: spec for spec in specs}
    rows = [asdict(one) | spec_cells(one, known.get(one.bias)) for one in sentences]
    write_csv(path, COLUMNS, rows, sheet=True)


def as_written(path: str | Path, columns: Sequence[str], rows: Iterable[NumberedRow]) -> Iterator[NumberedRow]:
    """The rows of a table of sentences as they were before formulas were defused, where we wrote it."""
    ours = set(COLUMNS) <= set(columns) or set(ISSUES) <= set(columns)
    return sheet_rows(path, rows) if ours else iter(rows)


def is_sentence_table(columns: Sequence[str]) -> bool:
    """Whether these are the columns of a file of sentences, ours or the published one."""
    ours = all(column in columns for column in _NEEDED) and ("bias" in columns or "id" in columns)
    return ours or all(column in columns for column in _PUBLISHED.values())


def read_sentences(path: str | Path, specs: Sequence[Spec] = ()) -> list[Written]:
    """The sentences of our own table or of the published one.

    The published table names neither group nor attribute set, and has names of its own for biases: `specs` are
    those in which they are looked up. A sentence whose terms no spec has keeps the names of the file.
    """
    columns, rows = read_table(path)
    found: list[Written] = []
    for number, row in enumerate(sentence_rows(path, columns, as_written(path, columns, rows), specs), start=1):
        if row.sentence is None:
            raise InvalidData(f"row {number} {row.problem}", file=path)
        found.append(row.sentence)
    return found


def specs_in(path: str | Path) -> list[Spec]:
    """The specs of a file of sentences, as far as the file says them."""
    columns, rows = read_table(path)
    read = sentence_rows(path, columns, as_written(path, columns, rows))
    return specs_of_file([(row.cells, row.sentence) for row in read if row.sentence])


def sentence_rows(
    path: str | Path, columns: Sequence[str], rows: Iterable[NumberedRow], specs: Sequence[Spec] = ()
) -> Iterator[SentenceRow]:
    """The sentences of a table row by row; one that lacks something is there, with what it lacks."""
    if not is_sentence_table(columns):
        raise InvalidData(
            f"not a table of sentences: it needs the columns bias, {', '.join(_NEEDED)}, or AutoBiasTest's "
            f"{', '.join(_PUBLISHED.values())}",
            file=path,
            line=1,
        )
    names = _PUBLISHED if all(column in columns for column in _PUBLISHED.values()) else {}
    known = known_by_name(specs)
    for number, (line, cells) in enumerate(rows, start=1):
        values = {key: text_of(cells, names.get(key, key), path, line).strip() for key in ("bias", *_NEEDED)}
        values["bias"] = values["bias"] or _bias_in_id(cells.get("id", ""))
        spec = known.get(values["bias"])
        if names:
            values["text"] = _taken_apart(values["text"], spec)
        missing = next((names.get(key, key) for key in _NEEDED if not values[key]), None)
        if missing:
            yield SentenceRow(line, cells, None, spec, f"has nothing under `{missing}`")
            continue
        yield SentenceRow(line, cells, _written(values, cells, spec, f"{Path(path).stem}/{number}", path), spec)


def _written(
    values: Mapping[str, str], cells: Mapping[str, str], spec: Spec | None, name: str, path: str | Path
) -> Written:
    group, term = _place(spec.groups if spec else (), values["term"])
    attribute_set, attribute = _place(spec.attributes if spec else (), values["attribute"])
    number = cells.get("set", "").strip() or "0"
    if not number.isdecimal():
        raise InvalidData(f"`{number:.20}` is not the number of a set", file=path, key="set")
    return Written(
        id=cells.get("id") or name,
        bias=spec.name if spec else values["bias"] or Path(path).stem,
        text=values["text"],
        group=cells.get("group") or group,
        term=term,
        attribute=attribute,
        attribute_set=cells.get("attribute_set") or attribute_set,
        set=int(number),
        generator=cells.get("generator", ""),
        strategy=cells.get("strategy", ""),
        dropped=_dropped(cells.get("dropped", ""), STRUCK)
        or _dropped(cells.get("Discarded", ""), cells.get("Reason for discard", "").strip()),
    )


def _bias_in_id(name: str) -> str:
    """A sentence's id begins with its bias; a sheet on several sources has the source before it."""
    return name.rpartition(":")[2].partition("/")[0].strip()


def _taken_apart(text: str, spec: Spec | None) -> str:
    """The published sentences lost their hyphens: a `medicalassistant` of a spec's two words gets them back apart."""
    for term in terms_of(spec) if spec else ():
        if len(same_words(term).split()) > 1:
            together = "".join(same_words(term).split())
            text = re.sub(rf"\b{re.escape(together)}\b", term, text, flags=re.IGNORECASE)
    return text


def _place(holders: Sequence[Group] | Sequence[AttributeSet], word: str) -> tuple[str, str]:
    """The group or attribute set that has the word, and the word as it is spelled there."""
    for holder in holders:
        for term in holder.terms:
            if same_words(term) == same_words(word):
                return holder.name, term
    return "", word


def _dropped(mark: str, reason: str) -> str | None:
    """Why a row is left out: a mere mark stands for the reason that is given beside it."""
    plain = mark.strip().lower()
    if plain in _NO:
        return None
    return (reason or "discarded by its authors") if plain in _YES else mark.strip()
