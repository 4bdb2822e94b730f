"""Rows of tests as JSON lines, and names that every program takes for names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import chain, count
from pathlib import Path

from tiltmeter.errors import UserError
from tiltmeter.present.exports.items import Asked, Row
from tiltmeter.specs.check import slug
from tiltmeter.text import all_readable

_LONGEST = 60
_AT_ONCE = 5_000


class Names:
    """Gives every text a name of small letters, digits and hyphens that no other text has."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def of(self, text: str) -> str:
        """The name of a text.

        >>> names = Names()
        >>> [names.of(text) for text in ("Older People", "older people", "Older People", "女性")]
        ['older-people', 'older-people-2', 'older-people', 'unnamed']
        """
        if text not in self._given:
            plain = slug(text)[:_LONGEST].strip("-") or "unnamed"
            numbered = (f"{plain}-{number}" for number in count(2))
            self._given[text] = next(one for one in chain([plain], numbered) if one not in self._given.values())
        return self._given[text]


Put = Callable[[str, Row], tuple[str, Row] | None]
"""Which file a row of a kind goes to, and as what; None where it goes to none."""


def write_lines(asked: Asked, folder: Path, put: Put) -> Mapping[str, tuple[str, str]]:
    """Write the rows to their files; by file, the kind and the bias of its first row."""
    files: dict[str, tuple[str, str]] = {}
    waiting: dict[str, list[str]] = {}
    for number, (kind, row) in enumerate(asked.rows(), start=1):
        if (found := put(kind, row)) is not None:
            name, given = found
            files.setdefault(name, (kind, row["bias"]))
            waiting.setdefault(name, []).append(json.dumps(all_readable(given), ensure_ascii=False, allow_nan=False))
        if not number % _AT_ONCE:
            _write(folder, waiting)
    _write(folder, waiting)
    if not files:
        why = "; ".join(f"{number:,} {reason}" for reason, number in asked.left_out.items()) or "it has no items"
        raise UserError(f"`{asked.name}` has nothing to export: {why}")
    return files


def _write(folder: Path, waiting: dict[str, list[str]]) -> None:
    for name, lines in waiting.items():
        with (folder / f"{name}.jsonl").open("a", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
    waiting.clear()


def left_out(asked: Asked) -> str:
    """What is in no file, as lines of Markdown."""
    return "".join(f"\nNot exported: {number:,} {reason}.\n" for reason, number in asked.left_out.items())
