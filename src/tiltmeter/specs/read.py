"""Reads spec files, the user's and those of the library."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from tiltmeter import toml
from tiltmeter.errors import InvalidSpec, UnknownName
from tiltmeter.files import read_text
from tiltmeter.records import Spec
from tiltmeter.specs.check import check

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


def load_all(name_or_path: str | Path) -> list[Spec]:
    """The spec of that name or file; of a JSON file, every specification in AutoBiasTest's format that can be used."""
    from tiltmeter.specs.autobiastest import import_autobiastest

    if Path(str(name_or_path)).suffix.lower() == ".json":
        return list(import_autobiastest(name_or_path, skip_invalid=True).specs)
    return [load(name_or_path)]


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
        checked = check(toml.parse(text, InvalidSpec, file))
    except InvalidSpec as error:
        return Examined(None, (error,))
    found = {} if checked.spec else toml.lines(text)
    problems = [
        InvalidSpec(
            problem.sentence, file=file, line=toml.line_of(found, problem.path), key=toml.dotted(problem.path) or None
        )
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
