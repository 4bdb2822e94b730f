"""Reads TOML that people wrote, and finds the line of a key or a list item, so that an error can point at it."""

from __future__ import annotations

import pathlib
import re
import tomllib
from typing import Any

from tiltmeter.errors import UserError

Path = tuple[str | int, ...]
"""The way to a value: names of keys, and positions in lists, from the top of the file."""

_PLACE_IN_MESSAGE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_QUOTED = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|' r"'''.*?'{3,5}|" r'"(?:\\.|[^"\\\n])*"|' r"'[^'\n]*'", re.DOTALL)
_SPACE = re.compile(r"[ \t]*")
_SPACE_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SCALAR = re.compile(r"[^,\]}#\n]*")


def parse(text: str, error: type[UserError], file: str | pathlib.Path | None = None) -> dict[str, Any]:
    """The data of a TOML text; a mistake in it is raised as `error`, with its line.

    >>> parse("a = 1", UserError)
    {'a': 1}
    """
    try:
        data = tomllib.loads(text)
        huge = _has_huge(data)
    except tomllib.TOMLDecodeError as mistake:
        place = _PLACE_IN_MESSAGE.search(str(mistake))
        line = int(place.group(1)) if place and place.group(1) else text.rstrip("\n").count("\n") + 1
        # tomllib shows the way to a table as a Python tuple.
        problem = re.sub(r"\('[^()]*\)", _dotted_tuple, _PLACE_IN_MESSAGE.sub("", str(mistake)))
        raise error(f"not valid TOML: {problem[:1].lower()}{problem[1:]}", file=file, line=line) from None
    except ValueError:
        raise error("not valid TOML: a number has thousands of digits", file=file) from None
    except RecursionError:
        raise error("not valid TOML: lists or tables are nested too deeply", file=file) from None
    if huge:
        raise error("not valid TOML: a whole number needs more than 64 bits", file=file)
    return data


def _has_huge(value: Any) -> bool:
    """Whether a number is beyond what TOML promises to hold, and so beyond all use."""
    if isinstance(value, (dict, list)):
        return any(map(_has_huge, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def lines(text: str) -> dict[Path, int]:
    """The line of every key and list item of a TOML text that `tomllib` accepts.

    >>> lines('name = "x"\\n[groups.male]\\nterms = [\\n  "he",\\n]')[("groups", "male", "terms", 0)]
    4
    """
    return _Walk(text).found


def line_of(found: dict[Path, int], path: Path) -> int | None:
    """The line of a path, or of the nearest table above it that is there.

    >>> line_of({("groups",): 3}, ("groups", "male", "terms"))
    3
    """
    for length in range(len(path), 0, -1):
        if path[:length] in found:
            return found[path[:length]]
    return None


def dotted(path: Path) -> str:
    """The path as it would be written in the file, without positions in lists.

    >>> dotted(("groups", "my group", "terms", 2))
    'groups."my group".terms'
    """
    keys = [part for part in path if isinstance(part, str)]
    return ".".join(key if _BARE_KEY.fullmatch(key) else f'"{key}"' for key in keys)


class _Walk:
    """One pass over a text that is known to be valid TOML: so anything unexpected can only be a plain value."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.found: dict[Path, int] = {}
        self.counted, self.line = 0, 1
        table: Path = ()
        items: dict[Path, int] = {}
        while self.skip(_SPACE_AND_COMMENTS) < len(text):
            if text[self.place] == "[":
                table = self.header(items)
            else:
                self.assignment(table)

    def skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.place)
        self.place = match.end() if match else self.place
        return self.place

    def note(self, path: Path) -> None:
        # A table may be opened by several headers: the first line that names it counts.
        self.line += self.text.count("\n", self.counted, self.place)
        self.counted = self.place
        for length in range(1, len(path) + 1):
            self.found.setdefault(path[:length], self.line)

    def header(self, items: dict[Path, int]) -> Path:
        brackets = 2 if self.text.startswith("[[", self.place) else 1
        self.place += brackets
        path = self.key()
        if brackets == 2:
            items[path] = items.get(path, -1) + 1
            path = (*path, items[path])
        self.note(path)
        self.place += brackets
        return path

    def assignment(self, table: Path) -> None:
        start = self.place
        path = (*table, *self.key())
        after, self.place = self.place, start
        self.note(path)
        self.place = after + 1
        self.value(path)

    def key(self) -> Path:
        parts: list[str] = []
        while True:
            self.skip(_SPACE)
            start = self.place
            if self.text[start] in "\"'":
                self.skip(_QUOTED)
                parts.append(tomllib.loads(f"key = {self.text[start : self.place]}")["key"])
            else:
                self.skip(_BARE_KEY)
                parts.append(self.text[start : self.place])
            self.skip(_SPACE)
            if self.text[self.place : self.place + 1] != ".":
                return tuple(parts)
            self.place += 1

    def value(self, path: Path) -> None:
        self.skip(_SPACE)
        opening = self.text[self.place : self.place + 1]
        if opening == "[":
            self.array(path)
        elif opening == "{":
            self.inline_table(path)
        else:
            self.skip(_QUOTED if opening in "\"'" else _SCALAR)

    def array(self, path: Path) -> None:
        self.place += 1
        position = 0
        while self.text[self.skip(_SPACE_AND_COMMENTS)] != "]":
            self.note((*path, position))
            self.value((*path, position))
            self.skip(_SPACE_AND_COMMENTS)
            self.place += self.text[self.place] == ","
            position += 1
        self.place += 1

    def inline_table(self, path: Path) -> None:
        self.place += 1
        while self.text[self.skip(_SPACE_AND_COMMENTS)] != "}":
            self.assignment(path)
            self.skip(_SPACE_AND_COMMENTS)
            self.place += self.text[self.place] == ","
        self.place += 1


def _dotted_tuple(shown: re.Match[str]) -> str:
    keys = re.findall(r"'([^']*)'", shown[0])
    return f"`{'.'.join(keys)}`"
