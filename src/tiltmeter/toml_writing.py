"""Data as TOML, the way a person would write it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from datetime import date, datetime, time
from typing import Any

_WIDTH = 110
"""A list that does not fit on a line of so many characters stands on several."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(data: Mapping[str, Any], one_per_line: Collection[str] = ()) -> str:
    """The text of a file: values first, then each table. Keys in `one_per_line` have lists with one item on a line.

    >>> print(to_toml({"name": "x", "pairs": {"sources": [{"templates": {"per_attribute": 4}}]}}), end="")
    name = "x"
    <BLANKLINE>
    [pairs]
    sources = [{ templates = { per_attribute = 4 } }]
    """
    return "\n\n".join(_tables((), data, one_per_line)) + "\n"


def quoted(text: str) -> str:
    """A text in quotes. TOML's quoted text is JSON's, but for the delete character, which JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _tables(path: tuple[str, ...], table: Mapping[str, Any], one_per_line: Collection[str]) -> list[str]:
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    rows = [_row(key, value, key in one_per_line) for key, value in table.items() if key not in inner]
    heading = [f"[{'.'.join(map(_key, path))}]"] if path and (rows or not inner) else []
    parts = ["\n".join([*heading, *rows])] if heading or rows else []
    for key, value in inner.items():
        parts += _tables((*path, key), value, one_per_line)
    return parts


def _row(key: str, value: Any, one_per_line: bool) -> str:
    whole = f"{_key(key)} = {_value(value)}"
    if not isinstance(value, list | tuple) or not value:
        return whole
    if len(whole) <= _WIDTH and not (one_per_line and len(value) > 1):
        return whole
    rows = [""]
    for item in map(_value, value):
        if rows[-1] and (one_per_line or len(rows[-1]) + len(item) > _WIDTH):
            rows.append("")
        rows[-1] += f" {item}," if rows[-1] else f"  {item},"
    return "\n".join([f"{_key(key)} = [", *rows, "]"])


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else quoted(key)


def _value(value: Any) -> str:
    match value:
        case str():
            return quoted(value)
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case Mapping():
            inside = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        case datetime() | date() | time():
            return value.isoformat()
    # The numbers of Python are those of TOML, and so are `inf` and `nan`.
    return str(value).lower() if isinstance(value, bool) else repr(value)
