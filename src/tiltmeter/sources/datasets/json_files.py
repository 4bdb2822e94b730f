"""JSON files that others made: read with errors that say where and what."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.files import json_value, read_text, stream_lines


def read_json(path: str | Path) -> Any:
    """The content of a JSON file."""
    text = read_text(path)
    try:
        return json_value(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise InvalidData(
            f"not well-formed JSON ({error.msg}); was the file cut off?", file=path, line=error.lineno
        ) from None
    except ValueError as error:
        raise InvalidData(f"JSON that cannot be read ({error})", file=path) from None


def text_field(holder: Any, key: str, path: str | Path, place: str) -> str:
    """The text under a key of a JSON object; `place` says which object, for the error."""
    if not isinstance(holder, dict):
        raise InvalidData(f"{place} is not an object with keys", file=path)
    value = holder.get(key)
    if not isinstance(value, str) or not value.strip():
        raise InvalidData(f"{place} has no text under `{key}`", file=path)
    return value


def read_json_lines(path: str | Path) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file, each with its line; empty lines are passed over."""
    # Not splitlines(), which also breaks at signs that JSON allows inside a string.
    return list(_objects(enumerate(read_text(path).split("\n"), start=1), path))


def stream_json_lines(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The same one by one: for files that may be very long."""
    return _objects(stream_lines(path), path)


def _objects(lines: Iterable[tuple[int, str]], path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in lines:
        if line.strip():
            try:
                value = json_value(line, object_pairs_hook=_object)
            except ValueError as error:
                problem = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                raise InvalidData(
                    f"not well-formed JSON ({problem}); was the file cut off?", file=path, line=number
                ) from None
            if not isinstance(value, dict):
                raise InvalidData("not an object with keys; each line needs one", file=path, line=number)
            yield number, value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, of which every key is there once: nobody can say which of two values is meant."""
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        double = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key `{double:.60}` is there twice")
    return made


@dataclass(frozen=True, slots=True)
class FirstLine:
    """The first line of a file that is not blank, and whether there are others."""

    text: str
    more: bool


def first_line(path: str | Path, longest: int) -> FirstLine:
    """The first line that says anything; of one that is longer, the beginning."""
    with Path(path).open("rb") as file:
        lines = iter(lambda: file.readline(longest), b"")
        text = next((line for line in lines if line.strip()), b"")
        return FirstLine(text.decode("utf-8-sig", errors="replace"), any(map(bytes.strip, lines)))


def opening(path: Path, size: int = 4096) -> str:
    """The first characters of a file, to tell what it is by."""
    with path.open("rb") as file:
        head = file.read(size)
    utf_16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return head.decode("utf-16" if utf_16 else "utf-8-sig", errors="replace")
