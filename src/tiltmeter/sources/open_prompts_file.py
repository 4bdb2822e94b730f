"""Prompts of a table that leave open whom the next word is about: CSV, JSON lines or Parquet with a column of texts.

Beside `text` (or `prompt`) a table may say `profession` (or `origin`), `template` (or `structure`), `id`, and where the
profession is: `subject`, the words as they stand in the text, or `subject_start` and `subject_end`. Without either it
is looked for in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped, Prompt, Span
from tiltmeter.sources.tables import Row, column, read_table
from tiltmeter.sources.word_sets import BUILT_IN, WordSets

_SOURCE = "open-prompts-file.v1"
_USUAL = {
    "text": ("text", "prompt"),
    "profession": ("profession", "origin"),
    "template": ("template", "structure"),
    "id": ("id",),
    "subject": ("subject",),
}


@dataclass(frozen=True, slots=True)
class OpenColumns:
    """Which columns hold what; None: the usual name, where there is such a column."""

    text: str | None = None
    profession: str | None = None
    template: str | None = None
    id: str | None = None
    subject: str | None = None


def prompts(
    path: str | Path,
    *,
    text: str | None = None,
    profession: str | None = None,
    template: str | None = None,
    id: str | None = None,
    subject: str | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of a table for a study; the options name its columns, and the words are the pronouns unless told."""
    return read(path, BUILT_IN["pronouns"], OpenColumns(text, profession, template, id, subject))


def read(path: str | Path, words: WordSets, columns: OpenColumns | None = None) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of a table; a row without text is dropped with the reason."""
    header, rows = read_table(path)
    names = _names(header, columns or OpenColumns(), path)
    if not rows:
        raise InvalidData("the file has a header and no rows", file=path)
    made: list[Prompt] = []
    dropped: list[Dropped] = []
    for number, row in enumerate(rows, start=1):
        cells = {what: row[1][name].strip() if name else "" for what, name in names.items() if what != "text"}
        text = row[1][names["text"] or ""].rstrip()
        profession = cells["profession"] or f"row {number}"
        if not text.strip():
            reason = f"line {row[0]}: nothing under `{names['text']}`"
            dropped.append(Dropped(Path(path).stem, profession, text, reason))
            continue
        made.append(
            Prompt(
                id=cells["id"] or str(number),
                source=_SOURCE,
                bias=Path(path).stem,
                origin=profession,
                text=text,
                word_sets=words,
                attribute=cells["profession"] or None,
                template=cells["template"] or None,
                subject_spans=_spans(text, cells, row, path),
            )
        )
    doubled = [name for name, count in Counter(prompt.id for prompt in made).items() if count > 1]
    if doubled:
        raise InvalidData(f"the id `{doubled[0]}` stands more than once", file=path)
    return made, dropped


def _names(header: Sequence[str], columns: OpenColumns, path: str | Path) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for what, usual in _USUAL.items():
        given = getattr(columns, what)
        if given is not None:
            found[what] = column(header, given, path, f"--{what}")
        else:
            found[what] = next((name for name in usual if name in header), None)
    if found["text"] is None:
        column(header, "text", path, "--text")
    return found


def _spans(text: str, cells: Mapping[str, str], row: Row, path: str | Path) -> tuple[Span, ...]:
    line, whole = row
    start, end = (whole.get(f"subject_{side}", "").strip() for side in ("start", "end"))
    if start or end:
        if not (start.isdigit() and end.isdigit() and int(start) < int(end) <= len(text)):
            raise InvalidData(
                f"{start!r} to {end!r} is no range of characters in a text of {len(text)}",
                file=path,
                line=line,
                key="subject_start",
            )
        return ((int(start), int(end)),)
    if cells["subject"]:
        found = occurrences(text, cells["subject"])
        if not found:
            raise InvalidData(f"{cells['subject']!r} does not stand in the text", file=path, line=line, key="subject")
        return found
    return occurrences(text, cells["profession"])


def occurrences(text: str, words: str) -> tuple[Span, ...]:
    """Where words stand in a text, whole and in whatever case.

    >>> occurrences("A nurse is no nursery nurse", "Nurse")
    ((2, 7), (22, 27))
    """
    if not words:
        return ()
    pattern = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE)
    return tuple(match.span() for match in pattern.finditer(text))
