"""Files of generated sentences: our own CSV, and that of AutoBiasTest and BiasTestGPT."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.files import read_csv, write_csv
from tiltmeter.records import AttributeSet, Group, Spec, Written
from tiltmeter.sources.generated.matching import same_words, terms_of

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
)
_NEEDED = ("bias", "term", "attribute", "text")
_PUBLISHED = {
    "bias": "Bias Name",
    "term": "Group Term",
    "attribute": "Attribute word",
    "text": "Generated sentence",
}


def write_sentences(path: str | Path, sentences: Sequence[Written]) -> None:
    """Write sentences as a table, dropped ones with their reason."""
    write_csv(path, COLUMNS, [asdict(sentence) for sentence in sentences])


def read_sentences(path: str | Path, specs: Sequence[Spec] = ()) -> list[Written]:
    """The sentences of our own table or of the published one.

    The published table names neither group nor attribute set, and has names of its own for biases: `specs` are
    those in which they are looked up. A sentence whose terms no spec has keeps the names of the file.
    """
    columns, rows = read_csv(path)
    if all(column in columns for column in _PUBLISHED.values()):
        names = _PUBLISHED
    elif all(column in columns for column in _NEEDED):
        names = {column: column for column in _NEEDED}
    else:
        raise InvalidData(
            f"not a table of sentences: needed are the columns {', '.join(_NEEDED)}, "
            f"or AutoBiasTest's {', '.join(_PUBLISHED.values())}",
            file=path,
            line=1,
        )
    known = {name: spec for spec in specs for name in (spec.name, spec.published_as) if name}
    found: list[Written] = []
    for number, row in enumerate(rows, start=1):
        values = {key: row[column].strip() for key, column in names.items()}
        if names is _PUBLISHED:
            values["text"] = _taken_apart(values["text"], known.get(values["bias"]))
        missing = next((names[key] for key in ("term", "attribute", "text") if not values[key]), None)
        if missing:
            raise InvalidData(f"row {number} has nothing under `{missing}`", file=path)
        found.append(_written(values, row, known.get(values["bias"]), f"{Path(path).stem}/{number}", path))
    return found


def _written(values: dict[str, str], row: dict[str, str], spec: Spec | None, name: str, path: str | Path) -> Written:
    group, term = _place(spec.groups if spec else (), values["term"])
    attribute_set, attribute = _place(spec.attributes if spec else (), values["attribute"])
    number = row.get("set", "") or "0"
    if not number.isdecimal():
        raise InvalidData(f"`{number:.20}` is not the number of a set", file=path, key="set")
    return Written(
        id=row.get("id") or name,
        bias=spec.name if spec else values["bias"] or Path(path).stem,
        text=values["text"],
        group=row.get("group") or group,
        term=term,
        attribute=attribute,
        attribute_set=row.get("attribute_set") or attribute_set,
        set=int(number),
        generator=row.get("generator", ""),
        strategy=row.get("strategy", ""),
        dropped=row.get("dropped") or _discarded(row),
    )


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


def _discarded(row: dict[str, str]) -> str | None:
    if row.get("Discarded", "").strip().lower() in ("", "false", "0", "no"):
        return None
    return row.get("Reason for discard", "").strip() or "discarded by its authors"
