"""Rows of JSON files that are not tables: lists of objects, prompts under the name they are about, results by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.sources.datasets.json_files import read_json

_BRACES = re.compile(r"\{\w*\}")
_TEXTS = {"text", "prompt", "sentence", "completion", "response", "sentence_1"}
"""Names of columns that a table of texts has, and by which one that was saved column by column is known."""


def json_rows(path: str | Path) -> list[dict[str, Any]]:
    """The rows of a JSON file: a list of objects, lists of objects under names, or prompts under names."""
    data = read_json(path)
    rows = list(_rows(data))
    if not rows:
        raise InvalidData(
            "this JSON has no rows; write a list of objects, one object on each line, or prompts under the name "
            'they are about, as in {"baker": ["The {} said"]}',
            file=path,
        )
    return rows


def _rows(data: Any) -> Iterator[dict[str, Any]]:
    if _are(data, dict):
        for row in data:
            yield from _split_lists(row)
    elif isinstance(data, dict) and (columns := _columns(data)):
        yield from (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    elif isinstance(data, dict) and data:
        yield from _filled_lists(data) or _under_names(data)


def _columns(data: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The columns of a table that was saved column by column, as lists or under the numbers of rows."""
    lists = {name: list(held.values()) if isinstance(held, dict) else held for name, held in data.items()}
    keys = [list(held) if isinstance(held, dict) else None for held in data.values()]
    same = all(isinstance(held, list) and len(held) == len(lists[next(iter(lists))]) for held in lists.values())
    return lists if same and _TEXTS & set(data) and all(key == keys[0] for key in keys) else {}


def _split_lists(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A row for each prompt of an object that holds several, with its braces filled by the object's name."""
    many = [key for key, value in row.items() if _are(value, str) and any(map(_BRACES.search, value))]
    names = [value for value in row.values() if isinstance(value, str) and not _BRACES.search(value)]
    if len(many) != 1 or len(names) != 1:
        yield dict(row)
        return
    rest = {key: value for key, value in row.items() if key != many[0]}
    yield from ({**rest, **_prompt(names[0], text)} for text in row[many[0]])


def _under_names(data: Mapping[str, Any], names: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """Rows that stand under names; what stands beside them once is in each of them."""
    given = {key: value for key, value in data.items() if not isinstance(value, (dict, list))}
    held = {key: value for key, value in data.items() if key not in given}
    if not held and given and all(isinstance(value, str) for value in given.values()):
        given, held = {}, {key: [value] for key, value in given.items()}
    for name, value in held.items():
        if _are(value, str):
            group = {"group": names[0]} if names else {}
            yield from ({**given, **_prompt(name, text), **group} for text in value)
        elif _are(value, dict):
            yield from ({**given, **row} for row in value)
        elif isinstance(value, dict) and len(names) < 2:
            yield from ({**given, **row} for row in _under_names(value, (*names, name)) if row)


def _filled_lists(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every prompt of a list with every name of another, where these two lists are all there is."""
    lists = [value for value in data.values() if _are(value, str)]
    open_ones = [value for value in lists if all(map(_BRACES.search, value))]
    names = [value for value in lists if not any(map(_BRACES.search, value))]
    if len(lists) != len(data) or len(open_ones) != 1 or len(names) != 1:
        return []
    return [_prompt(name, text) for name in names[0] for text in open_ones[0]]


def _prompt(name: str, text: str) -> dict[str, Any]:
    template = _BRACES.sub("{}", text)
    return {"profession": name, "group": name, "text": template.replace("{}", name), "template": template}


def _are(value: Any, kind: type) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and bool(value) and _all(value, kind)


def _all(values: Sequence[Any], kind: type) -> bool:
    return all(isinstance(value, kind) for value in values)
