"""The word lists of the grammar: TOML files beside this one, whose values are words with spaces between."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tiltmeter import toml
from tiltmeter.errors import InvalidData


@cache
def lines(file: str, key: str) -> tuple[str, ...]:
    """The lines of a list, less empty ones."""
    text = files("tiltmeter.sources.rephrased").joinpath(file).read_text(encoding="utf-8")
    listed: str = toml.parse(text, InvalidData, file)[key]
    return tuple(line for line in listed.split("\n") if line)


@cache
def words(file: str, key: str) -> frozenset[str]:
    """The words of a list.

    >>> "shall" in words("phrases.toml", "modals")
    True
    """
    return frozenset(word for line in lines(file, key) for word in line.split())
