"""Writes the data of a study file as TOML, the way a person would."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDE = 100
"""A list that is longer than this stands on several lines."""


def to_toml(data: Mapping[str, Any]) -> str:
    """The text of a file: values first, then each table.

    >>> print(to_toml({"name": "x", "pairs": {"sources": [{"templates": {"per_attribute": 4}}]}}), end="")
    name = "x"
    <BLANKLINE>
    [pairs]
    sources = [{ templates = { per_attribute = 4 } }]
    """
    tables = {key: value for key, value in data.items() if isinstance(value, Mapping)}
    blocks = [_assignments({key: value for key, value in data.items() if key not in tables})]
    blocks += [f"[{_key(name)}]\n{_assignments(table)}" for name, table in tables.items()]
    return "\n".join(block for block in blocks if block)


def _assignments(values: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in values.items())


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def _value(value: Any) -> str:
    line = _inline(value)
    if not isinstance(value, list) or len(line) <= _WIDE:
        return line
    return "[\n" + "".join(f"  {_inline(one)},\n" for one in value) + "]"


def _inline(value: Any) -> str:
    match value:
        case str():
            return _string(value)
        case list() | tuple():
            return f"[{', '.join(map(_inline, value))}]"
        case Mapping():
            inside = ", ".join(f"{_key(key)} = {_inline(one)}" for key, one in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        case datetime() | date() | time():
            return value.isoformat()
    # The numbers of Python are those of TOML, and so are `inf` and `nan`.
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _string(text: str) -> str:
    # The escapes of JSON are those of TOML, but for one character that JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
