"""Source `prompts-file`: prompts that the user already has: CSV, JSON lines or Parquet with text and group columns.

Texts are taken to the letter but for spaces at their end, which a model would see as a token of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped, Prompt
from tiltmeter.sources.choosing import Repeats, draw, without_repeats
from tiltmeter.sources.tables import Row, column, read_table

_SOURCE = "prompts-file.v1"
_TEXT = ("text", "prompt")


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns hold what; `origin` and `id` may be missing."""

    text: str
    group: str
    origin: str | None
    id: str | None


def prompts(
    path: str | Path,
    *,
    text: str | None = None,
    group: str | None = None,
    origin: str | None = None,
    id: str | None = None,
    language: str = "en",
    repeats: Repeats = "keep",
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of a file; a row without text or group is dropped with the reason.

    The options name the columns; unless told, they are `text` (or `prompt`), `group`, `origin` and `id`. Without an
    origin each row is its own; without an id rows are numbered.
    """
    columns, rows = _read(path, text, group, origin, id)
    bias = Path(path).stem
    made: list[Prompt] = []
    dropped: list[Dropped] = []
    for number, (line, cells) in enumerate(rows, start=1):
        words, owner = cells[columns.text].rstrip(), cells[columns.group].strip()
        where = (columns.origin and cells[columns.origin].strip()) or f"row {number}"
        if not words.strip() or not owner:
            reason = f"line {line}: nothing under `{columns.group if words.strip() else columns.text}`"
            dropped.append(Dropped(bias, where, words, reason))
            continue
        made.append(
            Prompt(
                id=f"{bias}/{(columns.id and cells[columns.id].strip()) or number}",
                source=_SOURCE,
                bias=bias,
                origin=where,
                text=words,
                group=owner,
                language=language,
            )
        )
    _refuse_doubles(made, path)
    kept, repeated = without_repeats(made, repeats)
    return draw(kept, per_group, seed), dropped + repeated


def recognise(path: Path) -> bool:
    """Whether a file has the columns that are looked for unless told."""
    try:
        columns, _ = read_table(path)
    except InvalidData:
        return False
    return "group" in columns and any(name in columns for name in _TEXT)


def check(path: str | Path, *, text: str | None = None, group: str | None = None) -> dict[str, Any]:
    """What the file holds, and what in it may surprise."""
    columns, rows = _read(path, text, group, None, None)
    texts = [cells[columns.text] for _, cells in rows]
    owners = [cells[columns.group].strip() for _, cells in rows]
    places = {(owner, words.strip()) for owner, words in zip(owners, texts, strict=True)}
    return {
        "data_set": "prompts-file",
        "prompts": len(rows),
        "by_group": dict(Counter(owner or "(none)" for owner in owners)),
        "origins": len({cells[columns.origin] for _, cells in rows}) if columns.origin else len(rows),
        "blank": sum(not words.strip() for words in texts),
        "without_group": sum(not owner for owner in owners),
        "ending_in_a_space": sum(words != words.rstrip() for words in texts),
        "duplicates": len(texts) - len({words.strip() for words in texts}),
        "duplicates_within_a_group": len(texts) - len(places),
        "texts_in_several_groups": sum(count > 1 for count in Counter(words for _, words in places).values()),
        "with_line_breaks": sum("\n" in words.strip() for words in texts),
    }


def _read(
    path: str | Path, text: str | None, group: str | None, origin: str | None, id: str | None
) -> tuple[Columns, list[Row]]:
    columns, rows = read_table(path)
    if not rows:
        raise InvalidData("the file has a header and no rows", file=path)
    usual = next((name for name in _TEXT if name in columns), "text")
    found = Columns(
        column(columns, text or usual, path, "text"),
        column(columns, group or "group", path, "group"),
        *(_optional(columns, path, [("origin", origin), ("id", id)])),
    )
    return found, rows


def _optional(columns: Sequence[str], path: str | Path, given: list[tuple[str, str | None]]) -> Iterator[str | None]:
    for option, name in given:
        yield column(columns, name, path, option) if name else option if option in columns else None


def _refuse_doubles(made: list[Prompt], path: str | Path) -> None:
    doubled = [name for name, count in Counter(prompt.id for prompt in made).items() if count > 1]
    if doubled:
        raise InvalidData(f"the id `{doubled[0].partition('/')[2]}` stands more than once", file=path)
