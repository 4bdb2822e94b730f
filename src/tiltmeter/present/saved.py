"""A document as a JSON file, from which the workbench shows the same blocks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from tiltmeter.errors import InvalidData
from tiltmeter.files import json_value, read_text, whole_file
from tiltmeter.present.blocks import Document, as_json, from_json
from tiltmeter.text import all_readable

VERSION = 1
"""Of the blocks: it changes when a file of one version cannot be read as another."""


def save(document: Document, path: str | Path) -> None:
    """Write a document, which `load` reads."""
    held = {"version": VERSION, "document": all_readable(as_json(document))}
    with whole_file(path) as file:
        file.write(json.dumps(held, ensure_ascii=False, allow_nan=False) + "\n")


def load(path: str | Path) -> Document:
    """Read what `save` wrote; nothing in the file is trusted to be what it should."""
    try:
        held = json_value(read_text(path))
    except ValueError as problem:
        raise InvalidData(f"not JSON: {problem}", file=path) from None
    version = held.get("version") if isinstance(held, dict) else None
    if version != VERSION:
        raise InvalidData(f"blocks of version {version!r}; this tiltmeter reads version {VERSION}", file=path)
    try:
        document = from_json(held.get("document"))
    except ValueError as problem:
        raise InvalidData(str(problem), file=path) from None
    if not _fits(document, Document):
        raise InvalidData("not a document of blocks: a field has a value of another kind", file=path)
    found: Document = document
    return found


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the kind that an annotation says, all the way down."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin is tuple:
        kinds = [inner[0]] * len(value) if inner[-1] is ... and isinstance(value, tuple) else list(inner)
        return isinstance(value, tuple) and len(value) == len(kinds) and all(map(_fits, value, kinds))
    if origin is not None:
        return isinstance(value, Mapping) and all(_fits(one, inner[1]) for one in value.values())
    if isinstance(hint, type) and is_dataclass(hint):
        hints = _hints(hint)
        return type(value) is hint and all(_fits(getattr(value, one.name), hints[one.name]) for one in fields(hint))
    return hint is Any or type(value) is hint


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
