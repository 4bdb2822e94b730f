"""Reads spec files, the user's and those of the library."""

from __future__ import annotations

import math
import os
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from tiltmeter.errors import InvalidSpec, UnknownName
from tiltmeter.files import read_text
from tiltmeter.records import Spec
from tiltmeter.specs.check import check
from tiltmeter.specs.locate import dotted, line_of, lines

_PLACE_IN_MESSAGE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_LIBRARY = resources.files("tiltmeter.specs") / "library"


@dataclass(frozen=True, slots=True)
class Examined:
    """A spec file that was looked at: the spec, or everything that is wrong with it."""

    spec: Spec | None
    problems: tuple[InvalidSpec, ...]


def load(name_or_path: str | Path) -> Spec:
    """The spec of that name in the library, or else the one in that file.

    >>> load("flowers-insects").benchmark
    True
    """
    name = str(name_or_path)
    if name in _library_names():
        return parse(library_text(name), file=f"{name}.toml")
    if is_file_name(name):
        return read(name)
    raise UnknownName("spec", name, _library_names())


def is_file_name(name: str) -> bool:
    """Whether a name is meant as a file: it ends in `.toml`, has a slash, or there is such a file.

    >>> is_file_name("mine.toml"), is_file_name("gender-professions")
    (True, False)
    """
    try:
        return name.endswith(".toml") or bool({"/", os.sep} & {*name}) or Path(name).is_file()
    except OSError:  # a name too long to be a file's
        return False


def read(path: str | Path) -> Spec:
    """The spec in a TOML file."""
    return parse(read_text(path, noun="spec file"), file=path)


def parse(text: str, file: str | Path | None = None) -> Spec:
    """The spec that a TOML text holds; `file` is only named in errors.

    >>> parse('name = "x"\\ngroups.a.terms = ["he"]\\ngroups.b.terms = ["she"]').compare
    (('a', 'b'),)
    """
    examined = examine(text, file)
    if examined.spec is None:
        raise examined.problems[0]
    return examined.spec


def examine(text: str, file: str | Path | None = None) -> Examined:
    """Like `parse`, but returns all problems, in the order of the file, instead of raising the first.

    >>> [error.problem for error in examine("groups = 3").problems][0]
    'must be tables such as `[groups.NAME]`, not a number'
    """
    try:
        checked = check(tomllib.loads(text))
        found = {} if checked.spec else lines(text)
    except tomllib.TOMLDecodeError as error:
        return Examined(None, (_syntax_error(str(error), text, file),))
    except RecursionError:
        return Examined(None, (InvalidSpec("not valid TOML: lists or tables are nested too deeply", file=file),))
    problems = [
        InvalidSpec(problem.sentence, file=file, line=line_of(found, problem.path), key=dotted(problem.path) or None)
        for problem in checked.problems
    ]
    # What is missing has no line and comes last: often it is there, under a misspelt key that has one.
    return Examined(checked.spec, tuple(sorted(problems, key=lambda problem: problem.line or math.inf)))


def names() -> list[str]:
    """The names of the library's specs, sorted.

    >>> "gender-professions" in names()
    True
    """
    return list(_library_names())


def library_text(name: str) -> str:
    """The file of a library spec, as it is shipped.

    >>> library_text("gender-math-arts").startswith("name = ")
    True
    """
    if name not in _library_names():
        raise UnknownName("spec", name, _library_names())
    return (_LIBRARY / f"{name}.toml").read_text(encoding="utf-8")


@cache
def _library_names() -> tuple[str, ...]:
    files = (entry.name for entry in _LIBRARY.iterdir())
    return tuple(sorted(file.removesuffix(".toml") for file in files if file.endswith(".toml")))


def _syntax_error(message: str, text: str, file: str | Path | None) -> InvalidSpec:
    place = _PLACE_IN_MESSAGE.search(message)
    line = int(place.group(1)) if place and place.group(1) else text.rstrip("\n").count("\n") + 1
    # tomllib shows the way to a table as a Python tuple.
    problem = re.sub(r"\('[^()]*\)", _dotted_tuple, _PLACE_IN_MESSAGE.sub("", message))
    return InvalidSpec(f"not valid TOML: {problem[:1].lower()}{problem[1:]}", file=file, line=line)


def _dotted_tuple(shown: re.Match[str]) -> str:
    keys = re.findall(r"'([^']*)'", shown[0])
    return f"`{'.'.join(keys)}`"
